// Tests of every table reader against its writer: read(write(table)) == table, for random tables of all sizes.
#include "dvb/si/tables.h"

#include <doctest/doctest.h>

#include <string>

#include "dvb/arbitrary.h"
#include "dvb/si/descriptor_writer.h"
#include "dvb/si/eit_section.h"
#include "wire/crc32.h"
#include "wire/descriptors.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

template <typename Table>
Table read_back(const std::vector<Section>& sections) {
  Table table;
  for (std::size_t number = 0; number < sections.size(); ++number) {
    const Section& section = sections[number];
    CHECK(section.size() <= kMaxPsiSectionSize);
    CHECK(wire::crc32(section) == 0);
    const auto header = read_section_header(section);
    REQUIRE(header);
    CHECK(header->section_number == number);
    CHECK(header->last_section_number == sections.size() - 1);
    CHECK(append_section(section, table));
  }
  return table;
}

RunningStatus running_status(Arbitrary& any) { return static_cast<RunningStatus>(any.below(8)); }

std::vector<NetworkTable::Entry> transport_streams(Arbitrary& any) {
  std::vector<NetworkTable::Entry> entries(any.below(40));
  for (auto& entry : entries) entry = {any.u16(), any.u16(), any.bytes(300)};
  return entries;
}

EitEvent event(Arbitrary& any, wire::UnixSeconds start) {
  return {any.u16(), start, any.below(360000), running_status(any), any.coin(), any.bytes(400)};
}

}  // namespace

TEST_CASE("a PAT reads back as written") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Arbitrary any(seed);
    Pat pat{any.u16(), any.version(), any.coin() ? any.pid() : std::uint16_t{0}, {}};
    pat.programs.resize(any.below(600));
    for (auto& program : pat.programs) program = {static_cast<std::uint16_t>(1 + any.below(0xFFFF)), any.pid()};
    CHECK(read_back<Pat>(write_sections(pat)) == pat);
  }
}

TEST_CASE("a PMT reads back as written") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Arbitrary any(seed);
    Pmt pmt{any.u16(), any.version(), any.pid(), any.bytes(100), {}};
    pmt.streams.resize(any.below(9));
    for (auto& stream : pmt.streams) stream = {any.u8(), any.pid(), any.bytes(90)};
    CHECK(read_back<Pmt>(write_sections(pmt)) == pmt);
  }
}

TEST_CASE("streams that do not fit into a PMT section are left out, the others are kept") {
  Pmt pmt{1, 0, 100, {}, {}};
  pmt.streams.push_back({2, 101, Section(600)});
  pmt.streams.push_back({4, 102, Section(600)});
  pmt.streams.push_back({4, 103, Section(100)});
  const Pmt read = read_back<Pmt>(write_sections(pmt));
  REQUIRE(read.streams.size() == 2);
  CHECK(read.streams[1].pid == 103);
}

TEST_CASE("an SDT reads back as written") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Arbitrary any(seed);
    Sdt sdt{any.coin(), any.u16(), any.u16(), any.version(), {}};
    sdt.services.resize(any.below(80));
    for (auto& service : sdt.services) {
      service = {any.u16(), any.coin(), any.coin(), running_status(any), any.coin(), any.bytes(300)};
    }
    CHECK(read_back<Sdt>(write_sections(sdt)) == sdt);
  }
}

TEST_CASE("NIT and BAT read back as written") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Arbitrary any(seed);
    for (const std::uint8_t id :
         {table_id::kNitActual, table_id::kNitOther, table_id::kBat, table_id::kFastScanNetwork}) {
      const NetworkTable table{id, any.u16(), any.version(), any.bytes(900), transport_streams(any)};
      CHECK(read_back<NetworkTable>(write_sections(table)) == table);
    }
  }
}

TEST_CASE("A fast scan list reads back as written") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Arbitrary any(seed);
    FastScanServices table{any.u16(), any.version(), {}};
    table.services.resize(any.below(80));
    for (auto& service : table.services) {
      service = {
          {any.u16(), any.u16(), any.u16()}, any.pid(), any.pid(), any.pid(), any.pid(), any.pid(), any.bytes(200)};
    }
    CHECK(read_back<FastScanServices>(write_sections(table)) == table);
  }
}

TEST_CASE("TDT and TOT read back as written") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Arbitrary any(seed);
    const wire::UnixSeconds utc = any.below(2'000'000'000);
    CHECK(read_tdt(write_tdt(utc)) == utc);
    const Section section = write_tot(utc, {"GBR", -static_cast<int>(any.below(780)), utc + any.below(10'000'000), 0});
    CHECK(wire::crc32(section) == 0);
    CHECK(read_tot(section) == utc);
  }
  CHECK_FALSE(read_tdt(write_tot(0, {"FRA"})));
  CHECK_FALSE(read_tot(write_tdt(0)));
}

TEST_CASE("a TOT has the offset of local time, now and after its next change (EN 300 468 §6.2.20)") {
  const Section section = write_tot(0, {"FRA", 60, 13 * 3600, 120});
  const Section descriptor{0x58, 13, 'F', 'R', 'A', 0x02, 0x01, 0x00, 0x9E, 0x8B, 0x13, 0x00, 0x00, 0x02, 0x00};
  CHECK(std::equal(descriptor.begin(), descriptor.end(), section.begin() + 10, section.end() - kCrcSize));
  CHECK(write_tot(0, {"BRA", -210, std::nullopt, -120})[15] == 0x03);
}

TEST_CASE("an EIT section reads back as written") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Arbitrary any(seed);
    EitSectionHeader header;
    header.section = {static_cast<std::uint8_t>(0x4E + any.below(34)), any.u16(), any.version(), any.coin(), 8, 9};
    header.transport_stream_id = any.u16();
    header.original_network_id = any.u16();
    header.segment_last_section_number = any.u8();
    header.last_table_id = any.u8();
    std::vector<EitEvent> events;
    for (std::uint32_t i = any.below(10); i > 0; --i) events.push_back(event(any, any.below(2'000'000'000)));
    const Section section = write_eit_section(header, events);
    CHECK(wire::crc32(section) == 0);
    CHECK(read_eit_section_header(section) == header);
    CHECK(read_eit_events(section) == events);
    CHECK(first_eit_event(section).has_value() == !events.empty());
  }
}

TEST_CASE("present and following are sections 0 and 1, empty if there is no event") {
  Arbitrary any(1);
  const EitEvent present = event(any, 1'000'000);
  const auto sections = write_eit_present_following({1, 2, 3}, true, 5, &present, nullptr);
  REQUIRE(sections.size() == 2);
  CHECK(read_eit_events(sections[0]) == std::vector{present});
  CHECK(read_eit_events(sections[1]).empty());
  const auto header = read_eit_section_header(sections[1]);
  REQUIRE(header);
  CHECK(header->triplet() == DvbTriplet{1, 2, 3});
  CHECK(header->section.section_number == 1);
  CHECK(header->section.last_section_number == 1);
  CHECK(header->is_present_following());
  CHECK(header->is_actual());
}

TEST_CASE("a schedule has every event in the segment of its start") {
  constexpr wire::UnixSeconds kMidnight = 1'770'000'000 / 86400 * 86400;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Arbitrary any(seed);
    std::vector<EitEvent> events;
    for (wire::UnixSeconds start = kMidnight + any.below(40000); start < kMidnight + 8 * 86400;
         start += 300 + any.below(9000)) {
      events.push_back(event(any, start));
    }
    std::vector<EitEvent> read;
    std::uint8_t last_table = 0x60;
    for (const Section& section : write_eit_schedule({1, 2, 3}, false, 7, kMidnight, events)) {
      const auto header = read_eit_section_header(section);
      REQUIRE(header);
      CHECK(header->section.table_id >= last_table);
      last_table = header->section.table_id;
      CHECK(header->section.section_number <= header->segment_last_section_number);
      CHECK(header->section.section_number / 8 == header->segment_last_section_number / 8);
      for (const EitEvent& one : read_eit_events(section)) {
        const auto segment = (*one.start - kMidnight) / 10800;
        CHECK(segment == (header->section.table_id - 0x60) * 32 + header->section.section_number / 8);
        read.push_back(one);
      }
    }
    CHECK(read == events);
  }
}

TEST_CASE("delivery systems are read, terrestrial ones as written") {
  using Kind = DeliverySystem::Kind;
  DeliverySystem satellite;
  satellite.kind = Kind::dvb_s2;
  satellite.frequency = 11'953'500'000;
  satellite.symbol_rate = 27'500'000;
  satellite.modulation = 2;
  satellite.fec_inner = 3;
  satellite.orbital_position = -8;
  satellite.polarisation = 1;
  satellite.roll_off = 2;
  satellite.input_stream = 4;
  satellite.scrambling_sequence = 200'000;
  DeliverySystem cable;
  cable.kind = Kind::dvb_c;
  cable.frequency = 346'000'000;
  cable.symbol_rate = 6'900'000;
  cable.modulation = 5;
  cable.fec_inner = 15;
  DeliverySystem terrestrial;
  terrestrial.frequency = 498'000'000;
  terrestrial.modulation = 2;
  terrestrial.code_rate_hp = 2;
  terrestrial.guard_interval = 3;
  terrestrial.transmission_mode = 1;
  DeliverySystem t2;
  t2.kind = Kind::dvb_t2;
  t2.frequency = 650'000'000;
  t2.input_stream = 1;
  t2.t2_system_id = 0x8001;
  t2.bandwidth = 1;
  t2.guard_interval = 5;
  t2.transmission_mode = 5;
  DescriptorWriter writer;
  REQUIRE(writer.terrestrial(terrestrial));
  CHECK(find_delivery_system(writer.loop()) == terrestrial);
  CHECK(find_delivery_system(Section{0x43, 11,   0x01, 0x19, 0x53, 0x50, 0x00, 0x08, 0x36, 0x02,
                                     0x75, 0x00, 0x03, 0x79, 5,    0xFF, 0xFF, 0x0D, 0x40, 4}) == satellite);
  CHECK(find_delivery_system(Section{0x44, 11, 0x03, 0x46, 0x00, 0x00, 0xFF, 0xF2, 0x05, 0x00, 0x69, 0x00, 0x0F}) ==
        cable);
  CHECK(find_delivery_system(
            Section{0x7F, 13, 0x04, 1, 0x80, 0x01, 0x07, 0xB4, 0x00, 0x00, 0x03, 0xDF, 0xD2, 0x40, 0x00}) == t2);
  CHECK(enigma2_namespace(terrestrial, 8916, 1101) == 0xEEEE0000);
  CHECK(enigma2_namespace(cable, 1, 1) == 0xFFFF0000);
  CHECK(enigma2_namespace(satellite, 318, 1) == 0x0E080000);
  CHECK(enigma2_namespace(satellite, 0xFF01, 1) == (0x0E080000 | 0x8000 | 11953));
  satellite.orbital_position = 192;
  CHECK(enigma2_namespace(satellite, 1, 1019) == 0x00C00000);
}

TEST_CASE("service lists and channel numbers read back as written") {
  const std::vector<ServiceListEntry> services{{1, 1}, {2, 25}, {0xFFFF, 2}};
  const std::vector<LogicalChannel> channels{{1, true, 1}, {2, false, 1023}};
  DescriptorWriter writer;
  REQUIRE(writer.service_list(services));
  REQUIRE(writer.private_data_specifier(0x28));
  REQUIRE(writer.logical_channels(channels));
  CHECK(read_service_list(writer.loop()) == services);
  CHECK(read_logical_channels(writer.loop()) == channels);
}

TEST_CASE("an extended event is split between characters") {
  std::string text;
  while (text.size() < 1500) text += "größer ";
  const Section encoded = epg::utf8_text(text, 2000);
  REQUIRE(encoded[0] == 0x15);
  DescriptorWriter writer;
  REQUIRE(writer.extended_event("deu", {}, encoded, 1));
  std::string joined;
  wire::DescriptorLoop loop(writer.loop());
  std::uint8_t number = 0;
  for (wire::Descriptor descriptor; loop.next(descriptor); ++number) {
    CHECK(descriptor.tag == 0x4E);
    CHECK((descriptor.body[0] >> 4) == number);
    const auto part = descriptor.body.subspan(6);
    CHECK(part.size() == descriptor.body[5]);
    CHECK(part[0] == 0x15);
    CHECK((part[1] & 0xC0) != 0x80);
    joined.append(part.begin() + 1, part.end());
  }
  CHECK(joined == text);
}

TEST_CASE("a descriptor over 255 bytes is refused") {
  DescriptorWriter writer;
  CHECK_FALSE(writer.add(0x40, Section(256)));
  CHECK_FALSE(writer.service(1, Section(200), Section(100)));
  CHECK(writer.loop().empty());
}

TEST_CASE("sections with inconsistent lengths are refused") {
  const Pat pat{1, 0, 0, {{1, 0x100}, {2, 0x101}}};
  const Section good = write_sections(pat)[0];
  for (std::size_t size = 0; size < good.size(); ++size) {
    Pat read;
    CHECK_FALSE(append_section(wire::Bytes(good).first(size), read));
    CHECK(read == Pat{});
  }
  Section number = good;
  number[6] = 1;  // section_number > last_section_number
  Pat read;
  CHECK_FALSE(append_section(number, read));
}
