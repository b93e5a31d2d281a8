// Any bytes as what a spool holds or Slurm prints: an Error, or something that can be written again; never a
// crash. The first byte says as what: '0' a plan, '1' results, '2' what squeue, sbatch and scontrol print.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "study/slurm/commands.h"
#include "study/spool/results_file.h"
#include "study/spool/spool_plan.h"

namespace {

using namespace heddle;

void as_plan(const std::string& text) {
  try {
    const std::string again = study::to_text(study::parse_plan(text));
    if (study::to_text(study::parse_plan(again)) != again) std::abort();
  } catch (const Error&) {
  }
}

void as_results(const std::string& bytes) {
  // However they come in, the same entries.
  const study::DecodedEntries whole = study::decode(bytes);
  if (whole.used > bytes.size()) std::abort();
  const std::size_t half = study::decode(bytes.substr(0, bytes.size() / 2)).used;
  if (half > bytes.size() / 2) std::abort();
  // What follows damage is found.
  study::SpoolEntry e;
  e.kind = study::SpoolEntry::Kind::Record;
  e.key = "key";
  e.record = bytes.substr(0, bytes.find('\0'));
  const study::DecodedEntries behind = study::decode(bytes + "\n" + study::encode(e));
  if (behind.entries.empty() || behind.entries.back().record != e.record) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case '0':
      as_plan(rest);
      break;
    case '1':
      as_results(rest);
      break;
    case '2':
      study::parse_squeue(rest);
      study::parse_sbatch(rest);
      study::parse_max_array_size(rest);
      break;
    default:
      break;
  }
  return 0;
}
