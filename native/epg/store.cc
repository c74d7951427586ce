#include "epg/store.h"

#include <algorithm>
#include <mutex>

#include "epg/event_details.h"

namespace receiverd::epg {
namespace {

constexpr wire::UnixSeconds kOverlap = 60;  // less is how broadcasters round

bool contradict(const EventRecord& a, const EventRecord& b) {
  if (a.start == b.start) return true;
  return std::min(a.end(), b.end()) - static_cast<wire::UnixSeconds>(std::max(a.start, b.start)) > kOverlap;
}

// The "table" of what was imported.
constexpr std::uint8_t kImported = 1;

// There are 65,536 event_ids.
constexpr std::size_t kMostEventsOfAService = 60'000;

// The id of an imported event: that of the event which begins at the same time, else the first free one from a number
// that follows from the start.
std::uint16_t free_id(const Timeline& timeline, wire::UnixSeconds start) {
  const auto events = timeline.events();
  const std::size_t there = timeline.lower_bound(start);
  if (there < events.size() && events[there].start == start) return events[there].id;
  auto id = static_cast<std::uint16_t>(start / 60);
  while (timeline.find(id) != Timeline::kNone) ++id;
  return id;
}

bool same_family(std::uint8_t table, std::uint8_t other) { return (table & 0xF0) == (other & 0xF0); }

}  // namespace

bool Store::apply(const EitSection& section) {
  const std::unique_lock lock(mutex_);
  if (section.events.empty() && !services_.contains(section.service)) return true;
  Service* const service = service_for(section.service, section.events.size());
  if (service == nullptr) return false;
  changed_ = false;
  const bool whole =
      section.present_following() ? apply_present_following(*service, section) : apply_schedule(*service, section);
  shadow(*service);
  if (changed_) generation_.fetch_add(1, std::memory_order_release);
  return whole;
}

std::uint8_t Store::begin_import() {
  const std::unique_lock lock(mutex_);
  return ++imports_;
}

bool Store::import_events(const ServiceKey& key, std::span<const Event> events, EventIds ids, std::uint8_t import) {
  const std::unique_lock lock(mutex_);
  Service* const service = service_for(key, events.size());
  if (service == nullptr) return false;
  changed_ = false;
  EventRecord origin;
  origin.schedule_table = kImported;
  origin.schedule_run = import;
  bool whole = true;
  for (const Event& event : events) {
    if (service->timeline.events().size() >= kMostEventsOfAService) {
      ++counters_.refused;
      whole = false;
    } else if (ids == EventIds::kept) {
      whole = insert(*service, event, origin) && whole;
    } else {
      Event numbered = event;
      numbered.id = free_id(service->timeline, event.start);
      whole = insert(*service, numbered, origin) && whole;
    }
  }
  shadow(*service);
  if (changed_) generation_.fetch_add(1, std::memory_order_release);
  return whole;
}

// Null at the bound.
Store::Service* Store::service_for(const ServiceKey& key, std::size_t events) {
  const auto found = services_.find(key);
  if (found != services_.end()) return &found->second;
  if (services_.size() >= bounds_.services) {
    counters_.refused += events;
    return nullptr;
  }
  return &services_[key];
}

bool Store::apply_schedule(Service& service, const EitSection& section) {
  auto table = std::find_if(service.sub_tables.begin(), service.sub_tables.end(),
                            [&](const SubTable& known) { return known.table_id() == section.table_id; });
  if (table == service.sub_tables.end()) {
    service.sub_tables.emplace_back(section.table_id);
    table = service.sub_tables.end() - 1;
  }
  table->take(section);

  EventRecord origin;
  origin.schedule_table = section.table_id;
  origin.schedule_run = table->run();
  bool whole = true;
  for (const Event& event : section.events) whole = insert(service, event, origin) && whole;
  if (!whole) return false;

  while (const auto time = table->next_settled()) remove_vanished(service, *table, time->first, time->second);
  return true;
}

bool Store::apply_present_following(Service& service, const EitSection& section) {
  EventRecord origin;
  origin.present_following = 1;
  const bool present = section.section_number == 0;
  std::int32_t last = -1;
  if (section.section_number <= 1) {  // more of them have NVOD reference services only
    std::int32_t& current = present ? service.present : service.following;
    last = current;
    current = section.events.empty() ? -1 : section.events.front().id;
  }
  bool whole = true;
  for (const Event& event : section.events) whole = insert(service, event, origin) && whole;
  if (last != -1 && last != service.present && last != service.following) {
    leave_present_following(service, static_cast<std::uint16_t>(last), present);
  }
  return whole;
}

// The event that was present stays as history. One that was announced as following and is neither now goes back to what
// the schedule says of it, or goes altogether when what is announced instead contradicts it. (When section 1 of a new
// version comes before section 0, it is about to become the present event.)
void Store::leave_present_following(Service& service, std::uint16_t id, bool began) {
  const std::size_t index = service.timeline.find(id);
  if (index == Timeline::kNone) return;
  EventRecord& event = service.timeline.events()[index];
  if (event.present_following == 0) return;
  if (event.running_status != 0) {
    event.running_status = 0;
    changed_ = true;
  }
  if (began) return;
  if (event.schedule_table != 0) {
    event.present_following = 0;
    return;
  }
  for (const std::int32_t announced : {service.present, service.following}) {
    const std::size_t other =
        announced < 0 ? Timeline::kNone : service.timeline.find(static_cast<std::uint16_t>(announced));
    if (other == Timeline::kNone || !contradict(service.timeline.events()[other], event)) continue;
    ++counters_.vanished;
    return erase(service, index);
  }
}

bool Store::insert(Service& service, const Event& event, const EventRecord& origin) {
  EventRecord record = origin;
  record.id = event.id;
  record.start = static_cast<std::uint32_t>(event.start);
  record.duration = event.duration & 0xFFFFFF;
  record.running_status = origin.present_following != 0 ? event.running_status & 7U : 0U;
  record.free_ca = event.free_ca ? 1 : 0;
  record.language = event.language & 0xFFFFFF;

  const std::size_t known = service.timeline.find(event.id);
  if (known == Timeline::kNone) {
    if (!make_room(event)) {
      ++counters_.refused;
      return false;
    }
    set_texts(record, event);
    service.timeline.insert(record);
    ++events_;
    ++counters_.added;
    changed_ = true;
    remove_contradicted(service, record);
    return true;
  }

  const EventRecord old = service.timeline.events()[known];
  if (origin.present_following != 0) {
    record.schedule_table = old.schedule_table;
    record.schedule_run = old.schedule_run;
  } else if (old.present_following != 0 && (event.id == service.present || event.id == service.following)) {
    // Present/following knows better; only that the schedule has it too is new.
    EventRecord& kept = service.timeline.events()[known];
    kept.schedule_table = record.schedule_table;
    kept.schedule_run = record.schedule_run;
    if (kept.extended_text == 0 && !event.extended_text.empty() && texts_.text(kept.title) == event.title) {
      kept.extended_text = texts_.add(event.extended_text);
      changed_ = true;
    }
    return true;
  }
  set_texts(record, event);
  // Present/following and schedule tables of other multiplexes often come without the long text.
  const bool other_origin =
      origin.present_following != old.present_following || !same_family(origin.schedule_table, old.schedule_table);
  if (other_origin && record.extended_text == 0 && record.title == old.title) {
    record.extended_text = old.extended_text;
    texts_.acquire(record.extended_text);
  }
  // A record of the schedule takes the place of what present/following said once; it was history by then.
  const bool moved = record.start != old.start || record.duration != old.duration;
  const bool equal = !moved && record.title == old.title && record.short_text == old.short_text &&
                     record.extended_text == old.extended_text && record.details == old.details &&
                     record.language == old.language && record.running_status == old.running_status &&
                     record.free_ca == old.free_ca;
  record.shadowed = old.shadowed;
  if (moved) {
    service.timeline.erase(known);
    service.timeline.insert(record);
  } else {
    service.timeline.events()[known] = record;
  }
  release_texts(old);
  if (!equal) {
    ++counters_.replaced;
    changed_ = true;
  }
  remove_contradicted(service, record);
  return true;
}

bool Store::make_room(const Event& event) {
  if (texts_.text_bytes() + event.title.size() + event.short_text.size() + event.extended_text.size() >
      bounds_.text_bytes) {
    return false;
  }
  if (events_ < bounds_.events) return true;
  // The event furthest in the future gives way; that may be this one.
  Service* furthest = nullptr;
  for (auto& [key, service] : services_) {
    if (service.timeline.empty()) continue;
    if (furthest == nullptr || service.timeline.events().back().start > furthest->timeline.events().back().start) {
      furthest = &service;
    }
  }
  if (furthest == nullptr || furthest->timeline.events().back().start <= event.start) return false;
  ++counters_.refused;
  erase(*furthest, furthest->timeline.events().size() - 1);
  return true;
}

void Store::remove_contradicted(Service& service, const EventRecord& event) {
  const auto goes = [&](const EventRecord& other) {
    if (other.id == event.id || !contradict(other, event)) return false;
    if (event.present_following != 0) {
      // Present against present: an announcement that was not kept; schedule events are shadowed instead.
      const bool announced = other.id == service.present || other.id == service.following;
      return other.present_following != 0 && !announced && other.start >= event.start && other.schedule_table == 0;
    }
    if (other.present_following != 0) return false;
    return other.schedule_table != event.schedule_table || other.schedule_run != event.schedule_run;
  };
  counters_.overlapped += erase_if(service, goes);
}

void Store::remove_vanished(Service& service, const SubTable& table, wire::UnixSeconds from, wire::UnixSeconds until) {
  const auto elsewhere = [&](const EventRecord& event) {
    return event.schedule_table != 0 && same_family(event.schedule_table, table.table_id()) && event.start >= from &&
           event.start < until && (event.schedule_table != table.table_id() || event.schedule_run != table.run());
  };
  for (EventRecord& event : service.timeline.events()) {
    if (event.present_following != 0 && elsewhere(event)) event.schedule_table = 0;
  }
  counters_.vanished +=
      erase_if(service, [&](const EventRecord& event) { return event.present_following == 0 && elsewhere(event); });
}

void Store::shadow(Service& service) {
  if (!changed_) return;
  std::vector<EventRecord> announced;
  for (const EventRecord& event : service.timeline.events()) {
    if (event.present_following != 0) announced.push_back(event);
  }
  for (EventRecord& event : service.timeline.events()) {
    const bool hidden =
        event.present_following == 0 && std::any_of(announced.begin(), announced.end(),
                                                    [&](const EventRecord& other) { return contradict(event, other); });
    if (hidden == (event.shadowed != 0)) continue;
    event.shadowed = hidden ? 1 : 0;
    changed_ = true;
  }
}

void Store::set_texts(EventRecord& record, const Event& event) {
  record.title = texts_.add(event.title);
  record.short_text = texts_.add(event.short_text);
  record.extended_text = texts_.add(event.extended_text);
  record.details = texts_.add(pack_details(event));
}

void Store::release_texts(const EventRecord& record) {
  texts_.release(record.title);
  texts_.release(record.short_text);
  texts_.release(record.extended_text);
  texts_.release(record.details);
}

void Store::erase(Service& service, std::size_t index) {
  release_texts(service.timeline.events()[index]);
  service.timeline.erase(index);
  --events_;
  changed_ = true;
}

template <typename Predicate>
std::size_t Store::erase_if(Service& service, Predicate predicate) {
  const std::size_t erased = service.timeline.erase_if([&](const EventRecord& event) {
    if (!predicate(event)) return false;
    release_texts(event);
    return true;
  });
  events_ -= erased;
  changed_ = changed_ || erased != 0;
  return erased;
}

std::size_t Store::expire(wire::UnixSeconds before) {
  std::vector<ServiceKey> keys;
  {
    const std::shared_lock lock(mutex_);
    keys.reserve(services_.size());
    for (const auto& [key, service] : services_) keys.push_back(key);
  }
  std::size_t expired = 0;
  for (const ServiceKey& key : keys) {
    const std::unique_lock lock(mutex_);
    const auto found = services_.find(key);
    if (found == services_.end()) continue;
    Timeline& timeline = found->second.timeline;
    const std::size_t here = erase_if(found->second, [&](const EventRecord& event) {
      return (event.duration != 0 ? event.end() : event.start + kUnknownDuration) <= before;
    });
    expired += here;
    counters_.expired += here;
    if (here != 0) generation_.fetch_add(1, std::memory_order_release);
    timeline.shrink();
    if (timeline.empty()) services_.erase(found);
  }
  const std::unique_lock lock(mutex_);
  texts_.compact();
  return expired;
}

std::size_t Store::clear() {
  const std::unique_lock lock(mutex_);
  const std::size_t events = events_;
  services_.clear();
  texts_ = TextPool();
  events_ = 0;
  if (events != 0) generation_.fetch_add(1, std::memory_order_release);
  return events;
}

const Timeline* Store::Reader::find(const ServiceKey& service) const {
  const auto found = store_.services_.find(service);
  return found == store_.services_.end() ? nullptr : &found->second.timeline;
}

EventView Store::Reader::view(const ServiceKey& service, const EventRecord& event) const {
  const TextPool& texts = store_.texts_;
  return {service,
          event.id,
          event.start,
          event.duration,
          static_cast<std::uint8_t>(event.running_status),
          event.free_ca != 0,
          event.language,
          texts.text(event.title),
          texts.text(event.short_text),
          texts.text(event.extended_text),
          texts.text(event.details)};
}

std::size_t Store::Reader::memory_bytes() const {
  constexpr std::size_t kMapNode = 48;
  std::size_t bytes = store_.texts_.memory_bytes();
  for (const auto& [key, service] : store_.services_) {
    bytes += kMapNode + sizeof(key) + sizeof(service) + service.timeline.memory_bytes() +
             service.sub_tables.capacity() * sizeof(SubTable);
  }
  return bytes;
}

}  // namespace receiverd::epg
