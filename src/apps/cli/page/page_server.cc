#include "apps/cli/page/page_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/page/http_request.h"
#include "base/error.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLeave{1};          // for the other side to close
constexpr std::size_t kMostDiscarded = 64u << 10;  // ... and for what it sends meanwhile
constexpr int kNotice = 50;  // milliseconds after which `stop` and deadlines are noticed at the latest

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

struct Answer {
  int status = 200;
  std::string body;
  const char* type = "text/plain; charset=utf-8";
};

// A page of the web that has the name of its own host point to this machine must not read what is here.
bool is_for_us(const HttpRequest& r) {
  return r.host == "127.0.0.1" || r.host == "localhost" || r.host == "[::1]";
}

}  // namespace

class PageServer::Server {
 public:
  Server(PageContents contents, std::uint16_t port, const ServerLimits& limits)
      : contents_(std::move(contents)), limits_(limits) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    // Not SO_REUSEPORT: two servers would share a port, and each get some of the requests.
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    const bool listening = listener_ >= 0 && bind(listener_, reinterpret_cast<sockaddr*>(&at), size) == 0 &&
                           listen(listener_, 128) == 0 &&
                           getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) == 0;
    const int why = errno;
    if (!listening) {
      if (listener_ >= 0) close(listener_);
      throw Error(why == EADDRINUSE ? fmt::format("port {} is in use", port)
                                    : fmt::format("cannot listen on port {}: {}", port, std::strerror(why)),
                  "choose another one with --port, or --port 0 for any that is free");
    }
    port_ = ntohs(at.sin_port);
  }
  ~Server() {
    for (const Connection& c : all_) close(c.fd);
    close(listener_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return port_; }

  void step() {
    std::vector<pollfd> polled = {{listener_, POLLIN, 0}};
    for (const Connection& c : all_)
      polled.push_back({c.fd, static_cast<short>(c.answering() ? POLLOUT : wants_more(c) ? POLLIN : 0), 0});
    if (poll(polled.data(), polled.size(), kNotice) < 0) return;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (polled[i + 1].revents == 0) continue;
      if ((polled[i + 1].revents & (POLLERR | POLLNVAL)) != 0) all_[i].ended = true;
      if (all_[i].leaving)
        discard(all_[i]);
      else if (all_[i].answering())
        send_some(all_[i]);
      else
        receive(all_[i]);
    }
    for (Connection& c : all_) begin_answer(c);
    end_late();
    std::erase_if(all_, [](const Connection& c) {
      if (c.ended) close(c.fd);
      return c.ended;
    });
    if (polled[0].revents != 0) accept_all();
  }

 private:
  struct Connection {
    explicit Connection(int socket) : fd(socket) {}

    int fd;
    std::string in;    // of requests
    std::string head;  // of the answer under way; empty: none
    std::shared_ptr<const std::string> body;
    std::size_t sent = 0;                     // of head and body
    bool last = false;                        // closed after the answer
    bool leaving = false;                     // ... which has been sent
    std::size_t discarded = 0;                // bytes, since then
    bool ended = false;                       // to be closed now
    Clock::time_point since = Clock::now();   // the request or answer began
    Clock::time_point active = Clock::now();  // last heard of

    bool answering() const { return !head.empty(); }
  };

  static bool wants_more(const Connection& c) { return c.leaving || c.in.size() < kLongestRequest; }

  void accept_all() {
    for (int fd; (fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
      if (all_.size() >= limits_.connections) drop_silent();
      all_.emplace_back(fd);
    }
    if ((errno == EMFILE || errno == ENFILE) && !all_.empty()) drop_silent();
  }

  void drop_silent() {
    const auto silent = std::min_element(all_.begin(), all_.end(),
                                         [](const auto& a, const auto& b) { return a.active < b.active; });
    close(silent->fd);
    all_.erase(silent);
  }

  void receive(Connection& c) {
    char buffer[kLongestRequest];
    const ssize_t n = recv(c.fd, buffer, kLongestRequest - c.in.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      c.ended = true;
      return;
    }
    if (c.in.empty()) c.since = Clock::now();
    c.in.append(buffer, static_cast<std::size_t>(n));
    c.active = Clock::now();
  }

  void send_some(Connection& c) {
    const bool in_head = c.sent < c.head.size();
    const std::string_view rest = in_head ? std::string_view(c.head).substr(c.sent)
                                          : std::string_view(*c.body).substr(c.sent - c.head.size());
    const ssize_t n = send(c.fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) {
      c.ended = true;
      return;
    }
    c.sent += static_cast<std::size_t>(n);
    c.active = Clock::now();
    if (c.sent < c.head.size() + c.body->size()) return;
    if (c.last) leave(c);
    c.head.clear();
    c.body.reset();
    c.since = Clock::now();
  }

  // To close at once where the other side still sends would take back the answer: a little is read first.
  static void leave(Connection& c) {
    shutdown(c.fd, SHUT_WR);
    c.leaving = true;
  }

  static void discard(Connection& c) {
    char unread[1 << 12];
    const ssize_t n = recv(c.fd, unread, sizeof unread, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    c.discarded += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    if (n <= 0 || c.discarded > kMostDiscarded) c.ended = true;
  }

  void begin_answer(Connection& c) {
    if (c.ended || c.leaving || c.answering() || c.in.empty()) return;
    const ParsedHead head = parse_head(c.in);
    if (head.status == 0) return;
    if (head.status != 200) {
      c.last = true;
      return set_answer(c, {head.status, "this is no request that is answered here\n"});
    }
    c.in.erase(0, head.bytes);
    c.last = !head.request.keep_alive;
    set_answer(c, answer_to(head.request));
  }

  Answer answer_to(const HttpRequest& r) const {
    if (r.method != "GET") return {405, "only GET\n"};
    if (!is_for_us(r)) return {403, "this server is for this machine only\n"};
    try {
      if (r.path == "/") return {200, contents_.html(), "text/html; charset=utf-8"};
      if (r.path == "/data.json") return {200, contents_.data(), "application/json"};
    } catch (const std::exception& e) {
      return {500, fmt::format("heddle: {}\n", e.what())};
    }
    return {404, "there is nothing here; the page is at /\n"};
  }

  void set_answer(Connection& c, Answer a) {
    c.head = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "X-Frame-Options: DENY\r\nContent-Security-Policy: {}\r\n{}\r\n",
        a.status, reason(a.status), a.type, a.body.size(), c.last ? "close" : "keep-alive",
        contents_.policy.empty() ? "default-src 'none'" : contents_.policy,
        a.status == 405 ? "Allow: GET\r\n" : "");
    c.body = shared(std::move(a.body));
    c.sent = 0;
    c.since = c.active = Clock::now();
  }

  std::shared_ptr<const std::string> shared(std::string body) const {
    for (const Connection& c : all_)
      if (c.body && *c.body == body) return c.body;
    return std::make_shared<const std::string>(std::move(body));
  }

  void end_late() {
    const auto now = Clock::now();
    for (Connection& c : all_)
      if (c.leaving       ? now - c.since > kLeave
          : c.answering() ? now - c.since > limits_.answer || now - c.active > limits_.stall
                          : now - c.since > limits_.request)
        c.ended = true;
  }

  PageContents contents_;
  ServerLimits limits_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::vector<Connection> all_;
};

PageServer::PageServer(PageContents contents, std::uint16_t port, ServerLimits limits)
    : server_(std::make_unique<Server>(std::move(contents), port, limits)) {}

PageServer::~PageServer() = default;

std::uint16_t PageServer::port() const {
  return server_->port();
}

void PageServer::run(const std::atomic<bool>& stop) {
  while (!stop) server_->step();
}

}  // namespace heddle::cli
