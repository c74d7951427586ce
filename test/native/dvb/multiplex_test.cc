// Tests of the multiplex state, with tables written for them: merging, versions, missing tables, bounds, threads.
#include "dvb/multiplex/multiplex.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "dvb/observer.h"
#include "dvb/packets/section_writer.h"
#include "dvb/si/descriptor_writer.h"
#include "dvb/si/si_tables.h"
#include "dvb/si/tables.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

class Sender {
 public:
  void send(std::uint16_t pid, const Section& section) {
    std::vector<std::uint8_t> packets;
    packetizers_.try_emplace(pid, pid).first->second.write(section, packets);
    demux.feed(packets);
  }
  void send(std::uint16_t pid, const std::vector<Section>& sections) {
    for (const Section& section : sections) send(pid, section);
  }
  template <typename Table>
  void send_table(std::uint16_t pid, const Table& table) {
    send(pid, write_sections(table));
    multiplex.publish();
  }
  const MultiplexSnapshot& picture() {
    held_ = observer.snapshot;
    return *held_;
  }

  Observer observer;
  Demux demux;
  Multiplex multiplex{demux, observer};

 private:
  std::map<std::uint16_t, SectionPacketizer> packetizers_;
  std::shared_ptr<const MultiplexSnapshot> held_;
};

Section text(std::string_view utf8) { return epg::utf8_text(utf8); }

Section service_descriptor(std::uint8_t type, std::string_view provider, const Section& name) {
  DescriptorWriter writer;
  writer.service(type, text(provider), name);
  return writer.take();
}

Pat pat_of(std::initializer_list<Pat::Program> programs, std::uint8_t version = 0) {
  return {1101, version, 0x10, programs};
}

Sdt sdt_of(std::initializer_list<std::pair<std::uint16_t, const char*>> services, std::uint8_t version = 0) {
  Sdt sdt{true, 1101, 8916, version, {}};
  for (const auto& [id, name] : services) {
    sdt.services.push_back(
        {id, true, true, RunningStatus::running, false, service_descriptor(1, "Provider", text(name))});
  }
  return sdt;
}

Pmt television(std::uint16_t service_id) {
  DescriptorWriter german;
  german.language("deu");
  return {service_id, 0, 0x200, {}, {{0x1B, 0x200, {}}, {0x04, 0x201, german.take()}}};
}

bool has_pmt(const Service* service) { return service->pcr_pid != kNullPid && !service->streams.empty(); }

}  // namespace

TEST_CASE("PAT, PMT, SDT and NIT are merged into one service") {
  Sender sender;
  CHECK(sender.picture().generation == 0);
  CHECK_FALSE(sender.picture().has_pat);
  sender.send_table(pid::kPat, pat_of({{1, 0x100}, {2, 0x101}}));
  CHECK(sender.picture().has_pat);
  sender.send_table(0x100, television(1));
  CHECK_FALSE(sender.picture().complete);
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}, {2, "Zwei"}}));
  CHECK_FALSE(sender.picture().complete);
  sender.send_table(0x101, television(2));
  CHECK(sender.picture().complete);

  NetworkTable nit{table_id::kNitActual, 77, 0, {}, {}};
  DescriptorWriter network;
  network.network_name(text("Netz Süd"));
  nit.descriptors = network.take();
  DescriptorWriter stream;
  DeliverySystem terrestrial;
  terrestrial.frequency = 498'000'000;
  stream.terrestrial(terrestrial);
  const LogicalChannel channels[] = {{1, true, 10}, {2, false, 11}};
  stream.private_data_specifier(0x28);
  stream.logical_channels(channels);
  nit.transport_streams.push_back({1101, 8916, stream.take()});
  sender.send_table(pid::kNit, nit);

  const MultiplexSnapshot& picture = sender.picture();
  CHECK(picture.transport_stream_id == 1101);
  CHECK(picture.original_network_id == 8916);
  REQUIRE(picture.network);
  CHECK(picture.network->name == "Netz Süd");
  REQUIRE(picture.transport_streams.size() == 1);
  CHECK(picture.transport_streams[0].delivery_system == terrestrial);
  REQUIRE(picture.services.size() == 2);
  const Service& one = picture.services[0];
  CHECK(one.triplet == DvbTriplet{8916, 1101, 1});
  CHECK(one.name == "Eins");
  CHECK(one.provider == "Provider");
  CHECK(one.type == 1);
  CHECK(one.pmt_pid == 0x100);
  CHECK(one.pcr_pid == 0x200);
  CHECK(one.logical_channel_number == 10);
  CHECK(one.visible);
  CHECK_FALSE(picture.services[1].visible);
  REQUIRE(one.streams.size() == 2);
  CHECK(one.streams[0].codec == Codec::h264);
  CHECK(one.streams[1].language == "deu");
  CHECK(sender.observer.generations == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
  CHECK(sender.multiplex.ignored() == 0);
}

TEST_CASE("a service without a channel number in the NIT gets that of the BAT") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}, {2, 0x101}}));
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}, {2, "Zwei"}}));
  NetworkTable nit{table_id::kNitActual, 77, 0, {}, {}};
  DescriptorWriter stream;
  const LogicalChannel channels[] = {{1, true, 10}};
  stream.logical_channels(channels);
  nit.transport_streams.push_back({1101, 8916, stream.take()});
  sender.send_table(pid::kNit, nit);
  NetworkTable bat{table_id::kBat, 0x1001, 0, {}, {}};
  bat.transport_streams.push_back({1101, 8916, {0x5F, 4, 0,   0, 0, 2, 0xB1, 20, 0, 0xFF, 0, 1,   25, 1,
                                                2,    0, 101, 0, 0, 0, 2,    25, 1, 2,    0, 102, 0,  0}});
  sender.send_table(pid::kSdtBat, bat);
  const MultiplexSnapshot& picture = sender.picture();
  REQUIRE(picture.services.size() == 2);
  CHECK(picture.services[0].logical_channel_number == 10);
  CHECK(picture.services[1].logical_channel_number == 102);
}

TEST_CASE("HD simulcast numbers of NIT and BAT are kept beside the channel numbers, and decide visibility") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}, {2, 0x101}, {3, 0x102}}));
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}, {2, "Eins HD"}, {3, "Zwei HD"}}));
  NetworkTable nit{table_id::kNitActual, 77, 0, {}, {}};
  nit.transport_streams.push_back(
      {1101, 8916, {0x5F, 4, 0, 0, 0, 0x28, 0x83, 8, 0, 1, 0xFC, 7, 0, 2, 0xFD, 251, 0x88, 4, 0, 2, 0x7C, 7}});
  sender.send_table(pid::kNit, nit);
  NetworkTable bat{table_id::kBat, 0x1001, 0, {}, {}};
  bat.transport_streams.push_back({1101, 8916, {0x5F, 4, 0, 0, 0, 0x28, 0x88, 4, 0, 3, 0xFC, 8}});
  sender.send_table(pid::kSdtBat, bat);
  const MultiplexSnapshot& picture = sender.picture();
  REQUIRE(picture.services.size() == 3);
  CHECK(picture.services[0].logical_channel_number == 7);
  CHECK(picture.services[0].simulcast_channel_number == 0);
  CHECK(picture.services[0].visible);
  CHECK(picture.services[1].logical_channel_number == 507);
  CHECK(picture.services[1].simulcast_channel_number == 7);
  CHECK_FALSE(picture.services[1].visible);
  CHECK(picture.services[2].logical_channel_number == 0);
  CHECK(picture.services[2].simulcast_channel_number == 8);
}

TEST_CASE("a snapshot says when the source has delivered everything once, also without any table") {
  Sender sender;
  sender.multiplex.mark_exhausted();
  sender.multiplex.publish();
  CHECK(sender.picture().exhausted);
  sender.send_table(pid::kPat, pat_of({{1, 0x100}}));
  CHECK(sender.picture().exhausted);
  sender.multiplex.mark_exhausted();
  sender.multiplex.publish();
  CHECK(sender.observer.generations == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("repeated tables change nothing") {
  Sender sender;
  for (int round = 0; round < 3; ++round) {
    sender.send_table(pid::kPat, pat_of({{1, 0x100}}));
    sender.send_table(0x100, television(1));
    sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}}));
  }
  CHECK(sender.picture().generation == 3);
}

TEST_CASE("a new version with the same content does not raise the generation") {
  Sender sender;
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}}, 0));
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}}, 1));
  CHECK(sender.picture().generation == 1);
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Neu"}}, 2));
  CHECK(sender.picture().generation == 2);
  CHECK(sender.picture().services[0].name == "Neu");
}

TEST_CASE("services appear and disappear with the PAT, and keep their PMT meanwhile") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}, {2, 0x101}}, 0));
  sender.send_table(0x100, television(1));
  sender.send_table(0x101, television(2));
  sender.send_table(pid::kPat, pat_of({{2, 0x101}, {3, 0x102}}, 1));
  REQUIRE(sender.picture().services.size() == 2);
  CHECK(find(sender.picture(), 1) == nullptr);
  CHECK(has_pmt(find(sender.picture(), 2)));
  CHECK_FALSE(has_pmt(find(sender.picture(), 3)));
  sender.send_table(0x102, television(3));
  CHECK(has_pmt(find(sender.picture(), 3)));
  const auto generation = sender.picture().generation;
  sender.send_table(0x100, television(1));  // no handler on that PID any more
  CHECK(sender.picture().generation == generation);
}

TEST_CASE("a service whose PMT moves to another PID is read there") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}}, 0));
  sender.send_table(0x100, television(1));
  sender.send_table(pid::kPat, pat_of({{1, 0x180}}, 1));
  CHECK_FALSE(has_pmt(find(sender.picture(), 1)));
  sender.send_table(0x180, television(1));
  CHECK(find(sender.picture(), 1)->pmt_pid == 0x180);
  CHECK(has_pmt(find(sender.picture(), 1)));
}

TEST_CASE("a PMT may be on a PID of DVB tables, whose tables are read too") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, pid::kEit}, {2, pid::kNit}}));
  sender.send_table(pid::kEit, television(1));
  sender.send_table(pid::kNit, television(2));
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}, {2, "Zwei"}}));
  REQUIRE(sender.picture().services.size() == 2);
  for (const Service& service : sender.picture().services) CHECK(has_pmt(&service));
  CHECK(sender.picture().services[0].name == "Eins");
  // The next PAT moves one of them; the other PID is as before.
  sender.send_table(pid::kPat, pat_of({{1, 0x100}, {2, pid::kNit}}, 1));
  sender.send_table(0x100, television(1));
  REQUIRE(sender.picture().services.size() == 2);
  for (const Service& service : sender.picture().services) CHECK(has_pmt(&service));
}

TEST_CASE("video on a PID of DVB tables is not parsed as tables") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}}));
  sender.send_table(0x100, Pmt{1, 0, pid::kSdtBat, {}, {{0x02, pid::kSdtBat, {}}}});
  std::vector<std::uint8_t> packet(kPacketSize, 0x42);
  packet[0] = kSyncByte;
  packet[1] = 0x40;
  packet[2] = static_cast<std::uint8_t>(pid::kSdtBat);
  for (std::uint8_t counter = 0; counter < 16; ++counter) {
    packet[3] = static_cast<std::uint8_t>(0x10 | counter);
    sender.demux.feed(packet);
  }
  const PidStatistics totals = sender.demux.totals();
  CHECK(totals.section_errors.crc + totals.section_errors.truncated + totals.section_errors.lost == 0);
}

TEST_CASE("several services may share a PMT PID") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}, {2, 0x100}}));
  sender.send_table(0x100, television(1));
  sender.send_table(0x100, television(2));
  CHECK(has_pmt(find(sender.picture(), 1)));
  CHECK(has_pmt(find(sender.picture(), 2)));
}

TEST_CASE("services missing from PAT or SDT are kept") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}, {2, 0x101}}));
  sender.send_table(0x101, television(2));
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}, {9, "Only here"}}));
  REQUIRE(sender.picture().services.size() == 3);
  const Service* unnamed = find(sender.picture(), 2);
  CHECK_FALSE(unnamed->in_sdt);
  CHECK(unnamed->name.empty());
  CHECK(unnamed->type == 1);  // it has video
  const Service* elsewhere = find(sender.picture(), 9);
  CHECK(elsewhere->pmt_pid == 0);
  CHECK(elsewhere->pmt_pid == 0);
  CHECK(elsewhere->name == "Only here");
}

TEST_CASE("a table of several sections is shown as received, its new version only once complete") {
  Sdt sdt{true, 1101, 8916, 0, {}};
  for (std::uint16_t id = 1; id <= 90; ++id) {
    sdt.services.push_back({id, true, true, RunningStatus::running, false,
                            service_descriptor(1, "Provider", text("Service " + std::to_string(id)))});
  }
  const auto sections = write_sections(sdt);
  REQUIRE(sections.size() > 2);
  Sender sender;
  sender.send(pid::kSdtBat, sections[1]);
  sender.multiplex.publish();
  const std::size_t some = sender.picture().services.size();
  CHECK(some > 0);
  CHECK(some < 90);
  sender.send(pid::kSdtBat, sections);
  sender.multiplex.publish();
  CHECK(sender.picture().services.size() == 90);

  sdt.version = 1;
  sdt.services.resize(50);
  const auto newer = write_sections(sdt);
  REQUIRE(newer.size() > 1);
  sender.send(pid::kSdtBat, newer[0]);
  sender.multiplex.publish();
  CHECK(sender.picture().services.size() == 90);
  for (std::size_t i = 1; i < newer.size(); ++i) sender.send(pid::kSdtBat, newer[i]);
  sender.multiplex.publish();
  CHECK(sender.picture().services.size() == 50);
}

TEST_CASE("sections that announce a later version are not used yet") {
  Sender sender;
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}}));
  SectionWriter writer({table_id::kSdtActual, 1101, 1, false, 0, 0});
  writer.u16(8916);
  writer.u8(0xFF);
  sender.send(pid::kSdtBat, writer.finish());
  sender.multiplex.publish();
  CHECK(sender.picture().services.size() == 1);
}

TEST_CASE("names have a short form if the sender marks one") {
  Sender sender;
  Sdt sdt{true, 1101, 8916, 0, {}};
  Section name{0x86, 'B', 'B', 'C', 0x87, ' ', 'O', 'n', 'e'};
  sdt.services.push_back({1, true, true, RunningStatus::running, true, service_descriptor(25, "BBC", name)});
  sender.send_table(pid::kSdtBat, sdt);
  CHECK(sender.picture().services[0].name == "BBC One");
  CHECK(sender.picture().services[0].short_name == "BBC");
  CHECK(sender.picture().services[0].scrambled);
}

TEST_CASE("other multiplexes, bouquets and default authorities") {
  Sender sender;
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}}));
  Sdt other{false, 1102, 8916, 0, {}};
  other.services.push_back({7, true, true, RunningStatus::running, false, service_descriptor(2, "P", text("Radio"))});
  sender.send_table(pid::kSdtBat, other);
  const ServiceListEntry list[] = {{1, 1}, {7, 2}};
  DescriptorWriter name;
  name.bouquet_name(text("Alles"));
  DescriptorWriter services;
  services.service_list(list);
  sender.send_table(pid::kSdtBat, NetworkTable{table_id::kBat, 5, 0, name.take(), {{1102, 8916, services.take()}}});
  DescriptorWriter authority;
  const std::string_view domain = "fp.example";
  authority.add(0x73, {reinterpret_cast<const std::uint8_t*>(domain.data()), domain.size()});
  sender.send_table(pid::kNit, NetworkTable{table_id::kNitActual, 1, 0, authority.take(), {{1101, 8916, {}}}});

  const MultiplexSnapshot& picture = sender.picture();
  REQUIRE(picture.other_services.size() == 1);
  CHECK(picture.other_services[0]->at(0).triplet == DvbTriplet{8916, 1102, 7});
  CHECK(picture.other_services[0]->at(0).name == "Radio");
  REQUIRE(picture.bouquets.size() == 1);
  CHECK(picture.bouquets[0].name == "Alles");
  CHECK(picture.bouquets[0].services == std::vector<DvbTriplet>{{8916, 1102, 1}, {8916, 1102, 7}});
  CHECK(picture.services[0].default_authority == "fp.example");
  CHECK(picture.transport_streams.size() == 2);
}

TEST_CASE("another transport_stream_id in the PAT is another multiplex") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}}));
  sender.send_table(0x100, television(1));
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}}));
  sender.send_table(pid::kPat, Pat{1102, 0, 0, {{5, 0x105}}});
  REQUIRE(sender.picture().services.size() == 1);
  CHECK(sender.picture().services[0].triplet.service_id == 5);
  CHECK_FALSE(sender.picture().original_network_id);
  CHECK(sender.picture().generation == 4);
}

TEST_CASE("sub-services are those linked by the present event, as long as it is present") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{1, 0x100}, {2, 0x101}}));
  sender.send_table(pid::kSdtBat, sdt_of({{1, "Eins"}}));
  const auto linkage = [](std::uint8_t type, std::string_view name) {
    Section descriptor{0x4A, static_cast<std::uint8_t>(7 + name.size()), 0x04, 0x4D, 0x22, 0xD4, 0x00, 0x0A, type};
    descriptor.insert(descriptor.end(), name.begin(), name.end());
    return descriptor;
  };
  EitEvent event;
  event.start = 1'770'000'000;
  event.duration = 3600;
  for (const Section& one : {linkage(0xB0, "Lap times"), linkage(0x05, "No option"), linkage(0xB0, "")}) {
    event.descriptors.insert(event.descriptors.end(), one.begin(), one.end());
  }
  event.descriptors.insert(event.descriptors.end(), {0x4A, 3, 0, 1, 2});
  const auto sub_services = [&] {
    sender.multiplex.publish();
    const Service* const service = find(sender.picture(), 1);
    return service == nullptr ? std::vector<SubService>{} : service->sub_services;
  };
  const DvbTriplet triplet{8916, 1101, 1};
  // Links of the following event, or of another multiplex, do not count.
  sender.send(pid::kEit, write_eit_present_following(triplet, true, 0, nullptr, &event));
  sender.send(pid::kEit, write_eit_present_following(triplet, false, 0, &event, nullptr));
  CHECK(sub_services().empty());
  sender.send(pid::kEit, write_eit_present_following(triplet, true, 1, &event, nullptr));
  CHECK(sub_services() == std::vector<SubService>{{{8916, 1101, 10}, "Lap times"}, {{8916, 1101, 10}, ""}});
  const std::uint64_t generation = sender.picture().generation;
  sender.send(pid::kEit, write_eit_present_following(triplet, true, 1, &event, nullptr));
  CHECK(sub_services().size() == 2);
  CHECK(sender.picture().generation == generation);
  event.descriptors.clear();
  sender.send(pid::kEit, write_eit_present_following(triplet, true, 2, &event, nullptr));
  CHECK(sub_services().empty());
}

TEST_CASE("guide sections go to the observer, and supply ids and time if nothing else does") {
  Sender sender;
  EitEvent event;
  event.start = 1'770'000'000;
  event.duration = 3600;
  sender.send(pid::kEit, write_eit_present_following({8916, 1101, 4}, true, 0, &event, nullptr));
  sender.multiplex.publish();
  CHECK(sender.observer.eit_sections == 2);
  CHECK(sender.picture().transport_stream_id == 1101);
  CHECK(sender.picture().original_network_id == 8916);
  CHECK(sender.picture().guide_services == std::vector<GuideService>{{{8916, 1101, 4}, true}});
  CHECK(sender.observer.times == std::vector<wire::UnixSeconds>{1'770'000'000});
  sender.send(pid::kTdtTot, write_tdt(1'770'000'100));
  sender.send(pid::kTdtTot, write_tot(1'770'000'101, {"DEU", 60, std::nullopt, 120}));
  sender.multiplex.publish();
  CHECK(sender.observer.time.origin == BroadcastTime::Origin::tot);
  CHECK(sender.observer.time.utc == 1'770'000'101);
}

TEST_CASE("actual guide tables describe the stream that carries them, whatever ids they contain") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{4, 0x100}}));
  sender.send_table(pid::kSdtBat, sdt_of({{4, "Vier"}}));
  EitEvent event;
  event.start = 1'770'000'000;
  event.duration = 3600;
  const DvbTriplet foreign{1, 7, 4};
  sender.send(pid::kEit, write_eit_present_following(foreign, true, 0, &event, nullptr));
  CHECK(sender.observer.eit_triplet == DvbTriplet{8916, 1101, 4});
  sender.send(pid::kEit, write_eit_present_following(foreign, false, 0, &event, nullptr));
  CHECK(sender.observer.eit_triplet == foreign);
  sender.send(pid::kEit, write_eit_present_following({1, 7, 5}, true, 0, &event, nullptr));
  CHECK(sender.observer.eit_triplet == DvbTriplet{1, 7, 5});
  sender.multiplex.publish();
  CHECK(std::ranges::count(sender.picture().guide_services, GuideService{{8916, 1101, 4}, true}) == 1);
}

TEST_CASE("a stream with ever new tables is limited by the bounds") {
  Sender sender;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    Sdt other{false, static_cast<std::uint16_t>(i), 1, 0, {}};
    for (std::uint16_t id = 0; id < 20; ++id)
      other.services.push_back({id, false, false, {}, false, Section(40, 0x80)});
    sender.send(pid::kSdtBat, write_sections(other));
    DescriptorWriter name;
    name.bouquet_name(text("B"));
    sender.send(pid::kSdtBat,
                write_sections(NetworkTable{table_id::kBat, static_cast<std::uint16_t>(i), 0, name.take(), {}}));
  }
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    EitEvent event;
    event.start = i;
    event.duration = 1;
    sender.send(pid::kEit,
                write_eit_present_following({1, static_cast<std::uint16_t>(i >> 4), static_cast<std::uint16_t>(i)},
                                            false, 0, nullptr, nullptr)[0]);
  }
  sender.multiplex.publish();
  CHECK(sender.picture().other_services.size() == SiTables::kMaxSubTables);
  CHECK(sender.picture().bouquets.size() == SiTables::kMaxSubTables);
  CHECK(sender.picture().guide_services.size() == SiTables::kMaxGuideServices);
  CHECK(sender.multiplex.ignored() > 0);
}

namespace {

Section raw(std::string_view bytes) { return {bytes.begin(), bytes.end()}; }

/// The NIT of a Japanese or Brazilian transmitter.
NetworkTable isdb_network(std::uint16_t network) {
  DescriptorWriter writer;
  writer.add(0xFE, raw("\x03\x01"));
  NetworkTable nit{table_id::kNitActual, network, 0, writer.take(), {}};
  const ServiceListEntry services[] = {{0x0400, 1}, {0x0401, 1}, {0x0580, 0xC0}};
  writer.service_list(services);
  writer.add(0xFA, raw("\x5A\xA6\x0F\x3C"));  // 557.142857 MHz, guard interval 1/16, mode 3
  writer.add(0xFB, raw("\x05\x80"));
  writer.add(0xCD, raw(std::string("\x01\x12\x0E\x89NH\x03\0\0", 9)));
  nit.transport_streams.push_back({1101, network, writer.take()});
  return nit;
}

Sdt isdb_services(std::uint16_t network) {
  Sdt sdt{true, 1101, network, 0, {}};
  DescriptorWriter writer;
  writer.service(1, {}, raw("\x0E\x89NHK\x8A\x0F\x41\x6D\x39\x67"));
  writer.add(0xCF, raw(std::string("\x01\xFE\x05\xF0\x01\x00\x01", 7)));
  sdt.services.push_back({0x0400, true, true, RunningStatus::running, false, writer.take()});
  writer.service(0xA1, {}, raw("\x0E\x89S"));
  sdt.services.push_back({0x0401, true, true, RunningStatus::running, false, writer.take()});
  writer.service(0xC0, {}, raw("\x0E\x89M"));
  sdt.services.push_back({0x0580, true, true, RunningStatus::running, false, writer.take()});
  return sdt;
}

Section tot_of(wire::UnixSeconds local, const char* country) { return write_tot(local, {.country = country}); }

}  // namespace

TEST_CASE("a Japanese multiplex: numbers of the remote control, one-seg, broadcaster, texts, time") {
  constexpr wire::UnixSeconds kNoonInJapan = 1704078000;  // 2024-01-01 03:00 UTC
  Sender sender;
  SectionWriter tot(table_id::kTot);
  tot.u40(wire::to_mjd_time(kNoonInJapan + 9 * 3600));
  tot.u16(0xF000);
  const Section time = tot.finish();
  sender.send_table(pid::kPat, pat_of({{0x0400, 0x100}, {0x0401, 0x101}, {0x0580, 0x1FC8}}));
  sender.send(pid::kTdtTot, time);
  sender.multiplex.publish();
  CHECK(sender.observer.time.origin == BroadcastTime::Origin::none);  // it may be UTC
  sender.send_table(pid::kSdtBat, isdb_services(4));
  CHECK(sender.picture().services[0].name != "NHK総合");
  sender.send_table(pid::kNit, isdb_network(4));
  sender.send(pid::kTdtTot, time);
  sender.multiplex.publish();
  CHECK(sender.observer.time.utc == kNoonInJapan);

  const MultiplexSnapshot& picture = sender.picture();
  const Service& general = picture.services[0];
  CHECK(general.name == "NHK総合");
  CHECK(general.provider == "NH");
  CHECK(general.logical_channel_number == 11);
  CHECK_FALSE(general.one_seg);
  CHECK_FALSE(general.scrambled);
  CHECK(picture.services[1].logical_channel_number == 12);
  CHECK(picture.services[1].type == 1);
  CHECK(picture.services[2].logical_channel_number == 611);
  CHECK(picture.services[2].one_seg);
  CHECK_FALSE(picture.services[2].visible);
  REQUIRE(picture.transport_streams.size() == 1);
  REQUIRE(picture.transport_streams[0].delivery_system);
  const DeliverySystem& delivery = *picture.transport_streams[0].delivery_system;
  CHECK(delivery.kind == DeliverySystem::Kind::isdb_t);
  CHECK(delivery.frequency == 557'142'857);
  CHECK(delivery.guard_interval == 1);
  CHECK(delivery.transmission_mode == 1);

  SUBCASE("the broadcaster of the BIT takes precedence") {
    DescriptorWriter writer;
    writer.add(0xD8, raw("\x0E\x89NHK"));
    const ServiceListEntry services[] = {{0x0400, 1}};
    writer.service_list(services);
    sender.send_table(pid::kBit, Bit{4, 0, {{1, writer.take()}}});
    CHECK(sender.picture().services[0].provider == "NHK");
    CHECK(sender.picture().services[1].provider == "NH");
  }
  SUBCASE("free services are scrambled, too, if their PMT says so") {
    Pmt pmt = television(0x0400);
    pmt.descriptors = raw(std::string("\x09\x04\x00\x05\xE9\x01", 6));
    sender.send_table(0x100, pmt);
    CHECK(sender.picture().services[0].scrambled);
  }
  SUBCASE("one-seg has a guide of its own") {
    const EitEvent event{.event_id = 7, .start = kNoonInJapan + 9 * 3600, .duration = 600, .descriptors = {}};
    sender.send(pid::kOneSegEit, write_eit_present_following({4, 1101, 0x0580}, true, 0, &event, nullptr));
    CHECK(sender.observer.eit_sections == 2);
  }
  SUBCASE("the largest logo is kept") {
    const auto logo = [&](std::uint8_t type, std::string_view png) {
      SectionWriter writer(SectionHeader{.table_id = table_id::kCdt, .table_id_extension = 1});
      writer.u16(4);
      writer.u8(1);
      writer.u16(0xF000);
      writer.u8(type);
      writer.u16(0xFE05);
      writer.u16(0xF001);
      writer.u16(static_cast<std::uint16_t>(png.size()));
      writer.bytes(wire::bytes_of(png));
      sender.send(pid::kCdt, writer.finish());
      sender.multiplex.publish();
      return sender.picture().services[0].logo;
    };
    const std::string start("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x40\0\0\0\x24\x08\x03\0\0\0\x12\x34\x56\x78", 33);
    CHECK(logo(5, "GIF89a") == nullptr);
    CHECK(logo(5, start.substr(0, 30)) == nullptr);
    CHECK(logo(5, start) == nullptr);
    CHECK(logo(5, start + "cut") == nullptr);
    REQUIRE(logo(0, start + "small") != nullptr);
    const auto large = logo(5, start + "large");
    REQUIRE(large != nullptr);
    CHECK(*large == start + "large");
    CHECK(logo(0, start + "small") == large);
    CHECK(sender.picture().services[1].logo == nullptr);

    Sdt many = isdb_services(4);
    many.version = 1;
    const Sdt::Service with_logo = many.services[0];
    for (std::uint16_t id = 0x600; id < 0x700; ++id) {
      many.services.push_back(with_logo);
      many.services.back().service_id = id;
    }
    sender.send_table(pid::kSdtBat, many);
    many.actual = false;
    many.transport_stream_id = 1102;
    sender.send_table(pid::kSdtBat, many);
    const auto logos_of = [](const std::vector<Service>& services) {
      return std::ranges::count_if(services, [](const Service& service) { return service.logo != nullptr; });
    };
    CHECK(logos_of(sender.picture().services) == SiTables::kMaxLogos);
    REQUIRE(sender.picture().other_services.size() == 1);
    CHECK(logos_of(*sender.picture().other_services[0]) == 0);
  }
}

TEST_CASE("a section of the guide of PSIP goes to a bounded number of channels of its source") {
  constexpr std::uint16_t kEitPid = 0x1D00;
  constexpr std::uint16_t kSource = 5;
  Sender sender;
  SectionWriter mgt(SectionHeader{.table_id = table_id::kMgt, .table_id_extension = 0});
  mgt.u8(0);
  mgt.u16(1);
  mgt.u16(0x0100);
  mgt.u16(0xE000 | kEitPid);
  mgt.u8(0xE0);
  mgt.u32(0);
  mgt.u16(0xF000);
  mgt.u16(0xF000);
  sender.send(pid::kPsip, mgt.finish());
  SectionWriter vct(SectionHeader{.table_id = table_id::kTvct, .table_id_extension = 1101});
  vct.u8(0);
  vct.u8(100);
  for (std::uint16_t program = 1; program <= 100; ++program) {
    vct.bytes(Section(14));
    vct.u8(0xF0);
    vct.u16(0x0401);
    vct.u8(4);
    vct.u32(0);
    vct.u16(1101);
    vct.u16(program);
    vct.u16(2);
    vct.u16(kSource);
    vct.u16(0xFC00);
  }
  vct.u16(0xFC00);
  sender.send(pid::kPsip, vct.finish());
  SectionWriter eit(SectionHeader{.table_id = table_id::kAtscEit, .table_id_extension = kSource});
  eit.u8(0);
  eit.u8(0);
  sender.send(kEitPid, eit.finish());
  CHECK(sender.observer.psip_sections == 32);
}

TEST_CASE("the texts of channels in ETTs are bounded, and a repeated one changes nothing") {
  const auto ett = [](std::uint16_t source_id, std::uint16_t event, char letter) {
    SectionWriter writer(SectionHeader{.table_id = table_id::kEtt, .table_id_extension = 0});
    writer.u8(0);
    writer.u16(source_id);
    writer.u16(event);
    writer.bytes(Section{1, 'e', 'n', 'g', 1, 0, 0, 1, static_cast<std::uint8_t>(letter)});
    return writer.finish();
  };
  SiTables tables;
  CHECK(add_channel_text(tables, ett(7, 0, 'a')) == SectionOutcome::changed);
  CHECK(add_channel_text(tables, ett(7, 0, 'a')) == SectionOutcome::repeated);
  CHECK(add_channel_text(tables, ett(7, 0, 'b')) == SectionOutcome::changed);
  CHECK(*tables.channel_texts.at(7) == "b");
  CHECK(add_channel_text(tables, ett(7, 2, 'c')) == SectionOutcome::refused);  // of an event
  CHECK(add_channel_text(tables, ett(0, 0, 'c')) == SectionOutcome::refused);
  for (std::uint16_t id = 8; id < 1000; ++id) add_channel_text(tables, ett(id, 0, 'a'));
  CHECK(tables.channel_texts.size() == SiTables::kMaxChannelTexts);
  CHECK(add_channel_text(tables, ett(1000, 0, 'a')) == SectionOutcome::refused);
  CHECK(add_channel_text(tables, ett(7, 0, 'c')) == SectionOutcome::changed);
}

TEST_CASE("a Brazilian multiplex: Latin texts, and a time that its TOT's country explains") {
  constexpr wire::UnixSeconds kNoonUtc = 1704110400;
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{0x0400, 0x100}}));
  sender.send(pid::kTdtTot, tot_of(kNoonUtc - 3 * 3600, "BRA"));
  sender.multiplex.publish();
  CHECK(sender.observer.time.origin == BroadcastTime::Origin::none);
  sender.send_table(pid::kNit, isdb_network(0x0731));
  Sdt sdt{true, 1101, 0x0731, 0, {}};
  DescriptorWriter writer;
  writer.service(1, {}, raw("TV Gazeta S\xE3o Paulo"));
  sdt.services.push_back({0xE620, true, true, RunningStatus::running, false, writer.take()});
  sender.send_table(pid::kSdtBat, sdt);

  CHECK(find(sender.picture(), 0xE620)->name == "TV Gazeta São Paulo");
  CHECK(find(sender.picture(), 0xE620)->logical_channel_number == 1);
  CHECK(find(sender.picture(), 0xE620)->minor_channel_number == 1);
  sender.send(pid::kTdtTot, tot_of(kNoonUtc - 3 * 3600, "BRA"));
  sender.multiplex.publish();
  CHECK(sender.observer.time.utc == kNoonUtc);
}

TEST_CASE("what ISDB adds is ignored in DVB") {
  Sender sender;
  sender.send_table(pid::kPat, pat_of({{0x0400, 0x100}}));
  NetworkTable nit = isdb_network(0x0731);
  DescriptorWriter writer;
  writer.private_data_specifier(0x28);
  const Section specifier = writer.take();
  for (auto* descriptors : {&nit.descriptors, &nit.transport_streams[0].descriptors}) {
    descriptors->insert(descriptors->begin(), specifier.begin(), specifier.end());
  }
  sender.send_table(pid::kNit, nit);
  sender.send_table(pid::kSdtBat, sdt_of({{0x0400, "Eins"}}));
  CHECK(sender.picture().services[0].name == "Eins");
  CHECK(sender.picture().services[0].logical_channel_number == 0);
  CHECK_FALSE(sender.picture().transport_streams[0].delivery_system);
}
