// A file beside a recording: entries of 16 bytes, each starting with an offset into the recording, ascending. Entries
// wait in memory until the data they point to is on the disk, so that the file never refers to more than the recording
// contains. Created with the first entry.
//
// Owned by one thread, which waits for the disk here. Errors are not reported: the entries are kept and retried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace receiverd::recording {

class SideFile {
 public:
  static constexpr std::size_t kEntry = 16;
  /// Maximum number of waiting entries; further ones are dropped. An hour of pictures.
  static constexpr std::size_t kMostWaiting = 1 << 18;

  explicit SideFile(std::string path) : path_(std::move(path)) {}
  ~SideFile();
  SideFile(const SideFile&) = delete;
  SideFile& operator=(const SideFile&) = delete;

  void add(std::uint64_t offset, std::uint64_t value);
  /// Writes the entries with offsets before `limit` in the recording.
  void flush(std::uint64_t limit);
  /// Removes the entries with offsets at or after `limit`.
  void cut(std::uint64_t limit);

 private:
  void close();

  const std::string path_;
  int file_ = -1;
  std::uint64_t written_ = 0;
  std::vector<std::uint8_t> waiting_;
};

}  // namespace receiverd::recording
