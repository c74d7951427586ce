// One section into every table reader, without CRC and carousel; the tables read must survive being written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dvb/multiplex/fast_scan.h"
#include "dvb/multiplex/snapshot_builder.h"
#include "dvb/packets/section_writer.h"
#include "dvb/si/delivery_system.h"
#include "dvb/si/descriptor_writer.h"
#include "dvb/si/eit_section.h"
#include "dvb/si/elementary_stream.h"
#include "dvb/si/service_description.h"
#include "dvb/si/si_tables.h"
#include "dvb/si/tables.h"

namespace {

using namespace receiverd;
using namespace receiverd::dvb;

/// Reads one section as `Table`. Writing the table and reading it again must yield the same table, unless an item is
/// too large for a written section.
template <typename Table>
Table read_and_write(wire::Bytes section) {
  Table table;
  if (!append_section(section, table)) return table;
  if (section.size() > kMaxPsiSectionSize) return table;
  Table again;
  for (const Section& written : write_sections(table)) {
    if (written.size() > kMaxPsiSectionSize || !append_section(written, again)) std::abort();
  }
  if (!(table == again)) std::abort();
  return table;
}

void describe_loop(const Section& descriptors) {
  describe_service(descriptors);
  read_network_name(descriptors);
  read_bouquet_name(descriptors);
  read_service_list(descriptors);
  read_logical_channels(descriptors);
  if (const auto system = find_delivery_system(descriptors)) {
    enigma2_namespace(*system, 1, 1);
    DescriptorWriter writer;
    writer.terrestrial(*system);
    if (!find_delivery_system(writer.loop())) std::abort();
  }
}

/// Adds the section to a multiplex, twice, because the repetition must be recognised.
void collect(wire::Bytes section) {
  for (const std::uint16_t pid : {pid::kPat, pid::kNit, pid::kSdtBat, pid::kTdtTot}) {
    SiTables tables;
    if (add_section(tables, section, pid) != SectionOutcome::changed) continue;
    if (add_section(tables, section, pid) != SectionOutcome::repeated) std::abort();
    SnapshotBuilder builder;
    if (!(builder.build(tables) == builder.build(tables))) std::abort();
  }
}

/// Feeds the section as a fast scan list: once for each of its two tables.
void scan_fast(Section section) {
  constexpr std::uint16_t kListPid = 900;
  SectionPacketizer packetizer(kListPid);
  std::vector<std::uint8_t> packets;
  for (const std::uint8_t id : {table_id::kFastScanNetwork, table_id::kFastScanServices}) {
    section[0] = id;
    if (section.size() >= kLongSectionHeaderSize + kCrcSize) write_crc(section);
    packetizer.write(section, packets);
  }
  FastScan scan(kListPid);
  scan.feed(packets);
  scan.result();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The length field is set to fit: any other value is refused at once.
  std::vector<std::uint8_t> section(data, data + size);
  if (section.size() < kSectionHeaderSize || section.size() > kMaxSectionSize) return 0;
  const std::size_t length = section.size() - kSectionHeaderSize;
  section[1] = static_cast<std::uint8_t>((section[1] & 0xF0) | length >> 8);
  section[2] = static_cast<std::uint8_t>(length);

  collect(section);
  read_and_write<Pat>(section);
  for (const Pmt::Stream& stream : read_and_write<Pmt>(section).streams) describe_stream(stream);
  for (const Sdt::Service& service : read_and_write<Sdt>(section).services) describe_loop(service.descriptors);
  const NetworkTable network = read_and_write<NetworkTable>(section);
  describe_loop(network.descriptors);
  for (const NetworkTable::Entry& entry : network.transport_streams) describe_loop(entry.descriptors);
  for (const auto& service : read_and_write<FastScanServices>(section).services) describe_loop(service.descriptors);
  scan_fast(section);
  if (const auto utc = read_tdt(section); utc && read_tdt(write_tdt(*utc)) != utc) std::abort();
  if (const auto utc = read_tot(section)) write_tot(*utc, {"GBR"});
  if (const auto header = read_eit_section_header(section)) {
    first_eit_event(section);
    const auto events = read_eit_events(section);
    if (read_eit_events(write_eit_section(*header, events)) != events) std::abort();
  }
  return 0;
}
