// Ages of <rating>: systems of several countries, and the parental_rating_descriptor (EN 300 468 §6.2.28) they become.
#pragma once

#include <optional>
#include <string_view>

#include "epg/event.h"

namespace receiverd::xmltv {

/// The rating that `value` of `system` means: `FSK` `16`, `MPAA` `PG-13`, `CSA` `-12`, `DEU` `12`. An age from a system
/// that is not known is kept for the country `ZZZ`. Nothing when no age can be read, or one
/// below 4; over 18 counts as 18.
std::optional<epg::ParentalRating> rating_of(std::string_view system, std::string_view value);

/// The age that a rating of 1 to 15 means; 0 for any other.
inline int age_of(const epg::ParentalRating& rating) {
  return rating.rating >= 1 && rating.rating <= 15 ? rating.rating + 3 : 0;
}

}  // namespace receiverd::xmltv
