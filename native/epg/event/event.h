// One event of the guide with decoded texts, as the EIT decoder and importers pass it to the store.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "epg/arib/si_rules.h"
#include "epg/event/kept_list.h"
#include "wire/bytes.h"
#include "wire/dvb_triplet.h"
#include "wire/time.h"

namespace receiverd::epg {

using wire::DvbTriplet;

/// ISO 639-2 code in lower case, three characters in the low 24 bits; 0 = none.
using Language = std::uint32_t;

/// The language of a descriptor; 0 if the bytes are not letters. `code` has three bytes.
Language language_of(wire::Bytes code);

/// The three letters; '' for 0.
std::string language_text(Language language);

/// The terminological code of ISO 639-2 for a language: `deu` for both `ger` and `deu`.
Language terminological(Language language);

/// The place of a language among the preferred ones; their number if it is none of them.
std::size_t place_among(std::span<const Language> preferred, Language language);

/// One entry of the content_descriptor (§6.2.9).
struct Genre {
  std::uint8_t nibbles = 0;  ///< level 1 in the high four bits, level 2 in the low
  std::uint8_t user = 0;
  bool operator==(const Genre&) const = default;
};

/// One entry of the parental_rating_descriptor (§6.2.28).
struct ParentalRating {
  std::array<char, 3> country{};
  std::uint8_t rating = 0;
  bool operator==(const ParentalRating&) const = default;
};

/// A component_descriptor (§6.2.8).
struct Component {
  std::uint8_t stream_content = 0;
  std::uint8_t type = 0;
  std::uint8_t tag = 0;
  Language language = 0;
  std::string text;
  bool operator==(const Component&) const = default;
};

/// A CRID of the content_identifier_descriptor (TS 102 323 §12.1). The British types 0x31 to 0x33 are stored as 1 to 3.
struct ContentIdentifier {
  std::uint8_t type = 0;  ///< 1 programme, 2 series, 3 recommendation; from 0x41 on: epg/arib/arib_descriptors.h
  std::string crid;       ///< as sent, `crid://authority/data` or `/data`
  bool operator==(const ContentIdentifier&) const = default;
};

struct Event {
  std::uint16_t id = 0;
  std::uint8_t running_status = 0;  ///< table 6
  bool free_ca = false;
  bool has_separate_text = false;  ///< the extended text is sent in another table (ETT of PSIP, 0x58 of ISDB)
  wire::UnixSeconds start = 0;
  std::uint32_t duration = 0;  ///< seconds, 0 = unknown
  Language language = 0;
  std::string title;
  std::string short_text;
  std::string extended_text;
  std::vector<Genre> genres;
  std::vector<ParentalRating> parental;
  std::vector<Component> components;
  std::vector<ContentIdentifier> crids;
  std::string picture;  ///< http or https URL from a guide file, at most 255 bytes
  std::string rating;   ///< words of the content advisory of PSIP ("TV-14"), at most 255 bytes

  /// Clears texts and details but keeps their memory.
  void clear_content() {
    language = 0;
    title.clear();
    short_text.clear();
    extended_text.clear();
    genres.clear();
    parental.clear();
    components.clear();
    crids.clear();
    picture.clear();
    rating.clear();
  }
};

/// The contents of an EIT section (§5.2.4).
struct EitSection {
  DvbTriplet service;
  std::uint8_t table_id = 0;
  std::uint8_t version = 0;
  std::uint8_t section_number = 0;
  std::uint8_t last_section_number = 0;
  std::uint8_t segment_last_section_number = 0;
  std::uint8_t last_table_id = 0;
  SiRules rules;
  std::uint32_t crc = 0;         ///< identifies a changed section of the same version
  bool only_long_texts = false;  ///< its events have nothing but an id and a long text: ETT of PSIP, 0x58 of ISDB
  KeptList<Event> events;

  bool present_following() const { return table_id <= 0x4F; }
};

}  // namespace receiverd::epg
