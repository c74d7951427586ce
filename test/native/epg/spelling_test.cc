// Tests of the distance between words: against a plain recursion, and its bounds.
#include "epg/text/spelling.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

using namespace receiverd::epg;

namespace {

/// The definition, without rows: exponential, for short words only.
std::size_t plain(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::string_view c = a.substr(1), d = b.substr(1);
  std::size_t least = std::min({plain(c, b) + 1, plain(a, d) + 1, plain(c, d) + (a[0] == b[0] ? 0 : 1)});
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0])
    least = std::min(least, plain(a.substr(2), b.substr(2)) + 1);
  return least;
}

}  // namespace

TEST_CASE("spelling: counts letters left out, added, replaced and swapped") {
  CHECK(slips_between("trek", "trek", 2) == 0);
  CHECK(slips_between("terk", "trek", 2) == 1);
  CHECK(slips_between("trk", "trek", 2) == 1);
  CHECK(slips_between("treck", "trek", 2) == 1);
  CHECK(slips_between("tret", "trek", 2) == 1);
  CHECK(slips_between("stars", "trek", 2) == 3);
  CHECK(slips_between("", "ab", 2) == 2);
  CHECK(slips_between(std::string(33, 'a'), std::string(34, 'a'), 2) == 3);
  CHECK(slips_between(std::string(33, 'a'), std::string(33, 'a'), 2) == 0);
}

TEST_CASE("spelling: agrees with the definition for random words") {
  std::mt19937 random(7);
  const auto word = [&] {
    std::string made(random() % 6, ' ');
    for (char& letter : made) letter = static_cast<char>('a' + random() % 3);
    return made;
  };
  for (int n = 0; n < 2000; ++n) {
    const std::string a = word(), b = word();
    for (std::size_t max = 0; max < 4; ++max) {
      CAPTURE(a);
      CAPTURE(b);
      CHECK(slips_between(a, b, max) == std::min(plain(a, b), max + 1));
    }
  }
}
