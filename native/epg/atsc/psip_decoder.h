// Decodes the guide's tables of PSIP: EIT into events (ATSC A/65 §6.5), ETT into their texts (§6.6), RRT into the words
// of ratings (§6.4).
//
// EIT-k lists the events of three hours, those that began before included. Its section becomes an EitSection of a
// schedule, so that the store treats it like one of DVB: four days are a table, three hours a segment
// (store/sub_table.h). Texts and events arrive separately; the store joins them by event_id.
//
// Thread safety: none; one decoder per thread. The section and its events are reused from call to call.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "epg/event/event.h"
#include "wire/bytes.h"

namespace receiverd::epg {

/// What a section of PSIP does not say itself.
struct PsipOrigin {
  DvbTriplet service;  ///< that the VCT gives for the source_id
  bool actual = true;  ///< a service of the multiplex that carries the section
  /// Leap seconds: GPS time minus UTC, by the STT.
  std::uint8_t gps_utc_offset = 18;
  std::uint16_t pid = 0;  ///< of the section: tells EIT-0 from EIT-1
};

/// Sums since the decoder was created.
struct PsipCounters {
  std::uint64_t malformed_sections = 0;
  std::uint64_t events = 0;
  std::uint64_t malformed_events = 0;
};

class PsipDecoder {
 public:
  explicit PsipDecoder(std::vector<Language> languages = {}) : languages_(std::move(languages)) {}

  /// The events of an EIT section, valid until the next call. Null if it is malformed. CRC_32 is not checked.
  const EitSection* decode_eit(wire::Bytes section, const PsipOrigin& origin);

  /// The long text of an event in an ETT section, valid until the next call. Null if it is malformed, or the text of a
  /// channel.
  const EitSection* decode_ett(wire::Bytes section, const PsipOrigin& origin);

  /// Keeps the rating names of an RRT section. True if they are new.
  bool take_rrt(wire::Bytes section);

  const PsipCounters& counters() const { return counters_; }

 private:
  /// Region, dimension and value of a rating.
  using RatingKey = std::array<std::uint8_t, 3>;
  static constexpr std::size_t kMaxRatings = 4096;

  bool decode_event(wire::Cursor& cursor, const PsipOrigin& origin, Event& event);
  void decode_descriptors(wire::Bytes descriptors, Event& event);
  void decode_advisory(wire::Cursor cursor, Event& event) const;

  const std::vector<Language> languages_;
  std::map<RatingKey, std::string> ratings_;
  EitSection section_;
  PsipCounters counters_;
};

/// The id under which the store keeps an event of PSIP: the event_id of 14 bits, and for 0 a number above them.
inline std::uint16_t psip_event_id(std::uint32_t sent) {
  const auto id = static_cast<std::uint16_t>(sent & 0x3FFF);
  return id != 0 ? id : 0x4000;
}

/// The age in the words of a rating ("TV-14", "18+", "13 ans +"); 0 if they name none.
std::uint8_t age_of_rating(std::string_view words);

}  // namespace receiverd::epg
