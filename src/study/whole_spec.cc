#include "study/whole_spec.h"

#include "config/reader.h"

namespace heddle::study {

void WholeSpec::fields(config::Reader& r) {
  gpu.fields(r);
  r.section("functional", functional, "How kernels are executed");
}

WholeSpec read_whole(config::Config& config) {
  WholeSpec spec = config::read<WholeSpec>(config);
  config.check_all_read();
  return spec;
}

std::string effective(config::Config config) {
  read_whole(config);
  return config.dump(false);
}

}  // namespace heddle::study
