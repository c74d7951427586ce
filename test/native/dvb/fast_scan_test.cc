#include "dvb/multiplex/fast_scan.h"

#include <doctest/doctest.h>

#include <string>

#include "dvb/made_stream.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

constexpr std::uint16_t kListPid = 900;
constexpr std::uint16_t kListOperator = 40;

/// satellite_delivery_system_descriptor (EN 300 468 §6.2.13.2): 11836 MHz, 19.2° E, horizontal, 27500 kBd 3/4.
const Section kAstra{0x43, 11, 0x01, 0x18, 0x36, 0x00, 0x01, 0x92, 0x81, 0x02, 0x75, 0x00, 0x03};

Section plus(Section loop, std::initializer_list<std::uint8_t> descriptor) {
  loop.insert(loop.end(), descriptor);
  return loop;
}

/// Two services with numbers 5 and 1001, the second one hidden, and one without a number.
NetworkTable listed_network() {
  NetworkTable table{table_id::kFastScanNetwork, kListOperator, 3, {0x40, 4, 'L', 'i', 's', 't'}, {}};
  table.transport_streams.push_back({1050, 1, plus(kAstra, {0x83, 8, 0x12, 0x34, 0x80, 0x05, 0x12, 0x35, 0xC3, 0xE9})});
  return table;
}

FastScanServices listed_services(std::size_t more = 0) {
  FastScanServices table{kListOperator, 3, {}};
  table.services.push_back(
      {{1, 1050, 0x1234}, 512, 80, 0x1FFF, 0x1FFF, 512, {0x48, 8, 0x19, 2, 'O', 'p', 3, 'O', 'n', 'e'}});
  table.services.push_back({{1, 1050, 0x1235}, 513, 81, 1700, 0x1FFF, 513, {0x48, 5, 0x02, 0, 2, 'F', 'M'}});
  for (std::size_t n = 0; n < more; ++n) {
    table.services.push_back({{1, 1051, static_cast<std::uint16_t>(n)}, 0, 0, 0, 0, 0, {0x48, 3, 1, 0, 0}});
  }
  return table;
}

std::vector<std::uint8_t> list_stream(const NetworkTable& table, const FastScanServices& list) {
  MadeStream made;
  for (const Section& one : write_sections(table)) made.section(kListPid, one);
  for (const Section& one : write_sections(list)) made.section(kListPid, one);
  return made.bytes;
}

}  // namespace

TEST_CASE("The list of an operator is read, with numbers, names and tuning parameters") {
  FastScan scan(kListPid);
  REQUIRE(scan.feed(list_stream(listed_network(), listed_services())));
  const MultiplexSnapshot result = scan.result();
  CHECK(result.network == Network{kListOperator, "List"});
  REQUIRE(result.transport_streams.size() == 1);
  REQUIRE(result.transport_streams[0].delivery_system);
  CHECK(result.transport_streams[0].delivery_system->frequency == 11'836'000'000);
  CHECK(result.transport_streams[0].delivery_system->orbital_position == 192);
  REQUIRE(result.services.size() == 2);
  const Service& first = result.services[0];
  CHECK(first.triplet == DvbTriplet{1, 1050, 0x1234});
  CHECK(first.name == "One");
  CHECK(first.provider == "Op");
  CHECK(first.type == 0x19);
  CHECK(first.logical_channel_number == 5);
  CHECK(first.visible);
  CHECK_FALSE(first.scrambled);
  const Service& second = result.services[1];
  CHECK(second.logical_channel_number == 1001);
  CHECK_FALSE(second.visible);
  CHECK(second.scrambled);
}

TEST_CASE("A list is used once both of its tables are complete") {
  const FastScanServices long_list = listed_services(300);
  const auto sections = write_sections(long_list);
  REQUIRE(sections.size() > 2);
  MadeStream made;
  for (const Section& one : sections) made.section(kListPid, one);
  FastScan scan(kListPid);
  CHECK_FALSE(scan.feed(made.bytes));
  CHECK(scan.result().services.empty());
  made.bytes.clear();
  for (const Section& one : write_sections(listed_network())) made.section(kListPid, one);
  CHECK(scan.feed(made.bytes));
  CHECK(scan.result().services.size() == long_list.services.size());
}

TEST_CASE("Lists of other operators on the PID, and other tables, are ignored") {
  NetworkTable other = listed_network();
  other.id = kListOperator + 1;
  FastScanServices own = listed_services();
  FastScan scan(kListPid);
  MadeStream made;
  for (const Section& one : write_sections(own)) made.section(kListPid, one);
  for (const Section& one : write_sections(other)) made.section(kListPid, one);
  for (const Section& one : write_sections(Sdt{})) made.section(kListPid, one);
  CHECK_FALSE(scan.feed(made.bytes));
}
