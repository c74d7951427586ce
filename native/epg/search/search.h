// Search over the guide: the events that match a query, in order, and their number.
//
//   word index ──► texts ──► programmes ──► events
//
// Each step examines only the results of the previous one. Where the words alone do not decide, the text of an index
// hit is compared. Filters on genre, language and CRID apply to programmes, filters on time, duration and service to
// events. Only the wanted hits (offset and limit) are sorted. All others are only counted, and if no filter needs the
// events themselves, they are not even visited.
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
  std::vector<EventSlot> events;  ///< at most `limit` hits from `offset` on, in order
};

/// The hits of a query. The slots are valid as long as `reader` lives.
Hits find_events(const Store::Reader& reader, const Query& query);

/// {"total","events"}: the result of find_events() with all fields of the events.
std::string search(const Store& store, const Query& query);

/// [{"title","count","start"}]: distinct titles in which a word begins with `typed`. Titles that themselves begin with
/// `typed` come first, each group by number of showings. Only events that end after `from` count. `forgiving`: if there
/// are none, the titles that have all typed words but for slips of the keyboard (text/spelling.h), those with fewer
/// slips first. That reads all titles: 40 ms for 40,000 on a PC, where a word of the index takes one.
std::string suggest(const Store& store, std::string_view typed, wire::UnixSeconds from, std::size_t limit,
                    bool forgiving = false);

}  // namespace receiverd::epg
