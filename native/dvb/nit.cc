#include "dvb/nit.h"

namespace receiverd::dvb {

bool append_section(wire::Bytes section, Nit& nit) {
  const auto header = read_section_header(section);
  if (!header || (header->table_id != table_id::kNitActual && header->table_id != table_id::kNitOther)) return false;
  if (!append_transport_streams(section_body(section), nit.descriptors, nit.transport_streams)) return false;
  nit.actual = header->table_id == table_id::kNitActual;
  nit.network_id = header->table_id_extension;
  nit.version = header->version;
  return true;
}

std::vector<Section> write_sections(const Nit& nit) {
  return write_transport_streams(nit.actual ? table_id::kNitActual : table_id::kNitOther, nit.network_id, nit.version,
                                 nit.descriptors, nit.transport_streams);
}

}  // namespace receiverd::dvb
