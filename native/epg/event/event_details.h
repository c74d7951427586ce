// The details of an event (everything besides times and texts), packed into one string of a text pool, which stores
// equal strings once:
//
//   genres n 8 { nibbles 8, user 8 }
//   ratings n 8 { country 24, rating 8 }
//   components n 8 { stream_content 8, type 8, tag 8, language 24, length 8, text }
//   CRIDs n 8 { type 8, length 8, text }
//   picture { length 8, text }, absent if neither it nor a rating is there
//   rating { length 8, text }, absent if there is none
//
// An event without details has the empty string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "epg/event/event.h"

namespace receiverd::epg {

struct EventDetails {
  std::vector<Genre> genres;
  std::vector<ParentalRating> parental;
  std::vector<Component> components;
  std::vector<ContentIdentifier> crids;
  std::string picture;
  std::string rating;
};

/// Appends the packed details of `event` to `out`.
void pack_details(const Event& event, std::string& out);
EventDetails unpack_details(std::string_view packed);

/// The first genre alone, level 1 in the high four bits; 0 if there is none. Allocates no memory.
inline std::uint8_t first_genre(std::string_view packed) {
  return packed.size() < 2 || packed[0] == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(packed[1]);
}

/// True if there is a CRID of this type (TS 102 323 §12.1; 0: any type) that equals `wanted` when folded.
bool has_crid(const EventDetails& details, std::string_view wanted, std::uint8_t type);

}  // namespace receiverd::epg
