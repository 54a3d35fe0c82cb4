// A number of a program as a sum of products of parameters: it is written once when the program is built and
// evaluated for every candidate, so that nothing is looked up by name afterwards, and its derivative is
// known.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "base/parameters.hpp"

namespace caliper {

struct Factor {
  ParameterIndex parameter;
  std::int32_t power;  ///< not 0
  bool operator==(const Factor&) const = default;
};

/// coefficient * product of parameter^power.
struct Term {
  double coefficient;
  std::vector<Factor> factors;  ///< ascending by parameter
  bool operator==(const Term&) const = default;
};

/// Sum of terms; no terms is 0.
class Expression {
 public:
  Expression() = default;
  /// A constant; not finite is allowed (an unlimited rate).
  Expression(double constant);
  static Expression parameter(ParameterIndex index);

  Expression& operator+=(const Expression& other);
  friend Expression operator+(Expression a, const Expression& b) { return a += b; }
  friend Expression operator*(const Expression& a, const Expression& b);
  /// Only a single term can be divided by.
  friend Expression operator/(const Expression& a, const Expression& b);
  bool operator==(const Expression&) const = default;

  double evaluate(ParameterView parameters) const;
  /// d value / d parameter.
  double derivative(ParameterView parameters, ParameterIndex by) const;
  /// Those that it depends on, ascending.
  std::vector<ParameterIndex> parameters() const;
  void hash(Hasher& hasher) const;

 private:
  std::vector<Term> terms_;
};

}  // namespace caliper
