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
  std::size_t first_reaching(wire::UnixSeconds time) const { return lower_bound(time - longest_reach()); }
  /// The same for the time at which the event at `index` begins.
  std::size_t first_reaching_start_of(std::size_t index) const;
  /// When the event at `index` ends; one of unknown duration when the next begins, at most kUnknownDuration later.
  wire::UnixSeconds end_of(std::size_t index) const;

  /// Puts it behind those with the same start; gives its index. REQUIRES: no other has its event_id.
  std::size_t insert(EventSlot slot);
  /// An event lasts so long now.
  void lengthen(std::uint32_t duration) { longest_ = std::max(longest_, duration); }
  void erase(std::size_t index) { slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(index)); }
  /// Takes the place of the content; `slots` are in the order of their start, none lasts longer than `longest`.
  void assign(std::vector<EventSlot> slots, std::uint32_t longest);

  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(EventSlot); }
  void shrink();

 private:
  /// Whether event_ids rise along the timeline; they may go on at 0 behind 65,535. Nearly all broadcasters count.
  enum class IdOrder : std::uint8_t { unknown, rising, mixed };

  wire::UnixSeconds longest_reach() const { return std::max<wire::UnixSeconds>(longest_, kUnknownDuration); }
  /// How far the id of the event at `index` is from that of the first.
  std::uint16_t id_distance(std::size_t index) const {
    return static_cast<std::uint16_t>((*this)[index].id - (*this)[0].id);
  }
  bool ids_rise_to(std::size_t index) const { return id_distance(index - 1) < id_distance(index); }
  bool ids_rise_around(std::size_t inserted) const;
  IdOrder id_order() const;

  const Column<EventRecord>* events_;
  std::vector<EventSlot> slots_;
  std::uint32_t longest_ = 0;  // seconds; no event of it is longer
  IdOrder id_order_ = IdOrder::rising;
};

}  // namespace receiverd::epg
