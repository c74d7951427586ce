// Tests of captions: pixels and unusual texts.
#include "lettering/caption.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>

using receiverd::lettering::caption;

TEST_CASE("a caption consists of unfiltered scanlines with white letters on black") {
  const auto rows = caption(320, 180, "Alpha HD", "Ships & Harbours");
  REQUIRE(rows.size() == std::size_t{321} * 180);
  for (std::size_t y = 0; y < 180; ++y) CHECK(rows[y * 321] == 0);
  CHECK(std::ranges::count_if(rows, [](std::uint8_t grey) { return grey > 200; }) > 50);
  CHECK(std::all_of(rows.begin(), rows.begin() + 321 * 20, [](std::uint8_t grey) { return grey == 0; }));
}

TEST_CASE("a caption accepts any text") {
  CHECK(caption(160, 90, "", "").size() == std::size_t{161} * 90);
  CHECK(caption(160, 90, std::string(5000, 'W'), "\xff\xfe \xe2\x82").size() == std::size_t{161} * 90);
}
