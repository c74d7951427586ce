// Snapshot files: any bytes, and files written from the input with some bytes changed.
//
// A file that is accepted must contain what was written.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "epg/files/snapshot_file.h"

using namespace receiverd::epg;

namespace {

constexpr SnapshotContent kContent{{'f', 'u', 'z', 'z'}, 1};

void check(bool holds) {
  if (!holds) std::abort();
}

/// A file in memory that can be opened by name.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("snapshot", MFD_CLOEXEC)) { check(file_ >= 0); }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void set(receiverd::wire::Bytes bytes) {
    check(::ftruncate(file_, 0) == 0);
    check(::pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

/// Uses the file, if it is accepted. Returns whether it was.
bool use(const std::string& path) {
  try {
    const auto file = SnapshotFile::open(path, kContent);
    for (const SnapshotSection& section : file->sections()) {
      check(file->find(section.name)->bytes.data() == section.bytes.data());
      for (std::uint8_t& byte : section.bytes) byte ^= 1;
    }
    return true;
  } catch (const SnapshotError&) {
    return false;
  }
}

/// A whole file whose sections are taken from the input, written to the writer's own file first.
std::vector<std::uint8_t> written(receiverd::wire::Bytes input) {
  // In memory if there is such a folder, because the writer waits for the disk.
  static const std::filesystem::path folder =
      std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  static const std::string path = (folder / ("fuzz-snapshot-" + std::to_string(::getpid()))).string();
  SnapshotWriter writer(path, kContent, 1);
  std::vector<receiverd::wire::Bytes> sections;
  for (receiverd::wire::Bytes left = input; left.size() > 1 && sections.size() < 20;) {
    const std::size_t size = std::min<std::size_t>(left[0], left.size() - 1);
    sections.push_back(left.subspan(1, size));
    left = left.subspan(1 + size);
    writer.section(std::to_string(sections.size()), std::span<const std::uint8_t>(sections.back()));
  }
  const receiverd::epg::SnapshotWritten written = writer.finish();
  check(written.ok());
  const auto opened = SnapshotFile::open(
      path, kContent, input.size() % 2 == 0 ? SnapshotFile::Access::map : SnapshotFile::Access::read);
  check(opened->sections().size() == sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const auto bytes = opened->sections()[i].bytes;
    check(std::equal(bytes.begin(), bytes.end(), sections[i].begin(), sections[i].end()));
  }
  std::vector<std::uint8_t> file(written.file_bytes);
  std::FILE* const stream = std::fopen(path.c_str(), "rb");
  check(stream != nullptr && std::fread(file.data(), 1, file.size(), stream) == file.size());
  std::fclose(stream);
  ::unlink(path.c_str());
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile memory;
  receiverd::wire::Bytes input(data, size);
  if (size < 2) return 0;
  if (input[0] % 4 == 0) {
    memory.set(input.subspan(1));
    use(memory.path());
    return 0;
  }
  // The changes: place (a fraction of the file size in 65536ths) and the bits to flip in that byte.
  const std::size_t changes = std::min<std::size_t>(input[0] / 4, (size - 1) / 3);
  const receiverd::wire::Bytes places = input.subspan(1, changes * 3);
  std::vector<std::uint8_t> file = written(input.subspan(1 + changes * 3));
  const std::vector<std::uint8_t> before = file;
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t fraction = places[3 * i] << 8 | places[3 * i + 1];
    // Half of them go to header and table, which are small compared to the rest.
    const std::size_t place = fraction % 2 == 0 ? fraction * file.size() >> 16
                              : fraction % 4 == 1
                                  ? (fraction / 4) % sizeof(SnapshotHeader)
                                  : file.size() - 1 - (fraction / 4) % std::min<std::size_t>(file.size(), 960);
    file[place] ^= places[3 * i + 2];
  }
  memory.set(file);
  check(use(memory.path()) == (file == before));
  return 0;
}
