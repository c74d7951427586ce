// A file in memory that cannot take the process down.
//
// The bytes are the file's until somebody writes to them: then the page becomes the process's own (MAP_PRIVATE) and the
// file stays as it is. A file that is replaced by rename() stays mapped as it was.
//
// A page of a mapped file can be gone when it is touched: the disk was unplugged or has a bad block, somebody has cut
// the file short. The kernel says so with SIGBUS, which would end the process. Here such a page becomes a page of
// zeros, and lost() is true from then on: whoever works on the bytes has to stand any content anyway, and throws it
// away when it sees that. The handler for SIGBUS is installed with the first mapping; signals that are none of ours go
// to whoever had it before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace receiverd::storage {

class FileMapping {
 public:
  /// Maps the first `size` bytes of an open regular file, which may be closed then. Null when it cannot be mapped (no
  /// room for it, a file system without mmap(), kMostMappings already).
  static std::unique_ptr<FileMapping> map(int file, std::size_t size);

  static constexpr std::size_t kMostMappings = 64;

  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  std::span<std::uint8_t> bytes() const { return {begin_, size_}; }
  /// Some page could not be read and is zero now. Safe from any thread.
  bool lost() const;

 private:
  FileMapping(std::size_t slot, std::uint8_t* begin, std::size_t size) : slot_(slot), begin_(begin), size_(size) {}

  std::size_t slot_;
  std::uint8_t* begin_;
  std::size_t size_;
};

}  // namespace receiverd::storage
