// Several designs in one machine: "Sh40+WarpPool", where no design is called so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/design/design.h"
#include "study/design/design_table.h"

namespace heddle::study {

// The designs whose names, joined by '+', make up `text`: "Sh40+C10+WarpPool" is Sh40+C10 and WarpPool. Of
// several ways the one with the longest first names. Empty: there is none.
std::vector<const Design*> parts_of(std::string_view text, const FindDesign& find);

// Two designs that set one parameter to different values are not one machine: a slot takes one
// implementation. In words; nothing: they go together.
std::optional<std::string> contradiction(const Design& a, const Design& b);

// What all of them set, in their order. Its name is theirs, joined by '+'.
Design together(const std::vector<const Design*>& parts);

}  // namespace heddle::study
