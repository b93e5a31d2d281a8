// `heddle serve`: the store's runs as a page that follows a study while it runs.
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/page/page_output.h"
#include "apps/cli/page/page_server.h"
#include "apps/cli/terminal/interrupt.h"
#include "report/page.h"

namespace heddle::cli {
namespace {

// The page as of now. What a point says never changes, so each is read once.
class LivePage {
 public:
  LivePage(const ServeOptions& options, std::string page)
      : filter_(options.filter), page_(std::move(page)), store_(open_results(options.filter.store)) {}

  const std::filesystem::path& store() const { return store_.file(); }
  std::string policy() const { return report::security_policy(page_); }

  std::string html() { return report::filled(page_, current()); }
  std::string data() { return current().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

 private:
  // A file that was removed can be read on by who has it open; the page must not show it as live.
  void follow_store() {
    if (!store_.gone()) return;
    store_ = open_results(store_.file().string());
    read_.clear();
    state_.clear();
  }

  const nlohmann::ordered_json& current() {
    follow_store();
    report::PageHead head;
    head.live = true;
    head.batches = store_.live();
    if (const std::string state = store_.state(); state != state_) {
      read_runs();
      state_ = state;
    }
    head.title = title_;
    head.written = written_;
    head.command = "heddle serve";
    head.baselines = studies_.baselines;
    head.figures = studies_.figures;
    data_ = report::page_data(head, runs_);
    return data_;
  }

  void read_runs() {
    runs_.clear();
    written_ = now_utc() + " UTC";  // of the runs: a page that asks again sees at once that nothing is new
    for (const SelectedPoint& s : newest(matching(store_, filter_))) {
      const std::string id = s.kept.key + brief(s.labels);
      std::shared_ptr<const report::PageRun>& run = read_[id];
      if (run == nullptr) run = read_run(reader_, store_, s, true);
      if (run != nullptr) runs_.push_back(run);
    }
    studies_ = {};
    add_studies(studies_, runs_);
    title_ = studies_.title.empty() ? report::usual_title(runs_) : studies_.title;
  }

  ResultsFilter filter_;
  std::string page_;
  study::Store store_;
  report::RunReader reader_ = run_reader();
  std::string state_ = "none yet", title_, written_;
  PageRuns runs_;
  report::PageHead studies_;
  std::map<std::string, std::shared_ptr<const report::PageRun>> read_;
  nlohmann::ordered_json data_;
};

}  // namespace

int serve_command(const ServeOptions& o) {
  LivePage page(o, empty_page(o.page));
  PageServer server({[&] { return page.html(); }, [&] { return page.data(); }, page.policy()}, o.port);
  const InterruptFlag interrupt;
  std::cout << fmt::format("http://127.0.0.1:{}/ shows {}; Ctrl-C ends it\n", server.port(),
                           page.store().string())
            << std::flush;
  server.run(interrupt.raised());
  std::cout << "\n";
  return 0;
}

}  // namespace heddle::cli
