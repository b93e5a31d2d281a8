// Any bytes as what a store or an archive keeps: an Error or a record that can be shown; never a crash.
// The first byte says as what: '0' a record (JSON), '1' one that is compressed, '2' an archive, '3' the JSON
// of one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "report/page_data.h"
#include "study/plan/archive.h"
#include "study/run/record.h"
#include "study/run/result.h"
#include "study/store/compression.h"

namespace {

using namespace heddle;

template <class F>
void attempt(F&& f) {
  try {
    f();
  } catch (const Error&) {
  }
}

void as_record(const std::string& text) {
  attempt([&] { study::Result::parse(text); });
  // Whole again: what was read is written and read.
  attempt([&] {
    const study::TimingRecord r = study::parse_timing(text);
    study::parse_timing(study::to_text(r));
  });
  attempt([&] {
    report::RunSource source;
    source.id = "fuzz";
    source.record = text;
    report::RunReader reader([](const std::string&) { return std::string(); });
    const std::shared_ptr<const report::PageRun> runs[] = {
        std::make_shared<report::PageRun>(reader.read(source))};
    report::page_data({}, runs).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
}

void as_archive(const std::string& bytes) {
  attempt([&] {
    const study::Archive a = study::unpack(bytes, "fuzz");
    const std::string packed = study::pack(a);
    if (study::pack(study::unpack(packed, "fuzz")) != packed) std::abort();
    study::costs_of(a);
    study::sample(a, 3);
    study::evidence_of(a);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case '0':
      as_record(rest);
      break;
    case '1':
      if (const auto text = study::decompressed(rest); text && text->size() < (1u << 20)) as_record(*text);
      break;
    case '2':
      as_archive(rest);
      break;
    case '3':
      as_archive(study::compressed(rest, 1));
      break;
    default:
      break;
  }
  return 0;
}
