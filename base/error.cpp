#include "base/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace caliper {

std::string describe(const Error& error) {
  std::string text = error.where.empty() ? error.what : error.where + ": " + error.what;
  if (!error.hint.empty()) text += " (" + error.hint + ")";
  return text;
}

std::string describe(const Problems& problems) {
  std::string text;
  for (const Error& problem : problems) {
    if (!text.empty()) text += '\n';
    text += describe(problem);
  }
  return text;
}

void append(Problems& to, Problems from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "calipersim: internal error: %s does not hold (%s:%d); please report it\n", condition,
               file, line);
  std::fflush(nullptr);
  std::_Exit(70);
}

}  // namespace caliper
