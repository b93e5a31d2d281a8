// Runs the golden cases on a real GPU and writes what it computed. Usage: record DIR
// Reads DIR/{cases.ptx,cases.csv,inputs.bin,inputs.csv}, writes DIR/outputs.bin (the outputs of all cases that
// ran, in manifest order) and DIR/results.csv (kernel, status, offset and size in outputs.bin, message).
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::vector<std::string>> read_table(const std::string& path) {
  std::istringstream in(read_file(path));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);  // titles
  while (std::getline(in, line)) {
    std::vector<std::string> row;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    row.resize(10);
    rows.push_back(row);
  }
  return rows;
}

const char* text(CUresult r) {
  const char* s = nullptr;
  cuGetErrorString(r, &s);
  return s != nullptr ? s : "unknown error";
}

void must(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, text(r));
  std::exit(1);
}

struct Machine {
  CUdevice device = 0;
  std::string data;
  std::vector<std::vector<std::string>> index;
  std::map<std::string, CUdeviceptr> arrays;
  CUdeviceptr out = 0;
  static constexpr std::size_t kOutBytes = 1 << 20;

  void start() {
    CUcontext context = nullptr;
    must(cuDevicePrimaryCtxRetain(&context, device), "context");
    must(cuCtxSetCurrent(context), "context");
    must(cuMemAlloc(&out, kOutBytes), "memory");
    for (const auto& row : index) {
      const std::size_t bytes = std::stoul(row[1]) * std::stoul(row[2]);
      CUdeviceptr p = 0;
      must(cuMemAlloc(&p, bytes), "memory");
      must(cuMemcpyHtoD(p, data.data() + std::stoul(row[3]), bytes), "copy");
      arrays[row[0]] = p;
    }
    arrays["-"] = 0;
  }
  // After a fault nothing in the context is usable.
  void restart() {
    cuDevicePrimaryCtxReset(device);
    start();
  }
};

// Empty when it ran; else what went wrong, with `fault` set when the context is lost.
std::string run_case(Machine& m, const std::vector<std::string>& row, const std::string& ptx, std::vector<char>& result,
                     bool* fault) {
  static char log[8192];
  log[0] = 0;
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(static_cast<std::uintptr_t>(sizeof log))};
  CUmodule module = nullptr;
  CUresult r = cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values);
  if (r != CUDA_SUCCESS) return std::string("rejected: ") + text(r) + ": " + log;
  CUfunction f = nullptr;
  r = cuModuleGetFunction(&f, module, row[0].c_str());
  if (r == CUDA_SUCCESS) {
    CUdeviceptr a = m.arrays.at(row[2]), b = m.arrays.at(row[3]), c = m.arrays.at(row[4]);
    void* args[] = {&m.out, &a, &b, &c};
    const unsigned n = std::stoul(row[5]);
    cuMemsetD8(m.out, 0, result.size());
    r = cuLaunchKernel(f, n / 128, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr);
    if (r == CUDA_SUCCESS) r = cuCtxSynchronize();
    if (r == CUDA_SUCCESS) r = cuMemcpyDtoH(result.data(), m.out, result.size());
    *fault = r != CUDA_SUCCESS;
  }
  if (r != CUDA_SUCCESS) return std::string("failed: ") + text(r);
  cuModuleUnload(module);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string dir = argv[1];
  must(cuInit(0), "cuInit");
  Machine m;
  must(cuDeviceGet(&m.device, 0), "device");
  char name[128];
  cuDeviceGetName(name, sizeof name, m.device);
  int driver = 0;
  cuDriverGetVersion(&driver);
  std::printf("%s, driver API %d\n", name, driver);
  m.data = read_file(dir + "/inputs.bin");
  m.index = read_table(dir + "/inputs.csv");
  m.start();

  std::map<std::string, std::string> modules;
  const std::string all = read_file(dir + "/cases.ptx");
  for (std::size_t at = all.find("//@ "); at != std::string::npos;) {
    const std::size_t next = all.find("//@ ", at + 1);
    const std::size_t end_of_line = all.find('\n', at);
    modules[all.substr(at + 4, end_of_line - at - 4)] =
        all.substr(end_of_line + 1, (next == std::string::npos ? all.size() : next) - end_of_line - 1);
    at = next;
  }

  std::ofstream outputs(dir + "/outputs.bin", std::ios::binary), results(dir + "/results.csv");
  results << "kernel,status,offset,bytes,message\n";
  std::size_t offset = 0, ran = 0, bad = 0;
  for (const auto& row : read_table(dir + "/cases.csv")) {
    std::vector<char> result(std::stoul(row[5]) * std::stoul(row[6]));
    bool fault = false;
    std::string message = result.size() > Machine::kOutBytes ? "failed: output too large"
                                                              : run_case(m, row, modules[row[0]], result, &fault);
    if (message.empty()) {
      results << row[0] << ",ok," << offset << ',' << result.size() << ",\n";
      outputs.write(result.data(), static_cast<std::streamsize>(result.size()));
      offset += result.size();
      ++ran;
      continue;
    }
    ++bad;
    for (char& c : message)
      if (c == '\n' || c == ',') c = ' ';
    std::printf("%s (%s): %s\n", row[0].c_str(), row[1].c_str(), message.c_str());
    results << row[0] << ',' << message.substr(0, message.find(':')) << ",0,0," << message << '\n';
    if (fault) m.restart();
  }
  std::printf("%zu cases recorded, %zu bytes; %zu rejected or failed\n", ran, offset, bad);
  return 0;
}
