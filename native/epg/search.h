// Search over the guide: which events agree with a query, in which order, and how many there are.
//
// Texts are shared between events, so each distinct text is folded and compared once, when the first event that has it
// passes the filters; the result is kept by text id for the rest of the search.
//
// Each function holds the store's reading lock while it works.
#pragma once

#include <string>

#include "epg/query.h"
#include "epg/store.h"

namespace receiverd::epg {

/// {"total","events"}: hits from `offset` on, at most `limit`; the total is exact.
std::string search(const Store& store, const Query& query);

/// {"total","events"}: other showings of the programme: same title and texts, or a programme CRID in common; by start.
std::string similar(const Store& store, const ServiceKey& service, std::uint16_t id, std::size_t limit);

/// [{"title","count","start"}]: distinct titles in which a word begins with `typed`; those that begin with it
/// themselves come first, then the frequent ones. Only events that end after `from` count.
std::string suggest(const Store& store, std::string_view typed, wire::UnixSeconds from, std::size_t limit);

}  // namespace receiverd::epg
