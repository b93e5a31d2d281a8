// Measures cases (a launch, or a sequence of launches) in turn: each for a while, in several rounds of
// changing order, with power and energy beside the time. One row of CSV per measurement.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "meter.h"

namespace energy {

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

struct Options {
  double seconds = 1.6;  // of a measurement
  double lead = 0.5;     // of these, until power is steady
  double settled = 1.0;  // and until the counter follows it
  double warm_up = 8;
  double budget = 500;  // no measurement begins later
  int rounds = 3;
  int count = 0;        // > 0: no measurement, only launches, so many rounds of a loop each (for a simulator)
  std::string samples;  // file for all samples
  std::vector<std::string> only;  // names; empty: all
  bool list = false;
  bool times_only = false;  // goes on where no power can be read
};

struct Case {
  std::string name, half;
  std::function<void(int)>
      launch;           // null: nothing runs. The argument: rounds of the kernel's loop, if it has such
  bool scaled = false;  // it has; so many are taken that a launch is some 10 ms long
  std::vector<std::pair<std::string, std::string>> about;  // further columns
  std::vector<std::pair<std::string, double>> per_round;   // events of a launch, per round of its loop
  std::function<std::string()> verify;                     // empty result: right
  int rounds = 1;
};

inline Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) std::fprintf(stderr, "%s wants a value\n", a.c_str()), std::exit(2);
      return std::string(argv[++i]);
    };
    if (a == "--all")
      o.only.clear();
    else if (a == "--seconds")
      o.seconds = std::stod(value());
    else if (a == "--lead")
      o.lead = std::stod(value());
    else if (a == "--settled")
      o.settled = std::stod(value());
    else if (a == "--warm-up")
      o.warm_up = std::stod(value());
    else if (a == "--budget")
      o.budget = std::stod(value());
    else if (a == "--rounds")
      o.rounds = std::stoi(value());
    else if (a == "--count")
      o.count = std::stoi(value());
    else if (a == "--samples")
      o.samples = value();
    else if (a == "--list")
      o.list = true;
    else if (a == "--times-only")
      o.times_only = true;
    else if (a[0] != '-')
      o.only.push_back(a);
    else
      std::fprintf(stderr,
                   "options: --all | NAME... (NAME* takes all that begin so), --seconds S, --lead S, "
                   "--settled S, --warm-up S, "
                   "--budget S, --rounds N, --samples FILE, --count N, --list, --times-only; not %s\n",
                   a.c_str()),
          std::exit(2);
  }
  return o;
}

inline bool chosen(const Options& options, const std::string& name) {
  for (const std::string& o : options.only)
    if (o == name || (o.back() == '*' && name.compare(0, o.size() - 1, o, 0, o.size() - 1) == 0)) return true;
  return options.only.empty();
}

class Bench {
 public:
  Bench(Options options, std::vector<Case> cases) : options_(std::move(options)), cases_(std::move(cases)) {
    // Rows have the columns of all cases, also when only some of them run.
    for (const Case& c : cases_) {
      for (const auto& [key, value] : c.about) add_column(about_, key);
      for (const auto& [key, value] : c.per_round) add_column(events_, key);
    }
    std::erase_if(cases_, [&](const Case& c) { return !chosen(options_, c.name); });
    if (cases_.empty()) std::fprintf(stderr, "no case of that name\n"), std::exit(2);
  }

  int run() {
    header();
    if (options_.list) return list();
    if (options_.count > 0) return count();
    char bus[32] = "";
    cudaDeviceGetPCIBusId(bus, sizeof bus, 0);
    Meter meter(bus);
    meter_ = &meter;
    std::fprintf(stderr, "%s; limit %.0f W\n", meter.sources(), meter.limit_watts());
    zero_ = now();
    meter.start();
    pause(0.3);
    if (std::isnan(meter.read(zero_, zero_, now()).watts) && !options_.times_only) {
      std::fprintf(stderr, "no power can be read: nothing is measured (--times-only goes on)\n");
      return 3;
    }
    if (!verify()) return 1;
    warm_up();
    int failed = 0;
    for (int round = 0; round < options_.rounds && !late(); ++round) failed |= one_round(round);
    meter.stop();
    if (!options_.samples.empty())
      if (std::FILE* file = std::fopen(options_.samples.c_str(), "w"))
        meter.write(file, zero_), std::fclose(file);
    std::fprintf(stderr, "%d measurements in %.0f s%s\n", turn_, now() - zero_,
                 late() ? ", out of time: some are missing" : "");
    return failed;
  }

 private:
  static void add_column(std::vector<std::string>& columns, const std::string& key) {
    if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
  }
  bool late() const { return now() - zero_ > options_.budget; }

  void header() const {
    std::printf("name,half,round,turn,begin");
    for (const std::string& key : about_) std::printf(",%s", key.c_str());
    std::printf(
        ",loop_rounds,launches,seconds,joules,watts,watts_spread,counter_watts,memory_watts,samples,sm_mhz,"
        "sm_mhz_least,"
        "memory_mhz,celsius,reasons,idle_watts,idle_celsius");
    for (const std::string& key : events_) std::printf(",%s", key.c_str());
    std::printf("\n");
  }
  // Numbers of events are those of one launch.
  void row(const Case& c, int round, double begin, int launches, double seconds, const Reading& r) const {
    std::printf("%s,%s,%d,%d,%.3f", c.name.c_str(), c.half.c_str(), round, turn_, begin);
    for (const std::string& key : about_) {
      const auto at =
          std::find_if(c.about.begin(), c.about.end(), [&](const auto& a) { return a.first == key; });
      std::printf(",%s", at == c.about.end() ? "" : at->second.c_str());
    }
    std::printf(",%d,%d,%.9g,%.9g,%.2f,%.2f,%.2f,%.2f,%d,%.1f,%.0f,%.0f,%.1f,%llu,%.2f,%.1f",
                c.scaled ? c.rounds : 0, launches, seconds, r.watts * seconds, r.watts, r.watts_spread,
                r.counter_watts, r.memory_watts, r.samples, r.sm_mhz, r.sm_mhz_least, r.memory_mhz, r.celsius,
                (unsigned long long)r.reasons, idle_.watts, idle_.celsius);
    for (const std::string& key : events_) {
      const auto at =
          std::find_if(c.per_round.begin(), c.per_round.end(), [&](const auto& e) { return e.first == key; });
      std::printf(",%.9g", at == c.per_round.end() ? 0.0 : at->second * (c.scaled ? c.rounds : 1));
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  int list() {
    for (Case& c : cases_) c.rounds = 1, row(c, 0, 0, 1, NAN, {});
    return 0;
  }
  // Sequences run twice, so that the second one finds what the first has left in caches.
  int count() {
    for (Case& c : cases_) {
      c.rounds = options_.count;
      if (c.launch) c.launch(c.rounds), check(cudaDeviceSynchronize(), c.name.c_str());
      if (c.launch && !c.scaled) c.launch(c.rounds), check(cudaDeviceSynchronize(), c.name.c_str());
      const std::string wrong = c.verify ? c.verify() : "";
      if (!wrong.empty()) std::fprintf(stderr, "%s: WRONG: %s\n", c.name.c_str(), wrong.c_str());
      row(c, 0, 0, 1, NAN, {});
      if (!wrong.empty()) return 1;
    }
    return 0;
  }
  bool verify() {
    bool right = true;
    for (Case& c : cases_) {
      if (!c.verify) continue;
      c.launch(1), check(cudaDeviceSynchronize(), c.name.c_str());
      const std::string wrong = c.verify();
      std::fprintf(stderr, "%-20s %s\n", c.name.c_str(),
                   wrong.empty() ? "right" : ("WRONG: " + wrong).c_str());
      right &= wrong.empty();
    }
    return right;
  }
  void warm_up() {
    for (Case& c : cases_) calibrate(c);
    const double begin = now();
    while (now() - begin < options_.warm_up)
      for (Case& c : cases_)
        if (c.launch && now() - begin < options_.warm_up) {
          for (int i = 0; i < batch(c); ++i) c.launch(c.rounds);
          check(cudaDeviceSynchronize(), c.name.c_str());
        }
  }
  double time_of(Case& c, int launches) {
    cudaEvent_t from, until;
    cudaEventCreate(&from), cudaEventCreate(&until);
    cudaEventRecord(from);
    for (int i = 0; i < launches; ++i) c.launch(c.rounds);
    cudaEventRecord(until);
    check(cudaEventSynchronize(until), c.name.c_str());
    float ms = 0;
    cudaEventElapsedTime(&ms, from, until);
    cudaEventDestroy(from), cudaEventDestroy(until);
    return ms / 1e3 / launches;
  }
  void calibrate(Case& c) {
    if (!c.launch) return;
    if (c.scaled) {
      c.rounds = 16;
      time_of(c, 1);
      c.rounds = std::max(1, int(16 * std::min(1e4, 1e-3 / std::max(1e-7, time_of(c, 1)))));
      c.rounds = std::max(1, int(c.rounds * 1e-2 / std::max(1e-6, time_of(c, 1))));
    }
    time_of(c, 1);
    seconds_[c.name] = time_of(c, 4);
  }
  int batch(const Case& c) const {
    const auto at = seconds_.find(c.name);
    return at == seconds_.end() ? 1 : std::clamp(int(0.01 / at->second), 1, 1000);
  }

  static void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

  int one_round(int round) {
    std::vector<std::size_t> order(cases_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    // A fixed order for every round, other than that of the others.
    std::uint64_t state = 88172645463325252u + round;
    for (std::size_t i = order.size(); round > 0 && i > 1; --i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::swap(order[i - 1], order[(state >> 33) % i]);
    }
    for (std::size_t i = 0; i < order.size() && !late(); ++i) {
      if (i % 12 == 0) {
        const double begin = now();
        pause(0.8);
        idle_ = meter_->read(begin + 0.4, begin + 0.4, now());
      }
      measure(cases_[order[i]], round);
    }
    return 0;
  }

  void measure(Case& c, int round) {
    const double begin = now();
    double seconds = NAN;
    int launches = 0;
    if (!c.launch) {
      pause(options_.seconds);
    } else {
      cudaEvent_t from, until, done[2];
      for (cudaEvent_t* e : {&from, &until, &done[0], &done[1]}) cudaEventCreate(e);
      const int each = batch(c);
      cudaEventRecord(from);
      for (int turn = 0; now() - begin < options_.seconds; ++turn) {
        if (turn >= 2) cudaEventSynchronize(done[turn % 2]);
        for (int i = 0; i < each; ++i) c.launch(c.rounds);
        cudaEventRecord(done[turn % 2]);
        launches += each;
      }
      cudaEventRecord(until);
      check(cudaEventSynchronize(until), c.name.c_str());
      float ms = 0;
      cudaEventElapsedTime(&ms, from, until);
      seconds = ms / 1e3 / launches;
      for (cudaEvent_t e : {from, until, done[0], done[1]}) cudaEventDestroy(e);
    }
    const double end = now();
    if (!c.launch) seconds = end - begin, launches = 1;
    ++turn_;
    const Reading r = meter_->read(begin + options_.lead, begin + options_.settled, end - 0.03);
    row(c, round, begin - zero_, launches, seconds, r);
    std::fprintf(stderr, "%4d %6.1f s  %-22s %10.3f us %7.1f W (counter %7.1f) %5.0f MHz %3.0f C%s\n", turn_,
                 end - zero_, c.name.c_str(), seconds * 1e6, r.watts, r.counter_watts, r.sm_mhz, r.celsius,
                 r.reasons & 0xec ? "  clock limited" : "");
  }

  Options options_;
  std::vector<Case> cases_;
  std::vector<std::string> about_, events_;
  std::map<std::string, double> seconds_;
  Meter* meter_ = nullptr;
  Reading idle_;
  double zero_ = 0;
  int turn_ = 0;
};

// Halves of the measurements, by name alone: of the sorted names every `period`th, the first included, is
// fitted to, the others are predicted.
inline void split(std::vector<Case>& cases, int period) {
  std::vector<Case*> sorted;
  for (Case& c : cases)
    if (c.half.empty()) sorted.push_back(&c);
  std::sort(sorted.begin(), sorted.end(), [](const Case* a, const Case* b) { return a->name < b->name; });
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i]->half = i % period == 0 ? "fit" : "test";
}

}  // namespace energy
