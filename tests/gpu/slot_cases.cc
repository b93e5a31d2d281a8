#include "slot_cases.h"

#include <cctype>

#include "gpu/catalog.h"

namespace heddle::gpu {

void PrintTo(const SlotCase& c, std::ostream* out) {
  *out << c.name;
}

std::string test_name(const SlotCase& c) {
  std::string name = c.name;
  for (char& x : name)
    if (std::isalnum(static_cast<unsigned char>(x)) == 0) x = '_';
  return name;
}

std::vector<SlotCase> every_implementation() {
  std::vector<SlotCase> all;
  for (const Slot& slot : catalog())
    for (const config::NamedChoice& c : slot.implementations()) {
      const std::string key(slot.key);
      SlotCase one{std::string(slot.name) + " " + c.name, {key + "=" + c.name}};
      // Every replacement can do with a power of two of ways.
      if (key.ends_with(".replacement")) one.settings.push_back(key.substr(0, key.rfind('.')) + ".ways=4");
      all.push_back(std::move(one));
    }
  return all;
}

}  // namespace heddle::gpu
