// The `.eit` file beside a recording: the recorded event in the form of an EIT event (EN 300 468 §5.2.4), without a
// section. It is written with the descriptors of eit/event_descriptors.h, as boxes do, and read with any.
//
//   event_id 16 | start MJD 16, BCD 24 | duration BCD 24 | running_status 3 | free_CA_mode 1 | length 12 | descriptors
//
// Thread safety: none needed, nothing is shared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "epg/eit/eit_decoder.h"
#include "epg/store/store.h"

namespace receiverd::epg {

/// The event as JSON (store/event_json.h), with a service of all zeros. Returns `null` if this is not an event file or
/// its times are invalid. Truncated descriptors are left out.
std::string event_file_json(wire::Bytes file, const EitOptions& options);

/// The file for an event of the store, at most kMaxEventFileBytes. Empty if there is no such event, or if the
/// format cannot hold its time.
std::vector<std::uint8_t> event_file(const Store& store, const DvbTriplet& service, std::uint16_t id);

/// Enigma2 does not read further.
inline constexpr std::size_t kMaxEventFileBytes = 4096;

}  // namespace receiverd::epg
