// The tables of PSIP that describe a multiplex (ATSC A/65 §6): MGT, TVCT, CVCT, STT and the ETTs of channels. Like
// those of tables.h, each is a plain struct that append_section() fills. native/epg/atsc decodes the guide's tables:
// RRT, EIT and the ETTs of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dvb/packets/section.h"
#include "dvb/si/service_description.h"
#include "wire/time.h"

namespace receiverd::dvb {

namespace pid {
inline constexpr std::uint16_t kPsip = 0x1FFB;  ///< all tables but EIT and ETT
}  // namespace pid

namespace table_id {
inline constexpr std::uint8_t kMgt = 0xC7;
inline constexpr std::uint8_t kTvct = 0xC8;
inline constexpr std::uint8_t kCvct = 0xC9;
inline constexpr std::uint8_t kRrt = 0xCA;
inline constexpr std::uint8_t kAtscEit = 0xCB;
inline constexpr std::uint8_t kEtt = 0xCC;
inline constexpr std::uint8_t kStt = 0xCD;
}  // namespace table_id

/// Master guide table (§6.2): the other tables of PSIP and their PIDs.
struct Mgt {
  struct Table {
    std::uint16_t type = 0;  ///< table 6.3: 0x0100 + k is EIT-k, 0x0200 + k is ETT-k, 4 the texts of channels
    std::uint16_t pid = 0;
  };

  std::vector<Table> tables;
};

/// Terrestrial or cable virtual channel table (§6.3).
struct Vct {
  static constexpr std::size_t kMaxChannels = 1024;

  struct Channel {
    std::string name;  ///< of the extended_channel_name_descriptor (§6.9.4), else short_name
    std::uint16_t major_number = 0;
    std::uint16_t minor_number = 0;  ///< 0 for a one-part number
    std::uint16_t transport_stream_id = 0;
    std::uint16_t program_number = 0;
    bool access_controlled = false;
    bool hidden = false;
    std::uint8_t service_type = 0;  ///< of EN 300 468; 0 unknown
    std::uint16_t source_id = 0;
    std::vector<std::uint16_t> pids;  ///< of its streams (service_location_descriptor, §6.9.7)
  };

  std::vector<Channel> channels;  ///< digital and active ones, at most kMaxChannels
};

bool append_section(wire::Bytes section, Mgt& mgt);
bool append_section(wire::Bytes section, Vct& vct);

/// System time table (§6.1).
struct Stt {
  wire::UnixSeconds utc = 0;
  std::uint8_t gps_utc_offset = 0;  ///< leap seconds: GPS time minus UTC
  bool daylight_saving = false;     ///< DS_status: now. The clock is UTC and does not depend on it
};
std::optional<Stt> read_stt(wire::Bytes section);

/// What an ETT (§6.6) says of a channel.
struct ChannelText {
  std::uint16_t source_id = 0;
  wire::Bytes text;  ///< multiple_string_structure, within the section
};
/// Nothing if the section is malformed, or the text of an event.
std::optional<ChannelText> read_channel_text(wire::Bytes section);

}  // namespace receiverd::dvb
