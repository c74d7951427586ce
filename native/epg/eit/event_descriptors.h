// The descriptors of a stored event as Enigma2 boxes write them: for epg.dat and for the `.eit` file of a recording.
//
// Title and text are two short_event_descriptors in UTF-8. The extended text, genres, ratings, CRIDs and components
// follow, most important first, because readers stop at a bound.
//
// Thread safety: none needed, nothing is shared.
#pragma once

#include <cstddef>

#include "epg/eit/event_descriptor_writer.h"
#include "epg/store/store.h"

namespace receiverd::epg {

/// Writes at most `most_bytes` (at least 2000 plus a title). Returns false if something had to be cut.
bool write_event_descriptors(const EventView& event, std::size_t most_bytes, EventDescriptorWriter& writer);

}  // namespace receiverd::epg
