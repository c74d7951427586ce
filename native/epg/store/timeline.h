// The events of one service in order of start, and queries by time. Shadowed events are hidden from queries unless
// stated otherwise.
//
// The present section describes the event on air, whatever the schedule planned (EN 300 468 §5.2.4, TS 101 211 §4.1.4).
// While it is being received, present/following leads: an event that overruns is on until present/following moves on,
// and nothing is on if the present section is empty. The schedule leads again kPresentValiditySeconds after the
// present section was last received, because the tuner has left the multiplex or the receiver has restarted.
//
// Thread safety: none; the store's lock covers it. received() and date_received() may run alongside readers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "epg/event/event_record.h"
#include "epg/index/column.h"

namespace receiverd::epg {

/// Assumed for an event of unknown duration if no other event begins earlier.
inline constexpr wire::UnixSeconds kAssumedDurationSeconds = 4 * 3600;

/// Present/following leads for this long after (and before) a present section is received. TS 101 211 §4.4: at most 20
/// seconds between repetitions.
inline constexpr wire::UnixSeconds kPresentValiditySeconds = 60;

/// The present event is believed to be on for this long before its start and after its end. Further away, the
/// section is stuck, or from a recording of another day.
inline constexpr wire::UnixSeconds kMaxOverrunSeconds = 4 * 3600;

class Timeline {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit Timeline(const Column<EventRecord>& events) : events_(&events) {}

  std::size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  const EventRecord& operator[](std::size_t index) const { return (*events_)[slots_[index]]; }
  const std::vector<EventSlot>& slots() const { return slots_; }

  /// The present event if present/following leads at `time`. Otherwise the event running at `time`: start <= time <
  /// end; of several, the one that began last. With `end_inclusive` an event also counts in its end second,
  /// unless another has begun. Null if none is running.
  const EventRecord* at(wire::UnixSeconds time, bool end_inclusive = false) const;
  /// The last event that begins before `time`; the present event if present/following leads then.
  const EventRecord* before(wire::UnixSeconds time) const;
  /// The first event with start > `time`. If present/following leads then: the following event, else the first event
  /// that begins after the present one and has not ended.
  const EventRecord* after(wire::UnixSeconds time) const;
  /// Visits, in order, the events that begin before `until` and end after `from` or begin at or after it. If
  /// present/following leads at `from`: the present event, the following event, and the events that begin after the
  /// present one.
  template <typename Visit>
  void window(wire::UnixSeconds from, wire::UnixSeconds until, Visit visit) const {
    const bool leads = present_leads(from);
    for (std::size_t i = leads ? first_announced(from) : first_reaching(from); i < slots_.size(); ++i) {
      const EventRecord& event = (*this)[i];
      if (event.start >= until) break;
      if (event.shadowed == 0 && (leads ? remains(i, from) : ends_after(i, from))) visit(event);
    }
  }

  /// Sets the event of the present section, which has just been received. kNoEvent: the section is empty (`is_known`),
  /// or its event is not stored.
  void set_present(EventSlot slot, bool is_known);
  /// The event of the following section; null if the section is empty, or its event is not stored.
  const EventRecord* following() const { return following_ == kNoEvent ? nullptr : &(*events_)[following_]; }
  /// kNoEvent: the section is empty, or its event is not stored.
  void set_following(EventSlot slot) { following_ = slot; }
  /// Copies the state of present/following from a timeline with the same events.
  void set_present_following(const Timeline& other);
  /// Reports that the present section has been received again.
  void received() const { undated_.store(true, std::memory_order_relaxed); }
  /// If received() was called since the last call, sets the time of the present section to `now`. Call before each
  /// query about the current time, and about once a minute.
  void date_received(wire::UnixSeconds now) const;
  /// Whether present/following leads at `time`.
  bool present_leads(wire::UnixSeconds time) const;
  /// Whether `event` is the present or the following event, and may be on at `time`. Such an event has to be kept: when
  /// a tuner returns to the multiplex, it finds the same sections, which are not decoded again.
  bool may_be_on(const EventRecord& event, wire::UnixSeconds time) const {
    return (&event == present() || &event == following()) &&
           time < event.start + wire::UnixSeconds{event.duration} + kMaxOverrunSeconds;
  }
  /// The event with this event_id, shadowed or not.
  std::size_t find(std::uint16_t id) const;
  /// The first event with this start, shadowed or not.
  std::size_t starting_at(wire::UnixSeconds time) const;

  /// Index of the first event with start >= `time`. Fastest for times near the first event: the current time is always
  /// near it, since ended events are removed.
  std::size_t lower_bound(wire::UnixSeconds time) const;
  /// Index of the first event that may reach beyond `time`.
  std::size_t first_reaching(wire::UnixSeconds time) const { return lower_bound(time - max_reach()); }
  /// Like first_reaching(), for the start of the event at `index`.
  std::size_t first_reaching_start_of(std::size_t index) const;
  /// The end of the event at `index`. An event of unknown duration ends when the next one begins, but at most
  /// kAssumedDurationSeconds after its start.
  wire::UnixSeconds end_of(std::size_t index) const;

  /// Inserts an event after those with the same start. Returns its index. REQUIRES: no other event has its event_id.
  std::size_t insert(EventSlot slot);
  /// Reports that an event now has this duration.
  void lengthen(std::uint32_t duration) { max_duration_ = std::max(max_duration_, duration); }
  void erase(std::size_t index);
  /// Replaces the content. `slots` are in order of start, and no event is longer than `max_duration`.
  void assign(std::vector<EventSlot> slots, std::uint32_t max_duration);

  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(EventSlot); }
  void shrink();

 private:
  /// Whether event_ids rise along the timeline, wrapping from 65,535 to 0. Nearly all broadcasters number them so.
  enum class IdOrder : std::uint8_t { unknown, rising, mixed };

  const EventRecord* present() const { return present_ == kNoEvent ? nullptr : &(*events_)[present_]; }
  bool ends_after(std::size_t index, wire::UnixSeconds time) const {
    return (*this)[index].start >= time || end_of(index) > time;
  }
  std::size_t first_announced(wire::UnixSeconds time) const;
  bool remains(std::size_t index, wire::UnixSeconds time) const;
  wire::UnixSeconds max_reach() const { return std::max<wire::UnixSeconds>(max_duration_, kAssumedDurationSeconds); }
  /// How far the id of the event at `index` is above that of the first.
  std::uint16_t id_distance(std::size_t index) const {
    return static_cast<std::uint16_t>((*this)[index].id - (*this)[0].id);
  }
  bool ids_rise_to(std::size_t index) const { return id_distance(index - 1) < id_distance(index); }
  bool ids_rise_around(std::size_t inserted) const;
  IdOrder id_order() const;

  const Column<EventRecord>* events_;
  std::vector<EventSlot> slots_;
  std::uint32_t max_duration_ = 0;  // seconds; upper bound for all events
  IdOrder id_order_ = IdOrder::rising;
  bool present_known_ = false;  // the present section has been received, and its event is stored
  EventSlot present_ = kNoEvent;
  EventSlot following_ = kNoEvent;
  // When the present section was last received, Unix seconds; 0 = never. 32 bits: lock-free everywhere.
  mutable std::atomic<std::uint32_t> received_{0};
  mutable std::atomic<bool> undated_{false};  // received() was called since the last date_received()
};

}  // namespace receiverd::epg
