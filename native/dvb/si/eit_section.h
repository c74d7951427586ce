// Event information table (EN 300 468 §5.2.4): reads the section header, for routing and for collecting sub-tables, and
// writes present/following and schedule sections. native/epg decodes the descriptors of events.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dvb/packets/section.h"
#include "wire/time.h"

namespace receiverd::dvb {

struct EitSectionHeader {
  SectionHeader section;  ///< table_id_extension is the service_id
  std::uint16_t transport_stream_id = 0;
  std::uint16_t original_network_id = 0;
  std::uint8_t segment_last_section_number = 0;
  std::uint8_t last_table_id = 0;

  std::uint16_t service_id() const { return section.table_id_extension; }
  DvbTriplet triplet() const { return {original_network_id, transport_stream_id, service_id()}; }
  /// True for a service of this multiplex (0x4E, 0x50..0x5F), false for another one.
  bool is_actual() const { return section.table_id == 0x4E || (section.table_id & 0xF0) == 0x50; }
  bool is_present_following() const { return section.table_id <= 0x4F; }
  bool operator==(const EitSectionHeader&) const = default;
};

/// Returns nothing if the section is not a whole EIT section (table_id 0x4E..0x6F, at least 18 bytes).
std::optional<EitSectionHeader> read_eit_section_header(wire::Bytes section);

/// A copy of `eit_section`, which read_eit_section_header() must accept, that belongs to `service` instead. CRC_32 is
/// not updated.
Section with_triplet(wire::Bytes eit_section, const DvbTriplet& service);

/// One event of a section, with its times decoded and its descriptors raw.
struct EitEvent {
  std::uint16_t event_id = 0;
  std::optional<wire::UnixSeconds> start;  ///< missing if undefined (NVOD reference services) or invalid
  std::uint32_t duration = 0;              ///< seconds; 0 also if undefined (all ones) or invalid
  RunningStatus running_status = RunningStatus::undefined;
  bool free_ca_mode = false;
  DescriptorLoop descriptors;  ///< at most 4095 bytes
  bool operator==(const EitEvent&) const = default;
};

/// The first event, without its descriptors, of a section that read_eit_section_header() accepts. Returns nothing if
/// the section has no events. Allocates nothing.
std::optional<EitEvent> first_eit_event(wire::Bytes section);

/// All events. A truncated loop yields the events before the cut.
std::vector<EitEvent> read_eit_events(wire::Bytes section);

/// The bytes one event takes in a section. A section has room for kEitSectionRoom bytes of events.
inline std::size_t eit_event_size(const EitEvent& event) { return 12 + event.descriptors.size(); }
inline constexpr std::size_t kEitSectionRoom = kMaxSectionSize - 14 - kCrcSize;

/// Writes one section. Events that no longer fit into kEitSectionRoom are left out.
Section write_eit_section(const EitSectionHeader& header, std::span<const EitEvent> events);

/// Writes section 0 with the present event and section 1 with the following one. Either event may be missing.
std::vector<Section> write_eit_present_following(const DvbTriplet& service, bool actual, std::uint8_t version,
                                                 const EitEvent* present, const EitEvent* following);

/// All sections of the schedule sub-tables of one service, laid out in segments of three hours (ETSI TS 101 211
/// §4.1.4). `midnight` is 00:00 UTC of today. `events` must be in order of start; those before midnight or more than 64
/// days after it, and those that do not fit into the eight sections of their segment, are left out.
std::vector<Section> write_eit_schedule(const DvbTriplet& service, bool actual, std::uint8_t version,
                                        wire::UnixSeconds midnight, std::span<const EitEvent> events);

}  // namespace receiverd::dvb
