// The events of one service in the order of their start, and the questions asked of them. Shadowed events are not there
// for those who ask.
//
// Thread safety: none; the store's lock covers it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "epg/column.h"
#include "epg/event_record.h"

namespace receiverd::epg {

/// How long an event of unknown duration is taken to run when no other begins.
inline constexpr wire::UnixSeconds kUnknownDuration = 4 * 3600;

class Timeline {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit Timeline(const Column<EventRecord>& events) : events_(&events) {}

  std::size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  const EventRecord& operator[](std::size_t index) const { return (*events_)[slots_[index]]; }
  const std::vector<EventSlot>& slots() const { return slots_; }

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
    for (std::size_t i = first_reaching(from); i < slots_.size(); ++i) {
      const EventRecord& event = (*this)[i];
      if (event.start >= until) break;
      if (event.shadowed == 0 && (event.start >= from || end_of(i) > from)) visit(event);
    }
  }
  /// The event with this event_id, shadowed or not.
  std::size_t find(std::uint16_t id) const;

  /// Index of the first event with start >= `time`.
  std::size_t lower_bound(wire::UnixSeconds time) const;
  /// The same, sooner for times near the first event: now is always there, since ended events go.
  std::size_t lower_bound_from_begin(wire::UnixSeconds time) const;
  /// Index of the first event that may reach beyond `time`.
  std::size_t first_reaching(wire::UnixSeconds time) const {
    return lower_bound(time - std::max(longest_, kUnknownDuration));
  }
  /// When the event at `index` ends; one of unknown duration when the next begins, at most kUnknownDuration later.
  wire::UnixSeconds end_of(std::size_t index) const;

  /// Puts it behind those with the same start.
  void insert(EventSlot slot);
  /// An event lasts so long now.
  void lengthen(wire::UnixSeconds duration) { longest_ = std::max(longest_, duration); }
  void erase(std::size_t index) { slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(index)); }
  /// Takes the place of the content; `slots` are in the order of their start, none lasts longer than `longest`.
  void assign(std::vector<EventSlot> slots, wire::UnixSeconds longest);

  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(EventSlot); }
  void shrink();

 private:
  const Column<EventRecord>* events_;
  std::vector<EventSlot> slots_;
  wire::UnixSeconds longest_ = 0;  // no event of it is longer
};

}  // namespace receiverd::epg
