// Streams and events. What is given to a stream has ended when the call returns; events tell simulated time.
#include <cstring>

#include "runtime/session/entry.h"

namespace heddle::runtime {

HEDDLE_ENTRY(cudaStreamCreate)(cudaStream_t* stream) {
  return entry([&](Session& s) {
    require(stream != nullptr, cudaErrorInvalidValue);
    *stream = s.create_stream(0, 0);
  });
}
HEDDLE_ENTRY(cudaStreamCreateWithFlags)(cudaStream_t* stream, unsigned flags) {
  return entry([&](Session& s) {
    require(stream != nullptr && flags <= 1, cudaErrorInvalidValue);
    *stream = s.create_stream(flags, 0);
  });
}
HEDDLE_ENTRY(cudaStreamCreateWithPriority)(cudaStream_t* stream, unsigned flags, int priority) {
  return entry([&](Session& s) {
    require(stream != nullptr && flags <= 1, cudaErrorInvalidValue);
    *stream = s.create_stream(flags, std::clamp(priority, -5, 0));
  });
}
HEDDLE_ENTRY(cudaStreamDestroy)(cudaStream_t stream) {
  return entry([&](Session& s) { s.destroy_stream(stream); });
}
HEDDLE_ENTRY(cudaStreamSynchronize)(cudaStream_t stream) {
  return waiting_entry(
      [&](Session& s) { require(s.stream(stream).capture == nullptr, cudaErrorStreamCaptureUnsupported); });
}
HEDDLE_ENTRY(cudaStreamQuery)(cudaStream_t stream) {
  return heddle_cudaStreamSynchronize(stream);
}
HEDDLE_ENTRY(cudaStreamGetFlags)(cudaStream_t stream, unsigned* flags) {
  return entry([&](Session& s) { *flags = s.stream(stream).flags; });
}
HEDDLE_ENTRY(cudaStreamGetPriority)(cudaStream_t stream, int* priority) {
  return entry([&](Session& s) { *priority = s.stream(stream).priority; });
}
HEDDLE_ENTRY(cudaStreamGetId)(cudaStream_t stream, unsigned long long* id) {
  return entry([&](Session& s) { *id = s.stream(stream).id; });
}
HEDDLE_ENTRY(cudaStreamGetDevice)(cudaStream_t stream, int* device) {
  return entry([&](Session& s) {
    s.stream(stream);
    *device = 0;
  });
}
HEDDLE_ENTRY(cudaStreamSetAttribute)(cudaStream_t stream, int number, const void* value) {
  return entry([&](Session& s) {
    require(value != nullptr, cudaErrorInvalidValue);
    auto& kept = s.stream(stream).attributes[number];
    std::memcpy(kept.data(), value, kept.size());
  });
}
HEDDLE_ENTRY(cudaStreamGetAttribute)(cudaStream_t stream, int number, void* value) {
  return entry([&](Session& s) {
    require(value != nullptr, cudaErrorInvalidValue);
    const auto& kept = s.stream(stream).attributes[number];  // zeros when it was never set
    std::memcpy(value, kept.data(), kept.size());
  });
}
HEDDLE_ENTRY(cudaStreamCopyAttributes)(cudaStream_t to, cudaStream_t from) {
  return entry([&](Session& s) { s.stream(to).attributes = s.stream(from).attributes; });
}

// An event of a stream that is being captured makes the waiting stream a part of the capture.
HEDDLE_ENTRY(cudaStreamWaitEvent)(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return entry([&](Session& s) {
    Stream& waiting = s.stream(stream);
    if (Graph* capture = s.event(event).capture; capture != nullptr && waiting.capture == nullptr)
      waiting.capture = capture;
  });
}

HEDDLE_ENTRY(cudaEventCreateWithFlags)(cudaEvent_t* event, unsigned flags) {
  constexpr unsigned kAll = 7;  // blocking sync, no timing, interprocess
  return entry([&](Session& s) {
    require(event != nullptr && (flags & ~kAll) == 0, cudaErrorInvalidValue);
    *event = s.create_event(flags);
  });
}
HEDDLE_ENTRY(cudaEventCreate)(cudaEvent_t* event) {
  return heddle_cudaEventCreateWithFlags(event, 0);
}
HEDDLE_ENTRY(cudaEventDestroy)(cudaEvent_t event) {
  return entry([&](Session& s) { s.destroy_event(event); });
}
HEDDLE_ENTRY(cudaEventRecord)(cudaEvent_t event, cudaStream_t stream) {
  return entry([&](Session& s) {
    Event& e = s.event(event);
    e.capture = s.stream(stream).capture;
    if (e.capture != nullptr) return;  // it only tells other streams what to follow
    e.recorded = true;
    e.at = s.simulator().now();
  });
}
HEDDLE_ENTRY(cudaEventRecordWithFlags)(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return heddle_cudaEventRecord(event, stream);
}
HEDDLE_ENTRY(cudaEventSynchronize)(cudaEvent_t event) {
  return waiting_entry([&](Session& s) { s.event(event); });
}
HEDDLE_ENTRY(cudaEventQuery)(cudaEvent_t event) {
  return heddle_cudaEventSynchronize(event);
}
HEDDLE_ENTRY(cudaEventElapsedTime)(float* ms, cudaEvent_t start, cudaEvent_t end) {
  constexpr unsigned kNoTiming = 2;
  return waiting_entry([&](Session& s) {
    const Event &a = s.event(start), &b = s.event(end);
    require(ms != nullptr, cudaErrorInvalidValue);
    require(a.recorded && b.recorded && ((a.flags | b.flags) & kNoTiming) == 0,
            cudaErrorInvalidResourceHandle);
    const bool forward = b.at >= a.at;
    const double seconds = s.simulator().seconds(forward ? b.at - a.at : a.at - b.at);
    *ms = static_cast<float>((forward ? seconds : -seconds) * 1000);
  });
}

}  // namespace heddle::runtime
