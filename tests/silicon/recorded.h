// Outputs that record.sh brought back: outputs.bin (all words, one launch after another) and outputs.csv.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../golden/golden_data.h"
#include "launches.h"

namespace silicon {

class Recorded {
 public:
  explicit Recorded(const std::string& dir) {
    if (!std::filesystem::exists(dir + "/outputs.csv")) return;
    const std::string bytes = heddle::golden::read_zstd(dir + "/outputs.bin.zst");
    for (const std::vector<std::string>& row : heddle::golden::read_csv(dir + "/outputs.csv")) {
      // launch, kernel, variant, offset in words, words
      std::vector<std::uint32_t> words(std::stoul(row[4]));
      std::memcpy(words.data(), bytes.data() + std::stoul(row[3]) * 4, words.size() * 4);
      outputs_[{std::stoul(row[0]), row[2]}] = std::move(words);
    }
  }
  const std::vector<std::uint32_t>* find(std::size_t launch, const std::string& variant) const {
    const auto at = outputs_.find({launch, variant});
    return at == outputs_.end() ? nullptr : &at->second;
  }

 private:
  std::map<std::pair<std::size_t, std::string>, std::vector<std::uint32_t>> outputs_;
};

}  // namespace silicon
