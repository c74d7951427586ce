// The `.eit` file beside a recording: the event that was recorded, as it was sent (EN 300 468 §5.2.4), without section.
//
//   event_id 16 | start MJD 16, BCD 24 | duration BCD 24 | running_status 3 | free_CA_mode 1 | length 12 | descriptors
//
// Thread safety: none needed, nothing is shared.
#pragma once

#include <string>

#include "epg/eit_decoder.h"

namespace receiverd::epg {

/// The event as JSON (answers.h), its service all 0; `null` when the file is none or its times are broken. Descriptors
/// that are cut off are left out.
std::string event_file_json(wire::Bytes file, const EitOptions& options);

}  // namespace receiverd::epg
