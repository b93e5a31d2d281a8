#include "interpose/record/results.h"

#include <fstream>

#include <nlohmann/json.hpp>

namespace heddle::interpose {
namespace {

using Json = nlohmann::json;

Json to_json(const Range& r) {
  return r.none() ? Json::array() : Json::array({r.least, r.most});
}

Range range_of(const Json& j) {
  return j.size() == 2 ? Range{j[0], j[1]} : Range{};
}

Json to_json(const KernelResult& k) {
  return {{"name", k.name},       {"launches", k.launches},         {"rewritten", k.rewritten},
          {"timed", k.timed},     {"milliseconds", k.milliseconds}, {"ctas", to_json(k.ctas)},
          {"reasons", k.reasons}, {"agents", to_json(k.agents)}};
}

KernelResult kernel_of(const Json& j) {
  KernelResult k;
  k.name = j.at("name");
  k.launches = j.at("launches");
  k.rewritten = j.at("rewritten");
  k.timed = j.at("timed");
  k.milliseconds = j.at("milliseconds");
  k.ctas = range_of(j.at("ctas"));
  k.agents = range_of(j.at("agents"));
  k.reasons = j.at("reasons").get<std::map<std::string, std::uint64_t>>();
  return k;
}

ProcessResults results_of(const Json& j) {
  ProcessResults r;
  r.driver = j.at("driver");
  r.device = j.at("device");
  r.sms = j.at("sms");
  for (const Json& k : j.at("kernels")) r.kernels.push_back(kernel_of(k));
  for (const Json& c : j.at("copies")) r.copies.push_back({c.at(0), c.at(1), c.at(2)});
  r.copies_made = j.at("copies_made");
  r.chain = j.at("chain");
  r.notes = j.at("notes").get<std::vector<std::string>>();
  return r;
}

}  // namespace

std::string ProcessResults::to_line() const {
  Json j{{"driver", driver},           {"device", device}, {"sms", sms},
         {"copies_made", copies_made}, {"chain", chain},   {"notes", notes}};
  j["kernels"] = Json::array();
  for (const KernelResult& k : kernels) j["kernels"].push_back(to_json(k));
  j["copies"] = Json::array();
  for (const CopyResult& c : copies) j["copies"].push_back({c.stream, c.bytes, c.hash});
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<ProcessResults> read_results(const std::string& file) {
  std::vector<ProcessResults> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    try {
      all.push_back(results_of(Json::parse(line)));
    } catch (const std::exception&) {  // of a process that was killed while it wrote
    }
  }
  return all;
}

}  // namespace heddle::interpose
