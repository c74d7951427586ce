// Search over the guide: which events agree with a query, in which order, and how many there are.
//
//   word index ──► texts ──► programmes ──► events
//
// Each step looks only at what the one before has found. What an index finds is compared with the text itself where the
// words alone do not settle it. Filters on genre, language and CRID work on programmes; those on time, duration and
// service on events. Only the hits that are asked for are kept in order; the rest is counted, and where no filter wants
// to see the events themselves not even walked.
//
// Each function holds the store's reading lock while it works.
#pragma once

#include <string>
#include <vector>

#include "epg/query.h"
#include "epg/store.h"

namespace receiverd::epg {

struct Hits {
  std::size_t total = 0;          ///< exact, whatever offset and limit
  std::vector<EventSlot> events;  ///< from `offset` on, at most `limit`, in order
};

/// The hits of a query; the slots are good as long as `reader` lives.
Hits find_events(const Store::Reader& reader, const Query& query);

/// Other showings of an event's programme: same title and texts, or a programme CRID in common; by start.
Hits find_similar(const Store::Reader& reader, const ServiceKey& service, std::uint16_t id, std::size_t limit);

/// {"total","events"}: find_events() in full.
std::string search(const Store& store, const Query& query);

/// {"total","events"}: find_similar() in full.
std::string similar(const Store& store, const ServiceKey& service, std::uint16_t id, std::size_t limit);

/// [{"title","count","start"}]: distinct titles in which a word begins with `typed`; those that begin with it
/// themselves come first, then the frequent ones. Only events that end after `from` count.
std::string suggest(const Store& store, std::string_view typed, wire::UnixSeconds from, std::size_t limit);

}  // namespace receiverd::epg
