#include "scenarios/plan_picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace caliper {
namespace {

struct Point {
  double x, y;
};

constexpr double kMargin = 28, kTop = 84, kGap = 18, kLegend = 46;
constexpr double kSmallestWidth = 620;  // so that title and legend have room
constexpr double kBoxWidth = 30, kBoxHeight = 22;

/// Colours of Okabe and Ito.
constexpr std::string_view kPlanStyle = R"(
  text { fill: #1f2328; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
  .title { font-size: 18px; font-weight: 600; } .soft { fill: #57606a; } .small { fill: #57606a; font-size: 10px; }
  .head { font-size: 13px; font-weight: 600; } .middle { text-anchor: middle; }
  .panel { fill: #ffffff; stroke: #d8dee4; } .node { fill: #f6f8fa; stroke: #afb8c1; }
  .gpu { fill: #ffffff; stroke: #57606a; stroke-width: 1.2; } .first { fill: #ddf4ff; stroke: #0072b2; }
  .nic { fill: #e6f4ea; stroke: #009e73; } .link { stroke: #d0d7de; fill: none; }
  .ring { stroke: #0072b2; stroke-width: 2; fill: none; marker-end: url(#blue); }
  .pxn { stroke: #d55e00; stroke-width: 2; fill: none; stroke-dasharray: 5 3; marker-end: url(#orange); }
  .net { stroke: #009e73; stroke-width: 2; fill: none; marker-end: url(#green); }
)";

std::string escaped_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

std::string text_at(Point at, std::string_view style, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", at.x, at.y, style,
                     escaped_text(text));
}

std::string box(Point centre, std::string_view style, std::string_view text) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"4\" class=\"{}\"/>\n",
                     centre.x - kBoxWidth / 2, centre.y - kBoxHeight / 2, kBoxWidth, kBoxHeight, style) +
         text_at({centre.x, centre.y + 4}, "middle", text);
}

std::string curve_path(Point from, Point by, Point to, std::string_view style) {
  return fmt::format("<path d=\"M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}\" class=\"{}\"/>\n", from.x,
                     from.y, by.x, by.y, to.x, to.y, style);
}

/// Where the straight line from a box's centre towards another point leaves it.
Point border(Point centre, Point towards, double room) {
  const double dx = towards.x - centre.x, dy = towards.y - centre.y;
  const double across = std::abs(dx) / (kBoxWidth / 2 + room), along = std::abs(dy) / (kBoxHeight / 2 + room);
  const double scale = 1 / std::max({across, along, 1e-9});
  return {centre.x + dx * scale, centre.y + dy * scale};
}

/// "channels 0, 6", "channels 0-3, 8".
std::string channels_text(const std::vector<std::uint32_t>& channels) {
  std::string text = channels.size() == 1 ? "channel " : "channels ";
  for (std::size_t i = 0; i < channels.size();) {
    std::size_t end = i;
    while (end + 1 < channels.size() && channels[end + 1] == channels[end] + 1) ++end;
    if (i > 0) text += ", ";
    text += end > i + 1 ? fmt::format("{}-{}", channels[i], channels[end]) : fmt::format("{}", channels[i]);
    i = end > i + 1 ? end + 1 : i + 1;
  }
  return text;
}

struct DistinctRing {
  const ChannelRing* ring;
  std::vector<std::uint32_t> channels;
};

std::vector<DistinctRing> distinct_rings(const Execution& execution) {
  const auto same = [](const ChannelRing& a, const ChannelRing& b) {
    return a.order == b.order &&
           std::ranges::equal(a.crossings, b.crossings, [](const NodeCrossing& x, const NodeCrossing& y) {
             return x.from_rank == y.from_rank && x.to_rank == y.to_rank && x.proxy_gpu == y.proxy_gpu &&
                    x.out == y.out && x.in == y.in;
           });
  };
  std::vector<DistinctRing> distinct;
  for (std::uint32_t c = 0; c < execution.channels(); ++c) {
    const ChannelRing& ring = execution.rings[c];
    const auto known =
        std::ranges::find_if(distinct, [&](const DistinctRing& other) { return same(*other.ring, ring); });
    if (known == distinct.end())
      distinct.push_back({&ring, {c}});
    else
      known->channels.push_back(c);
  }
  return distinct;
}

class PlanPicture {
 public:
  PlanPicture(const Execution& execution, const Machine& machine)
      : execution_(execution), spec_(machine.spec().node) {
    for (const GpuAddress gpu : execution.gpu_of_rank)
      if (place_of_node_.emplace(gpu.node, static_cast<std::uint32_t>(nodes_.size())).second) {
        nodes_.push_back(gpu.node);
        names_.push_back(machine.node_name(gpu.node));
      }
    if (single()) {
      const double radius = std::max(82.0, 9.0 * spec_.gpus);
      width_ = 2 * radius + 76;
      height_ = 2 * radius + 108;
    } else {
      node_width_ = std::max(150.0, 46.0 * std::max(spec_.gpus, spec_.nics) + 24);
      width_ = 2 * node_width_ + 3 * 24;
      height_ = 268;
    }
  }

  std::string draw(std::string_view title, std::string_view subtitle) const {
    const std::vector<DistinctRing> rings = distinct_rings(execution_);
    const std::size_t most = single() ? 4 : 2;
    const auto columns = static_cast<double>(std::min(most, rings.size()));
    const double rows = std::ceil(static_cast<double>(rings.size()) / columns);
    const double width = std::max(kSmallestWidth, 2 * kMargin + columns * width_ + (columns - 1) * kGap);
    const double height = kTop + rows * (height_ + kGap) + kLegend;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
        "{0:.0f} "
        "{1:.0f}\">\n<style>{2}</style>\n<defs>{3}{4}{5}</defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        width, height, kPlanStyle, marker("blue", "#0072b2"), marker("orange", "#d55e00"),
        marker("green", "#009e73"));
    svg += text_at({kMargin, 40}, "title", title) + text_at({kMargin, 62}, "soft", subtitle);
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const double x = kMargin + static_cast<double>(i % static_cast<std::size_t>(columns)) * (width_ + kGap);
      const double y = kTop + static_cast<double>(i / static_cast<std::size_t>(columns)) * (height_ + kGap);
      svg += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", x, y, panel(rings[i]));
    }
    return svg + legend(height) + "</svg>\n";
  }

 private:
  bool single() const { return nodes_.size() == 1; }

  static std::string marker(std::string_view name, std::string_view colour) {
    return fmt::format(
        "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
        "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"{}\"/></marker>",
        name, colour);
  }

  std::string panel(const DistinctRing& one) const {
    return fmt::format("<rect width=\"{:.1f}\" height=\"{:.1f}\" rx=\"8\" class=\"panel\"/>\n", width_,
                       height_) +
           text_at({14, 24}, "head", channels_text(one.channels)) +
           (single() ? circle(*one.ring) : row(*one.ring));
  }

  // One node.

  Point on_circle(std::uint32_t gpu) const {
    const double angle = 2 * std::numbers::pi * gpu / spec_.gpus - std::numbers::pi / 2;
    const double radius = width_ / 2 - 38;
    return {width_ / 2 + radius * std::cos(angle), 48 + radius + radius * std::sin(angle)};
  }

  std::string circle(const ChannelRing& ring) const {
    std::string svg;
    for (std::uint32_t a = 0; a < spec_.gpus; ++a)
      for (std::uint32_t b = 0; b < a; ++b)
        if (const std::uint32_t links = spec_.nvlinks_between(a, b))
          svg +=
              fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" class=\"link\" stroke-width=\"{}\"/>\n",
                          on_circle(a).x, on_circle(a).y, on_circle(b).x, on_circle(b).y,
                          1 + 2 * (std::min(links, 4u) - 1));
    for (std::size_t k = 0; k < ring.order.size() && ring.order.size() > 1; ++k) {
      const Point a = on_circle(gpu_of(ring, k)), b = on_circle(gpu_of(ring, k + 1));
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      // A little to the right of its way, so that the two directions of a pair are two lines.
      const Point by{(a.x + b.x) / 2 - 14 * (b.y - a.y) / length,
                     (a.y + b.y) / 2 + 14 * (b.x - a.x) / length};
      svg += curve_path(border(a, by, 1), by, border(b, by, 3), "ring");
    }
    for (std::uint32_t gpu = 0; gpu < spec_.gpus; ++gpu)
      svg += box(on_circle(gpu), gpu == gpu_of(ring, 0) ? "gpu first" : "gpu", fmt::format("{}", gpu));
    return svg + text_at({width_ / 2, height_ - 14}, "soft middle", order_text(ring));
  }

  std::uint32_t gpu_of(const ChannelRing& ring, std::size_t position) const {
    return execution_.gpu_of_rank[ring.order[position % ring.order.size()]].gpu;
  }

  std::string order_text(const ChannelRing& ring) const {
    std::string text;
    for (std::size_t k = 0; k < ring.order.size(); ++k) {
      if (k == 12 && ring.order.size() > 13) return text + " ...";
      text += fmt::format("{}{}", k == 0 ? "" : " ", gpu_of(ring, k));
    }
    return text;
  }

  // Several nodes.

  double left_of(std::uint32_t place) const { return 24 + place * (node_width_ + 24); }
  Point gpu_at(std::uint32_t place, std::uint32_t gpu) const {
    return {left_of(place) + node_width_ * (gpu + 0.5) / spec_.gpus, 112};
  }
  Point nic_at(std::uint32_t place, std::uint32_t nic) const {
    return {left_of(place) + node_width_ * (nic + 0.5) / spec_.nics, 182};
  }
  bool shown(std::uint32_t node) const { return place_of_node_.at(node) < 2; }

  std::string row(const ChannelRing& ring) const {
    std::string svg;
    for (std::uint32_t place = 0; place < 2; ++place)
      svg += fmt::format(
                 "<rect x=\"{:.1f}\" y=\"42\" width=\"{:.1f}\" height=\"160\" rx=\"6\" class=\"node\"/>\n",
                 left_of(place), node_width_) +
             text_at({left_of(place) + 8, 58}, "small", names_[place]);
    for (std::size_t k = 0; k < ring.order.size(); ++k) {
      const GpuAddress from = execution_.gpu_of_rank[ring.order[k]];
      const GpuAddress to = execution_.gpu_of_rank[ring.order[(k + 1) % ring.order.size()]];
      if (from.node == to.node && shown(from.node))
        svg += hop(place_of_node_.at(from.node), from.gpu, to.gpu);
    }
    for (const NodeCrossing& crossing : ring.crossings) svg += cross(crossing);
    for (std::uint32_t rank = 0; rank < execution_.ranks(); ++rank)
      if (const GpuAddress gpu = execution_.gpu_of_rank[rank]; shown(gpu.node)) {
        const Point at = gpu_at(place_of_node_.at(gpu.node), gpu.gpu);
        svg += box(at, rank == ring.order.front() ? "gpu first" : "gpu", fmt::format("{}", rank));
      }
    for (std::uint32_t place = 0; place < 2; ++place)
      for (std::uint32_t nic = 0; nic < spec_.nics; ++nic)
        svg += box(nic_at(place, nic), "nic", fmt::format("n{}", nic));
    return svg;
  }

  /// Over NVLink, above the row of GPUs.
  std::string hop(std::uint32_t place, std::uint32_t from, std::uint32_t to) const {
    const Point a = gpu_at(place, from), b = gpu_at(place, to);
    const double top = kBoxHeight / 2 + 1, height = 16 + 0.22 * std::abs(b.x - a.x);
    const double side = b.x > a.x ? 5 : -5;
    return curve_path({a.x + side, a.y - top}, {(a.x + b.x) / 2, a.y - top - height},
                      {b.x - side, b.y - top - 2}, "ring");
  }

  std::string cross(const NodeCrossing& crossing) const {
    std::string svg;
    const GpuAddress own = execution_.gpu_of_rank[crossing.from_rank];
    const GpuAddress to = execution_.gpu_of_rank[crossing.to_rank];
    const double below = kBoxHeight / 2 + 1;
    if (shown(own.node)) {
      const std::uint32_t place = place_of_node_.at(own.node);
      const Point proxy = gpu_at(place, crossing.proxy_gpu.gpu), nic = nic_at(place, crossing.out.nic);
      if (own != crossing.proxy_gpu) {
        const Point from = gpu_at(place, own.gpu);
        svg += curve_path({from.x, from.y + below}, {(from.x + proxy.x) / 2, from.y + below + 34},
                          {proxy.x + (from.x > proxy.x ? 8 : -8), proxy.y + below + 2}, "pxn");
      }
      svg += curve_path({proxy.x - 4, proxy.y + below}, {proxy.x - 4, nic.y - 30},
                        {nic.x - 4, nic.y - below - 2}, "net");
      svg += wire(nic, place, to.node, crossing.in.nic);
    }
    if (shown(to.node)) {
      const std::uint32_t place = place_of_node_.at(to.node);
      const Point nic = nic_at(place, crossing.in.nic), gpu = gpu_at(place, to.gpu);
      svg += curve_path({nic.x + 4, nic.y - below}, {nic.x + 4, gpu.y + 30}, {gpu.x + 4, gpu.y + below + 2},
                        "net");
      if (!shown(own.node))
        svg += curve_path({nic.x + 8, nic.y + below + 38}, {nic.x + 4, nic.y + below + 20},
                          {nic.x + 4, nic.y + below + 2}, "net") +
               text_at({nic.x + 8, nic.y + below + 50}, "small middle", "from the last node");
    }
    return svg;
  }

  /// From a NIC to one of another node, below both; out of the picture where that is not shown.
  std::string wire(Point out, std::uint32_t place, std::uint32_t node, std::uint32_t nic) const {
    const double below = kBoxHeight / 2 + 1;
    if (!shown(node))
      return curve_path({out.x - 4, out.y + below}, {out.x - 4, out.y + below + 20},
                        {out.x - 8, out.y + below + 38}, "net") +
             text_at({out.x - 8, out.y + below + 50}, "small middle", "to the next node");
    const Point in = nic_at(place_of_node_.at(node), nic);
    const double depth = place == 0 ? 40 : 62;
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" class=\"net\"/>\n", out.x - 4,
        out.y + below, out.x - 4, out.y + below + depth, in.x + 4, in.y + below + depth, in.x + 4,
        in.y + below + 2);
  }

  std::string legend(double height) const {
    const double y = height - 22;
    std::string svg;
    double x = kMargin;
    const auto entry = [&](std::string_view style, std::string_view text, double width) {
      svg += fmt::format("<path d=\"M{:.1f} {:.1f}h26\" class=\"{}\"/>\n", x, y - 4, style) +
             text_at({x + 34, y}, "soft", text);
      x += 34 + width;
    };
    if (single()) {
      svg += fmt::format("<path d=\"M{:.1f} {:.1f}h26\" class=\"link\" stroke-width=\"3\"/>\n", x, y - 4) +
             text_at({x + 34, y}, "soft", "NVLinks of a pair");
      x += 170;
      entry("ring", "the ring, from the GPU of rank 0 on; numbers are GPUs", 0);
      return svg;
    }
    entry("ring", "NVLink", 66);
    entry("pxn", "NVLink to the GPU of the NIC (PXN)", 226);
    entry("net",
          fmt::format("PCIe and network; numbers are ranks, n0 is NIC 0{}",
                      nodes_.size() > 2 ? fmt::format("; the first two of {} nodes", nodes_.size()) : ""),
          0);
    return svg;
  }

  const Execution& execution_;
  const NodeSpec& spec_;
  std::map<std::uint32_t, std::uint32_t> place_of_node_;  // in the order of their first rank
  std::vector<std::uint32_t> nodes_;
  std::vector<std::string> names_;
  double width_, height_, node_width_ = 0;  // of a panel, of a node in it
};

}  // namespace

std::string plan_svg(const Execution& execution, const Machine& machine, std::string_view title,
                     std::string_view subtitle) {
  return PlanPicture(execution, machine).draw(title, subtitle);
}

}  // namespace caliper
