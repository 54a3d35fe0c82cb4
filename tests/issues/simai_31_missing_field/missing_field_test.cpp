// https://github.com/aliyun/SimAI/pull/31: a missing field shifted all that was read after it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tests/support/program.hpp"

using namespace caliper;
using namespace caliper::test;

TEST_CASE(
    "issue simai 31: without any one line of it, a file is refused by that key, or means what it says") {
  const std::string inputs = std::string(CALIPERSIM_ISSUES_DIR) + "/simai_31_missing_field/";
  for (const std::string name : {"scenario.toml", "system.toml"}) {
    const std::string whole = *read_file(inputs + name);
    const auto lines = split_lines(whole);
    for (std::size_t left_out = 0; left_out < lines.size(); ++left_out) {
      if (trim(lines[left_out]).empty() || lines[left_out].starts_with('[')) continue;
      const Folder folder("field");
      for (const char* file : {"scenario.toml", "system.toml"}) folder.put(file, *read_file(inputs + file));
      std::string text;
      for (std::size_t i = 0; i < lines.size(); ++i)
        if (i != left_out) text += std::string(lines[i]) + "\n";
      folder.put(name, text);
      const Finished finished = calipersim("simulate " + (folder / "scenario.toml") + " --size 1MiB --json");
      std::string key(trim(lines[left_out].substr(0, lines[left_out].find(" ="))));
      if (key.starts_with('"')) key = key.substr(1, key.size() - 2);
      CAPTURE(name);
      CAPTURE(key);
      CAPTURE(finished.out);
      const bool may_be_left_out = key == "data" || key == "ranks";
      CHECK(finished.code == (may_be_left_out ? 0 : 2));
      if (!may_be_left_out) CHECK(finished.out.find(key) != std::string::npos);
    }
  }
}
