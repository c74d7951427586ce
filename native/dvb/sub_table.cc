#include "dvb/sub_table.h"

#include <utility>

namespace receiverd::dvb {

bool SubTable::Edition::is(const SectionHeader& header) const {
  return held > 0 && version == header.version && sections.size() == header.last_section_number + 1U;
}

bool SubTable::Edition::put(const SectionHeader& header, wire::Bytes section) {
  if (!is(header)) {
    *this = {};
    version = header.version;
    sections.resize(header.last_section_number + 1U);
  }
  Section& place = sections[header.section_number];
  if (place.size() == section.size() && section_crc(place) == section_crc(section)) return false;
  if (place.empty()) ++held;
  bytes += section.size() - place.size();
  place.assign(section.begin(), section.end());
  return true;
}

bool SubTable::add(const SectionHeader& header, wire::Bytes section) {
  // Changing a section without changing its version is a fault of the sender; the latest content is used.
  if (!complete() || shown_.is(header)) return shown_.put(header, section);
  next_.put(header, section);
  if (next_.held < next_.sections.size()) return false;
  shown_ = std::exchange(next_, {});
  return true;
}

}  // namespace receiverd::dvb
