// The programmes of a service by time: the grid of guide_text.h applied to the calendar.
//
// A broadcast day starts at 05:00 local time. The content of a slot depends only on the date (episodes count on from
// week to week, films and news are chosen by a hash of the date). Any part of the guide can be built at any time,
// always with the same result. Event ids count slots: unique within about 1,000 days.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dvb/demo/event.h"
#include "dvb/demo/guide_text.h"
#include "dvb/demo/lineup.h"

namespace receiverd::dvb::demo {

/// Seconds east of UTC at a Unix time in seconds.
using UtcOffset = std::function<std::int32_t(std::int64_t)>;

class Schedule {
 public:
  Schedule(const LineupEntry& service, UtcOffset utc_offset);

  /// The events that overlap [from, until), in order, without gaps or overlaps.
  std::vector<Event> between(std::int64_t from, std::int64_t until) const;

  /// The event at `time` and the one after it.
  struct Pair {
    Event present;
    Event following;
  };
  const Pair& at(std::int64_t time);

  /// Headlines of the news programme, for a ticker; empty if the service has no news.
  std::string headlines() const;

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

}  // namespace receiverd::dvb::demo
