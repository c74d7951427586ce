// The questions that a guide search can ask. The TypeScript side of it is src/epg/query.ts.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "epg/event.h"

namespace receiverd::epg {

/// How a text has to agree with what is looked for.
enum class TextMatch : std::uint8_t {
  contains,  ///< anywhere, also inside a word
  prefix,
  suffix,
  word,         ///< as it stands, not inside a longer word
  word_prefix,  ///< as it stands, from the beginning of a word on
  words,        ///< every word of it, in any order, in any of the texts looked at
  phrase,       ///< its words one after another, whatever stands between them
  exact
};

/// Which texts of an event; a bit set.
namespace scope {
inline constexpr std::uint8_t kTitle = 1;
inline constexpr std::uint8_t kShort = 2;
inline constexpr std::uint8_t kLong = 4;
}  // namespace scope

enum class EventOrder : std::uint8_t {
  time,       ///< start, then service
  relevance,  ///< the whole title, its beginning, a word in it, in it, short text, long text; then time
  title       ///< folded title, then time
};

struct GenreFilter {
  std::uint8_t level1 = 0;
  std::optional<std::uint8_t> level2;
};

struct Query {
  /// All have to agree; empty: every event that passes the filters.
  std::vector<std::string> texts;
  TextMatch match = TextMatch::contains;
  std::uint8_t within = scope::kTitle;
  bool case_sensitive = false;
  /// Only these services; their order breaks ties of equal start.
  std::optional<std::vector<ServiceKey>> services;
  wire::UnixSeconds from = 0;  ///< events that end after it
  wire::UnixSeconds until = std::numeric_limits<wire::UnixSeconds>::max();
  std::vector<GenreFilter> genres;  ///< one of them; empty: any
  std::uint32_t minimum_duration = 0;
  std::uint32_t maximum_duration = std::numeric_limits<std::uint32_t>::max();
  std::vector<Language> languages;  ///< one of them; empty: any
  std::string crid;                 ///< compared without regard to case; empty: any
  std::uint8_t crid_type = 0;       ///< 0 = any
  EventOrder order = EventOrder::time;
  std::size_t offset = 0;
  std::size_t limit = 100;
};

}  // namespace receiverd::epg
