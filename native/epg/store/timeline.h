// The events of one service in order of start, and queries on them. Shadowed events are hidden from queries unless
// stated otherwise.
//
// Thread safety: none; the store's lock covers it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "epg/event/event_record.h"
#include "epg/index/column.h"

namespace receiverd::epg {

/// How long an event of unknown duration is assumed to last if no other begins.
inline constexpr wire::UnixSeconds kUnknownDuration = 4 * 3600;

class Timeline {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit Timeline(const Column<EventRecord>& events) : events_(&events) {}

  std::size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  const EventRecord& operator[](std::size_t index) const { return (*events_)[slots_[index]]; }
  const std::vector<EventSlot>& slots() const { return slots_; }

  /// The event running at `time`: start <= time < end; of several, the one that began last. With `end_inclusive` an
  /// event also counts in its end second, unless another has begun. Null if none is running.
  const EventRecord* at(wire::UnixSeconds time, bool end_inclusive = false) const;
  /// The last one that begins before `time`.
  const EventRecord* before(wire::UnixSeconds time) const;
  /// The first with start > `time`.
  const EventRecord* after(wire::UnixSeconds time) const;
  /// Visits, in order, each event that ends after `from` or begins at or after it, and begins before `until`.
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
  /// The first event with this start, shadowed or not.
  std::size_t starting_at(wire::UnixSeconds time) const;

  /// Index of the first event with start >= `time`. Fastest for times near the first event: the current time is always
  /// near it, since ended events are removed.
  std::size_t lower_bound(wire::UnixSeconds time) const;
  /// Index of the first event that may reach beyond `time`.
  std::size_t first_reaching(wire::UnixSeconds time) const { return lower_bound(time - longest_reach()); }
  /// The same for the start of the event at `index`.
  std::size_t first_reaching_start_of(std::size_t index) const;
  /// When the event at `index` ends. One of unknown duration ends when the next begins, at most kUnknownDuration later.
  wire::UnixSeconds end_of(std::size_t index) const;

  /// Inserts it after those with the same start. Returns its index. REQUIRES: no other has its event_id.
  std::size_t insert(EventSlot slot);
  /// Reports that an event now has this duration.
  void lengthen(std::uint32_t duration) { longest_ = std::max(longest_, duration); }
  void erase(std::size_t index) { slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(index)); }
  /// Replaces the content. `slots` are in order of start, and no event is longer than `longest`.
  void assign(std::vector<EventSlot> slots, std::uint32_t longest);

  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(EventSlot); }
  void shrink();

 private:
  /// Whether event_ids rise along the timeline, wrapping from 65,535 to 0. Nearly all broadcasters number them so.
  enum class IdOrder : std::uint8_t { unknown, rising, mixed };

  wire::UnixSeconds longest_reach() const { return std::max<wire::UnixSeconds>(longest_, kUnknownDuration); }
  /// How far the id of the event at `index` is above that of the first.
  std::uint16_t id_distance(std::size_t index) const {
    return static_cast<std::uint16_t>((*this)[index].id - (*this)[0].id);
  }
  bool ids_rise_to(std::size_t index) const { return id_distance(index - 1) < id_distance(index); }
  bool ids_rise_around(std::size_t inserted) const;
  IdOrder id_order() const;

  const Column<EventRecord>* events_;
  std::vector<EventSlot> slots_;
  std::uint32_t longest_ = 0;  // seconds; no event is longer
  IdOrder id_order_ = IdOrder::rising;
};

}  // namespace receiverd::epg
