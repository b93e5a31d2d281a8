// The types of CUDA's runtime interface as compiled programs use them: sizes, offsets and values of an ABI
// that Heddle has to meet. Names are CUDA's, so that they can be looked up in its manual.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// Codes that Heddle itself returns; error_codes.h knows the names of all.
enum cudaError_t : int {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPitchValue = 12,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidChannelDescriptor = 20,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInvalidFilterSetting = 26,
  cudaErrorInvalidNormSetting = 27,
  cudaErrorMissingConfiguration = 52,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidKernelImage = 200,
  cudaErrorDeviceUninitialized = 201,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorUnsupportedLimit = 215,
  cudaErrorInvalidPtx = 218,
  cudaErrorFileNotFound = 301,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorSymbolNotFound = 500,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorPeerAccessNotEnabled = 705,
  cudaErrorAssert = 710,
  cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorHostMemoryNotRegistered = 713,
  cudaErrorMisalignedAddress = 716,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorNotSupported = 801,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorStreamCaptureImplicit = 906,
  cudaErrorUnknown = 999,
};

// The newest of CUDA 13: programs refuse a driver that is older than their runtime.
inline constexpr int kDriverVersion = 13090;

struct dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

enum cudaMemcpyKind : int {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

struct cudaExtent {
  std::size_t width, height, depth;
};
struct cudaPos {
  std::size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};

enum cudaChannelFormatKind : int {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};
struct cudaChannelFormatDesc {
  int x, y, z, w;  // bits
  cudaChannelFormatKind f;
};

struct Array;
struct MipmappedArray;
using cudaArray_t = Array*;
using cudaMipmappedArray_t = MipmappedArray*;

// Flags of arrays.
inline constexpr unsigned cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4,
                          cudaArrayTextureGather = 8, cudaArrayColorAttachment = 0x20;

struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
static_assert(sizeof(cudaMemcpy3DParms) == 160);

enum cudaMemoryType : int {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
  int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
};

enum cudaResourceType : int {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
};
static_assert(sizeof(cudaResourceDesc) == 136);

struct cudaTextureDesc {
  int addressMode[3];  // 0 wrap, 1 clamp, 2 mirror, 3 border
  int filterMode;      // 0 point, 1 linear
  int readMode;        // 0 element, 1 normalized float
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
static_assert(sizeof(cudaTextureDesc) == 72);

struct cudaMemLocation {
  int type;
  int id;
};

struct Stream;
struct Event;
struct Kernel;
struct Graph;
struct GraphNode;
struct GraphExec;
struct MemPool;
using cudaStream_t = Stream*;
using cudaEvent_t = Event*;
using cudaKernel_t = Kernel*;
using cudaGraph_t = Graph*;
using cudaGraphNode_t = GraphNode*;
using cudaGraphExec_t = GraphExec*;
using cudaMemPool_t = MemPool*;
using cudaHostFn_t = void (*)(void*);

inline constexpr int cudaLaunchAttributeCooperative = 2;
inline constexpr int cudaLaunchAttributeClusterDimension = 4;
struct cudaLaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    struct {
      unsigned x, y, z;
    } clusterDim;
  } val;
};
static_assert(sizeof(cudaLaunchAttribute) == 72);
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
static_assert(sizeof(cudaLaunchConfig_t) == 56);

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
struct cudaMemPoolProps {
  int allocType, handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  std::size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};
static_assert(sizeof(cudaMemPoolProps) == 88);
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const void* accessDescs;
  std::size_t accessDescCount, bytesize;
  void* dptr;
};
struct cudaConditionalNodeParams {
  unsigned long long handle;
  int type;  // 0: if, 1: while, 2: switch
  unsigned size;
  cudaGraph_t* phGraph_out;
};
struct cudaGraphNodeParams {
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParams kernel;
    cudaHostNodeParams host;
    cudaMemsetParams memset;
    struct {
      int flags, reserved[3];
      cudaMemcpy3DParms copyParams;
    } memcpy;
    cudaMemAllocNodeParams alloc;
    struct {
      void* dptr;
    } free;
    struct {
      cudaGraph_t graph;
    } child;
    struct {
      cudaEvent_t event;
    } event;
    cudaConditionalNodeParams conditional;
  };
  long long reserved2;
};
struct cudaGraphExecUpdateResultInfo {
  int result;
  cudaGraphNode_t errorNode, errorFromNode;
};

// __cudaRegisterFatBinary is given the address of one of these.
struct FatBinaryWrapper {
  std::uint32_t magic;  // 0x466243b1
  std::uint32_t version;
  const void* data;
  const void* aux;
};

}  // namespace heddle::runtime
