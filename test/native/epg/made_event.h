// Events for tests, on the first day of 2024, a Monday.
#pragma once

#include <string>
#include <utility>

#include "epg/event/event.h"

namespace receiverd::epg {

inline constexpr wire::UnixSeconds kHour = 3600;
inline constexpr wire::UnixSeconds kMidnight = 1704067200;  // 2024-01-01 00:00 UTC
inline constexpr wire::UnixSeconds kNoon = kMidnight + 12 * kHour;

/// Without a title, the event is named by its id.
inline Event event(std::uint16_t id, wire::UnixSeconds start, std::uint32_t duration, std::string title = {}) {
  Event made;
  made.id = id;
  made.start = start;
  made.duration = duration;
  made.title = title.empty() ? std::to_string(id) : std::move(title);
  return made;
}

}  // namespace receiverd::epg
