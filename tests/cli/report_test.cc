// Report pages as a user makes them, and the server that shows one.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <nlohmann/json.hpp>

#include "study/batch/batch.h"
#include "study/store/database.h"
#include "tests/cli/program.h"

namespace heddle {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPage =
    R"(<html><script type="application/json" id="heddle-data"></script><p>page</p></html>)";

json data_of(const std::string& page) {
  const std::string place = R"(id="heddle-data">)";
  const std::size_t from = page.find(place) + place.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from), nullptr, false);
}

class Reports : public Commands {
 protected:
  void SetUp() override {
    Commands::SetUp();
    file("page.html", kPage);
    store_ = file("s.sqlite");
  }
  std::string page_option() const { return " --page " + (folder_ / "page.html").string(); }
  json page(const std::string& name) const { return data_of(contents(name)); }
  double stat(const json& data, std::size_t run, const std::string& name) const {
    for (std::size_t i = 0; i < data["statistics"].size(); ++i)
      if (data["statistics"][i]["name"] == name) return data["runs"][run]["stats"][i];
    ADD_FAILURE() << name;
    return -1;
  }
  std::string store_;
};

TEST_F(Reports, OfARun) {
  const Outcome o = heddle("run vecadd --scale tiny --gpu gtx480 -q --detail --json " + file("r.json") +
                           " --html " + file("r.html") + page_option());
  ASSERT_EQ(o.status, 0) << o.out;
  const json data = page("r.html"), record = json::parse(contents("r.json"));
  ASSERT_EQ(data["runs"].size(), 1u);
  EXPECT_EQ(data["title"], "vecadd on gtx480");
  EXPECT_THAT(data["made"]["command"].get<std::string>(), HasSubstr("heddle run vecadd --scale tiny"));
  EXPECT_EQ(stat(data, 0, "gpu.cycles"), record["statistics"]["gpu.cycles"]["value"]);
  EXPECT_EQ(record["detail"]["schema"], "heddle.detail/1");
  EXPECT_FALSE(data["runs"][0]["funnel"]["could"][1].is_null());  // measured for the page
  EXPECT_GT(data["runs"][0]["detail"]["series"]["values"]["ipc"].size(), 1u);
  // The same from the record.
  ASSERT_EQ(heddle("report " + file("r.json") + " -o " + file("again.html") + page_option()).status, 0);
  const json again = page("again.html");
  EXPECT_EQ(again["runs"][0]["stats"], data["runs"][0]["stats"]);
  EXPECT_EQ(again["runs"][0]["detail"], data["runs"][0]["detail"]);
  EXPECT_EQ(again["runs"][0]["design"], "r");
}

TEST_F(Reports, DetailIsAskedFor) {
  ASSERT_EQ(heddle("run vecadd --scale tiny --gpu gtx480 -q --json " + file("r.json")).status, 0);
  EXPECT_FALSE(json::parse(contents("r.json")).contains("detail"));
}

TEST_F(Reports, OfAComparisonAndItsStore) {
  const std::string store = " --store " + store_;
  const Outcome o = heddle("compare vecadd --scale tiny --gpu gtx480 --designs baseline,DB" + store +
                           " --html " + file("c.html") + page_option());
  ASSERT_EQ(o.status, 0) << o.out;
  const json data = page("c.html");
  ASSERT_EQ(data["runs"].size(), 2u);
  ASSERT_EQ(data["comparisons"].size(), 1u);
  EXPECT_EQ(data["runs"][0]["design"], "baseline");
  EXPECT_EQ(data["comparisons"][0]["baseline"], data["runs"][0]["id"]);
  EXPECT_TRUE(data["runs"][0].contains("detail"));

  ASSERT_EQ(heddle("report " + store_ + " -o " + file("s.html") + page_option()).status, 0);
  const json of_store = page("s.html");
  EXPECT_EQ(of_store["comparisons"][0]["baseline"], data["comparisons"][0]["baseline"]);
  ASSERT_EQ(heddle("report --design DB" + store + " --no-detail --title 'A & <b>' -o " + file("one.html") +
                   page_option())
                .status,
            0);
  EXPECT_THAT(contents("one.html"), Not(HasSubstr("<b>")));
  const json one = page("one.html");
  EXPECT_EQ(one["title"], "A & <b>");
  ASSERT_EQ(one["runs"].size(), 1u);
  EXPECT_FALSE(one["runs"][0].contains("detail"));
  const Outcome none = heddle("report --design DBB" + store + " -o " + file("n.html") + page_option());
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.out, HasSubstr("DBB"));
}

TEST_F(Reports, SayWhatIsWrongBeforeAnythingRuns) {
  file("bad.html", "<html></html>");
  const Outcome o = heddle("compare vecadd --scale tiny --gpu gtx480 --store " + store_ + " --html " +
                           file("x.html") + " --page " + file("bad.html"));
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("no place for data"));
  EXPECT_THAT(o.out, Not(HasSubstr("of them in the store")));
  const Outcome nowhere = heddle("report " + page_option() + " --store " + store_);
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.out, HasSubstr("-o report.html"));
}

TEST_F(Reports, FiguresNeedABrowser) {
  const std::string command =
      "run vecadd --scale tiny --gpu gtx480 -q --figures " + file("f") + page_option();
  setenv("HEDDLE_BROWSER", file("no-such-browser").c_str(), 1);
  const Outcome missing = heddle(command);
  unsetenv("HEDDLE_BROWSER");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.out, HasSubstr("no-such-browser"));
  const std::string path = getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  const Outcome none = heddle(command);
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.out, HasSubstr("apt install chromium"));
}

// A browser of a few lines: dumps a page with a figure; its PDF is the page that it prints.
TEST_F(Reports, FiguresAreWritten) {
  file("browser", R"(#!/bin/sh
for a in "$@"; do
  case "$a" in
    --print-to-pdf=*) pdf="${a#--print-to-pdf=}" ;;
    --dump-dom) echo '<body><script type="application/json" id="heddle-figures">[{"name": "a b/../c", "svg": "\u003csvg/\u003e", "width": 640, "height": 200}]</script></body>' ;;
    file://*) page="${a#file://}" ;;
  esac
done
[ -z "$pdf" ] || cp "${page%#}" "$pdf"
)");
  std::filesystem::permissions(file("browser"), std::filesystem::perms::owner_all);
  setenv("HEDDLE_BROWSER", file("browser").c_str(), 1);
  const Outcome o = heddle("run vecadd --scale tiny --gpu gtx480 -q --figures " + file("f") + page_option());
  unsetenv("HEDDLE_BROWSER");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_EQ(contents("f/a-b----c.svg"), "<svg/>");
  EXPECT_THAT(contents("f/a-b----c.pdf"), AllOf(HasSubstr("size: 640px 200px"), HasSubstr("<svg/>")));
}

// ---- the server -----------------------------------------------------------------------------------------

class Serve : public Reports {
 protected:
  void SetUp() override {
    Reports::SetUp();
    study::Store made(store_);  // empty
  }
  void TearDown() override {
    stop();
    Reports::TearDown();
  }
  // Starts the program and waits for the line that tells its port.
  void start(const std::string& arguments = {}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 1);
      const std::string command = std::string("exec ") + HEDDLE_PROGRAM + " serve --port 0 --store " +
                                  store_ + page_option() + arguments;
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    std::string line;
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) line += c;
    close(ends[0]);
    ASSERT_TRUE(line.starts_with("http://127.0.0.1:")) << line;
    port_ = std::stoi(line.substr(strlen("http://127.0.0.1:")));
  }
  // Ctrl-C; the exit status.
  int stop() {
    if (pid_ <= 0) return -1;
    kill(pid_, SIGINT);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  static int connected(const char* address, int port) {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, address, &to.sin_addr);
    if (connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return s;
    close(s);
    return -1;
  }
  std::string ask(const std::string& first, const std::string& host = "localhost") const {
    const int s = connected("127.0.0.1", port_);
    EXPECT_GE(s, 0);
    const std::string request = first + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    EXPECT_EQ(send(s, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
    std::string answer;
    char buffer[4096];
    for (ssize_t n; (n = recv(s, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(n));
    close(s);
    return answer;
  }
  static std::string body(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
  pid_t pid_ = -1;
  int port_ = 0;
};

TEST_F(Serve, ShowsTheStoreAsItFills) {
  start();
  EXPECT_THAT(ask("GET /"), HasSubstr("<p>page</p>"));
  json data = json::parse(body(ask("GET /data.json")));
  EXPECT_EQ(data["live"], true);
  EXPECT_TRUE(data["runs"].empty());
  EXPECT_FALSE(data.contains("progress"));
  ASSERT_EQ(heddle("compare vecadd --scale tiny --gpu gtx480 --designs baseline,DB --store " + store_).status,
            0);
  study::Store store(store_);
  const std::int64_t batch = store.announce({"compare", 2, 5, 60, {"bfs DB"}});
  data = json::parse(body(ask("GET /data.json")));
  EXPECT_EQ(data["runs"].size(), 2u);
  EXPECT_EQ(data["comparisons"].size(), 1u);
  EXPECT_EQ(data["progress"]["done"], 2);
  EXPECT_EQ(data["progress"]["running"][0], "bfs DB");
  EXPECT_EQ(data_of(body(ask("GET /"))), data);
  store.retire(batch);
  const std::string quiet = body(ask("GET /data.json"));
  EXPECT_FALSE(json::parse(quiet).contains("progress"));
  EXPECT_EQ(quiet, body(ask("GET /data.json")));  // nothing is new
  EXPECT_EQ(stop(), 0);
}

TEST_F(Serve, AnswersNothingElse) {
  start();
  for (const char* method : {"POST", "PUT", "DELETE", "HEAD", "OPTIONS"})
    EXPECT_THAT(ask(std::string(method) + " /data.json"), HasSubstr(" 405 ")) << method;
  for (const char* path : {"/other", "/../s.sqlite", "/..%2f..%2fetc/passwd", "//etc/passwd", "/data.json/x"})
    EXPECT_THAT(ask(std::string("GET ") + path), HasSubstr(" 404 ")) << path;
  EXPECT_THAT(ask("GET /data.json", "evil.example"), HasSubstr(" 403 "));
  EXPECT_THAT(ask("GET /data.json", "127.0.0.1:" + std::to_string(port_)), HasSubstr(" 200 "));
}

TEST_F(Serve, IsForThisMachineOnly) {
  start();
  // In the kernel's table the socket listens on 127.0.0.1 and on nothing else.
  char wanted[32], anywhere[32];
  snprintf(wanted, sizeof wanted, "0100007F:%04X", port_);
  snprintf(anywhere, sizeof anywhere, "00000000:%04X", port_);
  std::stringstream table;
  table << std::ifstream("/proc/net/tcp").rdbuf() << std::ifstream("/proc/net/tcp6").rdbuf();
  EXPECT_THAT(table.str(), HasSubstr(wanted));
  EXPECT_THAT(table.str(), Not(HasSubstr(anywhere)));
  EXPECT_EQ(connected("127.0.0.2", port_), -1);
}

TEST_F(Serve, SaysThatAPortIsInUse) {
  start();
  const Outcome o = heddle("serve --port " + std::to_string(port_) + " --store " + store_ + page_option());
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("port " + std::to_string(port_) + " is in use"));
}

TEST_F(Serve, NeedsAStore) {
  const Outcome o = heddle("serve --port 0 --store " + file("none.sqlite") + page_option());
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("does not exist"));
}

// ---- what is not a browser ------------------------------------------------------------------------------

std::size_t resident_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6));
  return 0;
}

class Strangers : public Serve {
 protected:
  void SetUp() override {
    Serve::SetUp();
    start();
  }
  void TearDown() override {
    for (const int s : sockets_) close(s);
    Serve::TearDown();
  }
  int open_one() {
    sockets_.push_back(connected("127.0.0.1", port_));
    return sockets_.back();
  }
  // Within a second, although others are there.
  void expect_an_answer() {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(ask("GET /"), HasSubstr(" 200 "));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
  std::vector<int> sockets_;
};

TEST_F(Strangers, HalfARequestIsInNobodysWay) {
  const std::string half = "GET / HTTP/1.1\r\nHost: localhost\r\nX-";
  for (int i = 0; i < 200; ++i) {
    const int s = open_one();
    if (i % 2 == 0) (void)!send(s, half.data(), half.size(), MSG_NOSIGNAL);
  }
  expect_an_answer();
}

TEST_F(Strangers, AnAnswerThatNobodyTakesIsInNobodysWay) {
  stop();
  file("page.html",
       std::string(kPage) + "<!-- " + std::string(8 << 20, 'x') + " -->");  // more than sockets hold
  start();
  const std::string whole = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (int i = 0; i < 40; ++i) (void)!send(open_one(), whole.data(), whole.size(), MSG_NOSIGNAL);
  expect_an_answer();
#if !defined(__SANITIZE_ADDRESS__)          // which keeps freed memory for a while
  EXPECT_LT(resident_kib(pid_), 400'000u);  // 40 pages would be 320 MiB, and each is made of several parts
#endif
}

TEST_F(Strangers, ARequestWithoutEndIsRefusedAndTakesNoMemory) {
  const std::size_t before = resident_kib(pid_);
  const int s = open_one();
  std::string lines = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 1000; ++i) lines += "X-Line: 1\r\n";
  bool open = true;
  for (int i = 0; i < 500 && open; ++i)
    open = send(s, lines.data(), lines.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(lines.size());
  EXPECT_FALSE(open);
  EXPECT_LT(resident_kib(pid_), before + 4096);
  expect_an_answer();
  // Each limit alone: a long path, one long line, no end of the first line.
  for (const std::string& request :
       {"GET /" + std::string(9000, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(9000, 'x') + "\r\n\r\n",
        std::string(9000, 'x')}) {
    const int one = open_one();
    (void)!send(one, request.data(), request.size(), MSG_NOSIGNAL);
    char answer[64] = {};
    EXPECT_GT(recv(one, answer, sizeof answer - 1, 0), 0);
    EXPECT_THAT(std::string(answer), testing::StartsWith("HTTP/1.1 431 "));
  }
}

TEST_F(Strangers, NonsenseIsRefused) {
  for (const std::string& request :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/2\r\n\r\n"),
        std::string("GET http://other/ HTTP/1.1\r\n\r\n"), std::string("GET / HTTP/1.1\r\nno colon\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"),
        std::string("\x16\x03\x01\0\xff\r\n\r\n", 9)}) {
    const int one = open_one();
    (void)!send(one, request.data(), request.size(), MSG_NOSIGNAL);
    char answer[64] = {};
    EXPECT_GT(recv(one, answer, sizeof answer - 1, 0), 0) << request;
    EXPECT_THAT(std::string(answer), testing::StartsWith("HTTP/1.1 400 ")) << request;
  }
  EXPECT_THAT(ask("GET /", ""), HasSubstr(" 403 "));
  expect_an_answer();
}

TEST_F(Strangers, SeveralRequestsOnOneConnection) {
  const int s = open_one();
  const std::string two =
      "GET /data.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "GET /nothing?x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  ASSERT_EQ(send(s, two.data(), two.size(), MSG_NOSIGNAL), static_cast<ssize_t>(two.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t n; (n = recv(s, buffer, sizeof buffer, 0)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(n));
  EXPECT_THAT(answer, AllOf(HasSubstr("HTTP/1.1 200 OK"), HasSubstr("Connection: keep-alive"),
                            HasSubstr("HTTP/1.1 404 Not Found"), HasSubstr("Connection: close")));
}

TEST_F(Serve, ThePageMayRunItsOwnScriptsOnly) {
  file("page.html", std::string(kPage) + "<script>abc</script><script>1</script>");
  start();
  const std::string answer = ask("GET /");
  EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'; script-src "
                                "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=' "
                                "'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='; "));
  EXPECT_THAT(answer, HasSubstr("connect-src 'self'"));
}

TEST_F(Serve, AStoreThatIsGoneIsNotShown) {
  start();
  EXPECT_THAT(ask("GET /data.json"), HasSubstr(" 200 "));
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(store_ + part);
  EXPECT_THAT(ask("GET /data.json"), AllOf(HasSubstr(" 500 "), HasSubstr("does not exist")));
  EXPECT_THAT(ask("GET /"), HasSubstr(" 500 "));
  // Another one in its place is shown.
  ASSERT_EQ(heddle("compare vecadd --scale tiny --gpu gtx480 --designs baseline,DB --store " + store_).status,
            0);
  EXPECT_EQ(json::parse(body(ask("GET /data.json")))["runs"].size(), 2u);
  std::filesystem::rename(store_, store_ + ".old");
  { study::Store made(store_); }
  EXPECT_TRUE(json::parse(body(ask("GET /data.json")))["runs"].empty());
}

}  // namespace
}  // namespace heddle
