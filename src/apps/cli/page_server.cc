#include "apps/cli/page_server.h"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

#include "base/error.h"

namespace heddle::cli {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

void refuse(httplib::Response& answer, int status, const char* why) {
  answer.status = status;
  answer.set_content(std::string(why) + "\n", "text/plain");
}

// A page of the web that has the name of its own host point to this machine must not read what is here.
bool is_for_us(const httplib::Request& request) {
  std::string host = request.get_header_value("Host");
  if (const std::size_t port = host.rfind(':'); port != std::string::npos && host.back() != ']')
    host.resize(port);
  return host == kLoopback || host == "localhost" || host == "[::1]";
}

void answer_with(const std::function<std::string()>& text, const char* type, httplib::Response& answer) {
  try {
    answer.set_content(text(), type);
  } catch (const std::exception& e) {
    answer.status = 500;
    answer.set_content(fmt::format("heddle: {}\n", e.what()), "text/plain");
  }
}

}  // namespace

struct PageServer::Server {
  PageContents contents;
  httplib::Server http;
  int port = 0;

  void set_up() {
    // Not SO_REUSEPORT, the library's choice: two servers would share a port, and each get some of the
    // requests.
    http.set_socket_options([](int socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http.set_default_headers({{"Cache-Control", "no-store"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "no-referrer"},
                              {"X-Frame-Options", "DENY"}});
    http.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& answer) {
      if (request.method != "GET") {
        answer.set_header("Allow", "GET");
        refuse(answer, 405, "only GET");
        return httplib::Server::HandlerResponse::Handled;
      }
      if (!is_for_us(request)) {
        refuse(answer, 403, "this server is for this machine only");
        return httplib::Server::HandlerResponse::Handled;
      }
      return httplib::Server::HandlerResponse::Unhandled;
    });
    http.Get("/", [this](const httplib::Request&, httplib::Response& answer) {
      answer_with(contents.html, "text/html; charset=utf-8", answer);
    });
    http.Get("/data.json", [this](const httplib::Request&, httplib::Response& answer) {
      answer_with(contents.data, "application/json", answer);
    });
    http.set_error_handler([](const httplib::Request&, httplib::Response& answer) {
      if (answer.body.empty()) refuse(answer, answer.status, "there is nothing here; the page is at /");
    });
    http.set_keep_alive_timeout(2);  // seconds: as long as Ctrl-C may take
  }
};

PageServer::PageServer(PageContents contents, std::uint16_t port) : server_(std::make_unique<Server>()) {
  server_->contents = std::move(contents);
  server_->set_up();
  errno = 0;
  if (port == 0)
    server_->port = server_->http.bind_to_any_port(kLoopback);
  else
    server_->port = server_->http.bind_to_port(kLoopback, port) ? port : -1;
  if (server_->port > 0) return;
  const int why = errno;
  throw Error(why == EADDRINUSE || why == 0
                  ? fmt::format("port {} is in use", port)
                  : fmt::format("cannot listen on port {}: {}", port, std::strerror(why)),
              "choose another one with --port, or --port 0 for any that is free");
}

PageServer::~PageServer() = default;

std::uint16_t PageServer::port() const {
  return static_cast<std::uint16_t>(server_->port);
}

void PageServer::run(const std::atomic<bool>& stop) {
  std::atomic<bool> ended = false;
  std::thread listening([&] {
    server_->http.listen_after_bind();
    ended = true;
  });
  while (!ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (stop) server_->http.stop();  // again, if it had not begun yet
  }
  listening.join();
}

}  // namespace heddle::cli
