// A side file of a recording (`.ap`, `.sc`): entries of 16 bytes, each an offset into the recording and a value, with
// ascending offsets. Entries wait in memory until the data they refer to is on the disk, so that the file never refers
// to more than the recording contains. The file is created with the first entry.
//
// Owned by one thread, which waits for the disk here. Errors are not reported; flush() tries again to write the
// entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace receiverd::recording {

/// Appends an entry as it is in the file.
void append_entry(std::vector<std::uint8_t>& entries, std::uint64_t offset, std::uint64_t value);

class SideFile {
 public:
  static constexpr std::size_t kEntryBytes = 16;
  /// Further entries are dropped; enough for an hour of pictures.
  static constexpr std::size_t kMaxWaitingEntries = 1 << 18;

  explicit SideFile(std::string path) : path_(std::move(path)) {}
  ~SideFile();
  SideFile(const SideFile&) = delete;
  SideFile& operator=(const SideFile&) = delete;

  void add(std::uint64_t offset, std::uint64_t value);
  /// Writes the waiting entries with offsets below `limit`.
  void flush(std::uint64_t limit);
  /// Removes the entries with offsets at or after `limit`.
  void truncate(std::uint64_t limit);

 private:
  void close();

  const std::string path_;
  int file_ = -1;
  std::uint64_t written_ = 0;
  std::vector<std::uint8_t> waiting_;
};

}  // namespace receiverd::recording
