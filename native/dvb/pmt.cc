#include "dvb/pmt.h"

#include "dvb/section_writer.h"

namespace receiverd::dvb {

bool append_section(wire::Bytes section, Pmt& pmt) {
  const auto header = read_section_header(section);
  if (!header || header->table_id != table_id::kPmt) return false;
  wire::Cursor body(section_body(section));
  const std::uint16_t pcr_pid = body.u16() & 0x1FFF;
  const wire::Bytes descriptors = body.take(body.u16() & 0x0FFF);
  if (!body.ok()) return false;
  pmt.service_id = header->table_id_extension;
  pmt.version = header->version;
  pmt.pcr_pid = pcr_pid;
  pmt.descriptors.insert(pmt.descriptors.end(), descriptors.begin(), descriptors.end());
  while (body.left() >= 5) {
    Pmt::Stream stream;
    stream.stream_type = body.u8();
    stream.pid = body.u16() & 0x1FFF;
    const wire::Bytes loop = body.take(body.u16() & 0x0FFF);
    if (!body.ok()) break;
    stream.descriptors.assign(loop.begin(), loop.end());
    pmt.streams.push_back(std::move(stream));
  }
  return true;
}

std::vector<Section> write_sections(const Pmt& pmt) {
  SectionWriter writer({table_id::kPmt, pmt.service_id, pmt.version, true, 0, 0});
  const auto fits = [&writer](std::size_t size) { return writer.size() + size + kCrcSize <= kMaximumPsiSectionSize; };
  writer.u16(0xE000 | (pmt.pcr_pid & 0x1FFF));
  writer.loop(fits(2 + pmt.descriptors.size()) ? wire::Bytes(pmt.descriptors) : wire::Bytes{});
  for (const Pmt::Stream& stream : pmt.streams) {
    if (!fits(5 + stream.descriptors.size())) continue;
    writer.u8(stream.stream_type);
    writer.u16(0xE000 | (stream.pid & 0x1FFF));
    writer.loop(stream.descriptors);
  }
  return {writer.finish()};
}

}  // namespace receiverd::dvb
