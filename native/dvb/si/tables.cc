#include "dvb/si/tables.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "dvb/packets/section_writer.h"

namespace receiverd::dvb {
namespace {

/// The header of a section, if it is whole and its table_id is one of `table_ids`.
std::optional<SectionHeader> header_of(wire::Bytes section, std::initializer_list<std::uint8_t> table_ids) {
  const auto header = read_section_header(section);
  return header && std::ranges::count(table_ids, header->table_id) != 0 ? header : std::nullopt;
}

/// Reads a 12-bit length and returns that many bytes.
wire::Bytes take_loop(wire::Cursor& cursor) { return cursor.take(cursor.u16() & 0x0FFF); }

/// Writes sections with `items`. `begin(writer, is_first)` writes the start of each section, at least `min_head_bytes`,
/// and returns the position of the 12-bit length of the items, or 0 if the table has none. `put(writer, item)` writes
/// an item.
template <typename Item, typename Begin, typename Put>
std::vector<Section> write_items(std::uint8_t table_id, std::uint16_t extension, std::uint8_t version,
                                 const std::vector<Item>& items, std::size_t min_head_bytes, Begin begin, Put put) {
  std::vector<Section> sections;
  auto item = items.begin();
  do {
    SectionWriter writer({table_id, extension, version, true, static_cast<std::uint8_t>(sections.size()), 0});
    const std::size_t length_at = begin(writer, sections.empty());
    const std::size_t empty = writer.size();
    for (; item != items.end(); ++item) {
      const std::size_t before = writer.size();
      put(writer, *item);
      if (writer.size() + kCrcSize <= kMaxPsiSectionSize) continue;
      const std::size_t alone = kLongSectionHeaderSize + min_head_bytes + writer.size() - before + kCrcSize;
      writer.cut(before);
      if (alone <= kMaxPsiSectionSize) break;  // it goes into the next section; larger items are left out
    }
    if (length_at != 0) writer.set_length(length_at, writer.size() - empty);
    sections.push_back(writer.finish());
  } while (item != items.end() && sections.size() < 256);
  set_last_section_number(sections);
  return sections;
}

constexpr std::size_t kTimeSize = 5;

/// UTC_time of a short section of `table_id`, which must have at least `more` bytes after it.
std::optional<wire::UnixSeconds> read_time(wire::Bytes section, std::uint8_t table_id, std::size_t more) {
  if (section.size() < kSectionHeaderSize + kTimeSize + more || section[0] != table_id) return std::nullopt;
  if (section_size(section) != section.size()) return std::nullopt;
  return wire::mjd_time(wire::Cursor(section.subspan(kSectionHeaderSize)).u40());
}

std::uint16_t to_bcd_minutes(int minutes) {
  return static_cast<std::uint16_t>(wire::to_bcd_seconds(static_cast<std::uint32_t>(std::abs(minutes)) * 60) >> 8);
}

}  // namespace

bool append_section(wire::Bytes section, Pat& pat) {
  const auto header = header_of(section, {table_id::kPat});
  if (!header) return false;
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
  const auto put = [](SectionWriter& writer, const Pat::Program& program) {
    writer.u16(program.service_id);
    writer.u16(0xE000 | (program.pmt_pid & 0x1FFF));
  };
  const auto begin = [&](SectionWriter& writer, bool is_first) {
    if (is_first && pat.network_pid != 0) put(writer, {0, pat.network_pid});
    return 0;
  };
  return write_items(table_id::kPat, pat.transport_stream_id, pat.version, pat.programs, 0, begin, put);
}

bool append_section(wire::Bytes section, Pmt& pmt) {
  const auto header = header_of(section, {table_id::kPmt});
  if (!header) return false;
  wire::Cursor body(section_body(section));
  const std::uint16_t pcr_pid = body.u16() & 0x1FFF;
  const wire::Bytes descriptors = take_loop(body);
  if (!body.ok()) return false;
  pmt.service_id = header->table_id_extension;
  pmt.version = header->version;
  pmt.pcr_pid = pcr_pid;
  pmt.descriptors.insert(pmt.descriptors.end(), descriptors.begin(), descriptors.end());
  while (body.left() >= 5) {
    const std::uint8_t stream_type = body.u8();
    const std::uint16_t pid = body.u16() & 0x1FFF;
    const wire::Bytes own = take_loop(body);
    if (!body.ok()) break;
    pmt.streams.push_back({stream_type, pid, {own.begin(), own.end()}});
  }
  return true;
}

std::vector<Section> write_sections(const Pmt& pmt) {
  SectionWriter writer({table_id::kPmt, pmt.service_id, pmt.version, true, 0, 0});
  const auto fits = [&writer](std::size_t size) { return writer.size() + size + kCrcSize <= kMaxPsiSectionSize; };
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

bool append_section(wire::Bytes section, Sdt& sdt) {
  const auto header = header_of(section, {table_id::kSdtActual, table_id::kSdtOther});
  if (!header) return false;
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
    const wire::Bytes own = body.take(state & 0x0FFF);
    if (!body.ok()) break;
    service.descriptors.assign(own.begin(), own.end());
    sdt.services.push_back(std::move(service));
  }
  return true;
}

std::vector<Section> write_sections(const Sdt& sdt) {
  const auto begin = [&](SectionWriter& writer, bool) {
    writer.u16(sdt.original_network_id);
    writer.u8(0xFF);
    return 0;
  };
  const auto put = [](SectionWriter& writer, const Sdt::Service& service) {
    writer.u16(service.service_id);
    writer.u8(
        static_cast<std::uint8_t>(0xFC | (service.eit_schedule ? 2 : 0) | (service.eit_present_following ? 1 : 0)));
    writer.loop(service.descriptors, state_flags(service.running_status, service.free_ca_mode));
  };
  return write_items(sdt.actual ? table_id::kSdtActual : table_id::kSdtOther, sdt.transport_stream_id, sdt.version,
                     sdt.services, 3, begin, put);
}

bool append_section(wire::Bytes section, NetworkTable& table) {
  const auto header =
      header_of(section, {table_id::kNitActual, table_id::kNitOther, table_id::kBat, table_id::kFastScanNetwork});
  if (!header) return false;
  wire::Cursor body(section_body(section));
  const wire::Bytes descriptors = take_loop(body);
  wire::Cursor loop(take_loop(body));
  if (!body.ok()) return false;
  table.table_id = header->table_id;
  table.id = header->table_id_extension;
  table.version = header->version;
  table.descriptors.insert(table.descriptors.end(), descriptors.begin(), descriptors.end());
  while (loop.left() >= 6) {
    const std::uint16_t transport_stream_id = loop.u16();
    const std::uint16_t original_network_id = loop.u16();
    const wire::Bytes own = take_loop(loop);
    if (!loop.ok()) break;
    table.transport_streams.push_back({transport_stream_id, original_network_id, {own.begin(), own.end()}});
  }
  return true;
}

std::vector<Section> write_sections(const NetworkTable& table) {
  // The first section contains the common descriptors.
  const auto begin = [&](SectionWriter& writer, bool is_first) {
    const bool fits = writer.size() + 4 + table.descriptors.size() + kCrcSize <= kMaxPsiSectionSize;
    writer.loop(is_first && fits ? wire::Bytes(table.descriptors) : wire::Bytes{});
    writer.u16(0xF000);
    return writer.size() - 2;
  };
  const auto put = [](SectionWriter& writer, const NetworkTable::Entry& entry) {
    writer.u16(entry.transport_stream_id);
    writer.u16(entry.original_network_id);
    writer.loop(entry.descriptors);
  };
  return write_items(table.table_id, table.id, table.version, table.transport_streams, 4, begin, put);
}

bool append_section(wire::Bytes section, Bit& bit) {
  const auto header = header_of(section, {table_id::kBit});
  if (!header) return false;
  wire::Cursor body(section_body(section));
  take_loop(body);
  if (!body.ok()) return false;
  bit.original_network_id = header->table_id_extension;
  bit.version = header->version;
  while (body.left() >= 3) {
    const std::uint8_t id = body.u8();
    const wire::Bytes own = take_loop(body);
    if (!body.ok()) break;
    bit.broadcasters.push_back({id, {own.begin(), own.end()}});
  }
  return true;
}

std::vector<Section> write_sections(const Bit& bit) {
  const auto begin = [](SectionWriter& writer, bool) {
    writer.loop({});
    return 0;
  };
  const auto put = [](SectionWriter& writer, const Bit::Broadcaster& broadcaster) {
    writer.u8(broadcaster.id);
    writer.loop(broadcaster.descriptors);
  };
  return write_items(table_id::kBit, bit.original_network_id, bit.version, bit.broadcasters, 2, begin, put);
}

bool append_section(wire::Bytes section, FastScanServices& table) {
  const auto header = header_of(section, {table_id::kFastScanServices});
  if (!header) return false;
  table.operator_network_id = header->table_id_extension;
  table.version = header->version;
  wire::Cursor body(section_body(section));
  while (body.left() >= 18) {
    FastScanServices::Service service;
    service.triplet.original_network_id = body.u16();
    service.triplet.transport_stream_id = body.u16();
    service.triplet.service_id = body.u16();
    for (std::uint16_t* pid :
         {&service.video_pid, &service.audio_pid, &service.video_ecm_pid, &service.audio_ecm_pid, &service.pcr_pid}) {
      *pid = body.u16() & 0x1FFF;
    }
    const wire::Bytes own = take_loop(body);
    if (!body.ok()) break;
    service.descriptors.assign(own.begin(), own.end());
    table.services.push_back(std::move(service));
  }
  return true;
}

std::vector<Section> write_sections(const FastScanServices& table) {
  const auto begin = [](SectionWriter&, bool) { return 0; };
  const auto put = [](SectionWriter& writer, const FastScanServices::Service& service) {
    writer.u16(service.triplet.original_network_id);
    writer.u16(service.triplet.transport_stream_id);
    writer.u16(service.triplet.service_id);
    for (const std::uint16_t pid :
         {service.video_pid, service.audio_pid, service.video_ecm_pid, service.audio_ecm_pid, service.pcr_pid}) {
      writer.u16(0xE000 | (pid & 0x1FFF));
    }
    writer.loop(service.descriptors);
  };
  return write_items(table_id::kFastScanServices, table.operator_network_id, table.version, table.services, 0, begin,
                     put);
}

std::optional<wire::UnixSeconds> read_tdt(wire::Bytes section) {
  return section.size() == kSectionHeaderSize + kTimeSize ? read_time(section, table_id::kTdt, 0) : std::nullopt;
}

std::optional<wire::UnixSeconds> read_tot(wire::Bytes section) {
  return read_time(section, table_id::kTot, 2 + kCrcSize);
}

Section write_tdt(wire::UnixSeconds utc) {
  SectionWriter writer(table_id::kTdt);
  writer.u40(wire::to_mjd_time(utc));
  return writer.finish_without_crc();
}

Section write_tot(wire::UnixSeconds utc, const LocalTimeOffset& offset) {
  constexpr std::uint8_t kLocalTimeOffset = 0x58;
  constexpr std::uint8_t kOffsetSize = 13;
  SectionWriter writer(table_id::kTot);
  writer.u40(wire::to_mjd_time(utc));
  writer.u16(0xF000 | (2 + kOffsetSize));
  writer.u8(kLocalTimeOffset);
  writer.u8(kOffsetSize);
  writer.bytes(wire::bytes_of(offset.country.substr(0, 3)));
  const bool west = offset.offset_minutes < 0 || offset.next_offset_minutes < 0;
  writer.u8(west ? 0x03 : 0x02);  // country_region_id 0
  writer.u16(to_bcd_minutes(offset.offset_minutes));
  writer.u40(offset.change ? wire::to_mjd_time(*offset.change) : 0xFFFFFFFFFFULL);
  writer.u16(to_bcd_minutes(offset.next_offset_minutes));
  return writer.finish();
}

}  // namespace receiverd::dvb
