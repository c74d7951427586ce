// Search over the guide: the events that match a query, in order, and their number.
//
//   word index ──► texts ──► programmes ──► events
//
// Each step examines only the results of the one before. Where the words alone do not settle it, an index hit is
// compared with the text itself. Filters on genre, language and CRID apply to programmes; those on time, duration and
// service apply to events. Only the hits asked for are kept in order. The others are counted, and unless a filter has
// to see the events themselves, they are not even visited.
//
// Each function holds the store's reading lock while it works.
#pragma once

#include <string>
#include <vector>

#include "epg/event/query.h"
#include "epg/store/store.h"

namespace receiverd::epg {

struct Hits {
  std::size_t total = 0;          ///< exact, whatever the offset and limit
  std::vector<EventSlot> events;  ///< from `offset` on, at most `limit`, in order
};

/// The hits of a query. The slots are valid as long as `reader` lives.
Hits find_events(const Store::Reader& reader, const Query& query);

/// {"total","events"}: find_events() in full.
std::string search(const Store& store, const Query& query);

/// [{"title","count","start"}]: distinct titles in which a word begins with `typed`. Titles that themselves begin with
/// it come first, then the most frequent ones. Only events that end after `from` count.
std::string suggest(const Store& store, std::string_view typed, wire::UnixSeconds from, std::size_t limit);

}  // namespace receiverd::epg
