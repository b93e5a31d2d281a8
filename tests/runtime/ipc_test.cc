// Memory and events of another process: the test starts itself again as the other one.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

constexpr const char* kMemory = "HEDDLE_TEST_MEMORY";
constexpr const char* kEvent = "HEDDLE_TEST_EVENT";
constexpr const char* kPool = "HEDDLE_TEST_POOL";
constexpr int kDescriptor = 1;          // handles of pools are file descriptors
constexpr std::uint32_t kWords = 5000;  // more than a page, and no whole number of them

class IpcTest : public RuntimeTest {};

void give(const char* name, const IpcHandle& handle) {
  std::string text;
  for (const char c : handle.bytes) {
    text += static_cast<char>('a' + (static_cast<unsigned char>(c) >> 4));
    text += static_cast<char>('a' + (c & 15));
  }
  setenv(name, text.c_str(), 1);
}
IpcHandle take(const char* name) {
  IpcHandle handle{};
  const std::string text = getenv(name);
  for (std::size_t i = 0; i < sizeof handle.bytes; ++i)
    handle.bytes[i] = static_cast<char>((text.at(2 * i) - 'a') << 4 | (text.at(2 * i + 1) - 'a'));
  return handle;
}

int run_again(const char* test) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string filter = std::string("--gtest_filter=") + test;
    execl("/proc/self/exe", "runtime_test", filter.c_str(), "--gtest_also_run_disabled_tests",
          "--gtest_brief=1", nullptr);
    _exit(99);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(IpcTest, AnotherProcessWritesMemoryOfThisOne) {
  std::uint32_t *before = allocate(100), *p = allocate(kWords), *after = allocate(100);
  std::uint32_t three = 3, five = 5;
  ASSERT_EQ(launch(common().kernel("fill"), {1}, {100}, {&before, &five}), cudaSuccess);
  ASSERT_EQ(launch(common().kernel("fill"), {kWords / 100}, {100}, {&p, &three}), cudaSuccess);
  ASSERT_EQ(launch(common().kernel("fill"), {1}, {100}, {&after, &five}), cudaSuccess);
  IpcHandle memory{}, done{};
  ASSERT_EQ(cudaIpcGetMemHandle(&memory, p), cudaSuccess);
  EXPECT_EQ(words(p, kWords), std::vector<std::uint32_t>(kWords, 3)) << "it has moved with its content";
  cudaEvent_t event = nullptr;
  constexpr unsigned kNoTimingInterprocess = 6;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, kNoTimingInterprocess), cudaSuccess);
  ASSERT_EQ(cudaIpcGetEventHandle(&done, event), cudaSuccess);
  void* own = nullptr;
  EXPECT_EQ(cudaIpcOpenMemHandle(&own, memory, 1), cudaErrorDeviceUninitialized) << "not in the same process";
  give(kMemory, memory);
  give(kEvent, done);
  EXPECT_EQ(run_again("IpcTest.DISABLED_TheOtherProcess"), 0);
  EXPECT_EQ(words(p, kWords), std::vector<std::uint32_t>(kWords, 13)) << "what the other kernel wrote";
  EXPECT_EQ(words(before, 100), std::vector<std::uint32_t>(100, 5));
  EXPECT_EQ(words(after, 100), std::vector<std::uint32_t>(100, 5));
  // Shared memory is zero again, too, when it is allocated anew.
  ASSERT_EQ(cudaFree(p), cudaSuccess);
  std::uint32_t* again = allocate(kWords);
  EXPECT_EQ(again, p);
  EXPECT_EQ(words(again, kWords), std::vector<std::uint32_t>(kWords, 0));
}

TEST_F(IpcTest, DISABLED_TheOtherProcess) {
  const IpcHandle memory = take(kMemory);
  std::uint32_t *own = allocate(4), *p = nullptr, *second = nullptr, ten = 10;
  ASSERT_EQ(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&p), memory, 1), cudaSuccess);
  ASSERT_EQ(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&second), memory, 1), cudaSuccess);
  EXPECT_EQ(second, p) << "it is there once";
  ASSERT_EQ(cudaIpcCloseMemHandle(second), cudaSuccess);
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaIpcOpenEventHandle(&event, take(kEvent)), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 0), cudaSuccess);
  EXPECT_EQ(words(p, kWords), std::vector<std::uint32_t>(kWords, 3));
  ASSERT_EQ(launch(common().kernel("add"), {kWords / 100}, {100}, {&p, &ten}), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  cudaPointerAttributes what{};
  ASSERT_EQ(cudaPointerGetAttributes(&what, p + 1), cudaSuccess);
  EXPECT_EQ(what.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue) << "it belongs to the other one";
  EXPECT_EQ(cudaIpcCloseMemHandle(own), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcCloseMemHandle(p), cudaSuccess);
  EXPECT_EQ(cudaIpcCloseMemHandle(p), cudaErrorInvalidValue);
  EXPECT_EQ(launch(common().kernel("add"), {1}, {32}, {&p, &ten}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress) << "it is closed";
}

TEST_F(IpcTest, OnlyWhatCanBeShared) {
  IpcHandle handle{};
  void *pinned = nullptr, *p = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcOpenMemHandle(&p, handle, 1), cudaErrorInvalidResourceHandle) << "no handle";
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaIpcGetEventHandle(&handle, event), cudaErrorInvalidResourceHandle);
}

TEST_F(IpcTest, AnotherProcessWritesMemoryOfAPool) {
  int types = 0, file = -1;
  constexpr int kSupportedHandleTypes = 119;
  ASSERT_EQ(cudaDeviceGetAttribute(&types, kSupportedHandleTypes, 0), cudaSuccess);
  EXPECT_EQ(types, kDescriptor);
  cudaMemPoolProps properties{};
  properties.allocType = 1;
  properties.handleTypes = kDescriptor;
  properties.location = {1, 0};
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  std::uint32_t *p = nullptr, three = 3;
  ASSERT_EQ(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&p), 4 * kWords, pool, nullptr), cudaSuccess);
  ASSERT_EQ(launch(common().kernel("fill"), {kWords / 100}, {100}, {&p, &three}), cudaSuccess);
  IpcHandle data{};
  EXPECT_EQ(cudaMemPoolExportToShareableHandle(&file, pool, kDescriptor + 1, 0), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMemPoolExportToShareableHandle(&file, pool, kDescriptor, 0), cudaSuccess);
  ASSERT_EQ(cudaMemPoolExportPointer(&data, p), cudaSuccess);
  give(kMemory, data);
  setenv(kPool, std::to_string(file).c_str(), 1);
  EXPECT_EQ(run_again("IpcTest.DISABLED_TheOtherProcessOfAPool"), 0);
  close(file);
  EXPECT_EQ(words(p, kWords), std::vector<std::uint32_t>(kWords, 13)) << "what the other kernel wrote";
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
}

TEST_F(IpcTest, DISABLED_TheOtherProcessOfAPool) {
  const auto file = static_cast<std::intptr_t>(std::stoi(getenv(kPool)));
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(
      cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(std::intptr_t{-1}), kDescriptor, 0),
      cudaErrorInvalidValue);
  ASSERT_EQ(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(file), kDescriptor, 0),
            cudaSuccess);
  int access = 0;
  const cudaMemLocation here{1, 0};
  EXPECT_EQ(cudaMemPoolGetAccess(&access, pool, &here), cudaSuccess);
  EXPECT_EQ(access, 3) << "to read and to write";
  IpcHandle data = take(kMemory);
  std::uint32_t *p = nullptr, ten = 10;
  const IpcHandle none{};
  EXPECT_EQ(cudaMemPoolImportPointer(reinterpret_cast<void**>(&p), pool, &none), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMemPoolImportPointer(reinterpret_cast<void**>(&p), pool, &data), cudaSuccess);
  EXPECT_EQ(words(p, kWords), std::vector<std::uint32_t>(kWords, 3));
  ASSERT_EQ(launch(common().kernel("add"), {kWords / 100}, {100}, {&p, &ten}), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaErrorInvalidValue) << "it is gone";
}

}  // namespace
}  // namespace heddle::runtime_test
