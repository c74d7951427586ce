// Maps category names in guide files to genres of the content_descriptor (EN 300 468 §6.2.9). The names come from
// src/epg/genres.ts.
//
// Thread safety: immutable once filled, except for the cache of append(): one owner.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "epg/event/event.h"

namespace receiverd::xmltv {

/// content_nibble_level_1 in the high four bits, level 2 in the low.
using GenreNibbles = std::uint8_t;

class Categories {
 public:
  /// Adds a name. If a name is added twice, its first genre stays.
  void add(std::string_view name, GenreNibbles genre);

  /// Appends the genres of a category that `genres` does not have yet. The name is compared folded. An unknown name is
  /// split into parts: `Drama / Crime`, `Comedy, Romance`.
  void append(std::string_view category, std::vector<epg::Genre>& genres);

 private:
  std::vector<GenreNibbles> look_up(std::string_view category) const;

  /// The most distinct categories to cache as written; further ones are looked up every time.
  static constexpr std::size_t kMostRemembered = 4096;
  static constexpr std::size_t kLongestRemembered = 128;

  std::unordered_map<std::string, GenreNibbles> genres_;
  std::unordered_map<std::string, std::vector<GenreNibbles>> remembered_;
  std::string key_;
};

}  // namespace receiverd::xmltv
