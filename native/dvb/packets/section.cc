#include "dvb/packets/section.h"

namespace receiverd::dvb {

std::optional<SectionHeader> read_section_header(wire::Bytes section) {
  if (section.size() < kLongSectionHeaderSize + kCrcSize || (section[1] & 0x80) == 0) return std::nullopt;
  if (section_size(section) != section.size() || section[6] > section[7]) return std::nullopt;
  SectionHeader header;
  header.table_id = section[0];
  header.table_id_extension = static_cast<std::uint16_t>(section[3] << 8 | section[4]);
  header.version = section[5] >> 1 & 0x1F;
  header.current = (section[5] & 1) != 0;
  header.section_number = section[6];
  header.last_section_number = section[7];
  return header;
}

wire::Bytes section_body(wire::Bytes section) {
  return section.subspan(kLongSectionHeaderSize, section.size() - kLongSectionHeaderSize - kCrcSize);
}

std::uint32_t section_crc(wire::Bytes section) { return wire::Cursor(section.last(kCrcSize)).u32(); }

}  // namespace receiverd::dvb
