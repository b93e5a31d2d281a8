// Temporary files and folders that nobody else can guess, read, or put a link in the way of.
#pragma once

#include <filesystem>
#include <string>

namespace heddle {

// A file without a name: whatever ends this process, nothing stays behind. Only its owner may open it.
class UnnamedFile {
 public:
  // On disk: in the folder for temporary files, for what may be large. Throws Error.
  enum class Where : unsigned char { Memory, Disk };
  explicit UnnamedFile(Where where);
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  // How processes of the same user open it while this one has it.
  const std::string& path() const { return path_; }

 private:
  int file_ = -1;
  std::string path_;
};

// A folder of its own, which goes away with all that is in it.
class TemporaryFolder {
 public:
  // `prefix` begins its name. Throws Error.
  explicit TemporaryFolder(const std::string& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Makes a folder where everybody may make some, unless it is there. False: it cannot be made, is a link, or
// others than its owner, who is the caller, may use it.
bool own_folder(const std::filesystem::path& folder);

}  // namespace heddle
