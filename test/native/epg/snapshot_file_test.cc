// Tests of the snapshot container: sections, checksums, torn and foreign files, full disks.
#include "epg/files/snapshot_file.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "temporary_folder.h"

using receiverd::TemporaryFolder;
namespace storage = receiverd::storage;
using namespace receiverd::epg;
namespace fs = std::filesystem;

namespace {

constexpr SnapshotContent kContent{{'t', 'e', 's', 't'}, 3};

struct Pair {
  std::uint32_t first;
  std::uint32_t second;
};

std::vector<std::uint8_t> random_bytes(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Three sections: text of an odd length, records, nothing.
SnapshotWritten write_sample(const std::string& path, std::size_t text_bytes = 9001, std::size_t pairs = 700,
                             std::uint32_t seed = 1) {
  SnapshotWriter writer(path, kContent, 1'800'000'000);
  const std::vector<std::uint8_t> text = random_bytes(text_bytes, seed);
  writer.begin_section("text", 1);
  for (std::size_t at = 0; at < text.size(); at += 777) {
    writer.append(std::span(text).subspan(at, std::min<std::size_t>(777, text.size() - at)));
  }
  writer.begin_section("pairs", sizeof(Pair));
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const Pair pair{i, seed};
    writer.append(std::span<const Pair>(&pair, 1));
  }
  writer.section("sixteen letters!", std::span<const std::uint16_t>{});
  return writer.finish();
}

void check_sample(const SnapshotFile& file, std::size_t text_bytes = 9001, std::size_t pairs = 700,
                  std::uint32_t seed = 1) {
  CHECK(file.created() == 1'800'000'000);
  const auto text = file.column<std::uint8_t>("text");
  REQUIRE(text.has_value());
  const std::vector<std::uint8_t> expected = random_bytes(text_bytes, seed);
  CHECK(std::equal(text->begin(), text->end(), expected.begin(), expected.end()));
  const auto column = file.column<Pair>("pairs");
  REQUIRE(column.has_value());
  REQUIRE(column->size() == pairs);
  for (std::uint32_t i = 0; i < pairs; ++i) REQUIRE((*column)[i].first == i);
  CHECK(column->back().second == seed);
  CHECK(file.column<std::uint16_t>("sixteen letters!")->empty());
  CHECK(file.sections().size() == 3);
}

SnapshotFault fault_of(const std::string& path, const SnapshotContent& content = kContent) {
  try {
    CHECK(SnapshotFile::open(path, content) != nullptr);
    return SnapshotFault::none;
  } catch (const SnapshotError& wrong) {
    CHECK(wrong.fault != SnapshotFault::none);
    CHECK_FALSE(wrong.why.empty());
    return wrong.fault;
  }
}

std::size_t files_in(const TemporaryFolder& folder) {
  const fs::directory_iterator all(folder.path());
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("a written file can be read, mapped or copied") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  const SnapshotWritten written = write_sample(path);
  REQUIRE(written.ok());
  CHECK(written.file_bytes == fs::file_size(path));
  CHECK(files_in(folder) == 1);
  for (const auto access : {SnapshotFile::Access::map, SnapshotFile::Access::read}) {
    const auto file = SnapshotFile::open(path, kContent, access);
    REQUIRE(file != nullptr);
    CHECK(file->mapped() == (access == SnapshotFile::Access::map));
    check_sample(*file);
    CHECK_FALSE(file->column<Pair>("text").has_value());
    CHECK_FALSE(file->column<std::uint8_t>("nothing").has_value());
    CHECK(file->find("") == nullptr);
    file->column<std::uint8_t>("text")->front() ^= 1;
  }
  CHECK(fault_of(path) == SnapshotFault::none);
}

TEST_CASE("large sections are checked block by block, whatever their length") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  for (const std::size_t size :
       {kSnapshotBlockBytes - 1, kSnapshotBlockBytes, kSnapshotBlockBytes + 1, 9 * kSnapshotBlockBytes}) {
    REQUIRE(write_sample(path, size).ok());
    const auto file = SnapshotFile::open(path, kContent);
    REQUIRE(file != nullptr);
    check_sample(*file, size);
  }
  std::vector<char> bytes = read(path);
  bytes[kSnapshotPageBytes + 9 * kSnapshotBlockBytes - 1] =
      static_cast<char>(bytes[kSnapshotPageBytes + 9 * kSnapshotBlockBytes - 1] ^ 4);
  write(path, bytes);
  CHECK(fault_of(path) == SnapshotFault::damaged);
}

TEST_CASE("a file without sections is valid") {
  const TemporaryFolder folder;
  CHECK(SnapshotWriter(folder.file("a"), kContent, 5).finish().ok());
  CHECK(SnapshotFile::open(folder.file("a"), kContent)->sections().empty());
}

TEST_CASE("a file truncated anywhere is refused, and so is one with trailing bytes") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  REQUIRE(write_sample(path).ok());
  const std::vector<char> whole = read(path);
  std::vector<std::size_t> cuts = {0, 1, 8, 63, 64, 4095, 4096, 4097, 13097, 16384, 16385, 21984, 24575, 24576};
  for (std::size_t back = 1; back <= 3 * sizeof(SnapshotEntry); ++back) cuts.push_back(whole.size() - back);
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) cuts.push_back(random() % whole.size());
  for (const std::size_t cut : cuts) {
    write(path, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)});
    const SnapshotFault fault = fault_of(path);
    CHECK((fault == SnapshotFault::damaged || fault == SnapshotFault::not_a_snapshot));
  }
  std::vector<char> longer = whole;
  longer.push_back(0);
  write(path, longer);
  CHECK(fault_of(path) == SnapshotFault::damaged);
  // Torn as by a power cut: blocks that never reached the disk are zeros.
  for (std::size_t page = 0; page < whole.size(); page += kSnapshotPageBytes) {
    std::vector<char> torn = whole;
    const auto begin = torn.begin() + static_cast<std::ptrdiff_t>(page);
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(std::min(kSnapshotPageBytes, torn.size() - page)), '\0');
    write(path, torn);
    CHECK(fault_of(path) != SnapshotFault::none);
  }
}

TEST_CASE("every flipped bit is found") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  REQUIRE(write_sample(path, 5000, 50).ok());
  const std::vector<char> whole = read(path);
  std::mt19937 random(3);
  std::vector<std::size_t> bits;
  for (std::size_t bit = 0; bit < 64 * 8; ++bit) bits.push_back(bit);
  for (std::size_t back = 1; back <= 3 * sizeof(SnapshotEntry) * 8; ++back) bits.push_back(whole.size() * 8 - back);
  for (int i = 0; i < 3000; ++i) bits.push_back(random() % (whole.size() * 8));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (const std::size_t bit : bits) {
    const auto put = [&](char byte) {
      file.seekp(static_cast<std::streamoff>(bit / 8));
      file.put(byte);
      file.flush();
    };
    put(static_cast<char>(whole[bit / 8] ^ 1 << bit % 8));
    REQUIRE(fault_of(path) != SnapshotFault::none);
    put(whole[bit / 8]);
  }
  CHECK(fault_of(path) == SnapshotFault::none);
}

TEST_CASE("other files are refused with the reason") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  CHECK(fault_of(path) == SnapshotFault::missing);
  CHECK(fault_of(folder.path().string()) == SnapshotFault::not_a_snapshot);
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK(fault_of(folder.file("pipe")) == SnapshotFault::not_a_snapshot);
  write(path, std::vector<char>(10000, 'x'));
  CHECK(fault_of(path) == SnapshotFault::not_a_snapshot);
  write(path, std::vector<char>(10000, '\0'));
  CHECK(fault_of(path) == SnapshotFault::not_a_snapshot);
  CHECK(fault_of(path + "/b") == SnapshotFault::unreadable);

  REQUIRE(write_sample(path).ok());
  CHECK(fault_of(path, {kContent.kind, 4}) == SnapshotFault::other_version);
  CHECK(fault_of(path, {{'e', 'l', 's', 'e'}, 3}) == SnapshotFault::other_version);
  std::vector<char> bytes = read(path);
  std::reverse(bytes.begin() + 8, bytes.begin() + 12);
  write(path, bytes);
  CHECK(fault_of(path) == SnapshotFault::other_machine);
  std::reverse(bytes.begin() + 8, bytes.begin() + 12);
  bytes[12] = 2;
  write(path, bytes);
  CHECK(fault_of(path) == SnapshotFault::other_version);
}

TEST_CASE("a mapped file is replaced by the next, and both are complete") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  REQUIRE(write_sample(path, 9001, 700, 1).ok());
  const auto first = SnapshotFile::open(path, kContent);
  // Writes from the mapped columns themselves, as when a loaded guide is saved again.
  SnapshotWriter writer(path, kContent, 1'800'000'000);
  for (const SnapshotSection& section : first->sections()) {
    writer.begin_section(section.name, section.element_bytes);
    writer.append(section.bytes);
  }
  REQUIRE(writer.finish().ok());
  check_sample(*SnapshotFile::open(path, kContent));
  REQUIRE(write_sample(path, 100, 5, 2).ok());
  check_sample(*first);
  check_sample(*SnapshotFile::open(path, kContent), 100, 5, 2);
}

TEST_CASE("truncating a mapped file makes it lost, without other effects" * doctest::test_suite("bus errors")) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  REQUIRE(write_sample(path, 100000).ok());
  const auto file = SnapshotFile::open(path, kContent);
  CHECK_FALSE(file->lost());
  fs::resize_file(path, 0);
  std::size_t sum = 0;
  const auto text = file->column<std::uint8_t>("text");
  REQUIRE(text.has_value());
  for (const std::uint8_t byte : *text) sum += byte;
  CHECK(sum == 0);
  CHECK(file->lost());
}

TEST_CASE("an abandoned writer leaves the old file and nothing of the new one") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  REQUIRE(write_sample(path).ok());
  {
    SnapshotWriter writer(path, kContent, 1);
    const std::vector<std::uint8_t> text = random_bytes(9000, 9);
    writer.section("text", std::span<const std::uint8_t>(text));
    REQUIRE(files_in(folder) == 2);
    for (const fs::path& one : fs::directory_iterator(folder.path())) {
      CHECK((fault_of(one.string()) == SnapshotFault::none) == (one == path));
    }
  }
  CHECK(files_in(folder) == 1);
  check_sample(*SnapshotFile::open(path, kContent));
}

TEST_CASE("sections that could not be read back are refused") {
  const TemporaryFolder folder;
  const auto refused = [&](auto fill) {
    SnapshotWriter writer(folder.file("a"), kContent, 1);
    fill(writer);
    const SnapshotWritten written = writer.finish();
    CHECK(fs::is_empty(folder.path()));
    return written.why == storage::error_text(EINVAL);
  };
  const std::vector<std::uint8_t> three(3);
  CHECK(refused([](SnapshotWriter& writer) { writer.begin_section("", 1); }));
  CHECK(refused([](SnapshotWriter& writer) { writer.begin_section("a name of 17 byte", 1); }));
  CHECK(refused([](SnapshotWriter& writer) { writer.begin_section("a", 0); }));
  CHECK(refused([&](SnapshotWriter& writer) { writer.append(std::span<const std::uint8_t>(three)); }));
  CHECK(refused([&](SnapshotWriter& writer) {
    writer.begin_section("a", 2);
    writer.append(std::span<const std::uint8_t>(three));
  }));
  CHECK(refused([](SnapshotWriter& writer) {
    writer.begin_section("a", 1);
    writer.begin_section("a", 1);
  }));
  CHECK(refused([](SnapshotWriter& writer) {
    for (std::size_t i = 0; i <= kMaxSnapshotSections; ++i) writer.begin_section(std::to_string(i), 1);
  }));
}

TEST_CASE("a full disk is reported at any point, and the old file stays") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.snapshot");
  REQUIRE(write_sample(path, 5000, 50).ok());
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto signal_before = ::signal(SIGXFSZ, SIG_IGN);
  const std::size_t whole = fs::file_size(path);
  for (const std::size_t room : {std::size_t{0}, std::size_t{1000}, std::size_t{4096}, std::size_t{5000},
                                 std::size_t{12288}, std::size_t{12300}, whole - 1}) {
    const rlimit limit{.rlim_cur = room, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const SnapshotWritten written = write_sample(path, 5000, 50);
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK(written.why == storage::error_text(EFBIG));
    CHECK(files_in(folder) == 1);
  }
  ::signal(SIGXFSZ, signal_before);
  check_sample(*SnapshotFile::open(path, kContent), 5000, 50);
}

TEST_CASE("a full file system and a read-only one are reported") {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    // In a namespace of its own, where it may mount; 77 if the machine does not allow even that.
    const auto mount = [&](unsigned long flags) {
      return ::mount("tmpfs", folder.path().c_str(), "tmpfs", flags, "size=64k") == 0;
    };
    if ((::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 || !mount(0)) {
      ::_exit(77);
    }
    const std::string path = folder.file("a.snapshot");
    const bool small = write_sample(path, 5000, 50).ok();
    const bool full = write_sample(path, 200000).why == storage::error_text(ENOSPC);
    const bool kept = SnapshotFile::open(path, kContent) != nullptr && files_in(folder) == 1;
    const bool read_only = mount(MS_REMOUNT | MS_RDONLY) && write_sample(path).why == storage::error_text(EROFS);
    ::_exit((small ? 0 : 1) | (full ? 0 : 2) | (kept ? 0 : 4) | (read_only ? 0 : 8));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) {
    MESSAGE("skipped: no right to mount");
  } else {
    CHECK(WEXITSTATUS(status) == 0);
  }
}

TEST_CASE("a missing folder is reported") {
  const TemporaryFolder folder;
  const SnapshotWritten written = write_sample(folder.file("missing/a.snapshot"));
  CHECK(written.why == storage::error_text(ENOENT));
  CHECK_FALSE(write_sample("/proc/a.snapshot").ok());
}
