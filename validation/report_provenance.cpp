// What the model leaves out, what was not read, and where everything came from.
#include <algorithm>

#include <fmt/format.h>

#include "validation/report_format.hpp"
#include "validation/report_sections.hpp"

namespace caliper::report {
namespace {

/// Skipped rows beyond these are counted only: a page is no log file.
constexpr std::size_t kMostSkipped = 200;

Html fact_rows(const ReportData& data) {
  const ReportProvenance& provenance = data.provenance;
  std::vector<std::vector<Html>> rows;
  const auto add = [&](const std::string& name, const std::string& value) {
    rows.push_back({text(name), element("code", "", value.empty() ? kNoNumber : value)});
  };
  add("scenario", data.scenario);
  add("command", provenance.command.empty()
                     ? ""
                     : fmt::format("{} (options, times and host: manifest.json)", provenance.command));
  add("seed", provenance.seed ? fmt::format("{}", *provenance.seed) : "");
  add("split (SHA-256)", provenance.split_hash);
  for (const auto& [name, version] : provenance.versions) add(name, version);
  return table({{"", ""}, {"", ""}}, rows, "facts-table");
}

}  // namespace

Html gaps_section(const ReportData& data) {
  std::vector<std::vector<Html>> rows;
  for (const ReportModelGap& gap : data.model_gaps)
    rows.push_back({element("strong", "", gap.name), text(gap.affects == "*" ? "all groups" : gap.affects),
                    text(gap.what)});
  if (rows.empty()) return {};
  return section(
      "gaps", "Model gaps",
      element("p", "hint", "Effects that the simulator does not represent. Listed, never tuned away.") +
          table({{"gap", ""}, {"affects", ""}, {"what", ""}}, rows));
}

Html skipped_section(const ReportData& data) {
  if (data.skipped.empty()) return {};
  std::vector<std::vector<Html>> rows;
  for (std::size_t i = 0; i < std::min(data.skipped.size(), kMostSkipped); ++i) {
    const ReportSkipped& row = data.skipped[i];
    rows.push_back({element("code", "", fmt::format("{}:{}", row.file, row.line)), text(row.reason)});
  }
  Html body = table({{"row", ""}, {"reason", ""}}, rows);
  if (data.skipped.size() > kMostSkipped)
    body += element("p", "hint", fmt::format("and {} more", count(data.skipped.size() - kMostSkipped)));
  return section("skipped", "Rows that were not used", body);
}

Html pictures_section(const ReportData& data) {
  Html body;
  for (const ReportPicture& picture : data.pictures)
    body +=
        element("figure", Html::trusted("<img alt=\"" + text(picture.caption).str() +
                                        "\" src=\"data:image/svg+xml;base64," + base64(picture.svg) + "\">") +
                              element("figcaption", "", picture.caption));
  return body.empty() ? Html() : section("pictures", "Pictures", body);
}

Html provenance_section(const ReportData& data) {
  Html body = fact_rows(data);
  std::vector<std::vector<Html>> rows;
  for (const ReportProvenance::Input& input : data.provenance.inputs)
    rows.push_back({element("code", "", input.file), element("code", "", input.sha256)});
  if (!rows.empty())
    body += element("h3", "", "Inputs") + table({{"file", ""}, {"SHA-256", ""}}, rows, "hashes");
  return section("provenance", "Provenance", body);
}

}  // namespace caliper::report
