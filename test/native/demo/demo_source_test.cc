// Tests of the demo multiplex, received by the receiver's own code and decoded by ffmpeg.
#include "demo/demo_source.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "demo/assets.h"
#include "demo/lineup.h"
#include "demo/received_demo.h"
#include "demo/schedule.h"
#include "wire/crc32.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::demo;

namespace {

/// The end of a minute and the start of the next one, where the loops start again.
constexpr std::int64_t kStart = kNoon + 50;

const std::vector<std::uint8_t>& twenty_seconds() {
  static const std::vector<std::uint8_t> stream = demo_stream(*make_demo_source(virtual_clock(kStart)), 20);
  return stream;
}

Codec codec_of(Coding coding) {
  static const std::map<Coding, Codec> codecs = {
      {Coding::h264, Codec::h264}, {Coding::hevc, Codec::hevc},      {Coding::aac, Codec::aac},
      {Coding::ac3, Codec::ac3},   {Coding::mp2, Codec::mpeg_audio}, {Coding::subtitles, Codec::dvb_subtitle}};
  return codecs.at(coding);
}

bool has_ffmpeg() { return std::system("command -v ffmpeg > /dev/null 2>&1") == 0; }

/// The output of ffmpeg when it decodes the stream with these arguments, and its status if it failed.
std::string complaints(wire::Bytes stream, const std::string& arguments) {
  const std::string report = "demo-ffmpeg-" + std::to_string(getpid()) + ".txt";
  std::FILE* decoder = popen(("ffmpeg -nostdin " + arguments + " > " + report + " 2>&1").c_str(), "w");
  REQUIRE(decoder != nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // it may stop reading
  std::fwrite(stream.data(), 1, stream.size(), decoder);
  const int status = pclose(decoder);
  std::ifstream file(report);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::remove(report.c_str());
  return status == 0 ? text : text + "status " + std::to_string(status);
}

/// When the parts of one PES packet were sent, in packets from the start.
struct Unit {
  std::int64_t pts;
  std::int64_t first;
  std::int64_t last;
};

std::int64_t pts_of(wire::Bytes pes) {
  return std::int64_t{pes[9] >> 1 & 7} << 30 | std::int64_t{pes[10]} << 22 | std::int64_t{pes[11] >> 1} << 15 |
         std::int64_t{pes[12]} << 7 | pes[13] >> 1;
}

std::map<std::uint16_t, std::vector<Unit>> units_of(wire::Bytes stream) {
  std::map<std::uint16_t, std::vector<Unit>> units;
  for (std::size_t i = 0; i * kPacketSize < stream.size(); ++i) {
    const Packet packet(stream.data() + i * kPacketSize);
    const wire::Bytes payload = packet.payload();
    const auto index = static_cast<std::int64_t>(i);
    if (packet.payload_unit_start() && payload.size() > 14 && payload[0] == 0 && payload[1] == 0 && payload[2] == 1) {
      units[packet.pid()].push_back({pts_of(payload), index, index});
    } else if (const auto found = units.find(packet.pid()); found != units.end() && !payload.empty()) {
      found->second.back().last = index;
    }
  }
  return units;
}

}  // namespace

TEST_CASE("every service of the line-up is announced with its name, streams and number") {
  const ReceivedDemo received(twenty_seconds());
  const auto snapshot = received.observer.snapshot;
  std::size_t radios = 0;
  std::set<Coding> codings;
  for (const LineupEntry& entry : lineup()) {
    CAPTURE(entry.name);
    const auto found = std::find_if(snapshot->services.begin(), snapshot->services.end(), [&](const auto& service) {
      return service.triplet.service_id == entry.service_id;
    });
    REQUIRE(found != snapshot->services.end());
    CHECK(found->triplet == DvbTriplet{kOriginalNetworkId, kTransportStreamId, entry.service_id});
    CHECK(found->name == entry.name);
    CHECK(found->provider == entry.provider);
    CHECK(found->eit_schedule);
    CHECK(found->pmt_pid == entry.pmt_pid);
    CHECK(found->pcr_pid == entry.pcr_pid());
    CHECK(found->logical_channel_number == entry.channel);
    CHECK(found->type == entry.type);
    REQUIRE(found->streams.size() == entry.streams.size());
    for (std::size_t i = 0; i < entry.streams.size(); ++i) {
      const StreamEntry& stream = entry.streams[i];
      CHECK(found->streams[i].pid == stream.pid);
      CHECK(found->streams[i].codec == codec_of(stream.coding));
      const bool has_pages = stream.coding == Coding::subtitles;
      CHECK((has_pages ? found->streams[i].pages.at(0).language : found->streams[i].language) == stream.language);
      codings.insert(stream.coding);
    }
    if (entry.is_radio()) ++radios;
  }
  CHECK(codings.size() == 6);
  CHECK(lineup().size() - radios >= 5);
  CHECK(radios >= 2);
  CHECK(received.observer.time.utc >= kStart);
}

TEST_CASE("no packet is lost, no section is damaged, PCRs are exact and frequent") {
  const std::vector<std::uint8_t>& stream = twenty_seconds();
  const ReceivedDemo received(stream);
  const PidStatistics totals = received.demux.totals();
  CHECK(totals.continuity_errors == 0);
  CHECK(totals.duplicates == 0);
  CHECK(totals.section_errors == SectionErrors{});
  CHECK(received.multiplex.ignored() == 0);

  std::map<std::uint16_t, std::int64_t> last;
  std::int64_t max_pcr_distance = 0;
  bool exact = true;
  for (std::size_t i = 0; i * kPacketSize < stream.size(); ++i) {
    const Packet packet(stream.data() + i * kPacketSize);
    const auto pcr = packet.pcr();
    if (!pcr) continue;
    const auto index = static_cast<std::int64_t>(i);
    const auto expected = static_cast<std::uint64_t>(kStart * kPacketsPerSecond + index) * 13500 % kPcrModulus;
    exact = exact && *pcr == expected;
    max_pcr_distance = std::max(max_pcr_distance, index - last[packet.pid()]);
    last[packet.pid()] = index;
  }
  CHECK(exact);
  CHECK(last.size() == lineup().size());
  CHECK(max_pcr_distance <= 80);  // 40 ms
}

TEST_CASE("video, audio and subtitles arrive in time and not too early, without a gap") {
  auto units = units_of(twenty_seconds());
  const std::int64_t start = kStart * 90000;
  const std::int64_t modulus = std::int64_t{1} << 33;
  for (const LineupEntry& entry : lineup()) {
    CAPTURE(entry.name);
    for (const StreamEntry& entry_stream : entry.streams) {
      const bool video = &entry_stream == &entry.streams.front() && !entry.is_radio();
      const bool subtitles = entry_stream.coding == Coding::subtitles;
      const std::int64_t step = traits(entry_stream.coding).duration * (video || subtitles ? 1 : 3);
      std::vector<Unit>& of_pid = units[entry_stream.pid];
      REQUIRE(of_pid.size() >= static_cast<std::size_t>(15 * 90000 / step));
      of_pid.pop_back();  // incomplete
      std::int64_t least = INT64_MAX;
      std::int64_t max_ahead = 0;
      std::set<std::int64_t> steps;
      for (std::size_t i = 0; i < of_pid.size(); ++i) {
        const auto ahead = [&](std::int64_t packet) {
          return (of_pid[i].pts - start % modulus - packet * 45 + modulus) % modulus;
        };
        least = std::min(least, ahead(of_pid[i].last));
        max_ahead = std::max(max_ahead, ahead(of_pid[i].first));
        if (i > 0) steps.insert((of_pid[i].pts - of_pid[i - 1].pts + modulus) % modulus);
      }
      CHECK(steps == std::set<std::int64_t>{step});
      CHECK(least >= 20 * 90);
      CHECK(max_ahead <= (video || subtitles ? 1010 : 160) * 90);
    }
  }
}

// Because of this, the hand of the clock in the picture shows the right second.
TEST_CASE("the loops follow the clock: the PTS of every picture is the time it shows") {
  const std::vector<std::uint8_t>& stream = twenty_seconds();
  const auto assets = load_assets(kAssets);
  std::map<std::uint16_t, const Loop*> loops;
  for (std::size_t i = 0; i < lineup().size(); ++i) {
    if (!lineup()[i].is_radio()) loops[lineup()[i].pcr_pid()] = &assets->at(i).loops.front();
  }
  std::map<std::uint16_t, int> seen;
  std::set<std::int64_t> access_points;
  for (std::size_t at = 0; at < stream.size(); at += kPacketSize) {
    const Packet packet(stream.data() + at);
    const auto loop = loops.find(packet.pid());
    if (loop == loops.end() || !packet.payload_unit_start()) continue;
    // 33 bits of 90 kHz wrap after 26 hours: the time is the first one after the start.
    const std::int64_t since = (pts_of(packet.payload()) - kStart * 90000 % (1LL << 33) + (1LL << 33)) % (1LL << 33);
    const std::int64_t picture = (kStart * 90000 + since) / 3600;
    const wire::Bytes sent = packet.payload().subspan(14);
    const wire::Bytes meant = loop->second->unit(picture % 1500);
    CHECK(std::ranges::equal(sent, meant.first(std::min(sent.size(), meant.size()))));
    CHECK(packet.random_access_indicator() == (picture % 50 == 0));
    if (packet.random_access_indicator()) access_points.insert(picture % 1500);
    ++seen[packet.pid()];
  }
  CHECK(seen.size() == 6);
  for (const auto& [pid, pictures] : seen) CHECK(pictures > 17 * 25);
  CHECK(access_points.contains(1450));  // second 58
  CHECK(access_points.contains(0));
}

TEST_CASE("present and following match the clock") {
  const ReceivedDemo received(twenty_seconds());
  for (const LineupEntry& entry : lineup()) {
    CAPTURE(entry.name);
    const auto& table = received.observer.guide.at({entry.service_id, 0x4E});
    REQUIRE(table.sections.size() == 2);
    REQUIRE(table.sections.at(0).events.size() == 1);
    REQUIRE(table.sections.at(1).events.size() == 1);
    const epg::Event& present = table.sections.at(0).events[0];
    const epg::Event& following = table.sections.at(1).events[0];
    CHECK(present.start <= kStart);
    CHECK(present.start + present.duration > kStart);
    CHECK(following.start == present.start + present.duration);
    CHECK(present.running_status == 4);
    CHECK(following.running_status == 1);
  }
}

TEST_CASE("the schedule is complete for a week, without gaps, overlaps or repeated ids, with the texts as written") {
  const ReceivedDemo received(twenty_seconds());
  CHECK(received.observer.decoder.counters().malformed_sections == 0);
  CHECK(received.observer.decoder.counters().malformed_events == 0);
  CHECK(received.observer.decoder.counters().malformed_descriptors == 0);
  for (const LineupEntry& entry : lineup()) {
    CAPTURE(entry.name);
    std::vector<const epg::Event*> events;
    for (const std::uint8_t table_id : {0x50, 0x51}) {
      const auto& table = received.observer.guide.at({entry.service_id, table_id});
      // The night programme may already have started in the last segment of the fourth day.
      CHECK(table.last_section / 8 >= 30);
      for (int segment = 0; segment <= table.last_section / 8; ++segment) {
        const auto first = table.sections.find(static_cast<std::uint8_t>(segment * 8));
        REQUIRE(first != table.sections.end());
        for (int number = segment * 8; number <= first->second.segment_last_section_number; ++number) {
          const auto section = table.sections.find(static_cast<std::uint8_t>(number));
          REQUIRE(section != table.sections.end());
          for (const epg::Event& event : section->second.events) events.push_back(&event);
        }
      }
    }
    const std::int64_t midnight = kNoon / 86400 * 86400;
    std::set<std::uint16_t> ids;
    const std::vector<Event> meant = Schedule(entry, guide_of(entry), [](std::int64_t) {
                                       return 3600;
                                     }).between(events.front()->start, midnight + 8 * 86400);
    REQUIRE(events.size() == meant.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      const epg::Event& event = *events[i];
      if (i > 0) REQUIRE(event.start == events[i - 1]->start + events[i - 1]->duration);
      CHECK(ids.insert(event.id).second);
      CHECK_FALSE(event.title.empty());
      CHECK(event.title == meant[i].title);
      if (entry.table == epg::CharacterTable::utf8 || entry.table == epg::CharacterTable::utf16be) {
        CHECK(event.short_text == meant[i].subtitle);
        CHECK(event.extended_text.starts_with(meant[i].text));
      }
    }
    CHECK(events.front()->start < midnight + 6 * 3600);
    CHECK(events.back()->start + events.back()->duration > midnight + 8 * 86400 - 1);
  }
}

TEST_CASE("a restart continues the same guide with the same ids") {
  const ReceivedDemo first(twenty_seconds());
  const ReceivedDemo second(demo_stream(*make_demo_source(virtual_clock(kNoon + 7)), 3));
  for (const auto& [key, table] : second.observer.guide) {
    const auto& before = first.observer.guide.at(key);
    CHECK(table.version == before.version);
    for (const auto& [number, section] : table.sections) CHECK(section.crc == before.sections.at(number).crc);
  }
}

TEST_CASE("event and version of present and following change on the exact second") {
  const LineupEntry& entry = lineup().front();
  Schedule schedule(entry, guide_of(entry), [](std::int64_t) { return 3600; });
  const std::int64_t change = schedule.at(kNoon).present.end;
  const auto source = make_demo_source(virtual_clock(change - 2));
  ReceivedDemo received(demo_stream(*source, 2));
  const auto old_table = received.observer.guide.at({entry.service_id, 0x4E});
  received.demux.feed(demo_stream(*source, 2));
  const auto& new_table = received.observer.guide.at({entry.service_id, 0x4E});
  CHECK(old_table.version != new_table.version);
  CHECK(new_table.sections.at(0).events[0].start == change);
  CHECK(new_table.sections.at(0).events[0].title == old_table.sections.at(1).events[0].title);
}

TEST_CASE("setting the clock makes the stream jump, with the discontinuity signalled and the counters intact") {
  auto now = std::make_shared<std::int64_t>(kNoon * 1000);
  DemoOptions options;
  options.assets = kAssets;
  options.wall_clock = [now] { return *now; };
  options.utc_offset = [](std::int64_t) { return 0; };
  const auto source = make_demo_source(options);
  std::vector<std::uint8_t> stream;
  std::vector<std::uint8_t> buffer(100'000);
  const auto read = [&] {
    const ReadResult result = source->read(buffer);
    stream.insert(stream.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(result.size));
    return result.state;
  };
  const auto run = [&](int milliseconds) {
    for (int i = 0; i < milliseconds; i += 100) {
      *now += 100;
      REQUIRE(read() != ReadResult::State::ended);
    }
  };
  run(2000);
  *now += 3'600'000;
  run(2000);
  *now -= 7'200'000;
  run(2000);
  *now += 3'600'000;  // units in progress are sent
  while (read() == ReadResult::State::data) {
  }
  Demux demux;
  demux.feed(stream);
  CHECK(demux.totals().continuity_errors == 0);
  int indicated = 0;
  for (std::size_t at = 0; at + kPacketSize <= stream.size(); at += kPacketSize) {
    if (Packet(stream.data() + at).discontinuity_indicator()) ++indicated;
  }
  CHECK(indicated == static_cast<int>(2 * lineup().size()));
  if (has_ffmpeg()) CHECK(complaints(stream, "-v error -xerror -i pipe:0 -map 0:v -map 0:a -f null -") == "");
}

TEST_CASE("any buffer sizes yield the same bytes") {
  const auto whole = demo_stream(*make_demo_source(virtual_clock(kNoon)), 1);
  const auto source = make_demo_source(virtual_clock(kNoon));
  std::vector<std::uint8_t> pieces(whole.size());
  std::size_t size = 0;
  for (std::size_t length = 1; size < pieces.size(); length = length * 7 % 1009 + 1) {
    size += source->read(std::span(pieces).subspan(size, std::min(length, pieces.size() - size))).size;
  }
  CHECK(pieces == whole);
}

// An independent decoder decodes every picture and all audio without a message.
TEST_CASE("ffmpeg decodes all services without a warning" * doctest::skip(!has_ffmpeg())) {
  CHECK(complaints(twenty_seconds(), "-v warning -xerror -i pipe:0 -map 0:v -map 0:a -t 18 -f null -") == "");
}

TEST_CASE("a fast broadcast runs ahead of the wall clock, and a late reader delays it without a jump") {
  std::int64_t clock = kNoon * 1000;
  DemoOptions options = virtual_clock(kNoon);
  options.wall_clock = [&clock] { return clock; };
  options.speed = 8;
  const auto source = make_demo_source(options);
  std::vector<std::uint8_t> buffer(std::size_t{100} * kPacketsPerSecond * kPacketSize);
  std::vector<std::uint8_t> stream;
  const auto read_at = [&](std::int64_t milliseconds) {
    clock = kNoon * 1000 + milliseconds;
    const std::size_t size = source->read(buffer).size;
    stream.insert(stream.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
    return size / kPacketSize;
  };
  CHECK(read_at(100) == 1600);  // 0.8 s
  CHECK(read_at(200) == 1600);
  CHECK(read_at(60'000) == 2000);  // one second at most
  CHECK(read_at(60'100) == 1600);
  const ReceivedDemo received(stream);
  CHECK(received.demux.totals().continuity_errors == 0);
  std::size_t jumps = 0;
  for (std::size_t at = 0; at < stream.size(); at += kPacketSize) {
    jumps += Packet(stream.data() + at).discontinuity_indicator() ? 1 : 0;
  }
  CHECK(jumps == 0);
}

TEST_CASE("a clock with a start time starts there and advances, as do its copies") {
  const auto clock = clock_from(kNoon * 1000);
  const auto copy = clock;
  const std::int64_t first = clock();
  CHECK(first >= kNoon * 1000);
  while (clock() <= first + 1) {
  }
  CHECK(copy() > first);
}

// For manual checks and external decoders: RECEIVERD_DEMO_DUMP=FILE writes RECEIVERD_DEMO_SECONDS (60) from now.
TEST_CASE("dump" * doctest::skip(std::getenv("RECEIVERD_DEMO_DUMP") == nullptr)) {
  DemoOptions options;
  options.assets = kAssets;
  options.speed = 0;
  const auto source = make_demo_source(options);
  const char* seconds = std::getenv("RECEIVERD_DEMO_SECONDS");
  std::FILE* file = std::fopen(std::getenv("RECEIVERD_DEMO_DUMP"), "wb");
  REQUIRE(file != nullptr);
  for (int i = seconds != nullptr ? std::atoi(seconds) : 60; i > 0; --i) {
    const auto bytes = demo_stream(*source, 1);
    CHECK(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
  }
  std::fclose(file);
}
