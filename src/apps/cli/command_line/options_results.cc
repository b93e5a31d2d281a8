// The options of `heddle results`, `heddle report` and `heddle serve`.
#include <memory>

#include "apps/cli/command_line/options.h"

namespace heddle::cli {
namespace {

void add_filter(CLI::App& app, ResultsFilter& o) {
  app.add_option("--study", o.study, "Only what was run for this study");
  app.add_option("--design", o.design, "Only this design of a study");
  app.add_option("--workload", o.workload, "Only this workload, or file of a user's kernel");
  app.add_option("--gpu", o.gpu, "Only what was run on this machine");
  app.add_flag("--other-source", o.other_source,
               "Only what another source than this program's made: never used again");
}

// For commands that name points by their keys as well.
void add_selection(CLI::App& app, ResultsFilter& o) {
  app.add_option("keys", o.keys, "Only those whose key begins so");
  add_filter(app, o);
  add_store_option(app, o.store);
}

}  // namespace

void add_store_option(CLI::App& app, std::string& store) {
  app.add_option("--store", store,
                 "The store; default: $HEDDLE_STORE, or results/heddle.sqlite of the source tree, or\n"
                 "~/.local/share/heddle/heddle.sqlite")
      ->type_name("FILE");
}

void add_page_options(CLI::App& app, const std::string& command, PageOptions& o) {
  o.command = command;
  app.add_option("--html", o.html, "Write a report page to this file (docs/report.md)")
      ->type_name("FILE.html");
  app.add_option("--figures", o.figures,
                 "Write the page's figures as SVG and PDF to this folder; needs Chromium")
      ->type_name("DIR");
  app.add_option("--page", o.page, "A page built elsewhere in place of the bundled one")
      ->check(CLI::ExistingFile)
      ->group("");  // for who works on the page itself
}

void add_results(CLI::App& app, int* status) {
  CLI::App* results =
      app.add_subcommand("results", "Finished points: list, show, export, forget, merge, repair");
  results->require_subcommand(1);
  auto list = std::make_shared<ResultsFilter>();
  CLI::App* sub = results->add_subcommand("list", "What there is, newest last");
  add_selection(*sub, *list);
  sub->callback([list, status] { *status = results_list_command(*list); });

  auto show = std::make_shared<ResultsShowOptions>();
  sub = results->add_subcommand("show", "One of them, as heddle run prints it");
  sub->add_option("key", show->key, "The first digits of its key")->required();
  sub->add_option("--json", show->json, "Write the record to this file instead ('-': standard output)")
      ->type_name("FILE");
  sub->add_flag("--stats", show->stats, "Print every statistic");
  add_store_option(*sub, show->store);
  sub->callback([show, status] { *status = results_show_command(*show); });

  auto table = std::make_shared<ResultsExportOptions>();
  sub = results->add_subcommand("export", "Many of them as one file");
  add_selection(*sub, table->filter);
  CLI::Option* csv =
      sub->add_option("--csv", table->csv, "One row per point and label ('-': standard output)");
  csv->type_name("FILE");
  sub->add_option("--json", table->json, "Whole records, or the chosen statistics ('-': standard output)")
      ->type_name("FILE")
      ->excludes(csv);
  sub->add_option("--statistic", table->statistics,
                  "Only these statistics: --statistic gpu.cycles,l1.hit_rate")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  sub->callback([table, status] { *status = results_export_command(*table); });

  auto forget = std::make_shared<ResultsForgetOptions>();
  sub = results->add_subcommand("forget", "Remove them from the store");
  add_selection(*sub, forget->filter);
  sub->add_flag("--yes", forget->yes, "Do not ask");
  sub->callback([forget, status] { *status = results_forget_command(*forget); });

  auto merge = std::make_shared<ResultsMergeOptions>();
  sub = results->add_subcommand("merge", "All that other stores have into this one: of several machines");
  sub->add_option("from", merge->from, "Stores")->required()->type_name("FILE.sqlite ...");
  add_store_option(*sub, merge->store);
  sub->callback([merge, status] { *status = results_merge_command(*merge); });

  auto store = std::make_shared<std::string>();
  sub = results->add_subcommand("repair", "Check every record of the store, and remove what is damaged");
  add_store_option(*sub, *store);
  sub->callback([store, status] { *status = results_repair_command(*store); });
}

void add_report(CLI::App& app, const std::string& command, int* status) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* sub =
      app.add_subcommand("report", "Finished runs as one HTML page that needs nothing else (docs/report.md)");
  sub->add_option("input", o->inputs,
                  "A store; or records that heddle run --json wrote, the first is the baseline")
      ->type_name("STORE|RECORD.json ...")
      ->check(CLI::ExistingFile);
  add_page_options(*sub, command, o->page);
  sub->remove_option(sub->get_option("--html"));
  sub->add_option("-o,--output", o->page.html, "The page")->type_name("FILE.html");
  add_filter(*sub, o->filter);
  sub->add_option("--key", o->filter.keys, "Only those whose key begins so");
  add_store_option(*sub, o->filter.store);
  sub->add_option("--title", o->title, "The page's title");
  sub->add_option("--baseline", o->baseline, "The design that others are compared with");
  sub->add_flag("--no-detail", o->no_detail, "Without what happened over time: a smaller file");
  sub->callback([o, status] { *status = report_command(*o); });
}

void add_serve(CLI::App& app, int* status) {
  auto o = std::make_shared<ServeOptions>();
  CLI::App* sub = app.add_subcommand(
      "serve",
      "Show the store's runs in a browser on this machine, also while a study runs (docs/report.md)");
  add_number(*sub, "--port", o->port, "Of 127.0.0.1; 0: any that is free")->capture_default_str();
  add_filter(*sub, o->filter);
  sub->add_option("--key", o->filter.keys, "Only those whose key begins so");
  add_store_option(*sub, o->filter.store);
  sub->add_option("--page", o->page, "A page built elsewhere in place of the bundled one")
      ->check(CLI::ExistingFile)
      ->group("");
  sub->callback([o, status] { *status = serve_command(*o); });
}

}  // namespace heddle::cli
