// Shows a page on this machine, and only there: loopback, GET, a fixed set of paths.
//
// One thread and a bound on everything: the length of a request, the time that it and its answer may take,
// the number of connections. Where there are too many, the one that has been silent for longest goes. Answers
// that say the same share their memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace heddle::cli {

struct PageContents {
  std::function<std::string()> html;  // the page; Error: answered with its text
  std::function<std::string()> data;  // /data.json
  std::string policy;                 // what the page may load and run (Content-Security-Policy)
};

struct ServerLimits {
  std::size_t connections = 64;
  std::chrono::seconds request{10};  // from the first byte of a request, or the connection, to its end
  std::chrono::seconds stall{10};    // without a byte of the answer taken
  std::chrono::seconds answer{120};  // to take all of it
};

class PageServer {
 public:
  // Port 0: any free one. Throws Error when the port is in use.
  PageServer(PageContents contents, std::uint16_t port, ServerLimits limits = {});
  ~PageServer();

  std::uint16_t port() const;
  // Answers until `stop` is raised.
  void run(const std::atomic<bool>& stop);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace heddle::cli
