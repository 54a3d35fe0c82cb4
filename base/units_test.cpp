#include "base/units.hpp"

#include <doctest/doctest.h>

using namespace caliper;

TEST_CASE("units: what people write becomes SI") {
  CHECK(*parse_quantity("25 GB/s", Dimension::rate) == 25e9);
  CHECK(*parse_quantity("200 Gbit/s", Dimension::rate) == 25e9);
  CHECK(*parse_quantity("1.2us", Dimension::time) == doctest::Approx(1.2e-6));
  CHECK(*parse_quantity("1e-3 s", Dimension::time) == 1e-3);
  CHECK(*parse_quantity("0.98", Dimension::number) == 0.98);
  CHECK(*parse_quantity("0.05 us", Dimension::time) == 0.05e-6);  // rounded once, not by way of a factor 1e-6
  CHECK(*parse_quantity("1.5e+2 ns", Dimension::time) == 1.5e-7);
  CHECK(*parse_bytes("512 MiB") == 536870912u);
  CHECK(*parse_bytes("64MiB") == 67108864u);
  CHECK(*parse_bytes("1 GB") == 1000000000u);
}

TEST_CASE("units: each wrong way of writing a quantity is refused with an example of the right one") {
  for (const char* text : {"25", "25 Gb", "25 GBps", "-", "", "nan GB/s", "inf GB/s", "25 GB/s x", "x25 GB/s",
                           "1.2 us", "1e GB/s", "1e5000 GB/s", "1e308 TB/s", ". GB/s"})
    CHECK_MESSAGE(!parse_quantity(text, Dimension::rate), text);
  CHECK(!parse_quantity("0.98 us", Dimension::number));
  CHECK(!parse_bytes("1.5 B"));
  CHECK(!parse_bytes("-1 B"));
  CHECK(!parse_bytes("1e30 GiB"));
  CHECK(parse_quantity("25", Dimension::rate).problems()[0].hint.find("25 GB/s") != std::string::npos);
}

TEST_CASE("units: what is printed reads back") {
  for (const std::uint64_t bytes :
       {0ull, 1ull, 1023ull, 1024ull, 98304ull, 1ull << 30, (1ull << 40) + 1, 3ull << 41})
    CHECK(*parse_bytes(format_bytes(bytes)) == bytes);
  for (const double value : {1.7e-6, 2.5, 3e-9, 123456e-6})
    CHECK(*parse_quantity(format_quantity(value, Dimension::time, 17), Dimension::time) ==
          doctest::Approx(value).epsilon(1e-15));
  CHECK(*parse_quantity(format_quantity(21.3e9, Dimension::rate, 17), Dimension::rate) ==
        doctest::Approx(21.3e9).epsilon(1e-15));
}
