#include "epg/store/timeline.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace receiverd::epg {
namespace {

// Events hardly overlap, so an event that covers a time is among the last few that began before it.
constexpr int kMaxLookBack = 16;

}  // namespace

std::size_t Timeline::lower_bound(wire::UnixSeconds time) const {
  std::size_t begin = 0;
  std::size_t step = 1;
  while (step <= slots_.size() - begin && (*events_)[slots_[begin + step - 1]].start < time) {
    begin += step;
    step *= 2;
  }
  const auto first = slots_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = first + static_cast<std::ptrdiff_t>(std::min(step, slots_.size() - begin));
  const auto found = std::lower_bound(
      first, last, time, [this](EventSlot slot, wire::UnixSeconds t) { return (*events_)[slot].start < t; });
  return static_cast<std::size_t>(found - slots_.begin());
}

wire::UnixSeconds Timeline::end_of(std::size_t index) const {
  const EventRecord& event = (*this)[index];
  if (event.duration != 0) return event.end();
  for (std::size_t next = index + 1; next < slots_.size(); ++next) {
    const EventRecord& other = (*this)[next];
    if (other.shadowed != 0 || other.start == event.start) continue;
    return std::min<wire::UnixSeconds>(other.start, event.start + kAssumedDurationSeconds);
  }
  return event.start + kAssumedDurationSeconds;
}

void Timeline::set_present(EventSlot slot, bool is_known) {
  present_ = slot;
  present_known_ = is_known;
  received();
}

void Timeline::set_present_following(const Timeline& other) {
  present_ = other.present_;
  present_known_ = other.present_known_;
  following_ = other.following_;
  received_ = other.received_.load();
  undated_ = other.undated_.load();
}

void Timeline::date_received(wire::UnixSeconds now) const {
  if (undated_.exchange(false, std::memory_order_relaxed)) received_ = static_cast<std::uint32_t>(now);
}

bool Timeline::present_leads(wire::UnixSeconds time) const {
  const wire::UnixSeconds received = received_.load(std::memory_order_relaxed);
  if (!present_known_ || std::abs(time - received) > kPresentValiditySeconds) return false;
  const EventRecord* const event = present();
  if (event == nullptr) return true;
  // running_status of EN 300 468 table 6: the event is not on air.
  constexpr std::uint32_t kNotRunning = 1;
  constexpr std::uint32_t kServiceOffAir = 5;
  if (event->running_status == kNotRunning || event->running_status == kServiceOffAir) return false;
  const wire::UnixSeconds end = event->duration != 0 ? event->end() : event->start + kAssumedDurationSeconds;
  return event->start - kMaxOverrunSeconds <= time && time < end + kMaxOverrunSeconds;
}

// The index from which to look for current and future events. REQUIRES: present/following leads.
std::size_t Timeline::first_announced(wire::UnixSeconds time) const {
  const std::size_t first = lower_bound(present() != nullptr ? present()->start : time);
  return following() != nullptr ? std::min(first, lower_bound(following()->start)) : first;
}

// Whether the event is on or still to come: after an overrun, events after the present one may have been planned for a
// time that is over. REQUIRES: present/following leads.
bool Timeline::remains(std::size_t index, wire::UnixSeconds time) const {
  const EventRecord& event = (*this)[index];
  if (&event == present() || &event == following()) return true;
  if (present() == nullptr) return event.start >= time;
  return event.start > present()->start && ends_after(index, time);
}

void Timeline::erase(std::size_t index) {
  if (slots_[index] == present_) {
    present_ = kNoEvent;
    present_known_ = false;
  }
  if (slots_[index] == following_) following_ = kNoEvent;
  slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(index));
}

const EventRecord* Timeline::at(wire::UnixSeconds time, bool end_inclusive) const {
  if (present_leads(time)) return present();
  std::size_t index = lower_bound(time + 1);
  for (int tries = 0; index > 0 && tries < kMaxLookBack; ++tries) {
    --index;
    const EventRecord& event = (*this)[index];
    if (event.shadowed == 0 && end_of(index) + (end_inclusive ? 1 : 0) > time) return &event;
  }
  return nullptr;
}

const EventRecord* Timeline::before(wire::UnixSeconds time) const {
  if (present() != nullptr && present()->start < time && present_leads(time)) return present();
  for (std::size_t index = lower_bound(time); index > 0; --index) {
    if ((*this)[index - 1].shadowed == 0) return &(*this)[index - 1];
  }
  return nullptr;
}

const EventRecord* Timeline::after(wire::UnixSeconds time) const {
  const bool leads = present_leads(time);
  if (leads && following() != nullptr && following_ != present_) return following();
  for (std::size_t index = leads ? first_announced(time) : lower_bound(time + 1); index < slots_.size(); ++index) {
    const EventRecord& event = (*this)[index];
    if (event.shadowed == 0 && (!leads || (&event != present() && remains(index, time)))) return &event;
  }
  return nullptr;
}

std::size_t Timeline::find(std::uint16_t id) const {
  if (slots_.empty()) return kNone;
  if (id_order_ == IdOrder::rising) {
    const std::uint16_t first = (*this)[0].id;
    const auto wanted = static_cast<std::uint16_t>(id - first);
    const auto found =
        std::lower_bound(slots_.begin(), slots_.end(), wanted, [&](EventSlot slot, std::uint16_t distance) {
          return static_cast<std::uint16_t>((*events_)[slot].id - first) < distance;
        });
    return found == slots_.end() || (*events_)[*found].id != id ? kNone
                                                                : static_cast<std::size_t>(found - slots_.begin());
  }
  const auto found =
      std::find_if(slots_.begin(), slots_.end(), [&](EventSlot slot) { return (*events_)[slot].id == id; });
  return found == slots_.end() ? kNone : static_cast<std::size_t>(found - slots_.begin());
}

std::size_t Timeline::starting_at(wire::UnixSeconds time) const {
  const std::size_t there = lower_bound(time);
  return there < size() && (*this)[there].start == time ? there : kNone;
}

std::size_t Timeline::first_reaching_start_of(std::size_t index) const {
  const wire::UnixSeconds from = (*this)[index].start - max_reach();
  while (index > 0 && (*this)[index - 1].start >= from) --index;
  return index;
}

std::size_t Timeline::insert(EventSlot slot) {
  const EventRecord& event = (*events_)[slot];
  lengthen(event.duration);
  if (slots_.size() == slots_.capacity()) slots_.reserve(slots_.size() + slots_.size() / 8 + 4);
  const bool last = slots_.empty() || (*this)[slots_.size() - 1].start <= event.start;
  const std::size_t index = last ? slots_.size() : lower_bound(static_cast<wire::UnixSeconds>(event.start) + 1);
  slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(index), slot);
  if (id_order_ == IdOrder::unknown) {
    id_order_ = id_order();
  } else if (id_order_ == IdOrder::rising && !ids_rise_around(index)) {
    id_order_ = IdOrder::mixed;
  }
  return index;
}

// REQUIRES: the ids rise without the event at `inserted`.
bool Timeline::ids_rise_around(std::size_t inserted) const {
  const std::size_t last = slots_.size() - 1;
  if (inserted > 0) return ids_rise_to(inserted) && (inserted == last || ids_rise_to(inserted + 1));
  // All distances have grown by that of the event that used to be first.
  return last == 0 || (id_distance(1) != 0 && id_distance(1) <= id_distance(last));
}

Timeline::IdOrder Timeline::id_order() const {
  for (std::size_t index = 1; index < slots_.size(); ++index) {
    if (!ids_rise_to(index)) return IdOrder::mixed;
  }
  return IdOrder::rising;
}

void Timeline::assign(std::vector<EventSlot> slots, std::uint32_t max_duration) {
  slots_ = std::move(slots);
  max_duration_ = max_duration;
  id_order_ = IdOrder::unknown;
}

void Timeline::shrink() {
  // The events that were out of order may be gone.
  if (id_order_ == IdOrder::mixed) id_order_ = IdOrder::unknown;
  if (slots_.capacity() > slots_.size() + slots_.size() / 4 + 16) slots_.shrink_to_fit();
}

}  // namespace receiverd::epg
