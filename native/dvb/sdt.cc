#include "dvb/sdt.h"

#include "dvb/section_writer.h"

namespace receiverd::dvb {

bool append_section(wire::Bytes section, Sdt& sdt) {
  const auto header = read_section_header(section);
  if (!header || (header->table_id != table_id::kSdtActual && header->table_id != table_id::kSdtOther)) return false;
  wire::Cursor body(section_body(section));
  const std::uint16_t original_network_id = body.u16();
  body.skip(1);
  if (!body.ok()) return false;
  sdt.actual = header->table_id == table_id::kSdtActual;
  sdt.transport_stream_id = header->table_id_extension;
  sdt.original_network_id = original_network_id;
  sdt.version = header->version;
  while (body.left() >= 5) {
    Sdt::Service service;
    service.service_id = body.u16();
    const std::uint8_t eit = body.u8();
    service.eit_schedule = (eit & 0x02) != 0;
    service.eit_present_following = (eit & 0x01) != 0;
    const std::uint16_t state = body.u16();
    service.running_status = static_cast<RunningStatus>(state >> 13);
    service.free_ca_mode = (state & 0x1000) != 0;
    const wire::Bytes loop = body.take(state & 0x0FFF);
    if (!body.ok()) break;
    service.descriptors.assign(loop.begin(), loop.end());
    sdt.services.push_back(std::move(service));
  }
  return true;
}

std::vector<Section> write_sections(const Sdt& sdt) {
  std::vector<Section> sections;
  std::size_t at = 0;
  do {
    SectionWriter writer({sdt.actual ? table_id::kSdtActual : table_id::kSdtOther, sdt.transport_stream_id, sdt.version,
                          true, static_cast<std::uint8_t>(sections.size()), 0});
    writer.u16(sdt.original_network_id);
    writer.u8(0xFF);
    const std::size_t empty = writer.size();
    for (; at < sdt.services.size(); ++at) {
      const Sdt::Service& service = sdt.services[at];
      if (writer.size() + 5 + service.descriptors.size() + kCrcSize > kMaximumPsiSectionSize) {
        if (writer.size() > empty) break;  // goes into the next section
        continue;                          // goes into none
      }
      writer.u16(service.service_id);
      writer.u8(
          static_cast<std::uint8_t>(0xFC | (service.eit_schedule ? 2 : 0) | (service.eit_present_following ? 1 : 0)));
      writer.loop(service.descriptors,
                  static_cast<std::uint8_t>(static_cast<std::uint8_t>(service.running_status) << 1 |
                                            (service.free_ca_mode ? 1 : 0)));
    }
    sections.push_back(writer.finish());
  } while (at < sdt.services.size() && sections.size() < 256);
  set_last_section_number(sections);
  return sections;
}

}  // namespace receiverd::dvb
