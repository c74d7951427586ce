// Maps category names in guide files to genres of the content_descriptor (EN 300 468 §6.2.9). The names come from
// src/epg/genres.ts.
//
// Thread safety: none; one owner, because append() fills a cache.
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

  /// Appends the genres of `category` that are not in `genres` yet, up to eight genres in all. Names are compared
  /// folded. An unknown name is split into parts: `Drama / Crime`, `Comedy, Romance`.
  void append(std::string_view category, std::vector<epg::Genre>& genres);

 private:
  std::vector<GenreNibbles> look_up(std::string_view category) const;

  // Further or longer categories are not cached but looked up every time.
  static constexpr std::size_t kMaxCachedCategories = 4096;
  static constexpr std::size_t kMaxCachedCategoryBytes = 128;

  std::unordered_map<std::string, GenreNibbles> genres_;
  std::unordered_map<std::string, std::vector<GenreNibbles>> cache_;  // by category as written
  std::string key_;
};

}  // namespace receiverd::xmltv
