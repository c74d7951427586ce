// Searches whose answer is a list of the events on known services: what the receiver's own lists know, each event once
// for every entry of its service (event_list.h).
#pragma once

#include <cstddef>
#include <vector>

#include "epg/event_list.h"
#include "epg/query.h"
#include "epg/service_list.h"
#include "epg/store.h"

namespace receiverd::epg {

struct ListedHits {
  std::size_t total = 0;  ///< events that agree, on services of the list
  std::size_t rows = 0;   ///< entries of all hits, at most the limit
  std::vector<EventHit> hits;
};

/// The first hits of a query that are on services of the list, as many as make `rows` entries. Where the query names no
/// services, those that begin at the same time come in the order of the list; those that it names and the list does not
/// have are left out. The query's own limit and offset do not count. REQUIRES: the query is ordered by time. Thread
/// safety: any thread.
ListedHits find_listed(const Store& store, Query query, const ServiceList& listed, std::size_t rows);

}  // namespace receiverd::epg
