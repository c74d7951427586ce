// Dates and times of XMLTV: `YYYYMMDDhhmmss +hhmm`, or a prefix of the digits; UTC if there is no zone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/time.h"

namespace receiverd::xmltv {

/// The time in `text`. Missing parts default to the beginning of the month, day, hour or minute. Zones: `+hhmm`,
/// `+hh:mm`, `+hh`, `Z`, and the European names from UTC to EEST. Returns nothing if it is not a time, or not between
/// 1970 and 2105.
std::optional<wire::UnixSeconds> parse_time(std::string_view text);

/// Appends `YYYYMMDDhhmmss +0000`. REQUIRES: a time between 1970 and 9999.
void append_time(std::string& out, wire::UnixSeconds time);

}  // namespace receiverd::xmltv
