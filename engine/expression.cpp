#include "engine/expression.hpp"

#include <algorithm>

namespace caliper {
namespace {

double power_of(double base, std::int32_t power) {
  double value = 1;
  for (std::int32_t i = 0; i < (power < 0 ? -power : power); ++i) value *= base;
  return power < 0 ? 1 / value : value;
}

double value_of(const Term& term, ParameterView parameters) {
  double value = term.coefficient;
  for (const Factor& factor : term.factors) {
    const double base = parameters[factor.parameter];
    // Written out for the common powers: a division is rounded once, a product with a reciprocal twice.
    if (factor.power == 1)
      value *= base;
    else if (factor.power == -1)
      value /= base;
    else
      value *= power_of(base, factor.power);
  }
  return value;
}

Term product(const Term& a, const Term& b, std::int32_t sign_of_b) {
  Term result{sign_of_b > 0 ? a.coefficient * b.coefficient : a.coefficient / b.coefficient, a.factors};
  for (const Factor& factor : b.factors) {
    const auto at = std::ranges::lower_bound(result.factors, factor.parameter, {}, &Factor::parameter);
    if (at != result.factors.end() && at->parameter == factor.parameter) {
      at->power += sign_of_b * factor.power;
      if (at->power == 0) result.factors.erase(at);
    } else {
      result.factors.insert(at, {factor.parameter, sign_of_b * factor.power});
    }
  }
  return result;
}

}  // namespace

Expression::Expression(double constant) {
  if (constant != 0) terms_.push_back({constant, {}});
}

Expression Expression::parameter(ParameterIndex index) {
  Expression expression;
  expression.terms_.push_back({1, {{index, 1}}});
  return expression;
}

Expression& Expression::operator+=(const Expression& other) {
  for (const Term& term : other.terms_) {
    const auto same = std::ranges::find(terms_, term.factors, &Term::factors);
    if (same == terms_.end())
      terms_.push_back(term);
    else
      same->coefficient += term.coefficient;
  }
  return *this;
}

Expression operator*(const Expression& a, const Expression& b) {
  Expression result;
  for (const Term& x : a.terms_)
    for (const Term& y : b.terms_) {
      Expression one;
      one.terms_.push_back(product(x, y, 1));
      result += one;
    }
  return result;
}

Expression operator/(const Expression& a, const Expression& b) {
  CALIPER_CHECK(b.terms_.size() == 1);
  Expression result;
  for (const Term& x : a.terms_) {
    Expression one;
    one.terms_.push_back(product(x, b.terms_[0], -1));
    result += one;
  }
  return result;
}

double Expression::evaluate(ParameterView parameters) const {
  double sum = 0;
  for (const Term& term : terms_) sum += value_of(term, parameters);
  return sum;
}

double Expression::derivative(ParameterView parameters, ParameterIndex by) const {
  double sum = 0;
  for (const Term& term : terms_)
    for (const Factor& factor : term.factors)
      if (factor.parameter == by) sum += value_of(term, parameters) * factor.power / parameters[by];
  return sum;
}

std::vector<ParameterIndex> Expression::parameters() const {
  std::vector<ParameterIndex> all;
  for (const Term& term : terms_)
    for (const Factor& factor : term.factors) all.push_back(factor.parameter);
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

void Expression::hash(Hasher& hasher) const {
  hasher.add(std::uint64_t{terms_.size()});
  for (const Term& term : terms_) {
    hasher.add(term.coefficient).add(std::uint64_t{term.factors.size()});
    for (const Factor& factor : term.factors)
      hasher.add(std::uint64_t{factor.parameter}).add(static_cast<std::uint64_t>(factor.power));
  }
}

}  // namespace caliper
