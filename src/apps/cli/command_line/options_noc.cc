// The options of `heddle noc`.
#include <memory>

#include "apps/cli/command_line/options.h"

namespace heddle::cli {

void add_noc(CLI::App& app, const std::string& command, int* status) {
  auto o = std::make_shared<NocOptions>();
  CLI::App* sub = app.add_subcommand(
      "noc", "A network alone, under synthetic traffic: latency and throughput by load (docs/noc.md)");
  sub->add_option("gpu", o->config.gpu,
                  "A machine whose request network is measured: a preset or a FILE.toml; default: a network\n"
                  "of its own, by --topology and --size")
      ->type_name("NAME|FILE.toml");
  CLI::Option* topology =
      sub->add_option("--topology", o->topology, "Kind of the network (heddle list)")->capture_default_str();
  CLI::Option* size = sub->add_option("--size", o->size, "Nodes: WIDTHxHEIGHT, or one number")
                          ->type_name("WxH")
                          ->capture_default_str();
  sub->add_option("--pattern", o->pattern,
                  "Who sends to whom: uniform, transpose, tornado, neighbour, complement, bit-reverse,\n"
                  "shuffle, many-to-few, few-to-many; default uniform");
  CLI::Option* slices = add_number(*sub, "--slices", o->slices, "Nodes that are the few", 1, 1024);
  slices->capture_default_str();
  CLI::Option* reply = sub->add_flag("--reply", o->reply, "The machine's reply network");
  sub->add_option("--rate", o->rate, "Flits per input and core cycle: FROM:TO:STEP, or a list with commas")
      ->type_name("RATES")
      ->capture_default_str();
  add_number(*sub, "--flits", o->flits, "Flits of a packet", 1, 4096)->capture_default_str();
  add_number(*sub, "--warm-up", o->warm_up, "Core cycles before packets are measured", 0, 100'000'000)
      ->capture_default_str();
  add_number(*sub, "--cycles", o->cycles, "Core cycles whose packets are measured", 1, 100'000'000)
      ->capture_default_str();
  add_number(*sub, "--seed", o->seed, "Seed of the sources")->capture_default_str();
  sub->add_flag(
      "--saturation", o->saturation,
      "Also find the rate at which latency is three times that at zero load (pages have it always)");
  sub->add_option("--set", o->config.sets,
                  "Set one parameter: of a machine --set noc.request.mesh.vc_buffer=4, of a network alone\n"
                  "without the section: --set virtual_channels=4 --set mesh.routing=yx")
      ->type_name("PATH=VALUE");
  sub->add_option("--compare", o->compare,
                  "A curve for each value of a parameter of --set, or of topology:\n"
                  "--compare virtual_channels=1,4,8")
      ->type_name("PATH=VALUE,VALUE...");
  sub->add_option("--csv", o->csv, "Write the curve as CSV to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  sub->add_option("--json", o->json,
                  "Write the curve as JSON to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  add_page_options(*sub, command, o->page);
  sub->footer(
      "Examples:\n"
      "  heddle noc --topology mesh --size 8x8 --rate 0.05:0.5:0.05 --set virtual_channels=4\n"
      "  heddle noc --size 6x6 --pattern many-to-few --slices 8 --saturation\n"
      "  heddle noc --topology crossbar --size 16 --pattern uniform --flits 5 --csv curve.csv\n"
      "  heddle noc --rate 0.02:0.5:0.02 --compare virtual_channels=1,4,8 --html curves.html\n"
      "  heddle noc v100 --reply --flits 2");
  sub->callback([o, topology, size, slices, reply, status] {
    const bool machine = !o->config.gpu.empty();
    for (const CLI::Option* of_none : {topology, size, slices})
      if (machine && of_none->count() > 0)
        throw CLI::ValidationError(of_none->get_name(), "a machine has its own");
    if (!machine && reply->count() > 0)
      throw CLI::ValidationError("--reply", "is of a machine; choose --pattern few-to-many");
    *status = noc_command(*o);
  });
}

}  // namespace heddle::cli
