// The tables of PSI and SI, each a plain struct. append_section(section, table) adds the contents of one section to the
// table. It returns false, and does not change the table, if the section is not a whole section of that table; a loop
// that is truncated inside the section yields the entries before the cut. write_sections(table) is the inverse: it
// returns as many sections as the entries need, at least one. An entry too large for a section of its own (1024 bytes)
// is left out.
//
// Descriptor loops are kept as bytes. elementary_stream.h, service_description.h and delivery_system.h decode them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dvb/packets/section.h"
#include "wire/time.h"

namespace receiverd::dvb {

/// Program association table (ISO/IEC 13818-1 §2.4.4.3): the services in the multiplex, and where their PMTs are.
struct Pat {
  struct Program {
    std::uint16_t service_id = 0;  ///< program_number; never 0: program 0 gives network_pid
    std::uint16_t pmt_pid = 0;
    bool operator==(const Program&) const = default;
  };

  std::uint16_t transport_stream_id = 0;
  std::uint8_t version = 0;
  std::uint16_t network_pid = 0;  ///< the PID of program 0; 0 if absent
  std::vector<Program> programs;
  bool operator==(const Pat&) const = default;
};

/// Program map table (ISO/IEC 13818-1 §2.4.4.8): the elementary streams of one service. One section: the standard
/// allows no more.
struct Pmt {
  struct Stream {
    std::uint8_t stream_type = 0;  ///< ISO/IEC 13818-1 table 2-34
    std::uint16_t pid = 0;
    DescriptorLoop descriptors;
    bool operator==(const Stream&) const = default;
  };

  std::uint16_t service_id = 0;  ///< program_number
  std::uint8_t version = 0;
  std::uint16_t pcr_pid = 0x1FFF;  ///< 0x1FFF: the service has no clock
  DescriptorLoop descriptors;      ///< of the whole service
  std::vector<Stream> streams;
  bool operator==(const Pmt&) const = default;
};

/// Service description table (EN 300 468 §5.2.3): names and state of the services of this (actual) or another
/// multiplex.
struct Sdt {
  struct Service {
    std::uint16_t service_id = 0;
    bool eit_schedule = false;
    bool eit_present_following = false;
    RunningStatus running_status = RunningStatus::undefined;
    bool free_ca_mode = false;   ///< true: a CA system controls at least one stream
    DescriptorLoop descriptors;  ///< see service_description.h
    bool operator==(const Service&) const = default;
  };

  bool actual = true;  ///< table_id 0x42, else 0x46
  std::uint16_t transport_stream_id = 0;
  std::uint16_t original_network_id = 0;
  std::uint8_t version = 0;
  std::vector<Service> services;
  bool operator==(const Sdt&) const = default;
};

/// Network information table (EN 300 468 §5.2.1): the multiplexes of a network and how to tune them. The bouquet
/// association table (§5.2.2) has the same syntax: services grouped by an operator, across networks.
struct NetworkTable {
  struct Entry {
    std::uint16_t transport_stream_id = 0;
    std::uint16_t original_network_id = 0;
    DescriptorLoop descriptors;  ///< see delivery_system.h, service_description.h
    bool operator==(const Entry&) const = default;
  };

  std::uint8_t table_id = table_id::kNitActual;  ///< or kNitOther, kBat, kFastScanNetwork
  std::uint16_t id = 0;                          ///< network_id or bouquet_id
  std::uint8_t version = 0;
  DescriptorLoop descriptors;  ///< network_name_descriptor 0x40, bouquet_name_descriptor 0x47 and others
  std::vector<Entry> transport_streams;
  bool operator==(const NetworkTable&) const = default;
};

/// Broadcaster information table of ISDB (ARIB STD-B10 part 2, 5.2.13).
struct Bit {
  struct Broadcaster {
    std::uint8_t id = 0;
    DescriptorLoop descriptors;  ///< broadcaster_name_descriptor 0xD8, service_list_descriptor 0x41
    bool operator==(const Broadcaster&) const = default;
  };

  std::uint16_t original_network_id = 0;
  std::uint8_t version = 0;
  std::vector<Broadcaster> broadcasters;
  bool operator==(const Bit&) const = default;
};

/// Fast scan services table (private, table_id 0xBD): the services of an operator on all of its multiplexes. The
/// NetworkTable with table_id 0xBC on the same PID has the tuning parameters of the multiplexes.
struct FastScanServices {
  struct Service {
    DvbTriplet triplet;
    std::uint16_t video_pid = 0;  ///< the PIDs are hints; 0 and 0x1FFF: none
    std::uint16_t audio_pid = 0;
    std::uint16_t video_ecm_pid = 0;
    std::uint16_t audio_ecm_pid = 0;
    std::uint16_t pcr_pid = 0;
    DescriptorLoop descriptors;  ///< see service_description.h
    bool operator==(const Service&) const = default;
  };

  std::uint16_t operator_network_id = 0;
  std::uint8_t version = 0;
  std::vector<Service> services;
  bool operator==(const FastScanServices&) const = default;
};

bool append_section(wire::Bytes section, Pat& pat);
bool append_section(wire::Bytes section, Pmt& pmt);
bool append_section(wire::Bytes section, Sdt& sdt);
bool append_section(wire::Bytes section, NetworkTable& table);
bool append_section(wire::Bytes section, Bit& bit);
bool append_section(wire::Bytes section, FastScanServices& table);

std::vector<Section> write_sections(const Pat& pat);
std::vector<Section> write_sections(const Pmt& pmt);
std::vector<Section> write_sections(const Sdt& sdt);
std::vector<Section> write_sections(const NetworkTable& table);
std::vector<Section> write_sections(const Bit& bit);
std::vector<Section> write_sections(const FastScanServices& table);

/// UTC_time of a time and date table, or of a time offset table (EN 300 468 §5.2.5, §5.2.6): the broadcast clock.
/// Returns nothing if `section` is of another table or its time is invalid.
std::optional<wire::UnixSeconds> read_tdt(wire::Bytes section);
std::optional<wire::UnixSeconds> read_tot(wire::Bytes section);

/// The contents of a local_time_offset_descriptor 0x58 for a country without time zone regions (EN 300 468 §6.2.20).
struct LocalTimeOffset {
  std::string_view country;                      ///< ISO 3166, three letters
  int offset_minutes = 0;                        ///< local time minus UTC, -12 h .. +13 h
  std::optional<wire::UnixSeconds> change = {};  ///< when the next offset takes effect; nullopt: unknown
  int next_offset_minutes = 0;
};

Section write_tdt(wire::UnixSeconds utc);
Section write_tot(wire::UnixSeconds utc, const LocalTimeOffset& offset);

}  // namespace receiverd::dvb
