// Searches for events on known services: those in the receiver's own lists. Each event appears once for every list
// entry of its service (event_list.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "epg/answers/service_list.h"
#include "epg/event/query.h"
#include "epg/store/store.h"

namespace receiverd::epg {

struct ListedHit {
  EventSlot slot = kNoEvent;
  EventRecord event;
  /// The entries of the list with its service. Valid as long as the list.
  std::span<const std::uint32_t> entries;
};

struct ListedHits {
  std::size_t total = 0;  ///< matching events on services of the list
  std::size_t rows = 0;   ///< list entries of all hits, at most the limit
  std::vector<ListedHit> hits;
};

/// The first hits of a query on services of the list, as many as it takes to fill `rows` entries. If the query names no
/// services, events with the same start are in the order of the list. Services that the query names but the list lacks
/// are left out. The query's own limit and offset are ignored. REQUIRES: the query is ordered by time.
ListedHits find_listed(const Store::Reader& reader, Query query, const ServiceList& listed, std::size_t rows);

}  // namespace receiverd::epg
