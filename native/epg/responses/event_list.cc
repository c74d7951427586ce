#include "epg/responses/event_list.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "epg/search/search.h"

namespace receiverd::epg {
namespace {

/// Events that are looked up under one lock of the store.
constexpr std::size_t kMaxLookupsPerLock = 128;
/// Services whose single events are looked up together. Events, programmes and texts are scattered in memory, so all of
/// them are prefetched before the first is used.
constexpr std::size_t kPrefetchedServices = 8;

/// The hits on services of the list, in the order of the search.
std::vector<ListedHit> listed_of(const Store::Reader& reader, const Hits& found, const ServiceList& listed) {
  std::vector<ListedHit> hits;
  hits.reserve(found.events.size());
  for (const EventSlot slot : found.events) {
    const EventRecord& event = reader.event(slot);
    const auto entries = listed.entries_of(reader.service_of(event));
    if (!entries.empty()) hits.push_back({slot, event, entries});
  }
  return hits;
}

std::size_t entries_of(const std::vector<ListedHit>& hits) {
  std::size_t entries = 0;
  for (const ListedHit& hit : hits) entries += hit.entries.size();
  return entries;
}

bool earlier(const ListedHit& a, const ListedHit& b) {
  if (a.event.start != b.event.start) return a.event.start < b.event.start;
  const std::uint32_t rank_a = a.entries.front();
  const std::uint32_t rank_b = b.entries.front();
  return rank_a != rank_b ? rank_a < rank_b : a.event.id < b.event.id;
}

/// The number of matching events on services that are not in the list.
std::size_t on_others(const Store::Reader& reader, Query query, const ServiceList& listed) {
  const auto others = listed.others(reader);
  if (others->empty()) return 0;
  query.services = *others;
  query.limit = 0;
  return find_events(reader, query).total;
}

}  // namespace

ListedHits find_listed(const Store::Reader& reader, Query query, const ServiceList& listed, std::size_t rows,
                       std::size_t skip) {
  constexpr std::size_t kGrowth = 4;
  const std::size_t needed = rows > std::numeric_limits<std::size_t>::max() - skip ? rows : rows + skip;
  const bool ranked = !query.services;
  if (!ranked) std::erase_if(*query.services, [&](const DvbTriplet& key) { return listed.entries_of(key).empty(); });
  query.offset = 0;
  // Ask for a few more than needed: some may be on other services, and all events with the same start are known only
  // once a later one is found.
  query.limit = needed > std::numeric_limits<std::size_t>::max() / 2 ? needed : needed + needed / kGrowth + 32;
  for (;;) {
    const Hits found = find_events(reader, query);
    std::vector<ListedHit> hits = listed_of(reader, found, listed);
    const bool all = found.events.size() >= found.total;
    if (!all) {
      const std::uint32_t last = reader.event(found.events.back()).start;
      if (ranked) std::erase_if(hits, [&](const ListedHit& hit) { return hit.event.start == last; });
      if (entries_of(hits) < needed) {
        query.limit = query.limit > found.total / kGrowth ? found.total : query.limit * kGrowth;
        continue;
      }
    }
    if (ranked) std::sort(hits.begin(), hits.end(), earlier);
    ListedHits answer;
    answer.total = found.total - (ranked ? on_others(reader, std::move(query), listed) : 0);
    for (ListedHit& hit : hits) {
      if (answer.rows >= rows) break;
      const std::size_t skipped = std::min(skip, hit.entries.size());
      skip -= skipped;
      hit.entries = hit.entries.subspan(skipped);
      if (hit.entries.empty()) continue;
      answer.rows = std::min(rows, answer.rows + hit.entries.size());
      answer.hits.push_back(hit);
    }
    return answer;
  }
}

void EventList::write(ByteBuffer& out, std::size_t bytes, std::chrono::nanoseconds time) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    const Store::Reader reader = store_->read();
    if (question_.asked == EventsAsked::search && !searched_) {
      found_ = find_listed(reader, std::move(question_.query), writer_.services(), question_.limit, question_.skip);
      searched_ = true;
    }
    for (std::size_t cost = 0; !(ended_ = at_end()) && cost < kMaxLookupsPerLock && out.size() < bytes;) {
      cost += write_next(reader, out, bytes);
    }
  } while (!ended_ && out.size() < bytes && std::chrono::steady_clock::now() - begin < time);
}

std::size_t EventList::end() const {
  return question_.asked == EventsAsked::search ? found_.hits.size() : writer_.services().size();
}

bool EventList::at_end() const { return position_ >= end() || writer_.count() >= question_.limit; }

/// Writes one service, a part of its events, or a hit. Returns its cost in events.
std::size_t EventList::write_next(const Store::Reader& reader, ByteBuffer& out, std::size_t bytes) {
  switch (question_.asked) {
    case EventsAsked::window:
      return write_window(reader, out);
    case EventsAsked::search:
      write_hit(reader, out);
      ++position_;
      return 1;
    default:
      return write_slots(reader, out, bytes);
  }
}

const Timeline* EventList::timeline_of(const Store::Reader& reader, std::size_t service) const {
  const std::optional<DvbTriplet>& key = writer_.services().key(service);
  const Timeline* const timeline = key ? reader.find(*key) : nullptr;
  if (timeline != nullptr) timeline->date_received(writer_.now());
  return timeline;
}

/// Writes the events of the next services, for a question with one or two events per service. Stops early once `out`
/// holds `bytes`.
std::size_t EventList::write_slots(const Store::Reader& reader, ByteBuffer& out, std::size_t bytes) {
  const bool both = question_.asked == EventsAsked::now_next;
  const std::size_t each = both ? 2 : 1;
  const std::size_t count = std::min(end() - position_, kPrefetchedServices);
  std::array<const Timeline*, kPrefetchedServices> timelines{};
  std::array<const EventRecord*, 2 * kPrefetchedServices> found{};
  for (std::size_t i = 0; i < count; ++i) {
    timelines[i] = timeline_of(reader, position_ + i);
    if (timelines[i] != nullptr) wire::prefetch(timelines[i]->slots().data());
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (timelines[i] != nullptr) reader.prefetch_first(*timelines[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    found[i * each] = single(timelines[i], both ? EventsAsked::now : question_.asked);
    if (both) found[i * each + 1] = single(timelines[i], EventsAsked::next);
  }
  reader.prefetch_texts(std::span(found).first(count * each));
  std::size_t written = 0;
  do {
    for (std::size_t one = 0; one < each; ++one) write_event(reader, found[written * each + one], out);
    ++position_;
    ++written;
  } while (written < count && out.size() < bytes && writer_.count() < question_.limit);
  return written * each;
}

void EventList::write_event(const Store::Reader& reader, const EventRecord* event, ByteBuffer& out) {
  if (writer_.count() >= question_.limit) return;
  if (event == nullptr) return writer_.missing(position_, out);
  reader.view(*event, view_);
  writer_.event(view_, position_, out);
}

/// The event for a question that has at most one per service.
const EventRecord* EventList::single(const Timeline* timeline, EventsAsked asked) const {
  if (timeline == nullptr) return nullptr;
  switch (asked) {
    case EventsAsked::now:
      return timeline->at(question_.from, question_.end_inclusive);
    case EventsAsked::next:
      return timeline->after(question_.from);
    case EventsAsked::before:
      return timeline->before(question_.from);
    case EventsAsked::id: {
      const std::size_t index = timeline->find(question_.id);
      if (index == Timeline::kNone) return nullptr;
      const EventRecord& event = (*timeline)[index];
      return event.shadowed != 0 ? nullptr : &event;
    }
    default:
      return nullptr;
  }
}

std::size_t EventList::count() const {
  std::size_t count = 0;
  const std::size_t missing = writer_.writes_missing() ? 1 : 0;
  const bool both = question_.asked == EventsAsked::now_next;
  for (std::size_t service = 0; service < end() && count < question_.limit; ++service) {
    const Store::Reader reader = store_->read();
    const Timeline* const timeline = timeline_of(reader, service);
    if (question_.asked == EventsAsked::window) {
      std::size_t own = 0;
      if (timeline != nullptr) timeline->window(question_.from, question_.until, [&](const EventRecord&) { ++own; });
      count += own == 0 ? missing : own;
      continue;
    }
    count += single(timeline, both ? EventsAsked::now : question_.asked) != nullptr ? 1 : missing;
    if (both) count += single(timeline, EventsAsked::next) != nullptr ? 1 : missing;
  }
  return std::min(count, question_.limit);
}

/// Writes the events of one service, or only some if there are very many. It stops between two start times, so the next
/// call can continue by time, even if the service has changed meanwhile.
std::size_t EventList::write_window(const Store::Reader& reader, ByteBuffer& out) {
  const wire::UnixSeconds written_to = written_to_;
  std::size_t count = 0;
  bool more = false;
  if (const Timeline* const timeline = timeline_of(reader, position_); timeline != nullptr) {
    timeline->window(std::max(question_.from, written_to), question_.until, [&](const EventRecord& event) {
      if (more || event.start <= written_to) return;
      more = count >= kMaxLookupsPerLock && event.start != written_to_;
      if (more) return;
      write_event(reader, &event, out);
      written_to_ = event.start;
      ++count;
    });
  }
  if (!more) {
    if (written_to_ == kNothingWritten) write_event(reader, nullptr, out);
    written_to_ = kNothingWritten;
    ++position_;
  }
  return count + 1;
}

/// Writes a hit, unless its event was removed since the search.
void EventList::write_hit(const Store::Reader& reader, ByteBuffer& out) {
  const ListedHit& hit = found_.hits[position_];
  const EventRecord* const event = reader.event_at(hit.slot);
  const EventRecord& known = hit.event;
  if (event == nullptr || event->service != known.service || event->id != known.id || event->start != known.start) {
    return;
  }
  reader.view(*event, view_);
  for (const std::uint32_t entry : hit.entries) {
    if (writer_.count() < question_.limit) writer_.event(view_, entry, out);
  }
}

}  // namespace receiverd::epg
