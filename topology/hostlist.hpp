// Slurm's short form of a list of host names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace caliper {

/// "jwb[0257-0264,0321-0328]", "a1,b[2-3]-[01-02]": items between commas, any number of bracket groups in an
/// item, in each group numbers and ranges. Expanded in order, the last bracket running fastest. Numbers are
/// as wide as the lower bound is written, so leading zeros are kept: [08-11] is 08, 09, 10, 11. Blanks around
/// an item are ignored. At most a million names. Problems: all malformed items, `where` left empty (the
/// caller knows where the text stands).
Result<std::vector<std::string>> expand_hostlist(std::string_view hostlist);

}  // namespace caliper
