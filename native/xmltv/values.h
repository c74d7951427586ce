// Values in XMLTV documents: times, languages and parental ratings, converted to those of the guide and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "epg/event/event.h"
#include "wire/time.h"

namespace receiverd::xmltv {

/// The time `YYYYMMDDhhmmss +hhmm`, a prefix of its digits, or ISO 8601: missing parts default to the beginning of the
/// month, day, hour or minute. Zones: `+hhmm`, `+hh:mm`, `+hh`, `Z`, and the European names from UTC to EEST; UTC if
/// there is none. Returns nothing if it is not a time, or not between 1970 and 2105.
std::optional<wire::UnixSeconds> parse_time(std::string_view written);

/// Appends `YYYYMMDDhhmmss +0000`. REQUIRES: a time between 1970 and 9999.
void append_time(std::string& out, wire::UnixSeconds time);

/// The terminological code of ISO 639-2 for a `lang` attribute of two letters (ISO 639-1) or three, with or without a
/// region (`de`, `pt_BR`, `en-GB`); 0 if it is neither.
epg::Language language_of(std::string_view lang);

/// Inverse of language_of(): the two-letter code of ISO 639-1, or the three letters if there is none; '' for 0.
std::string lang_of(epg::Language language);

/// The parental_rating_descriptor (EN 300 468 §6.2.28) for `value` in `system`: `FSK` `16`, `MPAA` `PG-13`, `CSA`
/// `-12`, `DEU` `12`. An age from an unknown system is stored for the country `ZZZ`. Returns nothing for an age below 4
/// or if no age can be read; ages over 18 become 18.
std::optional<epg::ParentalRating> rating_of(std::string_view system, std::string_view value);

/// The age for a rating of 1 to 15; 0 for any other.
inline int age_of(const epg::ParentalRating& rating) {
  return rating.rating >= 1 && rating.rating <= 15 ? rating.rating + 3 : 0;
}

}  // namespace receiverd::xmltv
