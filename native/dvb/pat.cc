#include "dvb/pat.h"

#include "dvb/section_writer.h"

namespace receiverd::dvb {

bool append_section(wire::Bytes section, Pat& pat) {
  const auto header = read_section_header(section);
  if (!header || header->table_id != table_id::kPat) return false;
  pat.transport_stream_id = header->table_id_extension;
  pat.version = header->version;
  for (wire::Cursor body(section_body(section)); body.left() >= 4;) {
    const std::uint16_t program_number = body.u16();
    const std::uint16_t pid = body.u16() & 0x1FFF;
    if (program_number == 0) {
      pat.network_pid = pid;
    } else {
      pat.programs.push_back({program_number, pid});
    }
  }
  return true;
}

std::vector<Section> write_sections(const Pat& pat) {
  std::vector<Section> sections;
  std::size_t at = 0;
  do {
    SectionWriter writer(
        {table_id::kPat, pat.transport_stream_id, pat.version, true, static_cast<std::uint8_t>(sections.size()), 0});
    if (sections.empty() && pat.network_pid != 0) {
      writer.u16(0);
      writer.u16(0xE000 | (pat.network_pid & 0x1FFF));
    }
    for (; at < pat.programs.size() && writer.size() + 4 + kCrcSize <= kMaximumPsiSectionSize; ++at) {
      writer.u16(pat.programs[at].service_id);
      writer.u16(0xE000 | (pat.programs[at].pmt_pid & 0x1FFF));
    }
    sections.push_back(writer.finish());
  } while (at < pat.programs.size() && sections.size() < 256);
  set_last_section_number(sections);
  return sections;
}

}  // namespace receiverd::dvb
