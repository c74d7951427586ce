// The `.eit` file beside a recording: the event that was recorded, in the form of an EIT (EN 300 468 §5.2.4), without
// section. Written with the descriptors of event_descriptors.h, as boxes do; read with any.
//
//   event_id 16 | start MJD 16, BCD 24 | duration BCD 24 | running_status 3 | free_CA_mode 1 | length 12 | descriptors
//
// Thread safety: none needed, nothing is shared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "epg/eit_decoder.h"
#include "epg/store.h"

namespace receiverd::epg {

/// The event as JSON (answers.h), its service all 0; `null` when the file is none or its times are broken. Descriptors
/// that are cut off are left out.
std::string event_file_json(wire::Bytes file, const EitOptions& options);

/// The file of an event of the store, at most kLargestEventFile; empty when there is no such event, or no room in the
/// format for its time.
std::vector<std::uint8_t> event_file(const Store& store, const ServiceKey& service, std::uint16_t id);

/// Enigma2 reads no more.
inline constexpr std::size_t kLargestEventFile = 4096;

}  // namespace receiverd::epg
