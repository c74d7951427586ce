// Converts the ages of <rating> in several countries' systems to the parental_rating_descriptor (EN 300 468 §6.2.28).
#pragma once

#include <optional>
#include <string_view>

#include "epg/event/event.h"

namespace receiverd::xmltv {

/// The rating for `value` in `system`: `FSK` `16`, `MPAA` `PG-13`, `CSA` `-12`, `DEU` `12`. An age from an unknown
/// system is stored for the country `ZZZ`. Returns nothing for an age below 4 or if no age can be read; ages over 18
/// become 18.
std::optional<epg::ParentalRating> rating_of(std::string_view system, std::string_view value);

/// The age for a rating of 1 to 15; 0 for any other.
inline int age_of(const epg::ParentalRating& rating) {
  return rating.rating >= 1 && rating.rating <= 15 ? rating.rating + 3 : 0;
}

}  // namespace receiverd::xmltv
