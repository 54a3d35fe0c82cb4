#include "scenarios/version.hpp"

#include <Eigen/Core>
#include <boost/version.hpp>
#include <fmt/format.h>
#include <nlopt.h>
#include <sqlite3.h>
#include <tbb/version.h>

namespace caliper {

std::string version_text() { return fmt::format("calipersim {}", CALIPERSIM_VERSION); }

std::vector<std::pair<std::string, std::string>> versions() {
  int major = 0, minor = 0, patch = 0;
  nlopt_version(&major, &minor, &patch);
  return {{"calipersim", CALIPERSIM_VERSION},
          {"compiler", fmt::format("{} {}", CALIPERSIM_COMPILER, __VERSION__)},
          {"build", CALIPERSIM_BUILD_TYPE},
          {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
          {"Boost",
           fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
          {"NLopt", fmt::format("{}.{}.{}", major, minor, patch)},
          {"oneTBB", TBB_VERSION_STRING},
          {"SQLite", sqlite3_libversion()}};
}

}  // namespace caliper
