// The entry points that the tests call, as a program declares them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/session/abi.h"

extern "C" {
using namespace heddle::runtime;

void** __cudaRegisterFatBinary(void*);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(int);
const char* cudaGetErrorString(int);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceGetAttribute(int*, int, int);
struct IpcHandle {
  char bytes[64];
};
cudaError_t cudaIpcGetMemHandle(IpcHandle*, void*);
cudaError_t cudaIpcOpenMemHandle(void**, IpcHandle, unsigned);
cudaError_t cudaIpcCloseMemHandle(void*);
cudaError_t cudaIpcGetEventHandle(IpcHandle*, cudaEvent_t);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, IpcHandle);
cudaError_t cudaMallocFromPoolAsync(void**, std::size_t, cudaMemPool_t, cudaStream_t);
cudaError_t cudaMemPoolCreate(cudaMemPool_t*, const cudaMemPoolProps*);
cudaError_t cudaMemPoolGetAccess(int*, cudaMemPool_t, const cudaMemLocation*);
cudaError_t cudaMemPoolExportToShareableHandle(void*, cudaMemPool_t, int, unsigned);
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t*, void*, int, unsigned);
cudaError_t cudaMemPoolExportPointer(IpcHandle*, void*);
cudaError_t cudaMemPoolImportPointer(void**, cudaMemPool_t, const IpcHandle*);
cudaError_t cudaImportExternalMemory(void*, const void*);

cudaError_t cudaMalloc(void**, std::size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
cudaError_t cudaMallocManaged(void**, std::size_t, unsigned);
cudaError_t cudaMallocHost(void**, std::size_t);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaHostRegister(void*, std::size_t, unsigned);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaHostGetDevicePointer(void**, void*, unsigned);
cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*);
cudaError_t cudaMallocAsync(void**, std::size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void*, cudaStream_t);

cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t,
                         cudaMemcpyKind);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms*);
cudaError_t cudaMemset(void*, int, std::size_t);
cudaError_t cudaMemset2D(void*, std::size_t, int, std::size_t, std::size_t);
cudaError_t cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, cudaMemcpyKind);
cudaError_t cudaGetSymbolSize(std::size_t*, const void*);
cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, std::size_t, std::size_t, unsigned);
cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc*, cudaExtent*, unsigned*, cudaArray_t);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t*, const cudaChannelFormatDesc*, cudaExtent,
                                     unsigned, unsigned);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t*, cudaMipmappedArray_t, unsigned);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t);
cudaError_t cudaCreateTextureObject(unsigned long long*, const cudaResourceDesc*, const cudaTextureDesc*,
                                    const void*);
cudaError_t cudaDestroyTextureObject(unsigned long long);
cudaError_t cudaCreateSurfaceObject(unsigned long long*, const cudaResourceDesc*);
cudaError_t cudaDestroySurfaceObject(unsigned long long);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc*, unsigned long long);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, std::size_t, std::size_t, const void*, std::size_t, std::size_t,
                                std::size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArray(void*, std::size_t, cudaArray_t, std::size_t, std::size_t, std::size_t,
                                  std::size_t, cudaMemcpyKind);

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t cudaFuncSetAttribute(const void*, int, int);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*);

cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);

cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t, cudaGraph_t, const cudaGraphNode_t*, const void*,
                                          std::size_t, int);
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned);
cudaError_t cudaGraphClone(cudaGraph_t*, cudaGraph_t);
cudaError_t cudaGraphAddNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, const void*, std::size_t,
                             cudaGraphNodeParams*);
cudaError_t cudaGraphConditionalHandleCreate(unsigned long long*, cudaGraph_t, unsigned, unsigned);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                   const cudaKernelNodeParams*);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                     void*, const void*, std::size_t, cudaMemcpyKind);
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t*, const cudaGraphNode_t*, const void*,
                                     std::size_t);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, const cudaKernelNodeParams*);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);

cudaError_t cuInit(unsigned);
cudaError_t cuCtxCreate_v2(void**, unsigned, int);
cudaError_t cuModuleLoadData(void**, const void*);
cudaError_t cuModuleGetFunction(void**, void*, const char*);
cudaError_t cuModuleGetGlobal_v2(std::uint64_t*, std::size_t*, void*, const char*);
cudaError_t cuMemAlloc_v2(std::uint64_t*, std::size_t);
cudaError_t cuMemFree_v2(std::uint64_t);
cudaError_t cuMemcpyHtoD_v2(std::uint64_t, const void*, std::size_t);
cudaError_t cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t);
cudaError_t cuArray3DCreate_v2(cudaArray_t*, const void*);
cudaError_t cuArray3DGetDescriptor_v2(void*, cudaArray_t);
cudaError_t cuArrayDestroy(cudaArray_t);
cudaError_t cuMemcpy3D_v2(const void*);
cudaError_t cuTexObjectCreate(std::uint64_t*, const void*, const void*, const void*);
cudaError_t cuTexObjectDestroy(std::uint64_t);
cudaError_t cuSurfObjectCreate(std::uint64_t*, const void*);
cudaError_t cuLinkCreate_v2(unsigned, const int*, void**, void**);
cudaError_t cuLinkAddData_v2(void*, int, void*, std::size_t, const char*, unsigned, const int*, void**);
cudaError_t cuLinkComplete(void*, void**, std::size_t*);
cudaError_t cuLinkDestroy(void*);
cudaError_t cuMemAddressReserve(std::uint64_t*, std::size_t, std::size_t, std::uint64_t, unsigned long long);
cudaError_t cuMemAddressFree(std::uint64_t, std::size_t);
cudaError_t cuMemCreate(void**, std::size_t, const void*, unsigned long long);
cudaError_t cuMemRelease(void*);
cudaError_t cuMemGetAllocationPropertiesFromHandle(void*, void*);
cudaError_t cuMemMap(std::uint64_t, std::size_t, std::size_t, void*, unsigned long long);
cudaError_t cuMemUnmap(std::uint64_t, std::size_t);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t,
                                     cudaMemAllocNodeParams*);
cudaError_t cudaDeviceGetGraphMemAttribute(int, int, void*);
cudaError_t cudaDeviceGraphMemTrim(int);
cudaError_t cuMemsetD32_v2(std::uint64_t, unsigned, std::size_t);
cudaError_t cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           cudaStream_t, void**, void**);
cudaError_t cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, int*);
cudaError_t cuCtxSynchronize();
cudaError_t cuProfilerStart();
cudaError_t cuProfilerStop();
cudaError_t cuGetErrorName(int, const char**);
}
