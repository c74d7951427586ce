// A file beside a recording: entries of 16 bytes, each of which begins with the offset in the recording that it is
// about, ascending. Entries wait in memory until what they point to is on the disk, so that the file never says more
// than the recording holds. Made with the first entry.
//
// Owned by one thread, which waits for the disk here. Errors are not told: the entries stay and are tried again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace receiverd::recording {

class SideFile {
 public:
  static constexpr std::size_t kEntry = 16;
  /// Entries that may wait; further ones are left out. An hour of pictures.
  static constexpr std::size_t kMostWaiting = 1 << 18;

  explicit SideFile(std::string path) : path_(std::move(path)) {}
  ~SideFile();
  SideFile(const SideFile&) = delete;
  SideFile& operator=(const SideFile&) = delete;

  void add(std::uint64_t offset, std::uint64_t value);
  /// Writes the entries about what lies before `limit` in the recording. False when some are there still.
  bool flush(std::uint64_t limit);
  /// Takes back the entries about what lies at `limit` or behind it.
  void cut(std::uint64_t limit);

 private:
  bool fail();

  const std::string path_;
  int file_ = -1;
  std::uint64_t written_ = 0;
  std::vector<std::uint8_t> waiting_;
};

}  // namespace receiverd::recording
