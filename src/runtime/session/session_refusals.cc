// What a program does not get: told when it happens, and counted for the summary.
#include <cstdio>

#include "runtime/session/error_codes.h"
#include "runtime/session/session.h"

namespace heddle::runtime {

LaunchResults* Session::results() {
  try {
    simulator();
  } catch (const Failure&) {
    return nullptr;  // whoever needs it says so
  }
  return history_->results.get();
}

void Session::note(const Refused& refused) {
  if (LaunchResults* const all = results()) all->refused(refused.what, refused.kernel, refused.why);
}

void Session::note(const Failure& e) {
  if (!e.refused.what.empty()) {
    const ErrorText* const text = find_error(e.code);
    Refused refused = e.refused;
    if (refused.why.empty() && text != nullptr) refused.why = text->description;
    note(refused);
  }
  if (e.message.empty() || (!e.once.empty() && !first_refusal(e.once.c_str()))) return;
  std::fprintf(stderr, "heddle: %s\n", e.message.c_str());
}

void Session::note_fault(const std::string& kernel, const std::string& why) {
  if (LaunchResults* const all = results()) all->failed(kernel, why);
}

void Session::note_lost(const std::string& file, const std::string& why) {
  if (LaunchResults* const all = results()) all->lost(file, why);
}

}  // namespace heddle::runtime
