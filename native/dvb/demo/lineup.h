// The services of the demo multiplex: their identity, their streams and the coding of their texts.
//
// Identifiers come from the ranges that ETSI TS 101 162 reserves for private and temporary use: original_network_id and
// network_id 0xFF0D, bouquet_id 0xFF0D. No broadcaster uses them on air.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "dvb/demo/layer2_encoder.h"
#include "dvb/demo/mpeg2_encoder.h"

namespace receiverd::dvb::demo {

inline constexpr std::uint16_t kNetworkId = 0xFF0D;
inline constexpr std::uint16_t kOriginalNetworkId = 0xFF0D;
inline constexpr std::uint16_t kTransportStreamId = 0x0D01;
inline constexpr std::uint16_t kOtherTransportStreamId = 0x0D02;  ///< announced in NIT and SDT other, not on air
inline constexpr std::uint16_t kBouquetId = 0xFF0D;
inline constexpr std::string_view kNetworkName = "receiverd demo";
inline constexpr std::string_view kBouquetName = "Demo bouquet";
inline constexpr std::string_view kCridAuthority = "demo.invalid";

/// Coding of the guide and the name of a service (EN 300 468 Annex A).
enum class TextCoding : std::uint8_t {
  latin,     ///< default table, ISO/IEC 6937 with two-byte accents, no selection byte
  latin_9,   ///< 0x10 0x00 0x0F: ISO/IEC 8859-15
  cyrillic,  ///< 0x01: ISO/IEC 8859-5
  greek,     ///< 0x03: ISO/IEC 8859-7
  turkish,   ///< 0x05: ISO/IEC 8859-9
  two_byte,  ///< 0x11: ISO/IEC 10646, 16 bit
  utf8       ///< 0x15
};

/// The moving figure in the picture.
enum class Motif : std::uint8_t { none, bouncing_ball, globe, sea, faces, record, track };

struct AudioTrack {
  std::uint16_t pid;
  std::string_view language;
  std::size_t tune;
  AudioFormat format;
};

struct LineupEntry {
  std::uint16_t service_id;
  std::uint8_t channel;  ///< logical channel number
  std::string_view name;
  std::string_view provider;
  std::string_view language;  ///< ISO 639-2
  std::string_view country;   ///< ISO 3166, for ratings
  TextCoding coding;
  std::uint16_t pmt_pid;
  std::uint16_t video_pid;  ///< 0: radio
  VideoFormat video;
  Motif motif;
  std::uint32_t paper;  ///< background colours and accent, 0xRRGGBB
  std::uint32_t deep;
  std::uint32_t accent;
  std::string_view now_label;
  std::string_view next_label;
  std::span<const AudioTrack> audio;

  bool radio() const { return video_pid == 0; }
  std::uint16_t pcr_pid() const { return radio() ? audio.front().pid : video_pid; }
};

std::span<const LineupEntry> lineup();

}  // namespace receiverd::dvb::demo
