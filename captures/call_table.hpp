// Calls of a communicator and what they ran as, alike ones once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "captures/log_line.hpp"

namespace caliper {

class CallTable {
 public:
  void add(const TuningLine& line, LineRef at);
  /// The arguments of a call say how large it was, not what it ran as.
  void add(const CallLine& line, LineRef at);

  struct Calls {
    std::vector<CapturedCall> calls;
    bool named =
        false;  ///< some plan has its collective from the only calls of its size: before 2.23 it names none
  };
  /// @param ranks  0: not known, and sizes that are those of one rank say nothing of the buffer
  Calls take(std::uint32_t ranks);

 private:
  void add(CapturedCall call, LineRef at);
  std::map<std::tuple<std::string, std::uint64_t, std::string, std::string, std::optional<std::uint32_t>,
                      std::optional<std::uint32_t>>,
           CapturedCall>
      calls_;
};

}  // namespace caliper
