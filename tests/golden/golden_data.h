// The golden cases and what an H200 computed for them, from tests/golden/recorded.
#pragma once

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::golden {

struct Array {
  std::size_t element_bytes = 0, count = 0, offset = 0;  // offset in Data::inputs
};

struct Case {
  std::string kernel, op;
  std::string arrays[3];  // input arrays; "-" for none
  std::size_t n = 0, out_bytes = 0;
  std::vector<unsigned> outs;  // bits of each output of one thread
  bool exact = true;
  std::string bound;
  std::string ptx;
  std::string expected;  // n * out_bytes bytes; empty when the case was not recorded
};

struct Data {
  std::string inputs;
  std::map<std::string, Array> arrays;
  std::vector<Case> cases;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string read_zstd(const std::string& path) {
  const std::string packed = read_file(path);
  std::string text;
  ZSTD_DStream* stream = ZSTD_createDStream();
  ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 27);
  std::vector<char> chunk(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  for (bool more = true; more;) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    const std::size_t left = ZSTD_decompressStream(stream, &out, &in);
    if (ZSTD_isError(left) != 0) throw std::runtime_error(path + ": " + ZSTD_getErrorName(left));
    text.append(chunk.data(), out.pos);
    more = in.pos < in.size || out.pos == out.size;
  }
  ZSTD_freeDStream(stream);
  return text;
}

// Rows after the title row, split at commas; no field holds a comma.
inline std::vector<std::vector<std::string>> read_csv(const std::string& path) {
  std::istringstream in(read_file(path));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> row;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    row.resize(10);
    rows.push_back(row);
  }
  return rows;
}

inline Data load(const std::string& dir) {
  Data data;
  data.inputs = read_zstd(dir + "/inputs.bin.zst");
  for (const auto& row : read_csv(dir + "/inputs.csv")) {
    data.arrays[row[0]] = {std::stoul(row[1]), std::stoul(row[2]), std::stoul(row[3])};
  }
  std::map<std::string, std::string> modules;
  const std::string all = read_zstd(dir + "/cases.ptx.zst");
  for (std::size_t at = all.find("//@ "); at != std::string::npos;) {
    const std::size_t next = all.find("//@ ", at + 1), eol = all.find('\n', at);
    modules[all.substr(at + 4, eol - at - 4)] =
        all.substr(eol + 1, (next == std::string::npos ? all.size() : next) - eol - 1);
    at = next;
  }
  const std::string outputs = read_zstd(dir + "/outputs.bin.zst");
  std::map<std::string, std::string> expected;
  for (const auto& row : read_csv(dir + "/results.csv")) {
    if (row[1] == "ok") expected[row[0]] = outputs.substr(std::stoul(row[2]), std::stoul(row[3]));
  }
  for (const auto& row : read_csv(dir + "/cases.csv")) {
    Case c{row[0],
           row[1],
           {row[2], row[3], row[4]},
           std::stoul(row[5]),
           std::stoul(row[6]),
           {},
           row[8] == "exact",
           row[9],
           modules[row[0]],
           expected[row[0]]};
    std::istringstream outs(row[7]);
    for (std::string bits; std::getline(outs, bits, '+');)
      c.outs.push_back(static_cast<unsigned>(std::stoul(bits)));
    data.cases.push_back(std::move(c));
  }
  return data;
}

}  // namespace heddle::golden
