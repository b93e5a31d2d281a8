// Shows a page on this machine, and only there: loopback, GET, a fixed set of paths.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace heddle::cli {

struct PageContents {
  std::function<std::string()> html;  // the page; called from several threads
  std::function<std::string()> data;  // /data.json
};

class PageServer {
 public:
  // Port 0: any free one. Throws Error when the port is in use.
  PageServer(PageContents contents, std::uint16_t port);
  ~PageServer();

  std::uint16_t port() const;
  // Answers until `stop` is raised.
  void run(const std::atomic<bool>& stop);

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

}  // namespace heddle::cli
