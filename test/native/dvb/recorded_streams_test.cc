// Tests on real streams off air. The expected values come from other tools: services, names and PIDs from tshark and
// ffprobe, counts from a separate script over the raw packets. Without RECEIVERD_TEST_DATA these tests are skipped, and
// counted as skipped.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "dvb/receiver_of_file.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

std::vector<std::string> names(const std::vector<Service>& services) {
  std::vector<std::string> names;
  for (const Service& service : services) names.push_back(service.name);
  return names;
}

std::size_t count_other_services(const MultiplexSnapshot& snapshot) {
  std::size_t count = 0;
  for (const auto& services : snapshot.other_services) count += services->size();
  return count;
}

std::optional<DeliverySystem> own_delivery(const MultiplexSnapshot& snapshot) {
  for (const TransportStream& stream : snapshot.transport_streams) {
    if (stream.transport_stream_id == snapshot.transport_stream_id) return stream.delivery_system;
  }
  return std::nullopt;
}

std::vector<std::uint16_t> pids(const Service& service, StreamKind kind) {
  std::vector<std::uint16_t> pids;
  for (const ElementaryStream& stream : service.streams) {
    if (stream.kind == kind) pids.push_back(stream.pid);
  }
  return pids;
}

using Pids = std::vector<std::uint16_t>;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("French terrestrial SI: services of seven multiplexes with their channel numbers" *
          doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("dtt-france-2019-si.ts");
  const ReceiverOfFile receiver(path);
  const auto snapshot = receiver.observer.snapshot;
  CHECK(snapshot->transport_stream_id == 4);
  CHECK(snapshot->original_network_id == 0x20FA);
  CHECK(names(snapshot->services) == Names{"M6", "W9", "Arte", "France 5", "6ter"});
  CHECK(snapshot->services[0].logical_channel_number == 6);
  CHECK(snapshot->services[4].logical_channel_number == 22);
  CHECK(snapshot->services[0].pmt_pid != 0);
  CHECK(snapshot->services[0].streams.empty());
  CHECK_FALSE(snapshot->complete);
  CHECK(count_other_services(*snapshot) == 41);
  REQUIRE(snapshot->network);
  CHECK(snapshot->network->network_id == 8442);
  const auto delivery = own_delivery(*snapshot);
  REQUIRE(delivery);
  CHECK(delivery->kind == DeliverySystem::Kind::dvb_t);
  CHECK(delivery->frequency == 0);  // the network sends 0xFFFFFFFF
  CHECK(enigma2_namespace(*delivery, 0x20FA, 4) == 0xEEEE0000);
  const BroadcastTime time = receiver.observer.time;
  CHECK(time.origin == BroadcastTime::Origin::tdt);
  CHECK(time.utc == 1548161529);
  CHECK(receiver.observer.eit_sections == 1438);
  // The capture lacks packets, but its continuity counters were renumbered: 27 sections are truncated.
  CHECK(receiver.statistics(pid::kEit).section_errors == SectionErrors{0, 1, 27, 0});
}

TEST_CASE("accented names are decoded to UTF-8" * doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("dtt-france-2019-si.ts");
  const ReceiverOfFile receiver(path);
  Names all;
  for (const auto& services : receiver.observer.snapshot->other_services) {
    const Names some = names(*services);
    all.insert(all.end(), some.begin(), some.end());
  }
  for (const char* name : {"France Ô", "TF1 Séries Films", "Chérie 25", "RMC Découverte", "viàGrandParis"}) {
    CAPTURE(name);
    CHECK(std::find(all.begin(), all.end(), name) != all.end());
  }
}

TEST_CASE("Arte off air: streams and languages, and every reception error is counted" *
          doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("arte-2019-av.ts");
  const ReceiverOfFile receiver(path);
  const auto snapshot = receiver.observer.snapshot;
  CHECK(snapshot->complete);
  REQUIRE(snapshot->services.size() == 1);
  const Service& arte = snapshot->services[0];
  CHECK(arte.triplet == DvbTriplet{0x20FA, 4, 0x0407});
  CHECK(arte.name == "Arte");
  CHECK(arte.provider == "Multi4");
  CHECK(arte.type == 25);
  CHECK_FALSE(arte.scrambled);
  CHECK(arte.pmt_pid == 300);
  CHECK(arte.pcr_pid == 320);
  CHECK(pids(arte, StreamKind::video) == Pids{320});
  CHECK(pids(arte, StreamKind::audio) == Pids{330, 331, 332, 333});
  CHECK(pids(arte, StreamKind::subtitle) == Pids{340, 341, 342});
  CHECK(arte.streams[0].codec == Codec::h264);
  CHECK(arte.streams[1].codec == Codec::eac3);
  CHECK(arte.streams[1].language == "fra");
  CHECK(arte.streams[2].purpose == AudioPurpose::visually_impaired);
  CHECK(arte.streams[6].pages == std::vector<SubtitlePage>{{"fra", 0x14, 1, 1, false}});
  CHECK(arte.streams[5].pages[0].hearing_impaired);
  CHECK(receiver.demux.totals().continuity_errors == 167);
  CHECK(receiver.reader.counters() == PacketReader::Counters{53201, 0, 0});
  CHECK(receiver.observer.time.utc == 1548161485);
}

TEST_CASE("a whole Italian multiplex: television, radio, HEVC, teletext, other multiplexes" *
          doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("dtt-italy-rai.ts");
  const ReceiverOfFile receiver(path);
  const auto snapshot = receiver.observer.snapshot;
  CHECK(snapshot->complete);
  CHECK(names(snapshot->services) == Names{"Rai 1", "Rai 2", "Rai 3 TGR Emilia Romagna", "Rai Radio1", "Rai Radio2",
                                           "Rai Radio3", "Test HEVC main10", "Rai News 24"});
  CHECK(count_other_services(*snapshot) == 18);
  const Service* rai1 = find(*snapshot, 0x0D49);
  REQUIRE(rai1 != nullptr);
  CHECK(rai1->logical_channel_number == 1);
  CHECK(pids(*rai1, StreamKind::video) == Pids{512});
  CHECK(pids(*rai1, StreamKind::audio) == Pids{650, 694, 699});
  CHECK(pids(*rai1, StreamKind::teletext) == Pids{576});
  CHECK(rai1->streams[3].pages[1] == SubtitlePage{"ita", 2, 777, 0, false});
  const Service* hevc = find(*snapshot, 0x0D52);
  REQUIRE(hevc != nullptr);
  CHECK(hevc->streams[0].codec == Codec::hevc);
  const Service* radio = find(*snapshot, 0x0D4C);
  REQUIRE(radio != nullptr);
  CHECK(radio->type == 2);
  CHECK(radio->logical_channel_number == 701);
  CHECK(find(*snapshot, 0x0D4F) == nullptr);
  REQUIRE(own_delivery(*snapshot));
  CHECK(own_delivery(*snapshot)->frequency == 498'000'000);
  CHECK(receiver.demux.totals().continuity_errors == 0);
  CHECK(receiver.demux.totals().section_errors == SectionErrors{});
}

TEST_CASE("a stream without TDT gets its time from its present events" * doctest::skip(!has_recorded_streams())) {
  struct Expected {
    const char* file;
    wire::UnixSeconds utc;  // the latest start among the agreeing present events
  };
  for (const Expected& expected : {Expected{"czech-eit-only.ts", 1547928360}, Expected{"dtt-italy-rai.ts", 1642328700},
                                   Expected{"sat-canal-eit.ts", 1503489300}}) {
    const auto path = recorded_stream(expected.file);
    CAPTURE(expected.file);
    const BroadcastTime time = ReceiverOfFile(path).observer.time;
    CHECK(time.origin == BroadcastTime::Origin::estimated);
    CHECK(time.utc == expected.utc);
  }
}

TEST_CASE("a guide without any other table still identifies its multiplex" * doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("czech-eit-only.ts");
  const ReceiverOfFile receiver(path);
  const auto snapshot = receiver.observer.snapshot;
  CHECK(snapshot->services.empty());
  CHECK(snapshot->transport_stream_id == 273);
  CHECK(snapshot->original_network_id == 0x20CB);
  CHECK(snapshot->guide_services.size() == 13);
  CHECK(snapshot->guide_services[0] == GuideService{{0x20CB, 0x111, 0x101}, true});
  CHECK(receiver.observer.eit_sections == 327);
}

TEST_CASE("services without SDT are known from the PAT" * doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("sat-canal-eit.ts");
  const ReceiverOfFile receiver(path);
  const auto snapshot = receiver.observer.snapshot;
  CHECK(snapshot->services.size() == 11);
  for (const Service& service : snapshot->services) {
    CHECK(service.pmt_pid != 0);
    CHECK_FALSE(service.in_sdt);
    CHECK(service.name.empty());
  }
  CHECK(receiver.observer.eit_sections == 361);
  CHECK(snapshot->guide_services.size() == 170);
}

TEST_CASE("lost sync inside a capture costs the damaged packet" * doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("uk-freesat-huffman.ts");
  const ReceiverOfFile receiver(path);
  CHECK(receiver.reader.counters() == PacketReader::Counters{299, 188, 2});
  CHECK(receiver.observer.eit_sections == 2);
}

TEST_CASE("a Japanese satellite, without SDT" * doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("isdb-arib.ts");
  const ReceiverOfFile receiver(path);
  const auto snapshot = receiver.observer.snapshot;
  CHECK(snapshot->services.size() == 6);
  CHECK(snapshot->services[0].scrambled);
  CHECK(snapshot->network == Network{4, "BS Digital"});
  CHECK(receiver.demux.totals().scrambled == 484);
}

TEST_CASE("a stream written by ffmpeg is read" * doctest::skip(!has_recorded_streams())) {
  const auto path = recorded_stream("big-buck-bunny.ts");
  const ReceiverOfFile receiver(path);
  const auto snapshot = receiver.observer.snapshot;
  CHECK(snapshot->complete);
  REQUIRE(snapshot->services.size() == 1);
  CHECK(snapshot->services[0].name == "Big Buck Bunny, Sunflower version");
  CHECK(snapshot->services[0].provider == "FFmpeg");
  CHECK(pids(snapshot->services[0], StreamKind::video) == Pids{256});
  CHECK(pids(snapshot->services[0], StreamKind::audio) == Pids{257});
  CHECK(receiver.observer.time.origin == BroadcastTime::Origin::none);
}

TEST_CASE("recorded streams yield the same snapshot, whatever the chunk size" *
          doctest::skip(!has_recorded_streams())) {
  for (const char* file : {"dtt-italy-rai.ts", "arte-2019-av.ts", "uk-freesat-huffman.ts"}) {
    const auto path = recorded_stream(file);
    CAPTURE(file);
    const ReceiverOfFile large(path, 1 << 20);
    const ReceiverOfFile small(path, 1001);
    MultiplexSnapshot a = *large.observer.snapshot;
    MultiplexSnapshot b = *small.observer.snapshot;
    a.generation = b.generation = 0;
    CHECK(a.services == b.services);
    CHECK(a.transport_streams == b.transport_streams);
    CHECK(a.guide_services == b.guide_services);
    CHECK(large.reader.counters() == small.reader.counters());
    CHECK(large.observer.eit_sections == small.observer.eit_sections);
  }
}
