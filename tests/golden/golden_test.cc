// Every golden case from its PTX text, on a simulated device, against what an H200 computed: parsing,
// register allocation, control flow, memory, atomics and lane exchange as well as arithmetic.
#include <gtest/gtest.h>

#include <exception>
#include <memory>

#include "golden_compare.h"
#include "golden_data.h"
#include "workload/device.h"

std::unique_ptr<heddle::workload::Device> make_device();

namespace heddle {
namespace {

TEST(Golden, MatchesSilicon) {
  const golden::Data data = golden::load(HEDDLE_GOLDEN_DIR);
  const std::unique_ptr<workload::Device> device = make_device();
  std::map<std::string, workload::DevicePtr> arrays = {{"-", workload::DevicePtr::Null}};
  for (const auto& [name, array] : data.arrays) {
    const std::uint64_t bytes = array.element_bytes * array.count;
    arrays[name] = device->allocate(bytes, name);
    device->copy_in(arrays[name], data.inputs.data() + array.offset, bytes);
  }
  golden::Report report;
  for (const golden::Case& c : data.cases) {
    if (c.expected.empty()) continue;
    try {
      device->load_module(c.ptx, c.kernel + ".ptx");
    } catch (const std::exception& error) {
      report.refuse(c, error.what());
      continue;
    }
    const workload::DevicePtr out = device->allocate(c.expected.size(), "out");
    workload::Launch launch;
    launch.kernel = c.kernel;
    launch.grid = {static_cast<std::uint32_t>(c.n / 128), 1, 1};
    launch.block = {128, 1, 1};
    launch.args = workload::args(out, arrays.at(c.arrays[0]), arrays.at(c.arrays[1]), arrays.at(c.arrays[2]));
    std::string got(c.expected.size(), '\0');
    try {
      device->launch(launch);
      device->copy_out(got.data(), out, got.size());
      report.compare(data, c, got);
    } catch (const std::exception& error) {
      ADD_FAILURE() << c.op << ": " << error.what();
    }
    device->release(out);
  }
  report.print();
  EXPECT_EQ(report.wrong(), 0u);
  for (const std::string& op : report.refused()) {
    EXPECT_TRUE(golden::known_unsupported(op)) << "refused: " << op;
  }
}

}  // namespace
}  // namespace heddle
