// The events of one service in the order of their start, and the questions asked of them. Shadowed events are not there
// for those who ask.
//
// Thread safety: none; the store's lock covers it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "epg/event_record.h"

namespace receiverd::epg {

/// How long an event of unknown duration is taken to run when no other begins.
inline constexpr wire::UnixSeconds kUnknownDuration = 4 * 3600;

class Timeline {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::span<const EventRecord> events() const { return events_; }
  std::span<EventRecord> events() { return events_; }
  bool empty() const { return events_.empty(); }

  /// The event that runs at `time`: start <= time < end; of several the one that began last. With `end_inclusive` an
  /// event counts in its end second too, unless another has begun. Null when none does.
  const EventRecord* at(wire::UnixSeconds time, bool end_inclusive = false) const;
  /// The one that begins last before `time`.
  const EventRecord* before(wire::UnixSeconds time) const;
  /// The first with start > `time`.
  const EventRecord* after(wire::UnixSeconds time) const;
  /// Each that ends after `from` or begins at it or later, and begins before `until`, in order.
  template <typename Visit>
  void window(wire::UnixSeconds from, wire::UnixSeconds until, Visit visit) const {
    for (std::size_t i = 0; i < events_.size() && events_[i].start < until; ++i) {
      if (!events_[i].shadowed && (events_[i].start >= from || end_of(i) > from)) visit(events_[i]);
    }
  }
  /// The event with this event_id, shadowed or not.
  std::size_t find(std::uint16_t id) const;

  /// Index of the first event with start >= `time`.
  std::size_t lower_bound(wire::UnixSeconds time) const;
  /// Puts it behind those with the same start; gives its index.
  std::size_t insert(const EventRecord& event);
  void erase(std::size_t index) { events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(index)); }
  template <typename Predicate>
  std::size_t erase_if(Predicate predicate) {
    return std::erase_if(events_, predicate);
  }
  /// When the event at `index` ends; one of unknown duration when the next begins, at most kUnknownDuration later.
  wire::UnixSeconds end_of(std::size_t index) const;

  std::size_t memory_bytes() const { return events_.capacity() * sizeof(EventRecord); }
  void shrink();

 private:
  std::vector<EventRecord> events_;
};

}  // namespace receiverd::epg
