#include "epg/store/store.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <utility>

#include "epg/arib/arib_descriptors.h"
#include "epg/event/event_details.h"
#include "storage/freed_memory.h"

namespace receiverd::epg {
namespace {

constexpr wire::UnixSeconds kMinOverlapSeconds = 60;  // smaller overlaps are due to broadcasters' rounding

// An announced event as long as this is a placeholder if the schedule lists several events meanwhile.
constexpr std::uint32_t kPlaceholderSeconds = 23 * 3600;
constexpr int kDetailedEvents = 2;

bool contradict(const EventRecord& a, const EventRecord& b) {
  if (a.start == b.start) return true;
  return std::min(a.end(), b.end()) - static_cast<wire::UnixSeconds>(std::max(a.start, b.start)) > kMinOverlapSeconds;
}

// EventRecord::schedule.
constexpr std::uint8_t kNoSchedule = 0;
constexpr std::uint8_t kImported = 1;
constexpr std::uint8_t kFirstTable = 2;
constexpr std::uint8_t kTablesPerFamily = 16;

constexpr std::uint8_t kRankedImports = kFirstTable + 2 * kTablesPerFamily;
static_assert(kRankedImports + kMaxRank - kMinRank < 64);

/// EventRecord::schedule of an import.
std::uint32_t schedule_of_rank(int rank) {
  return rank == 0 ? kImported : static_cast<std::uint32_t>(kRankedImports + rank - kMinRank);
}
int rank_of(std::uint32_t schedule) {
  return schedule < kRankedImports ? 0 : static_cast<int>(schedule - kRankedImports) + kMinRank;
}

std::uint8_t schedule_of(std::uint8_t table_id) { return static_cast<std::uint8_t>(table_id - 0x50 + kFirstTable); }

/// Families of schedules: that of this multiplex, that of others, imports.
bool same_family(std::uint32_t schedule, std::uint32_t other) {
  const auto family = [](std::uint32_t of) {
    return of < kFirstTable ? of : kFirstTable + (of - kFirstTable) / kTablesPerFamily;
  };
  return family(schedule) == family(other);
}

// There are only 65,536 event_ids.
constexpr std::size_t kMaxEventsPerService = 60'000;
// Not the number of a service; numbers are below it.
constexpr std::size_t kNoService = 0xFFFF;
// Events that are processed while readers wait.
constexpr std::size_t kMaxEventsPerLock = 64;

/// The event_ids of a service, as a bit set. Looking up each id in the timeline is slow where ids do not rise:
/// importing 5,000 one-minute programmes again half a minute later blocked the guide for a minute.
class UsedIds {
 public:
  explicit UsedIds(const Timeline& timeline) {
    for (std::size_t index = 0; index < timeline.size(); ++index) used_.set(timeline[index].id);
  }
  bool contains(std::uint16_t id) const { return used_.test(id); }
  void add(std::uint16_t id) { used_.set(id); }
  /// An unused id, derived from the start.
  std::uint16_t free_id(wire::UnixSeconds start) const {
    auto id = static_cast<std::uint16_t>(start / 60);
    while (contains(id)) ++id;
    return id;
  }

 private:
  std::bitset<0x10000> used_;
};

}  // namespace

Store::Store(const StoreLimits& limits) : limits_(limits) {}

bool Store::apply(const EitSection& section) {
  const std::lock_guard writer(writer_);
  if ((section.events.empty() || section.only_long_texts) && !numbers_.contains(section.service))
    return section.events.empty();
  stage(section.events);
  bool whole = true;
  {
    const std::unique_lock lock(mutex_);
    const std::uint16_t number = number_for(section.service, section.events.size());
    if (number == kNoService) return false;
    changed_ = false;
    whole = section.present_following() ? apply_present_following(number, section)
            : section.only_long_texts   ? add_long_texts(number)
                                        : apply_schedule(number, section);
    shadow(*services_[number]);
    if (changed_) generation_.fetch_add(1, std::memory_order_release);
  }
  maintain(false);
  return whole;
}

bool Store::share(EitSection& section) const {
  bool all = true;
  for (Event& event : section.events) {
    if (!event.title.empty() || section.only_long_texts) continue;
    const auto group = std::ranges::find(event.crids, kSharedEvent, &ContentIdentifier::type);
    const auto other = group == event.crids.end() ? std::nullopt : event_at(group->crid);
    if (!other) continue;
    const Reader reader = read();
    const Timeline* const timeline = reader.find(other->first);
    const std::size_t index = timeline == nullptr ? Timeline::kNone : timeline->find(other->second);
    if (index == Timeline::kNone) {
      all = false;
      continue;
    }
    const EventView view = reader.view((*timeline)[index]);
    EventDetails details = unpack_details(view.details);
    event.language = view.language;
    event.title = view.title;
    event.short_text = view.short_text;
    event.extended_text = view.extended_text;
    if (event.genres.empty()) event.genres = std::move(details.genres);
    for (ContentIdentifier& crid : details.crids) {
      if (crid.type < kSharedEvent) event.crids.push_back(std::move(crid));
    }
  }
  return all;
}

std::uint8_t Store::begin_import() {
  const std::lock_guard writer(writer_);
  return ++imports_;
}

bool Store::import_events(const DvbTriplet& key, std::span<const Event> events, EventIds ids, std::uint8_t import,
                          int rank) {
  const std::lock_guard writer(writer_);
  EventRecord origin;
  origin.schedule = schedule_of_rank(rank) & 0x3F;
  origin.schedule_run = import;
  bool whole = true;
  for (std::size_t begin = 0; begin < events.size(); begin += kMaxEventsPerLock) {
    stage(events.subspan(begin, std::min(kMaxEventsPerLock, events.size() - begin)));
    const std::unique_lock lock(mutex_);
    const std::uint16_t number = number_for(key, incoming_.size());
    if (number == kNoService) return false;
    changed_ = false;
    services_[number]->ranked |= rank > 0;
    const Timeline& timeline = services_[number]->timeline;
    UsedIds used(timeline);
    for (Incoming& incoming : incoming_) {
      if (timeline.size() >= kMaxEventsPerService) {
        ++counters_.refused;
        whole = false;
        continue;
      }
      std::size_t known = Timeline::kNone;
      if (ids == EventIds::assigned) {
        known = timeline.starting_at(incoming.event->start);
        incoming.id = known != Timeline::kNone ? timeline[known].id : used.free_id(incoming.event->start);
      } else if (used.contains(incoming.id)) {
        known = timeline.find(incoming.id);
      }
      used.add(incoming.id);
      whole = insert(number, incoming, origin, known) && whole;
    }
    shadow(*services_[number]);
    if (changed_) generation_.fetch_add(1, std::memory_order_release);
  }
  maintain(false);
  return whole;
}

void Store::stage(std::span<const Event> events) {
  programmes_.make_room(events.size());
  incoming_.clear();
  for (const Event& event : events) {
    Incoming& incoming = incoming_.add();
    incoming.event = &event;
    incoming.id = event.id;
    programmes_.stage(event, incoming.texts);
  }
}

// Returns kNoService if there are too many services.
std::uint16_t Store::number_for(const DvbTriplet& key, std::size_t events) {
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  if (numbers_.size() >= std::min(limits_.max_services, kNoService)) {
    counters_.refused += events;
    return kNoService;
  }
  const std::uint16_t number = take_number(free_numbers_, services_);
  services_[number] = std::make_unique<Service>(key, records_);
  services_[number]->ranked = false;
  numbers_.emplace(key, number);
  ++service_changes_;
  return number;
}

bool Store::apply_schedule(std::uint16_t number, const EitSection& section) {
  Service& service = *services_[number];
  auto table = std::find_if(service.sub_tables.begin(), service.sub_tables.end(),
                            [&](const SubTable& known) { return known.table_id() == section.table_id; });
  if (table == service.sub_tables.end()) {
    service.sub_tables.emplace_back(section.table_id);
    table = service.sub_tables.end() - 1;
  }
  table->take(section);

  EventRecord origin;
  origin.schedule = schedule_of(section.table_id);
  origin.schedule_run = table->run();
  bool whole = true;
  for (Incoming& event : incoming_) {
    whole = insert(number, event, origin, service.timeline.find(event.id)) && whole;
  }
  if (!whole) return false;

  while (const auto time = table->next_settled()) remove_vanished(service, *table, time->first, time->second);
  return true;
}

bool Store::add_long_texts(std::uint16_t number) {
  Service& service = *services_[number];
  bool whole = true;
  for (Incoming& incoming : incoming_) {
    if (incoming.event->extended_text.empty()) continue;
    const std::size_t known = service.timeline.find(incoming.id);
    if (known == Timeline::kNone || !has_room_for(*incoming.event) || programmes_.full()) {
      whole = false;
      continue;
    }
    EventRecord& event = at(service, known);
    const ProgrammeId programme = programmes_.with_long_text(event.programme, incoming.texts) & 0xFFFFFF;
    if (programme == 0 || programme == event.programme) continue;
    const EventSlot slot = service.timeline.slots()[known];
    programmes_.detach(slot);
    event.programme = programme;
    programmes_.attach(slot);
    changed_ = true;
  }
  return whole;
}

bool Store::apply_present_following(std::uint16_t number, const EitSection& section) {
  Service& service = *services_[number];
  service.announced = true;
  EventRecord origin;
  origin.present_following = 1;
  const bool present = section.section_number == 0;
  std::int32_t last = -1;
  if (section.section_number <= 1) {  // later sections have only NVOD reference services
    std::int32_t& current = present ? service.present : service.following;
    last = current;
    current = section.events.empty() ? -1 : section.events.front().id;
    changed_ = changed_ || current != last;
  }
  bool whole = true;
  for (Incoming& event : incoming_) {
    whole = insert(number, event, origin, service.timeline.find(event.id)) && whole;
  }
  if (last != -1 && last != service.present && last != service.following) {
    leave_present_following(service, static_cast<std::uint16_t>(last), present);
  }
  const auto slot_of = [&](std::int32_t id) {
    const std::size_t index = id < 0 ? Timeline::kNone : service.timeline.find(static_cast<std::uint16_t>(id));
    return index == Timeline::kNone ? kNoEvent : service.timeline.slots()[index];
  };
  if (present) {
    const EventSlot slot = slot_of(service.present);
    service.timeline.set_present(slot, slot != kNoEvent || service.present < 0);
  }
  service.timeline.set_following(slot_of(service.following));
  return whole;
}

// Called when `id` is no longer the present event (`was_present`) or the following event. A former present event stays
// as history, unless the new present event is the same show with another event_id and start. A former following event
// reverts to what the schedule says about it, or is removed if the new present or following event contradicts it. (If
// section 1 of a new version comes before section 0, the former following event is about to become the present one.)
void Store::leave_present_following(Service& service, std::uint16_t id, bool was_present) {
  const std::size_t index = service.timeline.find(id);
  if (index == Timeline::kNone) return;
  EventRecord& event = at(service, index);
  if (event.present_following == 0) return;
  if (event.running_status != 0) {
    event.running_status = 0;
    changed_ = true;
  }
  const auto contradicted_by = [&](std::int32_t announced) -> const EventRecord* {
    const std::size_t other =
        announced < 0 ? Timeline::kNone : service.timeline.find(static_cast<std::uint16_t>(announced));
    if (other == Timeline::kNone || !contradict(service.timeline[other], event)) return nullptr;
    return &service.timeline[other];
  };
  const EventRecord* const present = contradicted_by(service.present);
  if (was_present && (present == nullptr || !same_title(*present, event))) return;
  if (event.schedule != kNoSchedule) return leave_to_schedule(service, event);
  if (present == nullptr && contradicted_by(service.following) == nullptr) return;
  ++counters_.vanished;
  erase(service, index);
}

void Store::leave_to_schedule(Service& service, EventRecord& event) {
  note_shadow(service, event);
  event.present_following = 0;
  event.running_status = 0;
  changed_ = true;
}

bool Store::same_title(const EventRecord& a, const EventRecord& b) const {
  const TextId title = programmes_[a.programme].title;
  return title != 0 && title == programmes_[b.programme].title;
}

bool Store::insert(std::uint16_t number, Incoming& incoming, const EventRecord& origin, std::size_t known) {
  Service& service = *services_[number];
  const Event& event = *incoming.event;
  EventRecord record = origin;
  record.service = number;
  record.id = incoming.id;
  record.start = static_cast<std::uint32_t>(event.start);
  record.duration = std::min(event.duration, kMaxDurationSeconds);
  record.running_status = origin.present_following != 0 ? event.running_status & 7U : 0U;
  record.free_ca = event.free_ca ? 1 : 0;

  if (outranked(service, record, known)) return true;
  if (known == Timeline::kNone) {
    if (programmes_.full() || !make_room(event)) {
      ++counters_.refused;
      return false;
    }
    record.programme = programmes_.find_or_add(incoming.texts);
    const std::size_t index = add(number, record);
    ++counters_.added;
    changed_ = true;
    note_shadow(service, record);
    remove_contradicted(service, index);
    return true;
  }

  EventRecord& old = at(service, known);
  const EventSlot slot = service.timeline.slots()[known];
  const Programme& programme = programmes_[old.programme];
  const auto set_programme = [&](ProgrammeId id) {
    programmes_.detach(slot);
    old.programme = id & 0xFFFFFF;
    programmes_.attach(slot);
  };
  if (origin.present_following != 0) {
    record.schedule = old.schedule;
    record.schedule_run = old.schedule_run;
  } else if (announced(service, old)) {
    // Present/following takes precedence. Only note that the schedule lists the event, too.
    old.schedule = record.schedule;
    old.schedule_run = record.schedule_run;
    if (programme.long_text == 0 && !event.extended_text.empty() && !programmes_.full() &&
        programmes_.texts(TextKind::title).text(programme.title) == event.title) {
      set_programme(programmes_.with_long_text(old.programme, incoming.texts));
      changed_ = true;
    }
    return true;
  }
  if (programmes_.full()) {
    ++counters_.refused;
    return false;
  }
  // Present/following and schedule tables of other multiplexes often lack the long text.
  const bool other_origin =
      origin.present_following != old.present_following || !same_family(origin.schedule, old.schedule);
  const bool keeps_long_text = (other_origin || event.has_separate_text) && event.extended_text.empty() &&
                               programmes_.texts(TextKind::title).text(programme.title) == event.title;
  record.programme = (keeps_long_text ? programmes_.find_or_add(incoming.texts, programme.long_text)
                                      : programmes_.find_or_add(incoming.texts)) &
                     0xFFFFFF;
  // If present/following said something about the event, that is history by now, so the schedule replaces it.
  const bool moved = record.start != old.start || record.duration != old.duration;
  const bool equal = !moved && record.programme == old.programme && record.running_status == old.running_status &&
                     record.free_ca == old.free_ca;
  record.shadowed = old.shadowed;
  record.next = old.next;
  note_shadow(service, old);
  note_shadow(service, record);
  if (record.start != old.start || record.programme != old.programme) {
    programmes_.detach(slot);
    service.timeline.erase(known);
    old = record;
    known = service.timeline.insert(slot);
    programmes_.attach(slot);
  } else {
    old = record;
    service.timeline.lengthen(record.duration);
  }
  if (!equal) {
    ++counters_.replaced;
    changed_ = true;
  }
  remove_contradicted(service, known);
  return true;
}

// Whether a schedule of a higher rank has an event at the time of `record`, or one with its event_id, which is at
// `known`.
bool Store::outranked(const Service& service, const EventRecord& record, std::size_t known) const {
  if (record.present_following != 0) return false;
  const int rank = rank_of(record.schedule);
  if (rank >= 0 && !service.ranked) return false;
  const Timeline& timeline = service.timeline;
  const auto outranks = [&](const EventRecord& other) {
    return other.schedule != kNoSchedule && rank_of(other.schedule) > rank;
  };
  if (known != Timeline::kNone && outranks(timeline[known])) return true;
  const wire::UnixSeconds end = std::max<wire::UnixSeconds>(record.end(), record.start + 1);
  for (std::size_t index = timeline.first_reaching(record.start); index < timeline.size(); ++index) {
    const EventRecord& other = timeline[index];
    if (other.start >= end) break;
    if (outranks(other) && contradict(other, record)) return true;
  }
  return false;
}

bool Store::has_room_for(const Event& event) const {
  return programmes_.text_bytes() + event.title.size() + event.short_text.size() + event.extended_text.size() <=
         limits_.max_text_bytes;
}

bool Store::make_room(const Event& event) {
  if (!has_room_for(event)) return false;
  if (events_ < limits_.max_events) return true;
  // Remove the event furthest in the future. If that is the new one, refuse it.
  Service* furthest = nullptr;
  const auto last = [](const Service& of) { return of.timeline[of.timeline.size() - 1].start; };
  for (const auto& service : services_) {
    if (service == nullptr || service->timeline.empty()) continue;
    if (furthest == nullptr || last(*service) > last(*furthest)) furthest = service.get();
  }
  if (furthest == nullptr || last(*furthest) <= event.start) return false;
  ++counters_.refused;
  erase(*furthest, furthest->timeline.size() - 1);
  return true;
}

bool Store::announced(const Service& service, const EventRecord& event) {
  return event.present_following != 0 && (event.id == service.present || event.id == service.following);
}

void Store::remove_contradicted(Service& service, std::size_t index) {
  const EventRecord event = service.timeline[index];
  const std::size_t begin = service.timeline.first_reaching_start_of(index);
  const wire::UnixSeconds end = std::max<wire::UnixSeconds>(event.end(), event.start + 1);
  const auto may_go = [&](const EventRecord& other) {
    if (event.present_following != 0) {
      // An earlier announcement of present/following that did not come true, or whose event has another event_id now.
      return other.present_following != 0 && !announced(service, other) && other.start >= event.start;
    }
    if (other.present_following != 0) return false;
    return other.schedule != event.schedule || other.schedule_run != event.schedule_run;
  };
  const auto contradicted = [&](const EventRecord& other) {
    return may_go(other) && other.id != event.id && contradict(other, event);
  };
  if (event.present_following != 0) {
    // Events that the schedule lists, too, are left to it: they are shadowed, not removed.
    for (std::size_t i = begin; i < service.timeline.size() && service.timeline[i].start < end; ++i) {
      EventRecord& other = at(service, i);
      if (other.schedule != kNoSchedule && contradicted(other)) leave_to_schedule(service, other);
    }
  }
  counters_.overlapped += erase_if(service, begin, end, contradicted);
}

void Store::remove_vanished(Service& service, const SubTable& table, wire::UnixSeconds from, wire::UnixSeconds until) {
  const std::uint8_t schedule = schedule_of(table.table_id());
  const std::size_t begin = service.timeline.lower_bound(from);
  const auto elsewhere = [&](const EventRecord& event) {
    return event.schedule != kNoSchedule && same_family(event.schedule, schedule) &&
           (event.schedule != schedule || event.schedule_run != table.run());
  };
  for (std::size_t index = begin; index < service.timeline.size() && service.timeline[index].start < until; ++index) {
    EventRecord& event = at(service, index);
    if (announced(service, event) && elsewhere(event)) event.schedule = kNoSchedule;
  }
  counters_.vanished += erase_if(service, begin, until, elsewhere);
}

// Call with an event before and after it changes. Sets shadow_due only if the change may affect shadowing: most changes
// are on other days than present/following.
void Store::note_shadow(Service& service, const EventRecord& changed) {
  if (changed.present_following != 0 || changed.shadowed != 0 || changed.start < service.announced_until) {
    service.shadow_due = true;
  }
}

void Store::shadow(Service& service) {
  if (!service.shadow_due || !changed_ || !service.announced) return;
  service.shadow_due = false;
  std::vector<EventRecord> announced;
  bool some_shadowed = false;
  for (const EventSlot slot : service.timeline.slots()) {
    const EventRecord& event = records_[slot];
    if (event.present_following != 0) announced.push_back(event);
    some_shadowed = some_shadowed || event.shadowed != 0;
  }
  wire::UnixSeconds until = 0;
  const EventRecord* const following = service.timeline.following();
  for (EventRecord& event : announced) {
    // The present event ends when the following event begins, even if a wrong duration covers a whole day.
    if (following != nullptr && event.start < following->start) {
      event.duration = std::min(event.duration, following->start - event.start);
    }
    until = std::max({until, event.end(), static_cast<wire::UnixSeconds>(event.start) + 1});
    if (event.duration >= kPlaceholderSeconds) event.duration = seconds_until_detail(service, event);
  }
  constexpr wire::UnixSeconds kNever = std::numeric_limits<std::uint32_t>::max();
  service.announced_until = static_cast<std::uint32_t>(std::min(until, kNever));
  // Unshadowed events that begin before or after all of the announced ones do not change.
  std::size_t begin = 0;
  if (some_shadowed) {
    until = std::numeric_limits<wire::UnixSeconds>::max();
  } else if (!announced.empty()) {
    begin = service.timeline.first_reaching(announced.front().start);
  }
  for (std::size_t index = begin; index < service.timeline.size(); ++index) {
    const EventRecord& event = service.timeline[index];
    if (event.start >= until) break;
    const bool hidden =
        event.present_following == 0 && std::any_of(announced.begin(), announced.end(),
                                                    [&](const EventRecord& other) { return contradict(event, other); });
    if (hidden != (event.shadowed != 0)) programmes_.set_shadowed(service.timeline.slots()[index], hidden);
  }
}

/// The seconds for which a placeholder hides the schedule: until the first event that begins after it.
std::uint32_t Store::seconds_until_detail(const Service& service, const EventRecord& placeholder) const {
  std::uint32_t seconds = placeholder.duration;
  int count = 0;
  for (std::size_t index = service.timeline.lower_bound(placeholder.start + kMinOverlapSeconds + 1);
       index < service.timeline.size() && count < kDetailedEvents; ++index) {
    const EventRecord& event = service.timeline[index];
    if (event.start >= placeholder.end()) break;
    if (event.present_following == 0 && count++ == 0) seconds = event.start - placeholder.start;
  }
  return count == kDetailedEvents ? seconds : placeholder.duration;
}

std::size_t Store::add(std::uint16_t number, const EventRecord& record) {
  EventSlot slot = free_slot_;
  if (slot == kNoEvent) {
    slot = static_cast<EventSlot>(records_.size());
    records_.push_back(record);
  } else {
    free_slot_ = records_[slot].next;
    records_[slot] = record;
  }
  const std::size_t index = services_[number]->timeline.insert(slot);
  programmes_.attach(slot);
  ++events_;
  return index;
}

void Store::erase(Service& service, std::size_t index) {
  const EventSlot slot = service.timeline.slots()[index];
  note_shadow(service, records_[slot]);
  programmes_.detach(slot);
  records_[slot] = {};
  records_[slot].next = free_slot_;
  free_slot_ = slot;
  service.timeline.erase(index);
  --events_;
  changed_ = true;
}

// Erases the events from index `begin` on that begin before `until` and satisfy `predicate`.
template <typename Predicate>
std::size_t Store::erase_if(Service& service, std::size_t begin, wire::UnixSeconds until, Predicate predicate) {
  std::size_t erased = 0;
  for (std::size_t index = begin; index < service.timeline.size() && service.timeline[index].start < until;) {
    if (predicate(service.timeline[index])) {
      erase(service, index);
      ++erased;
    } else {
      ++index;
    }
  }
  return erased;
}

void Store::present_received(const DvbTriplet& service) const {
  const std::shared_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const auto found = numbers_.find(service);
  if (found != numbers_.end()) services_[found->second]->timeline.received();
}

std::size_t Store::expire(wire::UnixSeconds now, wire::UnixSeconds history) {
  const wire::UnixSeconds before = now - history;
  const std::lock_guard writer(writer_);
  std::size_t expired = 0;
  for (std::size_t number = 0; number < services_.size(); ++number) {
    if (services_[number] == nullptr) continue;
    Service& service = *services_[number];
    service.timeline.date_received(now);
    const auto ended = [&](const EventRecord& event) {
      return (event.duration != 0 ? event.end() : event.start + kAssumedDurationSeconds) <= before &&
             !service.timeline.may_be_on(event, now);
    };
    // Runs alongside the readers: most services have no ended events.
    bool some = service.timeline.empty();
    for (std::size_t index = 0; !some && index < service.timeline.size(); ++index) {
      if (service.timeline[index].start >= before) break;
      some = ended(service.timeline[index]);
    }
    if (!some) continue;
    const std::unique_lock lock(mutex_);
    changed_ = false;
    const std::size_t here = erase_if(service, 0, before, ended);
    expired += here;
    counters_.expired += here;
    if (changed_) generation_.fetch_add(1, std::memory_order_release);
    service.timeline.shrink();
    if (service.timeline.empty()) remove_service(static_cast<std::uint16_t>(number));
  }
  if (expired != 0 && events_ == 0) {
    const std::unique_lock lock(mutex_);
    forget_everything();
  } else if (expired != 0) {
    maintain(true);
  }
  return expired;
}

void Store::remove_service(std::uint16_t number) {
  numbers_.erase(services_[number]->key);
  ++service_changes_;
  services_[number] = nullptr;
  free_numbers_.push_back(number);
}

void Store::settle() {
  {
    const std::lock_guard writer(writer_);
    maintain(true);
  }
  storage::return_freed_memory();
}

// REQUIRES: writer_ is held, mutex_ is not.
void Store::maintain(bool everything) {
  const auto locked = [this](auto work) {
    const std::unique_lock lock(mutex_);
    work();
  };
  Programmes::Sweep sweep = programmes_.plan_sweep(everything);
  for (bool more = !sweep.empty(); more;) {
    locked([&] { more = programmes_.sweep(sweep); });
  }
  programmes_.maintain(everything, locked);
  if (!everything) return;
  programmes_.compact(locked);
  locked([this] { trim(); });
}

// Frees slots at the end if a whole chunk becomes free. Chains the other free slots again, lowest first.
void Store::trim() {
  std::size_t end = records_.size();
  while (end > 0 && records_[end - 1].programme == 0) --end;
  if (records_.size() - end < Column<EventRecord>::kPerChunk) return;
  records_.truncate(end);
  free_slot_ = kNoEvent;
  for (std::size_t slot = end; slot > 0; --slot) {
    EventRecord& record = records_[slot - 1];
    if (record.programme != 0) continue;
    record.next = free_slot_;
    free_slot_ = static_cast<EventSlot>(slot - 1);
  }
}

std::size_t Store::clear() {
  const std::lock_guard writer(writer_);
  const std::unique_lock lock(mutex_);
  const std::size_t events = events_;
  forget_everything();
  if (events != 0) generation_.fetch_add(1, std::memory_order_release);
  return events;
}

void Store::forget_everything() {
  numbers_.clear();
  ++service_changes_;
  services_.clear();
  services_.shrink_to_fit();
  free_numbers_.clear();
  records_.clear();
  free_slot_ = kNoEvent;
  programmes_.clear();
  events_ = 0;
}

const Timeline* Store::Reader::find(const DvbTriplet& service) const {
  const auto found = store_->numbers_.find(service);
  return found == store_->numbers_.end() ? nullptr : &store_->services_[found->second]->timeline;
}

void Store::Reader::prefetch_first(const Timeline& timeline) const {
  if (timeline.empty()) return;
  for (const std::size_t near : {std::size_t{0}, std::size_t{3}, std::size_t{6}}) {
    store_->records_.prefetch(timeline.slots()[std::min(near, timeline.size() - 1)]);
  }
}

void Store::Reader::prefetch_texts(std::span<const EventRecord* const> events) const {
  const Programmes& programmes = store_->programmes_;
  for (const EventRecord* event : events) {
    if (event != nullptr) programmes.prefetch(event->programme);
  }
  for (const EventRecord* event : events) {
    if (event != nullptr) programmes.prefetch_places(event->programme);
  }
  for (const EventRecord* event : events) {
    if (event != nullptr) programmes.prefetch_texts(event->programme);
  }
}

EventView Store::Reader::view(const EventRecord& event) const {
  EventView made;
  view(event, made);
  return made;
}

void Store::Reader::view(const EventRecord& event, EventView& view) const {
  const Programmes& programmes = store_->programmes_;
  const Programme& programme = programmes[event.programme];
  view.service = service_of(event);
  view.id = event.id;
  view.start = event.start;
  view.duration = event.duration;
  view.running_status = static_cast<std::uint8_t>(event.running_status);
  view.free_ca = event.free_ca != 0;
  view.language = programmes.language(programme.details);
  view.title = programmes.texts(TextKind::title).text(programme.title);
  view.short_text = programmes.texts(TextKind::short_text).text(programme.short_text);
  const std::string_view text = programmes.texts(TextKind::long_text).text(programme.long_text, view.extended_text);
  if (text.data() != view.extended_text.data()) view.extended_text = text;
  view.details = programmes.packed_details(programme.details);
}

std::size_t Store::Reader::memory_bytes() const {
  constexpr std::size_t kMapNodeBytes = 48;
  std::size_t bytes = store_->programmes_.memory_bytes() + store_->records_.memory_bytes() +
                      store_->services_.capacity() * sizeof(store_->services_.front()) +
                      store_->numbers_.size() * kMapNodeBytes;
  for (const auto& service : store_->services_) {
    if (service == nullptr) continue;
    bytes += sizeof(Service) + service->timeline.memory_bytes() + service->sub_tables.capacity() * sizeof(SubTable);
  }
  return bytes;
}

}  // namespace receiverd::epg
