// Dates and times of XMLTV: `YYYYMMDDhhmmss +hhmm`, or some initial part of the digits; without a zone UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/time.h"

namespace receiverd::xmltv {

/// The time that `text` says. What is left out is the beginning of the month, day, hour or minute. Zones: `+hhmm`,
/// `+hh:mm`, `+hh`, `Z`, and the European names from UTC to EEST. Nothing when it is no time at all, or none of the
/// years 1970 to 2105.
std::optional<wire::UnixSeconds> parse_time(std::string_view text);

/// Appends `YYYYMMDDhhmmss +0000`. REQUIRES: a time of the years 1970 to 9999.
void append_time(std::string& out, wire::UnixSeconds time);

}  // namespace receiverd::xmltv
