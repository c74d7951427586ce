#include "epg/timeline.h"

#include <algorithm>

namespace receiverd::epg {
namespace {

// Events overlap little: one that covers a time is among the last few that began before it.
constexpr int kLookBack = 16;

}  // namespace

std::size_t Timeline::lower_bound(wire::UnixSeconds time) const {
  const auto found = std::lower_bound(events_.begin(), events_.end(), time,
                                      [](const EventRecord& event, wire::UnixSeconds t) { return event.start < t; });
  return static_cast<std::size_t>(found - events_.begin());
}

wire::UnixSeconds Timeline::end_of(std::size_t index) const {
  const EventRecord& event = events_[index];
  if (event.duration != 0) return event.end();
  for (std::size_t next = index + 1; next < events_.size(); ++next) {
    if (events_[next].shadowed || events_[next].start == event.start) continue;
    return std::min<wire::UnixSeconds>(events_[next].start, event.start + kUnknownDuration);
  }
  return event.start + kUnknownDuration;
}

const EventRecord* Timeline::at(wire::UnixSeconds time, bool end_inclusive) const {
  std::size_t index = lower_bound(time + 1);
  for (int tries = 0; index > 0 && tries < kLookBack; ++tries) {
    --index;
    if (events_[index].shadowed) continue;
    if (end_of(index) + (end_inclusive ? 1 : 0) > time) return &events_[index];
  }
  return nullptr;
}

const EventRecord* Timeline::before(wire::UnixSeconds time) const {
  for (std::size_t index = lower_bound(time); index > 0; --index) {
    if (!events_[index - 1].shadowed) return &events_[index - 1];
  }
  return nullptr;
}

const EventRecord* Timeline::after(wire::UnixSeconds time) const {
  for (std::size_t index = lower_bound(time + 1); index < events_.size(); ++index) {
    if (!events_[index].shadowed) return &events_[index];
  }
  return nullptr;
}

std::size_t Timeline::find(std::uint16_t id) const {
  const auto found = std::find_if(events_.begin(), events_.end(), [&](const EventRecord& e) { return e.id == id; });
  return found == events_.end() ? kNone : static_cast<std::size_t>(found - events_.begin());
}

std::size_t Timeline::insert(const EventRecord& event) {
  const std::size_t index = lower_bound(static_cast<wire::UnixSeconds>(event.start) + 1);
  events_.insert(events_.begin() + static_cast<std::ptrdiff_t>(index), event);
  return index;
}

void Timeline::shrink() {
  if (events_.capacity() > events_.size() * 2 + 16) events_.shrink_to_fit();
}

}  // namespace receiverd::epg
