// Guide queries. The TypeScript side is src/epg/query.ts.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "epg/event/event.h"
#include "epg/event/local_times.h"

namespace receiverd::epg {

/// How a text must match the wanted text.
enum class TextMatch : std::uint8_t {
  contains,  ///< anywhere, even inside a word
  prefix,
  suffix,
  word,         ///< verbatim, not inside a longer word
  word_prefix,  ///< verbatim, from the beginning of a word
  words,        ///< every word of it, in any order, in any of the searched texts
  phrase,       ///< its words one after another, with anything but words between them
  exact
};

/// The texts of an event to search, as a bit set.
namespace scope {
inline constexpr std::uint8_t kTitle = 1;
inline constexpr std::uint8_t kShort = 2;
inline constexpr std::uint8_t kLong = 4;
}  // namespace scope

enum class EventOrder : std::uint8_t {
  time,       ///< start, then service
  relevance,  ///< by best match: whole title, its beginning, a word in it, inside it, short text, long text; then time
  title       ///< folded title, then time
};

struct GenreFilter {
  std::uint8_t level1 = 0;
  std::optional<std::uint8_t> level2;
};

/// An event by its service and event_id.
struct EventId {
  DvbTriplet service;
  std::uint16_t id = 0;
};

struct Query {
  /// Only other showings of this event's programme: same title and texts, or a common programme CRID. The query's
  /// texts, genres, languages and CRID are then ignored, and the order is by time.
  std::optional<EventId> similar_to;
  /// All of them must match. Empty: every event that passes the filters.
  std::vector<std::string> texts;
  TextMatch match = TextMatch::contains;
  std::uint8_t within = scope::kTitle;
  bool case_sensitive = false;
  /// Only these services; their order breaks ties between equal starts.
  std::optional<std::vector<DvbTriplet>> services;
  wire::UnixSeconds from = 0;  ///< events that end after this
  wire::UnixSeconds until = std::numeric_limits<wire::UnixSeconds>::max();
  std::optional<TimeOfDay> time_of_day;  ///< events that begin in it
  std::vector<GenreFilter> genres;       ///< any of these; empty: all
  /// In seconds.
  std::uint32_t min_duration = 0;
  std::uint32_t max_duration = std::numeric_limits<std::uint32_t>::max();
  std::vector<Language> languages;  ///< any of these; empty: all
  std::string crid;                 ///< compared folded; empty: any
  std::uint8_t crid_type = 0;       ///< 0 = any
  EventOrder order = EventOrder::time;
  std::size_t offset = 0;
  std::size_t limit = 100;
};

}  // namespace receiverd::epg
