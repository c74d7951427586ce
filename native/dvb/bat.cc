#include "dvb/bat.h"

namespace receiverd::dvb {

bool append_section(wire::Bytes section, Bat& bat) {
  const auto header = read_section_header(section);
  if (!header || header->table_id != table_id::kBat) return false;
  if (!append_transport_streams(section_body(section), bat.descriptors, bat.transport_streams)) return false;
  bat.bouquet_id = header->table_id_extension;
  bat.version = header->version;
  return true;
}

std::vector<Section> write_sections(const Bat& bat) {
  return write_transport_streams(table_id::kBat, bat.bouquet_id, bat.version, bat.descriptors, bat.transport_streams);
}

}  // namespace receiverd::dvb
