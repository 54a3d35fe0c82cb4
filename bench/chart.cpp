// The comparison as a picture: bars of messages a second per core, and how time grows with messages. Both
// axes of size are logarithmic. Colours follow the reader's scheme on a panel of its own.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bench/comparison.hpp"

namespace caliper::bench {
namespace {

constexpr double kWidth = 880, kTop = 92, kBottom = 58;
constexpr double kBarsLeft = 28, kBarsRight = 384;       // the text of a bar stands beside it
constexpr double kGrowthLeft = 548, kGrowthRight = 792;  // exponents stand beside the lines
constexpr double kBar = 13, kBarGap = 3, kCaption = 20, kCaseGap = 14;

/// Colours of Okabe and Ito; the last one is for all further simulators.
constexpr std::string_view kStyle = R"(
  .panel { fill: #ffffff; stroke: #d8dee4; }
  text { fill: #1f2328; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans",
    sans-serif; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
  .title { font-size: 14px; font-weight: 600; }
  .soft { fill: #57606a; font-size: 11px; }
  .exponent { font-size: 10px; }
  .end { text-anchor: end; } .middle { text-anchor: middle; }
  .grid { stroke: #e4e8ec; } .axis { stroke: #8c959f; }
  .line { fill: none; stroke-width: 1.5; stroke-dasharray: 5 3; }
  .s0 { fill: #7d858e; stroke: #7d858e; } .s1 { fill: #0072b2; stroke: #0072b2; }
  .s2 { fill: #d55e00; stroke: #d55e00; } .s3 { fill: #009e73; stroke: #009e73; }
  rect.bar { stroke: none; } path.line { fill: none; }
  @media (prefers-color-scheme: dark) {
    .panel { fill: #0d1117; stroke: #30363d; }
    text { fill: #e6edf3; stroke: #0d1117; } .soft { fill: #9da7b3; }
    .grid { stroke: #21262d; } .axis { stroke: #6e7681; }
    .s0 { fill: #8b949e; stroke: #8b949e; } .s1 { fill: #4ea8de; stroke: #4ea8de; }
    .s2 { fill: #f0883e; stroke: #f0883e; } .s3 { fill: #2fc79a; stroke: #2fc79a; }
  }
)";

/// Position of a value on a logarithmic axis.
class LogAxis {
 public:
  /// The decades around all of `values`; from `from` to `to` pixels.
  LogAxis(std::span<const double> values, double from, double to)
      : least_(std::floor(std::log10(std::ranges::min(values)))),
        most_(std::max(std::ceil(std::log10(std::ranges::max(values))), least_ + 1)),
        from_(from),
        to_(to) {}
  double operator()(double value) const { return at(std::log10(value)); }
  /// Exponents of ten to mark.
  std::vector<int> decades() const {
    std::vector<int> marks;
    for (double power = least_; power <= most_; ++power) marks.push_back(static_cast<int>(power));
    return marks;
  }
  double at(double power) const { return from_ + (to_ - from_) * (power - least_) / (most_ - least_); }

 private:
  double least_, most_, from_, to_;
};

/// Three digits and a prefix: "612 k", "2.47 M".
std::string prefixed(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> kPrefixes = {
      {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, " "}}};
  for (const auto& [unit, prefix] : kPrefixes)
    if (const double scaled = value / unit; scaled >= 0.9995 || unit == 1)
      return fmt::format("{:.{}f}{}", scaled, scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0, prefix);
  return {};
}

/// "100 k"
std::string decade_name(int power) {
  constexpr std::array<const char*, 5> kPrefixes = {"", " k", " M", " G", " T"};
  const auto thousands = static_cast<std::size_t>(std::clamp(power / 3, 0, 4));
  return fmt::format("{:g}{}", std::pow(10.0, power - 3 * static_cast<int>(thousands)), kPrefixes[thousands]);
}

std::string power_of_ten(int power) {
  constexpr std::array kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (power == 0) return "1";
  std::string text = "10";
  if (power < 0) text += "⁻";
  for (const char digit : std::to_string(std::abs(power)))
    text += kDigits[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string place(double x, double y, std::string_view css_class, std::string_view content) {
  std::string escaped;
  for (const char c : content) escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return fmt::format("<text x='{:.1f}' y='{:.1f}' class='{}'>{}</text>\n", x, y, css_class, escaped);
}

std::string line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' class='{}'/>\n", x1, y1, x2, y2,
                     css_class);
}

std::string shown_name(const Comparison& comparison, const std::string& simulator) {
  if (simulator != kPeer) return simulator;
  return "SimGrid " + std::ranges::find(comparison.runs, simulator, &RunRecord::simulator)->version;
}

/// Number of the colour of a simulator.
std::size_t colour(const std::vector<std::string>& names, std::string_view simulator) {
  const auto index = std::ranges::find(names, simulator) - names.begin();
  return std::min<std::size_t>(static_cast<std::size_t>(index), 3);
}

std::string legend(const Comparison& comparison, const std::vector<std::string>& names) {
  std::string svg;
  double x = kBarsLeft;
  for (const std::string& name : names) {
    const std::string shown = shown_name(comparison, name);
    svg += fmt::format("<rect x='{:.1f}' y='43' width='12' height='12' rx='2' class='bar s{}'/>\n", x,
                       colour(names, name));
    svg += place(x + 18, 53.5, "", shown);
    x += 40 + 7.2 * static_cast<double>(shown.size());
  }
  return svg;
}

double bars_height(const std::vector<Case>& cases) {
  double height = 0;
  for (const Case& shown : cases)
    height += kCaption + kCaseGap + static_cast<double>(shown.entries.size()) * (kBar + kBarGap);
  return height;
}

std::string bars(const std::vector<Case>& cases, const std::vector<std::string>& names, double bottom) {
  std::vector<double> rates;
  for (const Case& shown : cases)
    for (const Entry& entry : shown.entries) rates.push_back(shown.messages_per_s(entry));
  const LogAxis axis(rates, kBarsLeft, kBarsRight);
  std::string svg = place(kBarsLeft, kTop - 14, "title", "Messages a second on one core");
  for (const int decade : axis.decades()) {
    svg += line(axis.at(decade), kTop, axis.at(decade), bottom, "grid");
    svg += place(axis.at(decade), bottom + 18, "soft middle", decade_name(decade));
  }
  svg += place((kBarsLeft + kBarsRight) / 2, bottom + 38, "soft middle", "×: times as many as SimGrid");
  double y = kTop;
  for (const Case& shown : cases) {
    svg += place(kBarsLeft + 4, y + kCaption - 5, "soft", describe(shown.work));
    y += kCaption;
    const Entry* peer = shown.find(kPeer);
    for (const Entry& entry : shown.entries) {
      const double rate = shown.messages_per_s(entry), end = axis(rate);
      svg += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{}' rx='2' class='bar s{}'/>\n",
                         kBarsLeft, y, end - kBarsLeft, kBar, colour(names, entry.simulator));
      std::string label = prefixed(rate);
      if (peer && &entry != peer)
        label += fmt::format(" · {:.{}f}×", peer->run_cpu_s / entry.run_cpu_s,
                             peer->run_cpu_s / entry.run_cpu_s < 9.95 ? 1 : 0);
      svg += place(end + 6, y + kBar - 2.5, "", label);
      y += kBar + kBarGap;
    }
    y += kCaseGap;
  }
  return svg + line(kBarsLeft, kTop, kBarsLeft, bottom, "axis");
}

std::string growth_lines(const std::vector<Growth>& drawn, const std::vector<std::string>& names,
                         double bottom) {
  std::vector<double> messages, seconds;
  for (const Growth& growth : drawn) {
    messages.insert(messages.end(), growth.messages.begin(), growth.messages.end());
    seconds.insert(seconds.end(), growth.run_cpu_s.begin(), growth.run_cpu_s.end());
  }
  const LogAxis x(messages, kGrowthLeft, kGrowthRight), y(seconds, bottom, kTop);
  std::string svg = place(kGrowthLeft - 44, kTop - 14, "title", "CPU seconds of a run of m messages");
  for (const int decade : x.decades()) {
    svg += line(x.at(decade), kTop, x.at(decade), bottom, "grid");
    svg += place(x.at(decade), bottom + 18, "soft middle", power_of_ten(decade));
  }
  for (const int decade : y.decades()) {
    svg += line(kGrowthLeft, y.at(decade), kGrowthRight, y.at(decade), "grid");
    svg += place(kGrowthLeft - 8, y.at(decade) + 4, "soft end", power_of_ten(decade));
  }
  svg +=
      place((kGrowthLeft + kGrowthRight) / 2, bottom + 38, "soft middle", "m, one ring of growing n, 16 MiB");
  svg += line(kGrowthLeft, bottom, kGrowthRight, bottom, "axis") +
         line(kGrowthLeft, kTop, kGrowthLeft, bottom, "axis");
  double lowest_free = -1;  // exponents do not stand on one another; lines come from the top down
  for (const Growth& growth : drawn) {
    const auto number = colour(names, growth.simulator);
    const auto fitted = [&](double count) { return growth.factor * std::pow(count, growth.exponent); };
    const double first = growth.messages.front(), last = growth.messages.back();
    svg += line(x(first), y(fitted(first)), x(last), y(fitted(last)), fmt::format("line s{}", number));
    for (std::size_t i = 0; i < growth.messages.size(); ++i)
      svg += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3.5' class='s{}'/>\n", x(growth.messages[i]),
                         y(growth.run_cpu_s[i]), number);
    const double label = std::max(y(growth.run_cpu_s.back()) + 4, lowest_free);
    svg += fmt::format("<text x='{:.1f}' y='{:.1f}'>∝ m", x(last) + 9, label) +
           fmt::format("<tspan dy='-5' class='exponent'>{:.2f}</tspan></text>\n", growth.exponent);
    lowest_free = label + 15;
  }
  return svg;
}

}  // namespace

std::string chart(const Comparison& comparison) {
  const auto names = simulators(comparison.runs);
  const auto cases = cases_of(comparison.runs, kCases);
  auto drawn = growth_of(comparison.runs);
  std::erase_if(drawn, [](const Growth& growth) { return growth.series != kDrawnGrowth; });
  std::ranges::stable_sort(drawn, std::ranges::greater{},
                           [](const Growth& growth) { return growth.run_cpu_s.back(); });
  const double bottom = kTop + std::max(bars_height(cases), 220.0);
  const double height = bottom + kBottom;

  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0:.0f}' height='{1:.0f}' viewBox='0 0 {0:.0f} "
      "{1:.0f}' "
      "role='img'>\n<title>Speed of the simulators on ring AllReduce</title>\n<style>{2}</style>\n"
      "<rect x='0.5' y='0.5' width='{3:.0f}' height='{4:.0f}' rx='8' class='panel'/>\n",
      kWidth, height, kStyle, kWidth - 1, height - 1);
  svg += place(kBarsLeft, 29, "title", "Ring AllReduce: n GPUs, C channels");
  svg += place(kWidth - 28, 29, "soft end",
               fmt::format("{}, {}", comparison.setting.processor, comparison.runs.back().compiler));
  svg += legend(comparison, names);
  if (!cases.empty()) svg += bars(cases, names, bottom);
  if (!drawn.empty()) svg += growth_lines(drawn, names, bottom);
  return svg + "</svg>\n";
}

}  // namespace caliper::bench
