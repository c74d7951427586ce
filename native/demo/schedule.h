// Builds the events of a service for any time: the grid of guide_text.h applied to the calendar.
//
// A broadcast day starts at 05:00 local time. The content of a slot depends only on the date: episodes are numbered
// from week to week, films and news are chosen by a hash of the date. Any part of the guide can be built at any time,
// always with the same result. Event ids count slots, and are unique within about 1,000 days.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "demo/guide_text.h"
#include "demo/lineup.h"

namespace receiverd::demo {

/// One event, with texts in UTF-8; guide_tables.h converts them to their broadcast coding.
struct Event {
  /// An item of the extended event descriptor, such as "Director" and a name.
  struct Item {
    std::string description;
    std::string text;
  };

  std::int64_t start = 0;  ///< Unix seconds
  std::int64_t end = 0;
  std::uint16_t id = 0;
  std::string title;
  std::string subtitle;  ///< short text: the episode title, or a description
  std::string text;      ///< extended text; may be empty
  std::vector<Item> items;
  std::uint8_t genre = 0;  ///< content_nibble level 1 and 2 (EN 300 468 table 29)
  int min_age = 0;         ///< years; 0 = no rating
  std::string series;      ///< data part of the series CRID; empty: no series
  std::string programme;   ///< data part of the programme CRID, which repeats share
};

/// Seconds east of UTC at a Unix time in seconds.
using UtcOffset = std::function<std::int32_t(std::int64_t)>;

class Schedule {
 public:
  /// `service` and `guide` must outlive the schedule. is_complete(guide) must be true.
  Schedule(const LineupEntry& service, const GuideText& guide, UtcOffset utc_offset);

  /// The events that overlap [from, until), in order of start, without gaps or overlaps.
  std::vector<Event> between(std::int64_t from, std::int64_t until) const;

  /// The event at `time` and the one after it.
  struct Pair {
    Event present;
    Event following;
  };
  const Pair& at(std::int64_t time);

 private:
  struct Showing {
    std::int64_t day;
    std::size_t slot;
  };

  std::int64_t broadcast_day(std::int64_t time) const;
  std::int64_t start_of(std::int64_t day, int minute) const;
  void append_day(std::int64_t day, std::vector<Event>& events) const;
  Showing first_showing(Showing showing) const;
  std::int64_t episode_number(Showing showing) const;
  Event compose(Showing showing) const;
  void compose_series(Event& event, const ProgrammeText& programme, Showing showing) const;
  void compose_film(Event& event, const ProgrammeText& programme, Showing showing) const;
  void compose_news(Event& event, const ProgrammeText& programme) const;

  const LineupEntry& service_;
  const GuideText& text_;
  UtcOffset utc_offset_;
  Pair pair_;
};

}  // namespace receiverd::demo
