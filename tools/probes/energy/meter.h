// Power and energy of a card by NVML, read by a thread of its own while kernels run. NVML is found at run
// time; without it all readings are NaN. Nothing of the card is changed.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace energy {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What was read at a time; NaN: not read then, or not to be had.
struct Sample {
  double at = 0;
  double watts = NAN;         // at this moment (field 186)
  double memory_watts = NAN;  // of the card's memory alone, mean of a second (field 185, scope 2)
  double joules = NAN;        // the counter
  double sm_mhz = NAN, memory_mhz = NAN, celsius = NAN, reasons = NAN;
};

// Of an interval.
struct Reading {
  double watts = NAN, watts_spread = NAN;  // mean and standard deviation of samples
  double counter_watts = NAN;              // slope of the counter
  double memory_watts = NAN;
  double sm_mhz = NAN, sm_mhz_least = NAN, memory_mhz = NAN, celsius = NAN;
  std::uint64_t reasons = 0;  // for clocks below the highest, of all samples: NVML's bits
  int samples = 0;
};

class Meter {
 public:
  // `bus_id`: as cudaDeviceGetPCIBusId tells it; empty or unknown: the first card.
  explicit Meter(const char* bus_id) {
    const char* const places[] = {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
                                  "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"};
    for (const char* place : places)
      if (!library_) library_ = dlopen(place, RTLD_NOW);
    if (!library_) return;
    find("nvmlInit_v2", init_);
    find("nvmlDeviceGetHandleByPciBusId_v2", by_bus_);
    find("nvmlDeviceGetHandleByIndex_v2", by_index_);
    find("nvmlDeviceGetTotalEnergyConsumption", energy_);
    find("nvmlDeviceGetPowerUsage", power_);
    find("nvmlDeviceGetFieldValues", fields_);
    find("nvmlDeviceGetClockInfo", clock_);
    find("nvmlDeviceGetTemperature", temperature_);
    find("nvmlDeviceGetCurrentClocksThrottleReasons", reasons_);
    find("nvmlDeviceGetEnforcedPowerLimit", limit_);
    if (!init_ || init_() != 0) return;
    if (!(by_bus_ && *bus_id && by_bus_(bus_id, &card_) == 0) && !(by_index_ && by_index_(0, &card_) == 0))
      return;
    found_ = true;
  }
  ~Meter() { stop(); }
  Meter(const Meter&) = delete;

  bool found() const { return found_; }
  // What there is to read, in words.
  const char* sources() {
    if (!found_) return "no NVML: times only";
    Field field[2];
    field[0].id = 186, field[1].id = 185, field[1].scope = 2;
    if (fields_) fields_(card_, 2, field);
    const bool instant = !std::isnan(field[0].watts()), memory = !std::isnan(field[1].watts());
    unsigned long long ull = 0;
    const bool counter = energy_ && energy_(card_, &ull) == 0;
    std::snprintf(sources_, sizeof sources_, "NVML: power %s, power of memory: %s, counter of energy: %s",
                  instant ? "at the moment" : "as mean of a second (no field 186)", memory ? "yes" : "no",
                  counter ? "yes" : "no");
    return sources_;
  }
  double limit_watts() const {
    unsigned milliwatts = 0;
    return found_ && limit_ && limit_(card_, &milliwatts) == 0 ? milliwatts / 1e3 : NAN;
  }

  void start() {
    stop();
    stopped_ = false;
    thread_ = std::thread([this] { watch(); });
  }
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }

  // Power is the mean of samples in [from, until]. The counter may lag by a second: its slope is taken from
  // `settled` on.
  Reading read(double from, double settled, double until) {
    const std::lock_guard lock(mutex_);
    Reading r;
    Mean watts, memory, sm, memory_clock, celsius;
    Slope joules;
    for (const Sample& s : samples_) {
      if (s.at < from || s.at > until) continue;
      watts.add(s.watts), memory.add(s.memory_watts), sm.add(s.sm_mhz), memory_clock.add(s.memory_mhz),
          celsius.add(s.celsius);
      if (s.at >= settled) joules.add(s.at, s.joules);
      if (!std::isnan(s.reasons)) r.reasons |= static_cast<std::uint64_t>(s.reasons);
    }
    r.samples = static_cast<int>(watts.n);
    r.watts = watts.mean(), r.watts_spread = watts.deviation(), r.counter_watts = joules.slope(),
    r.memory_watts = memory.mean();
    r.sm_mhz = sm.mean(), r.sm_mhz_least = sm.least, r.memory_mhz = memory_clock.mean(),
    r.celsius = celsius.mean();
    return r;
  }

  // All samples so far, with times from `zero` on.
  void write(std::FILE* file, double zero) {
    const std::lock_guard lock(mutex_);
    std::fprintf(file, "seconds,watts,memory_watts,joules,sm_mhz,memory_mhz,celsius,reasons\n");
    for (const Sample& s : samples_)
      std::fprintf(file, "%.4f,%.1f,%.1f,%.3f,%.0f,%.0f,%.0f,%.0f\n", s.at - zero, s.watts, s.memory_watts,
                   s.joules, s.sm_mhz, s.memory_mhz, s.celsius, s.reasons);
  }

 private:
  // As NVML lays it out.
  struct Field {
    unsigned id = 0, scope = 0;
    long long timestamp = 0, latency = 0;
    int type = 0, result = 1;  // type 0: double, 1 and 2: unsigned, 3: unsigned long long
    union {
      double d;
      unsigned u;
      unsigned long long ull;
    } value = {0};
    double watts() const {
      const double milli = type == 0 ? value.d : type == 3 ? static_cast<double>(value.ull) : value.u;
      return result == 0 && milli > 0 ? milli / 1e3 : NAN;
    }
  };
  static_assert(sizeof(Field) == 40);

  struct Mean {
    double n = 0, sum = 0, squares = 0, least = NAN;
    void add(double x) {
      if (std::isnan(x)) return;
      ++n, sum += x, squares += x * x;
      if (!(least < x)) least = x;
    }
    double mean() const { return n > 0 ? sum / n : NAN; }
    double deviation() const { return n > 1 ? std::sqrt(std::fmax(0, squares / n - mean() * mean())) : NAN; }
  };
  // Least squares. The counter moves in steps: only samples that find a new value count.
  struct Slope {
    double before = NAN;
    double n = 0, t0 = 0, y0 = 0, t = 0, y = 0, tt = 0, ty = 0;
    void add(double at, double value) {
      if (std::isnan(value)) return;
      const bool moved = value > before;  // not for the first one
      before = value;
      if (!moved) return;
      if (n == 0) t0 = at, y0 = value;
      at -= t0, value -= y0;
      ++n, t += at, y += value, tt += at * at, ty += at * value;
    }
    double slope() const { return n > 2 ? (n * ty - t * y) / (n * tt - t * t) : NAN; }
  };

  template <class F>
  void find(const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library_, name));
  }

  void watch() {
    if (!found_) return;
    for (unsigned turn = 0; !stopped_; ++turn) {
      const double begin = now();
      Sample s;
      Field field[2];
      field[0].id = 186, field[1].id = 185, field[1].scope = 2;
      unsigned u = 0;
      unsigned long long ull = 0;
      if (fields_ && fields_(card_, 2, field) == 0)
        s.watts = field[0].watts(), s.memory_watts = field[1].watts();
      s.at = (begin + now()) / 2;
      if (std::isnan(s.watts) && power_ && power_(card_, &u) == 0) s.watts = u / 1e3;
      if (turn % 8 == 0) {
        if (clock_ && clock_(card_, 1, &u) == 0) s.sm_mhz = u;
        if (clock_ && clock_(card_, 2, &u) == 0) s.memory_mhz = u;
        if (temperature_ && temperature_(card_, 0, &u) == 0) s.celsius = u;
        if (reasons_ && reasons_(card_, &ull) == 0) s.reasons = static_cast<double>(ull);
      }
      keep(s);
      if (energy_) {
        Sample e;
        const double before = now();
        if (energy_(card_, &ull) == 0) e.joules = static_cast<double>(ull) / 1e3;
        e.at = (before + now()) / 2;
        keep(e);
      }
      const double rest = 0.01 - (now() - begin);
      if (rest > 0) std::this_thread::sleep_for(std::chrono::duration<double>(rest));
    }
  }
  void keep(const Sample& s) {
    const std::lock_guard lock(mutex_);
    samples_.push_back(s);
  }

  char sources_[160] = "";
  void* library_ = nullptr;
  void* card_ = nullptr;
  bool found_ = false;
  int (*init_)() = nullptr;
  int (*by_bus_)(const char*, void**) = nullptr;
  int (*by_index_)(unsigned, void**) = nullptr;
  int (*energy_)(void*, unsigned long long*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
  int (*fields_)(void*, int, Field*) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*temperature_)(void*, int, unsigned*) = nullptr;
  int (*reasons_)(void*, unsigned long long*) = nullptr;
  int (*limit_)(void*, unsigned*) = nullptr;

  std::thread thread_;
  std::atomic<bool> stopped_ = true;
  std::mutex mutex_;
  std::vector<Sample> samples_;
};

}  // namespace energy
