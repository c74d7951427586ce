// Tests of cutting one service out of a multiplex: tables, start of a reader, changes, captures.
#include "dvb/multiplex/service_filter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "dvb/arbitrary.h"
#include "dvb/made_stream.h"
#include "dvb/multiplex/multiplex.h"
#include "dvb/observer.h"
#include "dvb/packets/packet_reader.h"
#include "dvb/packets/section_assembler.h"
#include "dvb/packets/section_writer.h"
#include "dvb/si/tables.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

constexpr std::uint16_t kTeletext = 0x102;
constexpr std::uint16_t kEcm = 0x1F0;
constexpr std::uint16_t kPmt = 0x1000;

/// A demux and a filter, connected as in the tuner.
class Cut {
 public:
  explicit Cut(std::uint16_t service_id, bool ecm = false, bool only_program = false)
      : filter(demux, service_id, ecm, only_program) {}

  std::shared_ptr<StreamQueue> join() {
    auto queue = std::make_shared<StreamQueue>(StreamQueue::kDefaultMaxBytes, [] {});
    filter.add_reader(queue, now);
    return queue;
  }
  void feed(wire::Bytes bytes) {
    for (; bytes.size() >= kPacketSize; bytes = bytes.subspan(kPacketSize)) {
      demux.feed(bytes.first(kPacketSize));
      filter.packet(Packet(bytes.data()));
    }
  }
  /// All data queued for a reader.
  std::vector<std::uint8_t> read(StreamQueue& queue) {
    now += std::chrono::milliseconds(200);
    filter.tick(now);
    std::vector<std::uint8_t> all;
    for (Chunk chunk; queue.read(chunk) == StreamQueue::Read::chunk;) {
      all.insert(all.end(), chunk.bytes.get(), chunk.bytes.get() + chunk.size);
    }
    return all;
  }

  SteadyTime now = std::chrono::steady_clock::now();
  Demux demux;
  ServiceFilter filter;
};

Pat sent_pat(std::vector<Pat::Program> programs) {
  Pat pat;
  pat.transport_stream_id = 7;
  pat.network_pid = 0x10;
  pat.programs = std::move(programs);
  return pat;
}

Pmt pmt_of(std::uint16_t service_id, std::vector<Pmt::Stream> streams, std::uint16_t pcr_pid = kVideo) {
  Pmt pmt;
  pmt.service_id = service_id;
  pmt.pcr_pid = pcr_pid;
  pmt.streams = std::move(streams);
  return pmt;
}

Pmt television() { return pmt_of(1, {{0x02, kVideo, {}}, {0x03, kAudio, {}}, {0x06, kTeletext, {}}}); }

std::vector<std::uint8_t> picture(bool random_access) {
  std::vector<std::uint8_t> es;
  if (random_access) es = {0, 0, 1, 0xB3, 0x2D, 0x02, 0x40};
  es.insert(es.end(), {0, 0, 1, 0x00, 0x00, 0x08});
  es.resize(1000, random_access ? 0x77 : 0x55);
  return es;
}

void add_picture(MadeStream& made, bool random_access, std::uint64_t pts) {
  made.pes({.pid = kVideo, .pts = pts, .pcr = pts * 300, .bounded = false, .payload = picture(random_access)});
}
void add_sound(MadeStream& made, std::uint64_t pts, std::uint16_t pid = kAudio) {
  made.pes({.pid = pid, .stream_id = 0xC0, .pts = pts, .payload = std::vector<std::uint8_t>(600, 0x33)});
}

/// The sections of one PID of a stream, complete and checked.
std::vector<Section> sections(wire::Bytes stream, std::uint16_t pid) {
  struct Keep : SectionHandler {
    void section(wire::Bytes bytes, std::uint16_t) override { all.emplace_back(bytes.begin(), bytes.end()); }
    std::vector<Section> all;
  } keep;
  Demux demux;
  demux.add_handler(pid, keep);
  demux.feed(stream);
  demux.remove_handler(pid, keep);
  return keep.all;
}

Section eit(std::uint8_t table, std::uint16_t service_id, std::uint8_t number) {
  SectionWriter section(
      {.table_id = table, .table_id_extension = service_id, .section_number = number, .last_section_number = 1});
  section.u16(7);
  section.u16(1);
  section.u16(0x014E);
  for (int i = 0; i < 300; ++i) section.u8(number);
  return section.finish();
}

}  // namespace

TEST_CASE("A service is sent alone, as a valid program") {
  MadeStream made;
  const Pat pat = sent_pat({{1, kPmt}, {2, 0x1001}});
  Sdt sdt{.transport_stream_id = 7, .original_network_id = 9, .version = 3, .services = {}};
  sdt.services.push_back({.service_id = 2, .descriptors = {0x48, 3, 1, 0, 0}});
  sdt.services.push_back({.service_id = 1, .free_ca_mode = true, .descriptors = {0x48, 5, 1, 0, 2, 'a', 'b'}});
  for (int round = 0; round < 20; ++round) {
    made.tables(pat, {{kPmt, television()}, {0x1001, pmt_of(2, {{0x02, 0x200, {}}}, 0x200)}});
    for (const Section& one : write_sections(sdt)) made.section(pid::kSdtBat, one);
    for (const std::uint8_t table : {0x4E, 0x4F, 0x50}) {
      for (const std::uint16_t service : {1, 2}) {
        for (const std::uint8_t number : {0, 1}) made.section(pid::kEit, eit(table, service, number));
      }
    }
    made.section(pid::kTdtTot, write_tdt(1'700'000'000 + round));
    add_picture(made, true, static_cast<std::uint64_t>(90'000 + round * 3600));
    add_sound(made, static_cast<std::uint64_t>(90'000 + round * 3600));
    made.pes({.pid = 0x200, .pts = 1, .payload = picture(true)});
  }
  Cut cut(1);
  const auto queue = cut.join();
  cut.feed(made.bytes);
  const auto out = cut.read(*queue);

  Seen seen;
  seen.take(out);
  CHECK(seen.bad == 0);
  CHECK(seen.gaps() == 0);
  CHECK(seen.pids() == std::vector<std::uint16_t>{0, 0x11, 0x12, 0x14, kVideo, kAudio, kPmt});

  Pat got;
  for (const Section& one : sections(out, pid::kPat)) {
    got = {};
    REQUIRE(append_section(one, got));
    CHECK(got.transport_stream_id == 7);
    CHECK(got.programs == std::vector<Pat::Program>{{1, kPmt}});
    CHECK(got.network_pid == 0);
  }
  for (const Section& one : sections(out, kPmt)) CHECK(one == write_sections(television()).front());
  const auto descriptions = sections(out, pid::kSdtBat);
  REQUIRE(!descriptions.empty());
  for (const Section& one : descriptions) {
    Sdt described;
    REQUIRE(append_section(one, described));
    CHECK(described.actual);
    CHECK(described.original_network_id == 9);
    CHECK(described.services == std::vector<Sdt::Service>{sdt.services[1]});
  }
  const auto events = sections(out, pid::kEit);
  CHECK(events.size() == 40);
  CHECK(events[0] == eit(0x4E, 1, 0));
  CHECK(events[1] == eit(0x4E, 1, 1));
  CHECK(sections(out, pid::kTdtTot).size() == 20);
  CHECK(seen[kVideo].pes == 20);
}

TEST_CASE("A reader starts with PAT and PMT, the video at a random access point, the audio at a PES packet") {
  MadeStream before;
  before.tables(sent_pat({{1, kPmt}}), {{kPmt, television()}});
  Cut cut(1);
  cut.feed(before.bytes);
  const auto queue = cut.join();
  const auto start = cut.read(*queue);
  REQUIRE(start.size() == 2 * kPacketSize);
  CHECK(Packet(start.data()).pid() == 0);
  CHECK(Packet(start.data() + kPacketSize).pid() == kPmt);

  MadeStream made;
  made.packet(kAudio, false, 0, {}, std::vector<std::uint8_t>(184, 0x33));  // middle of a PES packet
  add_picture(made, false, 1000);
  add_sound(made, 1000);
  add_picture(made, false, 4600);
  const std::size_t silent = made.bytes.size();
  add_picture(made, true, 8200);
  made.packet(kAudio, false, 0, {}, std::vector<std::uint8_t>(184, 0x33));
  add_sound(made, 8200);
  add_picture(made, false, 11800);
  cut.feed(wire::Bytes(made.bytes).first(silent));
  CHECK(cut.read(*queue).empty());
  cut.feed(wire::Bytes(made.bytes).subspan(silent));
  const auto out = cut.read(*queue);
  REQUIRE(!out.empty());
  CHECK(Packet(out.data()).pid() == kVideo);
  CHECK(Packet(out.data()).payload_unit_start());
  Seen seen;
  seen.take(out);
  CHECK(seen[kVideo].pes == 2);
  CHECK(seen[kAudio].pes == 1);
  CHECK(seen.gaps() == 0);
}

TEST_CASE("A second reader shares the counters of the first") {
  MadeStream made;
  for (int round = 0; round < 50; ++round) {
    made.tables(sent_pat({{1, kPmt}}), {{kPmt, television()}});
    add_picture(made, round % 5 == 0, static_cast<std::uint64_t>(90'000 + round * 3600));
  }
  Cut cut(1);
  std::vector<std::shared_ptr<StreamQueue>> queues;
  const std::size_t part = made.bytes.size() / kPacketSize / 10 * kPacketSize;
  for (std::size_t at = 0; at < made.bytes.size(); at += part) {
    queues.push_back(cut.join());
    cut.feed(wire::Bytes(made.bytes).subspan(at, std::min(part, made.bytes.size() - at)));
  }
  std::vector<std::uint8_t> first_output;
  for (const auto& queue : queues) {
    const auto out = cut.read(*queue);
    Seen seen;
    seen.take(out);
    CHECK(seen.gaps() == 0);
    CHECK(seen.bad == 0);
    // The end of each stream is the same as that of the first one, byte for byte.
    if (first_output.empty()) first_output = out;
    const auto body = out.size() > 40 * kPacketSize ? out.size() - 40 * kPacketSize : 0;
    CHECK(std::equal(out.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(body, 10 * kPacketSize)), out.end(),
                     first_output.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(body, 10 * kPacketSize))));
  }
}

TEST_CASE("The packets of the streams are passed on bit for bit") {
  Arbitrary any(11);
  MadeStream made;
  made.tables(sent_pat({{1, kPmt}}), {{kPmt, television()}});
  std::vector<std::uint8_t> expected;
  for (int i = 0; i < 200; ++i) {
    const std::size_t begin = made.bytes.size();
    auto payload = picture(true);
    for (std::size_t at = 20; at < payload.size(); ++at) payload[at] = any.u8();
    made.pes({.pid = kVideo, .pts = i * 3600ULL, .payload = payload});
    add_sound(made, i * 3600ULL);
    expected.insert(expected.end(), made.bytes.begin() + static_cast<std::ptrdiff_t>(begin), made.bytes.end());
  }
  Cut cut(1);
  const auto queue = cut.join();
  cut.feed(made.bytes);
  std::vector<std::uint8_t> streams;
  const auto out = cut.read(*queue);
  for (std::size_t at = 0; at < out.size(); at += kPacketSize) {
    const std::uint16_t pid = Packet(out.data() + at).pid();
    if (pid == kVideo || pid == kAudio) {
      streams.insert(streams.end(), out.begin() + static_cast<std::ptrdiff_t>(at),
                     out.begin() + static_cast<std::ptrdiff_t>(at + kPacketSize));
    }
  }
  CHECK(streams == expected);
}

TEST_CASE("Video that never arrives, or is scrambled, does not delay other streams for long") {
  MadeStream tables;
  tables.tables(sent_pat({{1, kPmt}}), {{kPmt, television()}});
  SUBCASE("it never arrives") {
    Cut cut(1);
    cut.feed(tables.bytes);
    const auto queue = cut.join();
    MadeStream made;
    for (int i = 0; i < 10; ++i) add_sound(made, i * 2160ULL);
    cut.feed(made.bytes);
    CHECK(cut.read(*queue).size() == tables.bytes.size());
    cut.now += ServiceFilter::kMaxVideoWait;
    cut.filter.tick(cut.now);
    cut.feed(made.bytes);
    CHECK(cut.read(*queue).size() == made.bytes.size());
  }
  SUBCASE("no random access point arrives") {
    Cut cut(1);
    cut.feed(tables.bytes);
    const auto queue = cut.join();
    cut.now += ServiceFilter::kMaxAccessPointWait;
    cut.filter.tick(cut.now);
    MadeStream made;
    made.packet(kVideo, false, 0, {}, std::vector<std::uint8_t>(184, 0x33));
    add_picture(made, false, 1000);
    cut.feed(made.bytes);
    CHECK(cut.read(*queue).size() == tables.bytes.size() + made.bytes.size() - kPacketSize);
  }
  SUBCASE("it is scrambled") {
    Cut cut(1);
    cut.feed(tables.bytes);
    const auto queue = cut.join();
    MadeStream made;
    for (int i = 0; i < 5; ++i) {
      made.packet(kVideo, false, 2, {}, std::vector<std::uint8_t>(184, 0xA5));
      made.packet(kAudio, false, 3, {}, std::vector<std::uint8_t>(184, 0xA5));
    }
    cut.feed(made.bytes);
    CHECK(cut.read(*queue).size() == tables.bytes.size() + made.bytes.size());
  }
}

TEST_CASE("ECMs are kept only on request") {
  Pmt pmt = television();
  pmt.descriptors = {0x09, 4, 0x05, 0x00, 0xE0 | kEcm >> 8, kEcm & 0xFF};
  pmt.streams[1].descriptors = {0x09, 4, 0x05, 0x00, 0xE0 | (kEcm + 1) >> 8, (kEcm + 1) & 0xFF};
  MadeStream made;
  made.tables(sent_pat({{1, kPmt}}), {{kPmt, pmt}});
  add_picture(made, true, 1000);
  for (const std::uint16_t pid : {kEcm, static_cast<std::uint16_t>(kEcm + 1)}) made.section(pid, eit(0x80, 1, 0));
  for (const bool ecm : {false, true}) {
    Cut cut(1, ecm);
    const auto queue = cut.join();
    cut.feed(made.bytes);
    Seen seen;
    seen.take(cut.read(*queue));
    CHECK(seen.has(kEcm) == ecm);
    CHECK(seen.has(kEcm + 1) == ecm);
  }
}

TEST_CASE("A PCR on the PID of another service is passed without that service") {
  MadeStream made;
  made.tables(sent_pat({{1, kPmt}}), {{kPmt, pmt_of(1, {{0x03, kAudio, {}}}, 0x300)}});
  for (int i = 0; i < 10; ++i) {
    made.pes({.pid = 0x300, .pts = 1000, .pcr = i * 1'000'000ULL, .payload = picture(true)});
    add_sound(made, i * 2160ULL);
  }
  Cut cut(1);
  const auto queue = cut.join();
  cut.feed(made.bytes);
  Seen seen(true);
  seen.take(cut.read(*queue));
  CHECK(seen[0x300].pcrs == 10);
  CHECK(seen[0x300].packets == 10);
  CHECK(seen[0x300].max_pcr_step == 1'000'000);
  CHECK(seen[0x300].payload.empty());
  CHECK(seen[kAudio].pes == 10);
}

TEST_CASE("Changes of PAT and PMT are followed") {
  MadeStream made;
  made.tables(sent_pat({{1, kPmt}}), {{kPmt, television()}});
  add_picture(made, true, 1000);
  add_sound(made, 1000);
  // The audio moves to another PID, and the teletext is removed.
  Pmt changed = pmt_of(1, {{0x02, kVideo, {}}, {0x03, 0x1AB, {}}});
  changed.version = 1;
  made.tables(sent_pat({{1, kPmt}}), {{kPmt, changed}});
  made.packet(0x1AB, false, 0, {}, std::vector<std::uint8_t>(184, 0x33));  // middle of a PES packet
  add_picture(made, false, 4600);
  add_sound(made, 4600);
  add_sound(made, 4600, 0x1AB);
  // The PMT and all streams move.
  Pmt moved = pmt_of(1, {{0x02, 0x400, {}}, {0x03, 0x401, {}}}, 0x400);
  moved.version = 2;
  Pat pat = sent_pat({{1, 0x1234}});
  pat.version = 1;
  made.tables(pat, {{0x1234, moved}});
  made.pes({.pid = 0x400, .pts = 8200, .payload = picture(false)});
  made.pes({.pid = 0x400, .pts = 11800, .payload = picture(true)});
  add_sound(made, 8200, 0x401);
  add_picture(made, true, 8200);

  Cut cut(1);
  const auto queue = cut.join();
  cut.feed(made.bytes);
  const auto out = cut.read(*queue);
  Seen seen;
  seen.take(out);
  CHECK(seen.gaps() == 0);
  CHECK(seen[kVideo].pes == 2);
  CHECK(seen[kAudio].pes == 1);
  CHECK(seen[0x1AB].packets == 4);
  CHECK(seen[0x1AB].pes == 1);
  CHECK(seen[0x400].pes == 1);  // from its random access point on
  CHECK(seen[0x401].pes == 1);
  const auto pats = sections(out, pid::kPat);
  Pat first;
  Pat last;
  REQUIRE(append_section(pats.front(), first));
  REQUIRE(append_section(pats.back(), last));
  CHECK(last.programs == std::vector<Pat::Program>{{1, 0x1234}});
  CHECK(last.version != first.version);
}

TEST_CASE("The only program of a PAT that lacks the service is followed on request") {
  constexpr std::uint16_t kOtherPmt = 0x1100;
  constexpr std::uint16_t kOtherVideo = 0x201;
  const Pmt other = pmt_of(5, {{0x02, kOtherVideo, {}}}, kOtherVideo);
  MadeStream made;
  const auto programme = [&](std::uint64_t pts) {
    made.tables(sent_pat({{1, kPmt}}), {{kPmt, television()}});
    made.section(pid::kEit, eit(0x4E, 1, 0));
    add_picture(made, true, pts);
    add_sound(made, pts);
  };
  const auto advertisement = [&](std::vector<Pat::Program> programs) {
    made.tables(sent_pat(std::move(programs)), {{kOtherPmt, other}});
    made.section(pid::kEit, eit(0x4E, 5, 0));
    made.pes({.pid = kOtherVideo, .pts = 9000, .payload = picture(true)});
  };
  programme(1000);
  advertisement({{5, kOtherPmt}});
  programme(4600);
  advertisement({{5, kOtherPmt}, {6, 0x1200}});  // which of them?

  Cut cut(1, false, true);
  Cut faithful(1);
  const auto queue = cut.join();
  const auto only = faithful.join();
  cut.feed(made.bytes);
  faithful.feed(made.bytes);
  const auto out = cut.read(*queue);
  Seen seen;
  seen.take(out);
  CHECK(seen.gaps() == 0);
  std::vector<Pat::Program> programs;
  for (const Section& one : sections(out, pid::kPat)) {
    Pat pat;
    REQUIRE(append_section(one, pat));
    REQUIRE(pat.programs.size() == 1);
    if (programs.empty() || programs.back() != pat.programs.front()) programs.push_back(pat.programs.front());
  }
  CHECK(programs == std::vector<Pat::Program>{{1, kPmt}, {5, kOtherPmt}, {1, kPmt}});
  for (const Section& one : sections(out, kPmt)) CHECK(one == write_sections(television()).front());
  REQUIRE(!sections(out, kOtherPmt).empty());
  CHECK(sections(out, kOtherPmt).front() == write_sections(other).front());
  CHECK(sections(out, pid::kEit) == std::vector<Section>{eit(0x4E, 1, 0), eit(0x4E, 5, 0), eit(0x4E, 1, 0)});
  CHECK(seen[kVideo].pes == 2);
  CHECK(seen[kAudio].pes == 2);
  CHECK(seen[kOtherVideo].pes == 1);

  // Where the counter of a PMT PID starts again, the packet signals a discontinuity.
  std::vector<std::uint16_t> announced;
  for (std::size_t at = 0; at < out.size(); at += kPacketSize) {
    const Packet packet(out.data() + at);
    if (packet.has_adaptation_field() && packet.discontinuity_indicator()) announced.push_back(packet.pid());
  }
  CHECK(announced == std::vector<std::uint16_t>{kOtherPmt, kPmt});

  Seen seen_of_one;
  seen_of_one.take(faithful.read(*only));
  CHECK(seen_of_one.gaps() == 0);
  CHECK(seen_of_one[kOtherVideo].packets == 0);
  CHECK(seen_of_one[kVideo].pes == 2);
}

TEST_CASE("A filter created late gets PAT and PMT from the multiplex") {
  Demux demux;
  Observer observer;
  const Multiplex multiplex(demux, observer);
  MadeStream made;
  made.tables(sent_pat({{1, kPmt}, {2, 0x1001}}),
              {{kPmt, television()}, {0x1001, pmt_of(2, {{0x03, 0x201, {}}}, 0x201)}});
  demux.feed(made.bytes);
  for (const std::uint16_t service : {1, 2, 3}) {
    ServiceFilter filter(demux, service, false);
    multiplex.visit_psi(service, [&](wire::Bytes section, std::uint16_t pid) { filter.prime(section, pid); });
    const auto queue = std::make_shared<StreamQueue>(StreamQueue::kDefaultMaxBytes, [] {});
    filter.add_reader(queue, std::chrono::steady_clock::now());
    filter.tick(std::chrono::steady_clock::now());
    Chunk chunk;
    CHECK((queue->read(chunk) == StreamQueue::Read::chunk) == (service != 3));
    if (service != 3) CHECK(chunk.size == 2 * kPacketSize);
  }
}

TEST_CASE("Streams on reserved, duplicate or out-of-range PIDs do not break the output") {
  MadeStream made;
  Pmt pmt = pmt_of(1, {}, 0x0000);
  for (const std::uint16_t pid : {0x0000, 0x0011, 0x0012, 0x1000, 0x1FFF, 0x0100, 0x0100}) {
    pmt.streams.push_back({0x02, static_cast<std::uint16_t>(pid), {}});
  }
  for (std::uint16_t pid = 0x600; pid < 0x600 + 150; ++pid) pmt.streams.push_back({0x06, pid, {}});
  made.tables(sent_pat({{1, kPmt}}), {{kPmt, pmt}});
  add_picture(made, true, 1000);
  for (int round = 0; round < 3; ++round) {
    pmt.version = (pmt.version + 1) & 0x1F;
    for (auto& stream : pmt.streams) stream.pid = static_cast<std::uint16_t>((stream.pid + 150) & 0x1FFF);
    made.tables(sent_pat({{1, kPmt}}), {{kPmt, pmt}});
  }
  Cut cut(1);
  const auto queue = cut.join();
  cut.feed(made.bytes);
  Seen seen;
  seen.take(cut.read(*queue));
  CHECK(seen[kVideo].pes == 1);
  CHECK(seen.gaps() == 0);
}

TEST_CASE("Streams of PAT and PMT are sent, also on the PIDs of DVB tables") {
  constexpr std::uint16_t kPmtPid = 0x10;
  constexpr std::uint16_t kPicturePid = 0x11;
  constexpr std::uint16_t kSoundPid = 0x14;
  const Pmt pmt = pmt_of(1, {{0x02, kPicturePid, {}}, {0x04, kSoundPid, {}}}, kPicturePid);
  MadeStream made;
  for (int round = 0; round < 20; ++round) {
    made.tables(sent_pat({{1, kPmtPid}}), {{kPmtPid, pmt}});
    const auto pts = static_cast<std::uint64_t>(90'000 + round * 3600);
    made.pes({.pid = kPicturePid, .pts = pts, .pcr = pts * 300, .bounded = false, .payload = picture(true)});
    add_sound(made, pts, kSoundPid);
  }
  Cut cut(1);
  const auto queue = cut.join();
  cut.feed(made.bytes);
  const auto out = cut.read(*queue);
  Seen seen;
  seen.take(out);
  CHECK(seen.pids() == std::vector<std::uint16_t>{0, kPmtPid, kPicturePid, kSoundPid});
  CHECK(seen.gaps() == 0);
  CHECK(seen[kPicturePid].pes == 20);
  CHECK(seen[kSoundPid].pes == 20);
  for (const Section& one : sections(out, kPmtPid)) CHECK(one == write_sections(pmt).front());
  CHECK(cut.demux.totals().section_errors.crc == 0);

  // Once the video is on another PID, the tables are sent again.
  Sdt sdt{.transport_stream_id = 7, .original_network_id = 9, .version = 3, .services = {}};
  sdt.services.push_back({.service_id = 1, .descriptors = {0x48, 5, 1, 0, 2, 'a', 'b'}});
  MadeStream moved;
  Pmt next = television();
  next.version = 1;
  moved.tables(sent_pat({{1, kPmt}}), {{kPmt, next}});
  for (const Section& one : write_sections(sdt)) moved.section(pid::kSdtBat, one);
  moved.section(pid::kTdtTot, write_tdt(1'700'000'000));
  cut.feed(moved.bytes);
  const auto later = cut.read(*queue);
  CHECK(sections(later, pid::kSdtBat).size() == 1);
  CHECK(sections(later, pid::kTdtTot).size() == 1);
}

TEST_CASE("Captures: one program, the streams of its PMT, no more continuity errors than were received") {
  struct Case {
    const char* name;
    std::uint16_t service_id;
    std::size_t streams;
  };
  for (const Case& one : {Case{"arte-2019-av.ts", 1031, 10}, Case{"big-buck-bunny.ts", 1, 2},
                          Case{"dtt-italy-rai.ts", 3401, 10}, Case{"dtt-italy-rai.ts", 3405, 6}}) {
    const std::string path = capture(one.name);
    if (path.empty()) return;
    CAPTURE(one.service_id);
    const auto bytes = read_file(path);
    Seen source;
    Cut cut(one.service_id);
    const auto queue = cut.join();
    PacketReader reader;
    std::vector<std::uint8_t> out;
    for (std::size_t at = 0; at < bytes.size(); at += 48'128) {
      reader.feed(wire::Bytes(bytes).subspan(at, std::min<std::size_t>(48'128, bytes.size() - at)));
      for (wire::Bytes run; !(run = reader.next()).empty();) {
        source.take(run);
        cut.feed(run);
      }
      const auto part = cut.read(*queue);
      out.insert(out.end(), part.begin(), part.end());
    }
    Seen seen;
    seen.take(out);
    CHECK(seen.bad == 0);
    std::size_t streams = 0;
    for (const std::uint16_t pid : seen.pids()) {
      CHECK(seen[pid].gaps <= source[pid].gaps);
      CHECK(seen[pid].packets <= source[pid].packets + 8);
    }
    for (const Section& section : sections(out, pid::kPat)) {
      Pat pat;
      REQUIRE(append_section(section, pat));
      REQUIRE(pat.programs.size() == 1);
      CHECK(pat.programs[0].service_id == one.service_id);
      Pmt pmt;
      const auto pmts = sections(out, pat.programs[0].pmt_pid);
      REQUIRE(!pmts.empty());
      REQUIRE(append_section(pmts.front(), pmt));
      streams = pmt.streams.size();
    }
    CHECK(streams == one.streams);
  }
}
