// Builds EIT sections for tests: bytes as a broadcaster sends them, CRC_32 included.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event/event.h"
#include "wire/crc32.h"

namespace receiverd::epg {

using SectionBytes = std::vector<std::uint8_t>;

using wire::bytes_of;

inline std::string descriptor(std::uint8_t tag, std::string_view body) {
  std::string out{static_cast<char>(tag), static_cast<char>(body.size())};
  return out.append(body);
}

inline std::string counted(std::string_view text) {
  return std::string(1, static_cast<char>(text.size())).append(text);
}

inline std::string short_event(std::string_view language, std::string_view title, std::string_view text = {}) {
  return descriptor(0x4D, std::string(language) + counted(title) + counted(text));
}

inline std::string extended_event(unsigned number, unsigned last, std::string_view language, std::string_view text,
                                  std::string_view items = {}) {
  return descriptor(0x4E, std::string(1, static_cast<char>(number << 4 | last)) + std::string(language) +
                              counted(items) + counted(text));
}

struct SentEvent {
  std::uint16_t id = 1;
  std::uint64_t start = 0xEB96120000ULL;  ///< MJD and BCD: 2024-01-01 12:00 UTC
  std::uint32_t duration = 0x010000;      ///< BCD
  std::uint8_t running_status = 0;
  std::string descriptors = {};
};

inline SectionBytes eit_section(std::uint8_t table_id, const std::vector<SentEvent>& events, std::uint16_t service = 7,
                                std::uint8_t version = 1, std::uint8_t number = 0, std::uint8_t last = 0) {
  SectionBytes out{table_id, 0, 0};
  const auto put = [&out](std::uint64_t value, int bytes) {
    while (bytes-- > 0) out.push_back(static_cast<std::uint8_t>(value >> (8 * bytes)));
  };
  put(service, 2);
  put(0xC1U | static_cast<unsigned>(version << 1), 1);
  put(number, 1);
  put(last, 1);
  put(1101, 2);
  put(8916, 2);
  put(last, 1);
  put(table_id, 1);
  for (const SentEvent& event : events) {
    put(event.id, 2);
    put(event.start, 5);
    put(event.duration, 3);
    put(static_cast<unsigned>(event.running_status << 13) | event.descriptors.size(), 2);
    out.insert(out.end(), event.descriptors.begin(), event.descriptors.end());
  }
  const std::size_t length = out.size() + 4 - 3;
  out[1] = static_cast<std::uint8_t>(0xF0 | length >> 8);
  out[2] = static_cast<std::uint8_t>(length);
  put(wire::crc32(out), 4);
  return out;
}

}  // namespace receiverd::epg
