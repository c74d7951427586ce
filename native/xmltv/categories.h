// Names of categories as guide files have them, and the genres of content_descriptor (EN 300 468 §6.2.9) they stand
// for. The names come from outside: src/epg/genres.ts and categories.ts.
//
// Thread safety: fixed once made, apart from the memory of genres_of(): one owner.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "epg/event.h"

namespace receiverd::xmltv {

/// content_nibble_level_1 in the high four bits, level 2 in the low.
using GenreNibbles = std::uint8_t;

class Categories {
 public:
  /// One more name; the first genre a name is given for stays.
  void add(std::string_view name, GenreNibbles genre);

  /// Appends the genres of a category, those that `genres` has already left out. The name is compared folded; one that
  /// is not known is tried in its parts: `Drama / Crime`, `Comedy, Romance`.
  void append(std::string_view category, std::vector<epg::Genre>& genres);

 private:
  std::vector<GenreNibbles> look_up(std::string_view category) const;

  /// Distinct categories that are remembered as they were written; further ones are looked up every time.
  static constexpr std::size_t kMostRemembered = 4096;
  static constexpr std::size_t kLongestRemembered = 128;

  std::unordered_map<std::string, GenreNibbles> genres_;
  std::unordered_map<std::string, std::vector<GenreNibbles>> remembered_;
  std::string key_;
};

}  // namespace receiverd::xmltv
