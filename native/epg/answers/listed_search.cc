#include "epg/answers/listed_search.h"

#include <algorithm>
#include <limits>

#include "epg/search/search.h"

namespace receiverd::epg {
namespace {

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

ListedHits find_listed(const Store::Reader& reader, Query query, const ServiceList& listed, std::size_t rows) {
  constexpr std::size_t kMore = 4;
  const bool ranked = !query.services;
  if (!ranked) std::erase_if(*query.services, [&](const ServiceKey& key) { return listed.entries_of(key).empty(); });
  query.offset = 0;
  // A few more than needed: some may be on other services, and events with the same start are known to be complete only
  // once a later one is found.
  query.limit = rows > std::numeric_limits<std::size_t>::max() / 2 ? rows : rows + rows / kMore + 32;
  for (;;) {
    const Hits found = find_events(reader, query);
    std::vector<ListedHit> hits = listed_of(reader, found, listed);
    const bool all = found.events.size() >= found.total;
    if (!all) {
      const std::uint32_t last = reader.event(found.events.back()).start;
      if (ranked) std::erase_if(hits, [&](const ListedHit& hit) { return hit.event.start == last; });
      if (entries_of(hits) < rows) {
        query.limit = query.limit > found.total / kMore ? found.total : query.limit * kMore;
        continue;
      }
    }
    if (ranked) std::sort(hits.begin(), hits.end(), earlier);
    ListedHits answer;
    answer.total = found.total - (ranked ? on_others(reader, std::move(query), listed) : 0);
    for (ListedHit& hit : hits) {
      if (answer.rows >= rows) break;
      answer.rows = std::min(rows, answer.rows + hit.entries.size());
      answer.hits.push_back(hit);
    }
    return answer;
  }
}

}  // namespace receiverd::epg
