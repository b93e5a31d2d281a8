// How launch files are read; only launch_file.cc and launch_buffers.cc include this.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "config/table_reader.h"
#include "launch/launch_file.h"

namespace heddle::launch {

using config::TableReader;
using config::TomlMember;
using config::TomlNode;
using config::TomlSource;

std::optional<Number> as_number(const TomlNode& n);
Number number_of(const TableReader& t, const TomlNode& n, std::string_view key);

class LaunchParser {
 public:
  LaunchParser(const TomlSource& source, LaunchFile& out) : source_(source), out_(out) {}

  void run(const TomlNode& root);

 private:
  void buffer(TableReader& t, const std::string& name);
  void shape(TableReader& t, BufferSpec& b, std::optional<std::uint64_t> from_values);
  void contents(TableReader& t, BufferSpec& b);
  void pattern(TableReader& t, BufferSpec& b, const std::string& name);
  void values(TableReader& t, BufferSpec& b, const TomlNode& list);
  void texture(TableReader& t, const std::string& name);
  void launches(TableReader& root);
  void launch(TableReader& t);
  workload::Dim3 dim3(TableReader& t, const std::string& key, const std::int64_t (&most)[3]);
  ArgSpec argument(const TableReader& t, const TomlNode& n, int depth);
  ArgSpec table_argument(const TomlNode& n);
  void check_name(const TableReader& t, const TomlNode& at, const std::string& name, bool textures) const;
  void output(TableReader& t, const std::string& name);
  void comparison(TableReader& t, OutputSpec& o, const BufferSpec& b, const TomlNode& n);

  const TomlSource& source_;
  LaunchFile& out_;
};

}  // namespace heddle::launch
