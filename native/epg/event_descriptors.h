// The descriptors of an event of the store, as a box keeps them: for epg.dat and for the `.eit` file of a recording.
//
// Title and text are two short_event_descriptors in UTF-8, then come the extended text, genres, ratings, CRIDs and
// components: in the order of their weight, because readers stop at a bound.
//
// Thread safety: none needed, nothing is shared.
#pragma once

#include <cstddef>

#include "epg/event_descriptor_writer.h"
#include "epg/store.h"

namespace receiverd::epg {

/// Writes them, at most `most_bytes` (2000 and a title at the least); false when something had to be cut.
bool write_event_descriptors(const EventView& event, std::size_t most_bytes, EventDescriptorWriter& writer);

}  // namespace receiverd::epg
