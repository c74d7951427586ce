// The services of the demo multiplex: their identity, their streams and the coding of their texts.
//
// Identifiers come from the ranges that ETSI TS 101 162 reserves for private and temporary use: original_network_id and
// network_id 0xFF0D, bouquet_id 0xFF0D. No broadcaster uses them on air.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "epg/text/dvb_text.h"

namespace receiverd::demo {

inline constexpr std::uint16_t kNetworkId = 0xFF0D;
inline constexpr std::uint16_t kOriginalNetworkId = 0xFF0D;
inline constexpr std::uint16_t kTransportStreamId = 0x0D01;
inline constexpr std::uint16_t kOtherTransportStreamId = 0x0D02;  ///< announced in NIT and SDT other, not on air
inline constexpr std::uint16_t kBouquetId = 0xFF0D;
inline constexpr std::string_view kNetworkName = "receiverd demo";
inline constexpr std::string_view kBouquetName = "Demo bouquet";
inline constexpr std::string_view kCridAuthority = "demo.invalid";

enum class Coding : std::uint8_t { h264, hevc, aac, ac3, mp2, subtitles };

/// How a coding is stored, sent and announced. Its units, pictures or frames, all have the same duration.
struct CodingTraits {
  std::string_view ending;      ///< file name extension
  std::uint8_t stream_type;     ///< ISO/IEC 13818-1 table 2-34
  std::uint8_t stream_id;       ///< of its PES packets
  std::uint8_t stream_content;  ///< EN 300 468 table 26, after stream_content_ext
  std::int64_t duration;        ///< of a unit, in 90 kHz ticks
  std::size_t units = 0;        ///< units in a file; 0: any number
};

const CodingTraits& traits(Coding coding);

struct StreamEntry {
  std::uint16_t pid;
  Coding coding;
  std::uint8_t component_type;     ///< EN 300 468 table 26
  std::string_view language = {};  ///< ISO 639-2; none for video
  std::size_t frame_size = 0;      ///< bytes per frame, for AC-3 and Layer II
};

/// Service types (EN 300 468 table 89).
namespace service_type {
inline constexpr std::uint8_t kTelevision = 0x01;
inline constexpr std::uint8_t kRadio = 0x02;
inline constexpr std::uint8_t kHdTelevision = 0x19;
inline constexpr std::uint8_t kHevcTelevision = 0x1F;
}  // namespace service_type

struct LineupEntry {
  std::uint16_t service_id;
  std::uint8_t channel;  ///< logical channel number
  std::uint8_t type;
  std::string_view name;
  std::string_view provider;
  std::string_view language;  ///< ISO 639-2
  std::string_view country;   ///< ISO 3166, for ratings
  epg::CharacterTable table;  ///< character table of its name and guide
  std::string_view files;     ///< first part of the names of its files in assets/demo/
  std::uint16_t pmt_pid;
  std::span<const StreamEntry> streams;  ///< the first one has the PCR: video, or audio of a radio service

  bool is_radio() const { return type == service_type::kRadio; }
  std::uint16_t pcr_pid() const { return streams.front().pid; }
};

std::span<const LineupEntry> lineup();

}  // namespace receiverd::demo
