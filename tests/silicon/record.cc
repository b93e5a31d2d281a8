// record PTX_DIR OUT_DIR: launches everything in launches.h on this machine's GPU through the driver API and
// writes outputs.bin.zst and outputs.csv. Each launch runs twice; what differs between the runs is left out.
#include <cuda.h>
#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "../golden/golden_data.h"
#include "launches.h"

namespace {

using silicon::LaunchSpec;
using silicon::TextureSpec;

void check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  throw std::runtime_error(what + ": " + (text ? text : "?"));
}

CUdeviceptr upload(const void* data, std::size_t bytes) {
  CUdeviceptr p = 0;
  check(cuMemAlloc(&p, bytes), "cuMemAlloc");
  check(cuMemcpyHtoD(p, data, bytes), "cuMemcpyHtoD");
  return p;
}

CUtexObject make_texture(const TextureSpec& t) {
  const std::vector<std::uint32_t> texels = silicon::texel_words(t);
  CUDA_RESOURCE_DESC resource = {};
  const CUarray_format format = t.bytes4 ? CU_AD_FORMAT_UNSIGNED_INT8 : CU_AD_FORMAT_FLOAT;
  const unsigned channels = t.bytes4 ? 4 : 1;
  if (t.height == 0) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = upload(texels.data(), texels.size() * 4);
    resource.res.linear.format = format;
    resource.res.linear.numChannels = channels;
    resource.res.linear.sizeInBytes = texels.size() * 4;
  } else {
    CUDA_ARRAY_DESCRIPTOR array = {};
    array.Width = static_cast<std::size_t>(t.width);
    array.Height = static_cast<std::size_t>(t.height);
    array.Format = format;
    array.NumChannels = channels;
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    check(cuArrayCreate(&resource.res.array.hArray, &array), "cuArrayCreate");
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels.data();
    copy.srcPitch = copy.WidthInBytes = array.Width * 4;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = resource.res.array.hArray;
    copy.Height = array.Height;
    check(cuMemcpy2D(&copy), "cuMemcpy2D");
  }
  CUDA_TEXTURE_DESC desc = {};
  for (CUaddress_mode& mode : desc.addressMode) mode = static_cast<CUaddress_mode>(t.mode);
  desc.filterMode = t.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (t.normalized) desc.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (t.bytes4 && !t.normalized_values) desc.flags |= CU_TRSF_READ_AS_INTEGER;
  CUtexObject object = 0;
  check(cuTexObjectCreate(&object, &resource, &desc, nullptr), "cuTexObjectCreate");
  return object;
}

std::vector<std::uint32_t> run(CUmodule module, const LaunchSpec& l) {
  CUfunction f = nullptr;
  check(cuModuleGetFunction(&f, module, l.kernel), "cuModuleGetFunction");
  const std::vector<std::uint32_t> input = silicon::input_words(l);
  CUdeviceptr in = upload(input.data(), input.size() * 4), out = 0;
  check(cuMemAlloc(&out, l.out_words * 4), "cuMemAlloc");
  check(cuMemsetD8(out, 0, l.out_words * 4), "cuMemsetD8");
  int n = l.n;
  CUtexObject texture = l.texture.width != 0 ? make_texture(l.texture) : 0;
  silicon::Arguments arguments = silicon::arguments();
  std::vector<void*> parameters = {&in, &out, &n};
  const std::string kernel = l.kernel;
  if (texture != 0) parameters.push_back(&texture);
  if (kernel == "struct_argument") parameters.push_back(&arguments);
  if (kernel == "aes_rounds") {
    CUdeviceptr box = 0;
    check(cuModuleGetGlobal(&box, nullptr, module, "k_sbox"), "k_sbox");
    check(cuMemcpyHtoD(box, silicon::sbox().data(), 256), "k_sbox");
  }
  const auto launch =
      l.cooperative ? cuLaunchCooperativeKernel(f, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1],
                                                l.block[2], l.shared, nullptr, parameters.data())
                    : cuLaunchKernel(f, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                                     l.shared, nullptr, parameters.data(), nullptr);
  check(launch, "launch");
  check(cuCtxSynchronize(), "kernel");
  std::vector<std::uint32_t> words(l.out_words);
  check(cuMemcpyDtoH(words.data(), out, words.size() * 4), "cuMemcpyDtoH");
  if (texture != 0) cuTexObjectDestroy(texture);
  cuMemFree(in);
  cuMemFree(out);
  return words;
}

void record(const std::string& ptx_dir, const std::string& out_dir) {
  check(cuInit(0), "cuInit");
  CUdevice device = 0;
  CUcontext context = nullptr;
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "context");
  check(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16384), "stack");
  std::vector<std::uint32_t> bytes;
  std::ofstream csv(out_dir + "/outputs.csv");
  csv << "launch,kernel,variant,offset,words\n";
  std::map<std::string, CUmodule> modules;
  const std::vector<LaunchSpec> all = silicon::launches();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::string& variant : silicon::variants(all[i].file)) {
      const std::string name = std::string(all[i].file) + "." + variant + ".ptx";
      try {
        if (modules.count(name) == 0)
          check(cuModuleLoadData(&modules[name],
                                 heddle::golden::read_zstd(ptx_dir + "/" + name + ".zst").c_str()),
                name);
        const std::vector<std::uint32_t> words = run(modules[name], all[i]),
                                         again = run(modules[name], all[i]);
        if (words != again) {
          std::printf("%s of %s: two runs differ, not recorded\n", all[i].kernel, name.c_str());
          continue;
        }
        csv << i << ',' << all[i].kernel << ',' << variant << ',' << bytes.size() << ',' << words.size()
            << '\n';
        bytes.insert(bytes.end(), words.begin(), words.end());
      } catch (const std::exception& error) {
        std::printf("%s of %s: %s\n", all[i].kernel, name.c_str(), error.what());
      }
    }
  std::vector<char> packed(ZSTD_compressBound(bytes.size() * 4));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size() * 4, 19));
  std::ofstream(out_dir + "/outputs.bin.zst", std::ios::binary)
      .write(packed.data(), static_cast<std::streamsize>(packed.size()));
  std::printf("%zu words, %zu bytes packed\n", bytes.size(), packed.size());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3) return record(argv[1], argv[2]), 0;
    std::fprintf(stderr, "usage: record PTX_DIR OUT_DIR\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
