#include "dvb/transport_stream_loop.h"

#include "dvb/section_writer.h"

namespace receiverd::dvb {

bool append_transport_streams(wire::Bytes body, Section& descriptors, std::vector<TransportStreamEntry>& entries) {
  wire::Cursor cursor(body);
  const wire::Bytes common = cursor.take(cursor.u16() & 0x0FFF);
  wire::Cursor loop(cursor.take(cursor.u16() & 0x0FFF));
  if (!cursor.ok()) return false;
  descriptors.insert(descriptors.end(), common.begin(), common.end());
  while (loop.left() >= 6) {
    TransportStreamEntry entry;
    entry.transport_stream_id = loop.u16();
    entry.original_network_id = loop.u16();
    const wire::Bytes own = loop.take(loop.u16() & 0x0FFF);
    if (!loop.ok()) break;
    entry.descriptors.assign(own.begin(), own.end());
    entries.push_back(std::move(entry));
  }
  return true;
}

std::vector<Section> write_transport_streams(std::uint8_t table_id, std::uint16_t table_id_extension,
                                             std::uint8_t version, const Section& descriptors,
                                             const std::vector<TransportStreamEntry>& entries) {
  std::vector<Section> sections;
  std::size_t at = 0;
  do {
    SectionWriter writer({table_id, table_id_extension, version, true, static_cast<std::uint8_t>(sections.size()), 0});
    const auto room = [&writer] { return kMaximumPsiSectionSize - kCrcSize - writer.size(); };
    const bool with_descriptors = sections.empty() && descriptors.size() + 4 <= room();
    writer.loop(with_descriptors ? wire::Bytes(descriptors) : wire::Bytes{});
    const std::size_t length_at = writer.size();
    writer.u16(0xF000);
    const std::size_t empty = writer.size();
    for (; at < entries.size(); ++at) {
      const TransportStreamEntry& entry = entries[at];
      if (6 + entry.descriptors.size() > room()) {
        // An entry that does not even fit without common descriptors never fits.
        if (writer.size() > empty || (with_descriptors && !descriptors.empty())) break;
        continue;
      }
      writer.u16(entry.transport_stream_id);
      writer.u16(entry.original_network_id);
      writer.loop(entry.descriptors);
    }
    writer.set_length(length_at, writer.size() - empty);
    sections.push_back(writer.finish());
  } while (at < entries.size() && sections.size() < 256);
  set_last_section_number(sections);
  return sections;
}

}  // namespace receiverd::dvb
