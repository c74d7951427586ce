// Tests of recording to disk: content, ends, failing and slow disks, side files, several streams.
#include "recording/recording.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "dvb/file_source.h"
#include "dvb/made_stream.h"
#include "dvb/tuner.h"
#include "temporary_folder.h"
#include "waits.h"

using namespace receiverd;
using namespace receiverd::dvb;
using namespace receiverd::recording;
using namespace std::chrono_literals;

namespace {

/// A service whose packets differ in their payload.
std::vector<std::uint8_t> service(int pictures, std::uint64_t first = 0) {
  MadeStream made;
  for (int i = 0; i < pictures; ++i) {
    if (i % 10 == 0) made.video_tables();
    std::vector<std::uint8_t> payload = {0, 0, 1, 0xB3, 1, 2, 3, 0, 0, 1, 0, 1, 2, 3};
    payload.resize(20'000, static_cast<std::uint8_t>(2 + i % 250));
    const std::uint64_t pts = (first + static_cast<std::uint64_t>(i)) * 3600;
    made.pes({.pid = kVideo, .pts = pts, .pcr = pts * 300, .bounded = false, .payload = payload});
  }
  return made.bytes;
}

/// A service with pictures and audio, 25 of each a second, whose pictures may stop.
class MadeService {
 public:
  explicit MadeService(std::uint64_t first = 0) : pts_(first * 3600) {}

  MadeService& tables(bool with_video = true) {
    Pmt pmt;
    pmt.service_id = 1;
    pmt.pcr_pid = kVideo;
    if (with_video) pmt.streams.push_back({0x02, kVideo, {}});
    pmt.streams.push_back({0x03, kAudio, {}});
    Pat pat;
    pat.transport_stream_id = 7;
    pat.programs = {{1, 0x1000}};
    made_.tables(pat, {{0x1000, pmt}});
    return *this;
  }
  MadeService& both(int times) {
    for (int i = 0; i < times; ++i) {
      made_.pes({.pid = kVideo,
                 .pts = pts_,
                 .pcr = pts_ * 300,
                 .bounded = false,
                 .payload = {0, 0, 1, 0xB3, 1, 2, 3, 0, 0, 1, 0, 1, 2, 3}});
      sound(1);
    }
    return *this;
  }
  MadeService& sound(int times) {
    for (int i = 0; i < times; ++i, pts_ += 3600) {
      made_.pes({.pid = kAudio, .stream_id = 0xC0, .pts = pts_, .payload = std::vector<std::uint8_t>(400)});
    }
    return *this;
  }
  /// Adds packets without a time.
  MadeService& data(int packets) {
    for (int i = 0; i < packets; ++i) made_.packet(0x102, false, 0, {}, std::vector<std::uint8_t>(184, 7));
    return *this;
  }
  /// The bytes without the last packet.
  std::vector<std::uint8_t> torn() const {
    return {made_.bytes.begin(), made_.bytes.end() - static_cast<std::ptrdiff_t>(kPacketSize)};
  }
  const std::vector<std::uint8_t>& bytes() const { return made_.bytes; }

 private:
  MadeStream made_;
  std::uint64_t pts_;
};

/// The entries of a side file.
std::vector<std::pair<std::uint64_t, std::uint64_t>> entries(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | bytes[at + i];
    return value;
  };
  for (std::size_t at = 0; at + 16 <= bytes.size(); at += 16) all.emplace_back(number(at), number(at + 8));
  CHECK(bytes.size() % 16 == 0);
  return all;
}

/// The offset at which the last picture starts.
std::size_t last_picture(wire::Bytes stream) {
  std::size_t last = 0;
  for (std::size_t at = 0; at < stream.size(); at += kPacketSize) {
    const Packet packet(stream.data() + at);
    if (packet.pid() == kVideo && packet.payload_unit_start()) last = at;
  }
  return last;
}

/// A disk that fails as the test demands, and remembers what it has synced.
class BadDisk final : public Disk {
 public:
  int open(const char* path) override {
    if (const int error = open_error) {
      errno = error;
      return -1;
    }
    ++opened;
    return Disk::open(path);
  }
  ssize_t write(int file, wire::Bytes bytes, std::uint64_t offset) override {
    std::this_thread::sleep_for(delay.load());
    while (hangs) std::this_thread::sleep_for(1ms);
    if (const int error = write_error) {
      errno = error;
      return -1;
    }
    const std::uint64_t room = capacity;
    if (offset >= room) {
      errno = ENOSPC;
      return -1;
    }
    return Disk::write(
        file, bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), room - offset))), offset);
  }
  int sync(int file) override {
    struct stat status {};
    ::fstat(file, &status);
    const int result = Disk::sync(file);
    ++syncs;
    synced = static_cast<std::uint64_t>(status.st_size);
    return result;
  }

  std::atomic<int> open_error{0};
  std::atomic<int> write_error{0};
  std::atomic<std::uint64_t> capacity{~std::uint64_t{0}};
  std::atomic<std::chrono::milliseconds> delay{0ms};
  std::atomic<bool> hangs{false};
  std::atomic<int> opened{0};
  std::atomic<int> syncs{0};
  std::atomic<std::uint64_t> synced{0};
};

/// A file that is not read until allowed, so that streams are opened first.
class HeldSource final : public Source {
 public:
  HeldSource(const FileOptions& options, const std::atomic<bool>& go) : file_(options), go_(go) {}
  ReadResult read(std::span<std::uint8_t> buffer) override {
    if (go_) return file_.read(buffer);
    std::this_thread::sleep_for(1ms);
    return {};
  }
  SignalQuality signal() const override { return file_.signal(); }

 private:
  FileSource file_;
  const std::atomic<bool>& go_;
};

struct Fixture {
  TemporaryFolder folder;
  std::string path = folder.file("a.ts");
  BadDisk disk;

  Fixture() { std::ofstream(path).close(); }
  RecordingOptions options(std::size_t bound = 64 << 20) {
    return {.path = path, .max_queue_bytes = bound, .sync = SyncPolicy::always, .sync_interval = 1s, .disk = &disk};
  }
};

void send(StreamQueue& queue, wire::Bytes packets) {
  queue.append(packets, std::chrono::steady_clock::now());
  queue.flush(std::chrono::steady_clock::now() + 1s);
}

}  // namespace

TEST_CASE("Packets are written to the file byte for byte, with their access points and pictures") {
  for (const SyncPolicy sync : {SyncPolicy::never, SyncPolicy::interval, SyncPolicy::always}) {
    Fixture here;
    RecordingOptions options = here.options();
    options.sync = sync;
    Recording recording(options);
    const std::vector<std::uint8_t> stream = service(300);
    const auto queue = recording.open_queue();
    send(*queue, stream);
    queue->finish(StreamEnd::ended);
    recording.stop();
    CHECK(read_file(here.path) == stream);
    const RecordingStatus status = recording.status();
    CHECK(status.bytes == stream.size());
    CHECK(status.packets == stream.size() / kPacketSize);
    CHECK(status.ticks == 299 * 3600);
    CHECK(status.waiting == 0);
    CHECK(status.lost == 0);
    CHECK(status.error == 0);
    const auto points = entries(here.path + ".ap");
    REQUIRE(points.size() == 300);
    for (std::size_t i = 0; i < points.size(); ++i) {
      CHECK(points[i].second == i * 3600);
      CHECK(Packet(stream.data() + points[i].first).payload_unit_start());
      CHECK(points[i].first % kPacketSize == 0);
    }
    for (const auto& [offset, data] : entries(here.path + ".sc")) {
      REQUIRE(offset + 6 <= stream.size());
      CHECK(stream[offset + 2] == 1);
      CHECK(stream[offset + 3] == (data & 0xFF));
    }
    CHECK((here.disk.syncs > 0) == (sync != SyncPolicy::never));
  }
}

TEST_CASE("Symbolic links in place of its files are not followed") {
  Fixture here;
  const std::string victim = here.folder.file("victim");
  std::ofstream(victim) << "victim";
  const auto untouched = [&] { return std::filesystem::file_size(victim) == 6; };

  SUBCASE("side files replace them") {
    for (const char* end : {".ap", ".sc"}) std::filesystem::create_symlink(victim, here.path + end);
    Recording recording(here.options());
    const auto queue = recording.open_queue();
    const std::vector<std::uint8_t> stream = service(300);
    send(*queue, stream);
    queue->finish(StreamEnd::ended);
    recording.stop();
    CHECK(entries(here.path + ".ap").size() == 300);
    CHECK_FALSE(std::filesystem::is_symlink(here.path + ".sc"));
    CHECK(untouched());
  }
  SUBCASE("the recording itself fails") {
    std::filesystem::remove(here.path);
    std::filesystem::create_symlink(victim, here.path);
    Recording recording(here.options());
    send(*recording.open_queue(), service(300));
    CHECK(wait_for([&] { return recording.status().error == ELOOP; }));
    recording.stop();
    CHECK(untouched());
  }
}

TEST_CASE("A stopped recording ends with a complete picture, and so do its side files") {
  for (const auto wait : {0ms, 700ms}) {
    Fixture here;
    Recording recording(here.options());
    const std::vector<std::uint8_t> stream = service(20);
    send(*recording.open_queue(), stream);
    // The last picture is in the side files in one case, and not yet in the other.
    std::this_thread::sleep_for(wait);
    recording.stop();
    const std::size_t size = last_picture(stream);
    CHECK(read_file(here.path).size() == size);
    CHECK(recording.status().bytes == size);
    CHECK(entries(here.path + ".ap").size() == 19);
    CHECK(entries(here.path + ".sc").size() == 2 * 19);
  }
}

TEST_CASE("Data after the pictures have stopped stays in a stopped recording") {
  constexpr int kSecond = 25;
  const auto recorded = [](const std::vector<std::uint8_t>& stream, std::size_t pictures = 20) {
    Fixture here;
    Recording recording(here.options());
    send(*recording.open_queue(), stream);
    recording.stop();
    CHECK(entries(here.path + ".ap").size() == pictures);
    CHECK(recording.status().bytes == std::filesystem::file_size(here.path));
    return read_file(here.path);
  };

  SUBCASE("audio, without its incomplete end") {
    const auto stream = MadeService().tables().both(20).sound(5 * kSecond).torn();
    const auto file = recorded(stream);
    REQUIRE(file.size() == stream.size());
    CHECK(std::equal(stream.begin(), stream.end() - 2 * kPacketSize, file.begin()));
    for (std::size_t at = file.size() - 2 * kPacketSize; at < file.size(); at += kPacketSize) {
      CHECK(Packet(file.data() + at).pid() == kNullPid);
    }
  }
  SUBCASE("audio of a service that no longer has pictures") {
    const auto stream = MadeService().tables().both(20).tables(false).sound(1).bytes();
    CHECK(recorded(stream) == stream);
  }
  SUBCASE("much data without a time") {
    const auto stream = MadeService().tables().both(20).data(8000).bytes();
    CHECK(recorded(stream) == stream);
  }
  SUBCASE("but not data that arrived with the last picture") {
    const auto stream = MadeService().tables().both(20).sound(kSecond).data(100).bytes();
    CHECK(recorded(stream, 19).size() == last_picture(stream));
  }
}

TEST_CASE("The last picture of a stream is removed if nothing follows it, but not because of the next stream") {
  for (const bool follows : {false, true}) {
    CAPTURE(follows);
    Fixture here;
    Recording recording(here.options());
    const auto first = MadeService().tables().both(20).bytes();
    const auto second = MadeService(20).tables().sound(3).bytes();
    const auto queue = recording.open_queue();
    send(*queue, first);
    queue->finish(StreamEnd::stopped);
    CHECK(wait_for([&] { return recording.status().end == StreamEnd::stopped; }));
    if (follows) send(*recording.open_queue(), second);
    recording.stop();
    CHECK(read_file(here.path).size() == (follows ? first.size() + second.size() : last_picture(first)));
  }
}

TEST_CASE("A slow stream is written before its buffer is full") {
  Fixture here;
  Recording recording(here.options());
  const auto queue = recording.open_queue();
  const std::vector<std::uint8_t> stream = service(2);
  send(*queue, stream);
  CHECK(wait_for([&] { return std::filesystem::file_size(here.path) == stream.size(); }));
  CHECK(wait_for([&] { return recording.status().bytes == stream.size(); }));
}

TEST_CASE("A full disk has whole packets, and the recording continues when there is room") {
  Fixture here;
  here.disk.capacity = OutputFile::kBlockBytes + 100'000;
  Recording recording(here.options());
  const auto queue = recording.open_queue();
  const std::vector<std::uint8_t> stream = service(300);
  send(*queue, stream);
  CHECK(wait_for([&] { return recording.status().error == ENOSPC; }));
  CHECK(std::filesystem::file_size(here.path) == (OutputFile::kBlockBytes + 100'000) / kPacketSize * kPacketSize);
  for (const auto& [offset, pts] : entries(here.path + ".ap")) CHECK(offset < std::filesystem::file_size(here.path));
  here.disk.capacity = ~std::uint64_t{0};
  CHECK(wait_for([&] { return recording.status().error == 0 && recording.status().waiting == 0; }));
  queue->finish(StreamEnd::ended);
  recording.stop();
  CHECK(recording.status().lost == 0);
  CHECK(read_file(here.path) == stream);
}

TEST_CASE("A disk that is full when a recording ends is reported, although what it has taken is synced") {
  Fixture here;
  here.disk.capacity = 100'000;
  Recording recording(here.options());
  send(*recording.open_queue(), service(300));
  CHECK(wait_for([&] { return recording.status().error == ENOSPC; }));
  recording.stop();
  CHECK(here.disk.syncs > 0);
  CHECK(recording.status().error == ENOSPC);
}

TEST_CASE("Data that does not fit while the disk is full is lost and counted, and the tuner does not wait") {
  Fixture here;
  here.disk.write_error = ENOSPC;
  constexpr std::size_t kBound = 1 << 20;
  Recording recording(here.options(kBound));
  const auto queue = recording.open_queue();
  const std::vector<std::uint8_t> stream = service(400);
  for (std::size_t at = 0; at < stream.size(); at += 16 * kPacketSize) {
    send(*queue, wire::Bytes(stream).subspan(at, std::min(16 * kPacketSize, stream.size() - at)));
    if (at == 160 * kPacketSize) wait_for([&] { return recording.status().error != 0; });
  }
  CHECK(wait_for([&] { return recording.status().lost > 0; }));
  CHECK_FALSE(queue->ended());
  here.disk.write_error = 0;
  CHECK(wait_for([&] { return recording.status().waiting == 0; }));
  const std::uint64_t lost = recording.status().lost;
  const std::vector<std::uint8_t> more = service(10, 1000);
  send(*queue, more);
  queue->finish(StreamEnd::ended);
  recording.stop();
  const RecordingStatus status = recording.status();
  CHECK(status.lost == lost);
  CHECK(status.bytes + lost == stream.size() + more.size());
  CHECK(status.continuity_errors > 0);
  const std::vector<std::uint8_t> file = read_file(here.path);
  REQUIRE(file.size() == status.bytes);
  CHECK(std::equal(more.begin(), more.end(), file.end() - static_cast<std::ptrdiff_t>(more.size())));
}

TEST_CASE("A slow disk loses nothing as long as the queue has room") {
  Fixture here;
  here.disk.delay = 30ms;
  Recording recording(here.options());
  const std::vector<std::uint8_t> stream = service(400);
  const auto queue = recording.open_queue();
  send(*queue, stream);
  queue->finish(StreamEnd::ended);
  recording.stop();
  CHECK(recording.status().lost == 0);
  CHECK(read_file(here.path) == stream);
}

TEST_CASE("The waiting and lost bytes are reported while the disk hangs") {
  Fixture here;
  here.disk.hangs = true;
  constexpr std::size_t kBound = 1 << 20;
  Recording recording(here.options(kBound));
  const auto queue = recording.open_queue();
  const std::vector<std::uint8_t> stream = service(4000);
  for (int times = 0; times < 4 && recording.status().lost == 0; ++times) send(*queue, stream);
  CHECK(recording.status().lost > 0);
  CHECK(recording.status().waiting > kBound / 2);
  here.disk.hangs = false;
  queue->finish(StreamEnd::ended);
  recording.stop();
  CHECK(recording.status().waiting == 0);
}

TEST_CASE("Offsets stay correct when a disk disappears and comes back without all written data") {
  Fixture here;
  Recording recording(here.options());
  const auto queue = recording.open_queue();
  const std::vector<std::uint8_t> stream = service(200);
  const std::vector<std::uint8_t> more = service(100, 1000);
  send(*queue, stream);
  CHECK(wait_for([&] { return recording.status().bytes == stream.size(); }));
  here.disk.write_error = EIO;
  here.disk.open_error = ENOENT;
  send(*queue, more);
  CHECK(wait_for([&] { return recording.status().error == ENOENT; }));
  constexpr std::uint64_t kLeft = 1'000'000;
  std::filesystem::resize_file(here.path, kLeft);
  here.disk.write_error = 0;
  here.disk.open_error = 0;
  CHECK(wait_for([&] { return recording.status().error == 0 && recording.status().waiting == 0; }));
  queue->finish(StreamEnd::ended);
  recording.stop();
  CHECK(here.disk.opened == 2);
  const std::uint64_t kept = kLeft / kPacketSize * kPacketSize;
  CHECK(recording.status().lost == stream.size() - kept);
  const std::vector<std::uint8_t> file = read_file(here.path);
  REQUIRE(file.size() == stream.size() + more.size());
  CHECK(std::equal(more.begin(), more.end(), file.begin() + static_cast<std::ptrdiff_t>(stream.size())));
  for (std::size_t at = 0; at < file.size(); at += kPacketSize) {
    const Packet packet(file.data() + at);
    REQUIRE(file[at] == kSyncByte);
    CHECK((packet.pid() == kNullPid) == (at >= kept && at < stream.size()));
  }
  const auto points = entries(here.path + ".ap");
  CHECK(points.size() == 300);
  CHECK(points[200].first == stream.size() + 2 * kPacketSize);
}

TEST_CASE("The side files never refer to more than the disk has") {
  Fixture here;
  RecordingOptions options = here.options();
  options.sync = SyncPolicy::interval;
  Recording recording(options);
  const auto queue = recording.open_queue();
  const std::vector<std::uint8_t> stream = service(50);
  for (int round = 0; round < 20; ++round) {
    send(*queue, service(50, static_cast<std::uint64_t>(round) * 50));
    std::this_thread::sleep_for(100ms);
    const bool any = std::filesystem::exists(here.path + ".ap");
    if (!any) continue;
    const auto points = entries(here.path + ".ap");
    const std::uint64_t synced = here.disk.synced;
    if (!points.empty()) CHECK(points.back().first < synced);
  }
  queue->finish(StreamEnd::ended);
  recording.stop();
  CHECK(entries(here.path + ".ap").size() == 20 * 50);
}

TEST_CASE("A recording can be stopped while its disk fails, and reports the failure") {
  Fixture here;
  here.disk.write_error = EIO;
  Recording recording(here.options());
  const std::vector<std::uint8_t> stream = service(300);
  send(*recording.open_queue(), stream);
  CHECK(wait_for([&] { return recording.status().error == EIO; }));
  recording.stop();
  CHECK(recording.status().error == EIO);
  CHECK(recording.status().bytes == 0);
  CHECK(recording.status().lost == stream.size());
  CHECK_FALSE(std::filesystem::exists(here.path + ".ap"));
}

TEST_CASE("Another stream of the service continues in the same file") {
  Fixture here;
  Recording recording(here.options());
  const std::vector<std::uint8_t> first = service(50);
  const std::vector<std::uint8_t> second = service(50, 200);
  const auto queue = recording.open_queue();
  send(*queue, first);
  queue->finish(StreamEnd::stopped);
  CHECK(wait_for([&] { return recording.status().end == StreamEnd::stopped; }));
  const auto next = recording.open_queue();
  send(*next, second);
  CHECK(recording.status().end == StreamEnd::none);
  next->finish(StreamEnd::ended);
  recording.stop();
  std::vector<std::uint8_t> both = first;
  both.insert(both.end(), second.begin(), second.end());
  CHECK(read_file(here.path) == both);
  CHECK(recording.status().continuity_errors == 0);
}

TEST_CASE("A deleted file is reported") {
  Fixture here;
  Recording recording(here.options());
  const auto queue = recording.open_queue();
  const std::vector<std::uint8_t> stream = service(5);
  send(*queue, stream);
  CHECK(wait_for([&] { return recording.status().bytes == stream.size(); }));
  CHECK_FALSE(recording.status().deleted);
  std::filesystem::remove(here.path);
  send(*queue, stream);
  CHECK(wait_for([&] { return recording.status().deleted; }));
}

TEST_CASE("Broadcasts are recorded packet for packet through a tuner") {
  struct Case {
    const char* file;
    std::uint16_t service;
  };
  // Services determined with tshark.
  for (const Case& one : {Case{"big-buck-bunny.ts", 0}, Case{"arte-2019-av.ts", 0}, Case{"dtt-italy-rai.ts", 0}}) {
    const std::string path = capture(one.file);
    if (path.empty() || !std::filesystem::exists(path)) {
      MESSAGE("skipped: no", one.file);
      continue;
    }
    CAPTURE(one.file);
    const std::vector<std::uint8_t> source = read_file(path);
    std::uint16_t service_id = one.service;
    {
      Demux demux;
      Pat pat;
      struct Handler final : SectionHandler {
        explicit Handler(Pat& into) : pat(into) {}
        void section(wire::Bytes section, std::uint16_t) override { append_section(section, pat); }
        Pat& pat;
      } handler(pat);
      demux.add_handler(0, handler);
      demux.feed(source);
      REQUIRE_FALSE(pat.programs.empty());
      if (service_id == 0) service_id = pat.programs.front().service_id;
    }

    Fixture here;
    FileOptions file;
    file.path = path;
    file.loop = false;
    file.paced = false;
    std::atomic<bool> go{false};
    Tuner tuner([&] { return std::make_unique<HeldSource>(file, go); }, nullptr, [] {},
                {.wait_for_readers = true, .reader_timeout = 1h});
    Recording recording(here.options());
    tuner.start();
    tuner.open_stream(service_id, false, recording.open_queue());
    go = true;
    CHECK(wait_for([&] { return recording.status().end == StreamEnd::ended; }));
    recording.stop();
    tuner.stop();
    CHECK(recording.status().lost == 0);

    const std::vector<std::uint8_t> recorded = read_file(here.path);
    REQUIRE(recorded.size() > 100 * kPacketSize);
    // Compares by PID: the tables are rewritten, everything else is as in the source, from the first packet to the
    // last.
    std::map<std::uint16_t, std::vector<wire::Bytes>> ours;
    std::map<std::uint16_t, std::vector<wire::Bytes>> theirs;
    std::uint16_t pmt_pid = 0;
    for (std::size_t at = 0; at + kPacketSize <= recorded.size(); at += kPacketSize) {
      const Packet packet(recorded.data() + at);
      if (pmt_pid == 0 && packet.pid() != 0) pmt_pid = packet.pid();
      ours[packet.pid()].push_back(packet.bytes());
    }
    for (std::size_t at = 0; at + kPacketSize <= source.size(); at += kPacketSize) {
      theirs[Packet(source.data() + at).pid()].push_back(Packet(source.data() + at).bytes());
    }
    std::size_t compared = 0;
    for (const auto& entry : ours) {
      const std::uint16_t pid = entry.first;
      const auto& packets = entry.second;
      if (pid <= 0x1F || pid == pmt_pid) continue;
      const auto& all = theirs[pid];
      REQUIRE(all.size() >= packets.size());
      CAPTURE(pid);
      CHECK(std::ranges::equal(packets.begin(), packets.end(), all.end() - static_cast<std::ptrdiff_t>(packets.size()),
                               all.end(), [](wire::Bytes a, wire::Bytes b) { return std::ranges::equal(a, b); }));
      compared += packets.size();
    }
    CHECK(compared > 100);
    for (const auto& [offset, pts] : entries(here.path + ".ap")) {
      CHECK(Packet(recorded.data() + offset).payload_unit_start());
      CHECK(pts_of(Packet(recorded.data() + offset)) == pts);
    }
  }
}
