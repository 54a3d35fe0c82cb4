// What can be wrong with a user's input, as a value: where, what, and what would be right.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.hpp"

namespace caliper {

/// One problem of an input. Printed as "where: what (hint)"; `where` is "file:line" whenever there is a file.
struct Error {
  std::string where;
  std::string what;
  std::string hint;
};

/// All problems of an input in the order found; empty means there are none.
using Problems = std::vector<Error>;

std::string describe(const Error& error);
/// One line a problem, no final newline.
std::string describe(const Problems& problems);
void append(Problems& to, Problems from);

/// A value, or the problems that kept it from being made. Exceptions of libraries are turned into problems
/// where the library is called; this project throws none of its own.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Error error) : content_(Problems{std::move(error)}) {}
  Result(Problems problems) : content_(std::move(problems)) { CALIPER_CHECK(!this->problems().empty()); }

  explicit operator bool() const { return content_.index() == 0; }
  T& operator*() & { return std::get<0>(content_); }
  const T& operator*() const& { return std::get<0>(content_); }
  T&& operator*() && { return std::get<0>(std::move(content_)); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }
  const Problems& problems() const { return std::get<1>(content_); }

 private:
  std::variant<T, Problems> content_;
};

}  // namespace caliper
