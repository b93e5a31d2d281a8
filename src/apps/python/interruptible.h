// Simulating for a Python program: without Python's lock, and with an ear for Ctrl-C.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "apps/python/bindings.h"

namespace heddle::python {

// Runs `work` in a thread of its own; this one, which holds Python's lock when it calls, gives it away and
// looks for signals now and then. Python only runs signal handlers in its main thread: in others nothing
// interrupts. When a handler raises (Ctrl-C: KeyboardInterrupt) `interrupt` is raised, the end of `work`
// awaited, and the handler's exception thrown, whatever `work` throws. `work` must not touch Python.
inline void run_interruptibly(const std::function<void()>& work, std::atomic<bool>& interrupt) {
  constexpr std::chrono::milliseconds kNotice{50};
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr error;
  std::unique_ptr<py::error_already_set> raised;
  {
    const py::gil_scoped_release unlocked;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kNotice, [&] { return done; })) {
      lock.unlock();
      {
        const py::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
          raised = std::make_unique<py::error_already_set>();
          interrupt = true;
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised != nullptr) throw py::error_already_set(*raised);
  if (error) std::rethrow_exception(error);
}

}  // namespace heddle::python
