// Any bytes as a recording, or as the operations inside of one: an Error, or operations that a device takes;
// never a crash, nor more memory than there are data.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "exec/device/device_base.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/recording_frames.h"

namespace {

using namespace heddle;

// Takes everything and runs nothing.
class FuzzedDevice final : public exec::DeviceBase {
 public:
  FuzzedDevice()
      : DeviceBase(exec::CodeOrder::AsWritten, {},
                   {mem::Placement::Anywhere, exec::Linking::AtLaunch, std::uint64_t{64} << 20}) {}
  void launch(const workload::Launch& launch) override { prepare(launch, Bytes{1024}); }
};

// Checksums would keep a fuzzer from everything behind them.
std::string framed(std::string_view operations) {
  runtime::FrameEncoder encoder;
  std::string file(runtime::kRecordingMark);
  for (std::size_t at = 0; at < operations.size(); at += runtime::kMostFrameBytes)
    file += encoder.frame(operations.substr(at, runtime::kMostFrameBytes));
  return file + encoder.end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with(runtime::kRecordingMark)) bytes = framed(bytes);
  std::istringstream in(bytes);
  FuzzedDevice device;
  try {
    runtime::replay(in, "fuzz.hdl", device);
  } catch (const Error&) {
  }
  std::istringstream again(bytes);
  try {
    runtime::read_launches(again, "fuzz.hdl");
  } catch (const Error&) {
  }
  return 0;
}
