// Builds sections of PSIP for tests: EIT, ETT and RRT as a broadcaster sends them, CRC_32 included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "epg/section_builder.h"

namespace receiverd::epg {

/// A string of a multiple_string_structure, with one segment.
inline std::string one_string(std::string_view bytes, std::uint8_t mode = 0, std::string_view code = "eng") {
  return std::string(code) + '\x01' + '\0' + static_cast<char>(mode) + counted(bytes);
}

inline std::string multiple_string(std::string_view bytes, std::uint8_t mode = 0) {
  return '\x01' + one_string(bytes, mode);
}

struct PsipEvent {
  std::uint16_t id = 0;
  wire::UnixSeconds start = 0;
  std::uint32_t duration = 1800;
  std::string_view title = {};
  std::string descriptors = {};
  bool has_text = false;
};

/// A section with a long header, from its table_id_extension on.
inline SectionBytes psip_section(std::uint8_t table_id, std::uint16_t extension, std::uint8_t version,
                                 std::string_view body) {
  SectionBytes out{table_id,
                   0,
                   0,
                   static_cast<std::uint8_t>(extension >> 8),
                   static_cast<std::uint8_t>(extension),
                   static_cast<std::uint8_t>(0xC1 | version << 1),
                   0,
                   0,
                   0};
  out.insert(out.end(), body.begin(), body.end());
  const std::size_t length = out.size() + 4 - 3;
  out[1] = static_cast<std::uint8_t>(0xF0 | length >> 8);
  out[2] = static_cast<std::uint8_t>(length);
  const std::uint32_t crc = wire::crc32(out);
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(crc >> shift));
  return out;
}

inline std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  while (bytes-- > 0) out += static_cast<char>(value >> (8 * bytes));
  return out;
}

inline SectionBytes psip_eit(std::uint16_t source_id, const std::vector<PsipEvent>& events, std::uint8_t version = 1) {
  constexpr wire::UnixSeconds kGpsEpoch = 315'964'800;
  constexpr int kLeapSeconds = 18;
  std::string body(1, static_cast<char>(events.size()));
  for (const PsipEvent& event : events) {
    body += big_endian(0xC000U | event.id, 2);
    body += big_endian(static_cast<std::uint64_t>(event.start - kGpsEpoch + kLeapSeconds), 4);
    body += big_endian(0xC00000U | (event.has_text ? 0x100000U : 0U) | event.duration, 3);
    body += event.title.empty() ? std::string(1, '\0') : counted(multiple_string(event.title));
    body += big_endian(0xF000U | event.descriptors.size(), 2) + event.descriptors;
  }
  return psip_section(0xCB, source_id, version, body);
}

inline SectionBytes psip_ett(std::uint16_t source_id, std::uint16_t event_id, std::string_view text) {
  const std::uint32_t id = static_cast<std::uint32_t>(source_id) << 16 | static_cast<std::uint32_t>(event_id) << 2 | 2U;
  return psip_section(0xCC, 0, 1, big_endian(id, 4).append(text));
}

/// Dimensions with the names of their values.
inline SectionBytes psip_rrt(std::uint8_t region, const std::vector<std::vector<std::string_view>>& dimensions) {
  std::string body = counted(multiple_string("Region")) + static_cast<char>(dimensions.size());
  for (const auto& values : dimensions) {
    body += counted(multiple_string("Dimension")) + static_cast<char>(0xF0 | values.size());
    for (const std::string_view value : values) {
      body += counted(multiple_string(value)) + counted(multiple_string(value));
    }
  }
  return psip_section(0xCA, static_cast<std::uint16_t>(0xFF00 | region), 1, body + std::string("\xFC\x00", 2));
}

}  // namespace receiverd::epg
