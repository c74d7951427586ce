// Tests of the file source: loops, pacing, truncated ends, pipes, and files that change during playback.
#include "dvb/file_source.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "dvb/made_stream.h"
#include "dvb/si/tables.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

using Clock = std::chrono::steady_clock;

/// A file in the temporary folder, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(wire::Bytes bytes = {}) {
    std::string pattern = (std::filesystem::temp_directory_path() / "receiverd-XXXXXX").string();
    const int file = ::mkstemp(pattern.data());
    REQUIRE(file >= 0);
    ::close(file);
    path_ = pattern;
    write(bytes);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(wire::Bytes bytes) const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr std::uint64_t kFrame = 3600;  // 25 pictures a second, in 90 kHz ticks

/// MPEG-2: a sequence header and an I picture, or another picture.
std::vector<std::uint8_t> picture(bool random_access, std::size_t size) {
  std::vector<std::uint8_t> es;
  if (random_access) es = {0, 0, 1, 0xB3, 0x2D, 0x02, 0x40};
  es.insert(es.end(), {0, 0, 1, 0x00, 0x00, 0x08});
  es.resize(size, 0x55);
  return es;
}

/// Two seconds of one service starting at `first_pts`: a PCR for every picture, a random access point every 10
/// pictures.
MadeStream two_seconds(std::uint64_t first_pts = 90'000, std::size_t first_random_access = 0,
                       std::size_t pictures = 50) {
  MadeStream made;
  const Pat pat{.transport_stream_id = 1, .programs = {{1, 0x1000}}};
  const Pmt pmt{
      .service_id = 1, .pcr_pid = kVideo, .descriptors = {}, .streams = {{0x02, kVideo, {}}, {0x03, kAudio, {}}}};
  for (std::size_t i = 0; i < pictures; ++i) {
    if (i % 5 == 0) made.tables(pat, {{0x1000, pmt}});
    if (i == 7) made.section(0x14, write_tdt(1'700'000'000));
    const std::uint64_t pts = (first_pts + i * kFrame) % kPtsModulus;
    const std::uint64_t pcr = (pts + kPtsModulus - 45'000) % kPtsModulus * 300;
    made.pes({.pid = kVideo,
              .pts = pts,
              .pcr = pcr,
              .bounded = false,
              .payload = picture(i >= first_random_access && (i - first_random_access) % 10 == 0, 3000)});
    made.pes({.pid = kAudio, .stream_id = 0xC0, .pts = pts, .payload = std::vector<std::uint8_t>(500, 0x33)});
  }
  return made;
}

/// Reads as fast as possible, until `packets` packets are read or the source ends.
std::vector<std::uint8_t> read_packets(Source& source, std::size_t packets) {
  std::vector<std::uint8_t> all;
  std::vector<std::uint8_t> buffer(64 * kPacketSize);
  while (all.size() < packets * kPacketSize) {
    const ReadResult result = source.read(buffer);
    if (result.state == ReadResult::State::ended || result.state == ReadResult::State::failed) break;
    all.insert(all.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(result.size));
  }
  return all;
}

}  // namespace

TEST_CASE("A file that is not looped is played unchanged, then ends") {
  const MadeStream made = two_seconds();
  const TemporaryFile file(made.bytes);
  for (const bool paced : {false}) {
    FileSource source({.path = file.path(), .loop = false, .paced = paced});
    CHECK(read_packets(source, 1 << 20) == made.bytes);
    std::vector<std::uint8_t> buffer(kPacketSize);
    CHECK(source.read(buffer).state == ReadResult::State::ended);
    CHECK_FALSE(source.signal().locked);
  }
}

TEST_CASE("The first pass of a loop is the file itself") {
  const MadeStream made = two_seconds();
  const TemporaryFile file(made.bytes);
  FileSource source({.path = file.path(), .loop = true, .paced = false});
  auto read = read_packets(source, made.bytes.size() / kPacketSize);
  read.resize(made.bytes.size());
  CHECK(read == made.bytes);
}

TEST_CASE("Counters and clocks continue across the passes of a loop") {
  // The second one wraps its clocks within the first pass.
  for (const std::uint64_t first_pts : {std::uint64_t{90'000}, kPtsModulus - 60'000}) {
    const MadeStream made = two_seconds(first_pts);
    const TemporaryFile file(made.bytes);
    FileSource source({.path = file.path(), .loop = true, .paced = false});
    Seen seen;
    seen.take(read_packets(source, 40 * made.bytes.size() / kPacketSize));
    CHECK(source.passes() >= 39);
    CHECK(seen.gaps() == 0);
    CHECK(seen.bad == 0);
    for (const std::uint16_t pid : {kVideo, kAudio}) {
      CHECK(seen[pid].min_dts_step == kFrame);
      CHECK(seen[pid].max_dts_step <= kFrame * 5 / 4);
    }
    CHECK(seen[kVideo].min_pcr_step == kFrame * 300);
    CHECK(seen[kVideo].max_pcr_step <= static_cast<std::int64_t>(kFrame) * 300 * 5 / 4);
  }
}

TEST_CASE("A file surveyed only at head and tail loops like a short one") {
  const MadeStream made = two_seconds(90'000, 0, 3000);
  REQUIRE(made.bytes.size() > LoopSurvey::kTailWindow + (1 << 20));
  // Bytes before the first packet, so that the grid does not start at 0; the last picture is cut off.
  std::vector<std::uint8_t> bytes(100, 0x00);
  bytes.insert(bytes.end(), made.bytes.begin(), made.bytes.end() - 5 * static_cast<std::ptrdiff_t>(kPacketSize));
  const TemporaryFile file(bytes);
  FileSource source({.path = file.path(), .loop = true, .paced = false});
  Seen seen;
  seen.take(read_packets(source, 5 * made.bytes.size() / kPacketSize / 2));
  CHECK(source.passes() == 2);
  CHECK(seen.gaps() == 0);
  CHECK(seen[kVideo].min_dts_step == kFrame);
  CHECK(seen[kVideo].max_dts_step <= static_cast<std::int64_t>(kFrame) * 9 / 4);
}

TEST_CASE("TDT advances by the time played") {
  const MadeStream made = two_seconds();
  const TemporaryFile file(made.bytes);
  FileSource source({.path = file.path(), .loop = true, .paced = false});
  const auto bytes = read_packets(source, 11 * made.bytes.size() / kPacketSize);
  std::vector<wire::UnixSeconds> times;
  for (std::size_t at = 0; at + kPacketSize <= bytes.size(); at += kPacketSize) {
    const Packet packet(bytes.data() + at);
    if (packet.pid() == 0x14) times.push_back(read_tdt(packet.payload().subspan(1, 8)).value());
  }
  REQUIRE(times.size() >= 11);
  for (std::size_t turn = 0; turn < 11; ++turn) {
    CHECK(times[turn] - 1'700'000'000 == doctest::Approx(static_cast<double>(2 * turn)).epsilon(0.2));
  }
}

TEST_CASE("A loop omits the PES packet truncated by the end of the file, and video before a random access point") {
  const MadeStream made = two_seconds(90'000, 4);
  auto bytes = made.bytes;
  // Cut inside the last picture. Its last packet, which is filled up with stuffing, is the one before the three audio
  // packets.
  bytes.resize(bytes.size() - 5 * kPacketSize);
  const TemporaryFile file(bytes);
  FileSource source({.path = file.path(), .loop = true, .paced = false});
  const auto read = read_packets(source, 5 * bytes.size() / kPacketSize);
  Seen seen;
  seen.take(read);
  CHECK(seen.gaps() == 0);
  // Every picture is complete: 3000 bytes and its PES header.
  std::size_t size = 0;
  std::size_t pictures = 0;
  std::vector<bool> random_access;
  for (std::size_t at = 0; at + kPacketSize <= read.size(); at += kPacketSize) {
    const Packet packet(read.data() + at);
    if (packet.pid() != kVideo) continue;
    if (packet.payload_unit_start()) {
      if (pictures++ != 0) CHECK(size == 3000 + 14);
      size = 0;
    }
    size += packet.payload().size();
  }
  // 49 complete pictures in the first pass, 45 in those that start at the fifth.
  CHECK(pictures >= 49 + 3 * 45);
  CHECK(seen[kVideo].min_dts_step == kFrame);
  CHECK(seen[kVideo].max_dts_step <= static_cast<std::int64_t>(7 * kFrame));
  // The PCRs of the omitted pictures remain.
  CHECK(seen[kVideo].max_pcr_step <= static_cast<std::int64_t>(2 * kFrame * 300));
}

TEST_CASE("A section truncated by the end of the file is omitted, the one before it is kept") {
  MadeStream made = two_seconds();
  // PID 0x12: a section of 300 bytes, followed in its last packet by the start of another that never ends.
  std::vector<std::uint8_t> first(300, 0x11);
  first[0] = 0x4E;
  first[1] = 0xF1;
  first[2] = 0x29;  // 297 bytes follow
  std::vector<std::uint8_t> payload = {0};
  payload.insert(payload.end(), first.begin(), first.end());
  std::size_t taken = made.packet(0x12, true, 0, {}, payload);
  std::vector<std::uint8_t> rest = {static_cast<std::uint8_t>(payload.size() - taken)};
  rest.insert(rest.end(), payload.begin() + static_cast<std::ptrdiff_t>(taken), payload.end());
  rest.insert(rest.end(), {0x4E, 0xF2, 0x00});
  rest.resize(184, 0x22);
  made.packet(0x12, true, 0, {}, rest);
  const TemporaryFile file(made.bytes);
  FileSource source({.path = file.path(), .loop = true, .paced = false});
  Seen seen(true);
  seen.take(read_packets(source, 3 * made.bytes.size() / kPacketSize));
  CHECK(seen.gaps() == 0);
  const auto& kept = seen[0x12].payload;
  REQUIRE(kept.size() >= 2 * 184);
  CHECK(std::equal(first.begin(), first.end(), kept.begin() + 1));
  CHECK(std::all_of(kept.begin() + 301, kept.begin() + 368, [](std::uint8_t byte) { return byte == 0xFF; }));
  CHECK(kept[368] == 0);  // the second pass starts with a pointer_field again
}

TEST_CASE("Packets of 192 and 204 bytes loop like those of 188") {
  const MadeStream made = two_seconds();
  for (const std::size_t distance : {std::size_t{192}, std::size_t{204}}) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t at = 0; at < made.bytes.size(); at += kPacketSize) {
      if (distance == 192) bytes.insert(bytes.end(), 4, 0x00);
      bytes.insert(bytes.end(), made.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   made.bytes.begin() + static_cast<std::ptrdiff_t>(at + kPacketSize));
      if (distance == 204) bytes.insert(bytes.end(), 16, 0xAA);
    }
    const TemporaryFile file(bytes);
    FileSource source({.path = file.path(), .loop = true, .paced = false});
    Seen seen;
    seen.take(read_packets(source, 4 * made.bytes.size() / kPacketSize));
    CHECK(seen.gaps() == 0);
    CHECK(seen.bad == 0);
    CHECK(seen[kVideo].min_dts_step == kFrame);
  }
}

TEST_CASE("An unplayable file reports the reason") {
  std::vector<std::uint8_t> buffer(kPacketSize * 16);
  const auto error_of = [&](const std::string& path) {
    FileSource source({.path = path});
    for (int i = 0; i < 1000; ++i) {
      const ReadResult result = source.read(buffer);
      if (result.state == ReadResult::State::failed) return source.error();
      REQUIRE(result.state == ReadResult::State::idle);
    }
    return std::string("never failed");
  };
  CHECK(error_of("/nonexistent/capture.ts") == "/nonexistent/capture.ts: No such file or directory");
  CHECK(error_of("/tmp") == "/tmp: is a folder");
  const TemporaryFile empty;
  CHECK(error_of(empty.path()) == empty.path() + ": no transport packets");
  const TemporaryFile noise(std::vector<std::uint8_t>(100'000, 0x46));
  CHECK(error_of(noise.path()) == noise.path() + ": no transport packets");
}

TEST_CASE("A file may shrink, grow and disappear during playback") {
  const MadeStream made = two_seconds();
  TemporaryFile file(made.bytes);
  FileSource source({.path = file.path(), .loop = true, .paced = false});
  Seen seen;
  seen.take(read_packets(source, made.bytes.size() / kPacketSize / 2));
  file.write(wire::Bytes(made.bytes).first(made.bytes.size() / 3));
  seen.take(read_packets(source, 2 * made.bytes.size() / kPacketSize));
  auto longer = two_seconds().bytes;
  longer.insert(longer.end(), made.bytes.begin(), made.bytes.end());
  file.write(longer);
  seen.take(read_packets(source, 4 * made.bytes.size() / kPacketSize));
  CHECK(source.passes() > 2);
  std::filesystem::remove(file.path());
  seen.take(read_packets(source, 4 * made.bytes.size() / kPacketSize));
  CHECK(seen.bad == 0);
  CHECK(source.signal().locked);
  // Shrunk to nothing: the tuner is notified.
  TemporaryFile second(made.bytes);
  FileSource other({.path = second.path(), .loop = true, .paced = false});
  read_packets(other, 100);
  second.write({});
  read_packets(other, 1 << 20);
  CHECK(other.error() == second.path() + ": no transport packets");
}

TEST_CASE("A paced file takes as long as its PCR indicates") {
  const MadeStream made = two_seconds();
  const TemporaryFile file(made.bytes);
  FileSource source({.path = file.path(), .loop = true, .paced = true});
  std::vector<std::uint8_t> buffer(64 * kPacketSize);
  const auto begin = Clock::now();
  std::size_t packets = 0;
  const std::size_t half_a_second = made.bytes.size() / kPacketSize / 4;
  while (packets < half_a_second) {
    packets += source.read(buffer).size / kPacketSize;
  }
  CHECK(Clock::now() - begin > std::chrono::milliseconds(400));
}

TEST_CASE("An endless pipe without packets is given up, and read() returns meanwhile") {
  FileSource source({.path = "/dev/zero", .loop = false, .paced = false});
  std::vector<std::uint8_t> buffer(64 * kPacketSize);
  std::size_t idle = 0;
  ReadResult result = source.read(buffer);
  for (; result.state == ReadResult::State::idle; result = source.read(buffer)) ++idle;
  CHECK(result.state == ReadResult::State::failed);
  CHECK(source.error() == "/dev/zero: no transport packets");
  CHECK(idle > 100);
}

TEST_CASE("A pipe plays the data written to it and ends with its writer") {
  const MadeStream made = two_seconds();
  const TemporaryFile place;
  std::filesystem::remove(place.path());
  REQUIRE(::mkfifo(place.path().c_str(), 0600) == 0);
  FileSource source({.path = place.path(), .loop = true, .paced = false});
  std::vector<std::uint8_t> buffer(64 * kPacketSize);
  // No writer yet: the source waits without blocking its thread.
  CHECK(source.read(buffer).state == ReadResult::State::idle);
  CHECK(source.read(buffer).state == ReadResult::State::idle);
  std::thread writer([&] {
    std::ofstream pipe(place.path(), std::ios::binary);
    pipe.write(reinterpret_cast<const char*>(made.bytes.data()), static_cast<std::streamsize>(made.bytes.size()));
  });
  const auto read = read_packets(source, 1 << 20);
  writer.join();
  CHECK(read == made.bytes);
}

TEST_CASE("Data of a pipe is played up to two seconds early, and not before") {
  const MadeStream made = two_seconds(90'000, 0, 100);
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > static_cast<int>(made.bytes.size()));
  REQUIRE(::write(ends[1], made.bytes.data(), made.bytes.size()) == static_cast<ssize_t>(made.bytes.size()));
  ::close(ends[1]);
  FileSource source({.path = "/proc/self/fd/" + std::to_string(ends[0]), .loop = false, .paced = true});
  std::vector<std::uint8_t> buffer(made.bytes.size());
  const auto begin = Clock::now();
  CHECK(source.read(buffer).state == ReadResult::State::idle);
  std::size_t size = source.read(buffer).size;
  // Half of the four seconds, and a little more on a slow machine.
  CHECK(size > made.bytes.size() / 2 - 8000);
  for (ReadResult result; result.state != ReadResult::State::ended; size += result.size) result = source.read(buffer);
  CHECK(Clock::now() - begin > std::chrono::milliseconds(1900));
  CHECK(size == made.bytes.size());
  ::close(ends[0]);
}

TEST_CASE("Big Buck Bunny plays seamlessly for over a minute") {
  const std::string path = capture("big-buck-bunny.ts");
  if (path.empty()) return;
  FileSource source({.path = path, .loop = true, .paced = false});
  Seen seen;
  seen.take(read_packets(source, 7 * 10'888));
  CHECK(source.passes() >= 6);
  CHECK(seen.gaps() == 0);
  for (const std::uint16_t pid : {0x100, 0x101}) {
    CHECK(seen[pid].min_dts_step > 0);
    CHECK(seen[pid].max_dts_step <= 90'000 / 5);
  }
  CHECK(seen[0x100].min_pcr_step > 0);
  CHECK(seen[0x100].max_pcr_step <= static_cast<std::int64_t>(kSystemClockFrequency) / 4);
}

TEST_CASE("Every capture loops with no more continuity errors than it contains") {
  for (const std::string name : {"arte-2019-av.ts", "dtt-italy-rai.ts", "dtt-france-2019-si.ts", "isdb-arib.ts",
                                 "sat-canal-eit.ts", "czech-eit-only.ts"}) {
    const std::string path = capture(name);
    if (path.empty()) return;
    CAPTURE(name);
    const auto bytes = read_file(path);
    std::uint64_t once = 0;
    std::size_t packets = 0;
    {
      FileSource source({.path = path, .loop = false, .paced = false});
      Seen seen;
      const auto read = read_packets(source, 1 << 20);
      packets = read.size() / kPacketSize;
      seen.take(read);
      once = seen.gaps();
    }
    FileSource source({.path = path, .loop = true, .paced = false});
    Seen seen;
    seen.take(read_packets(source, 3 * packets));
    CHECK(source.passes() >= 2);
    CHECK(seen.gaps() <= 3 * once + 3);
    CHECK((once != 0 || seen.gaps() == 0));
  }
}
