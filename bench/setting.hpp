// Where and when something was measured; figures without it mean nothing.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace caliper::bench {

struct Setting {
  std::string date, processor, system, kernel, commit;
  unsigned cores = 0;
  double memory_gib = 0;
  double load_before = 0;  ///< runnable processes, average of the minute before
};

/// Of this machine, today.
Setting this_machine(std::string commit, double load_before);

nlohmann::ordered_json to_json(const Setting& setting);

}  // namespace caliper::bench
