// A memory-mapped file that cannot crash the process.
//
// The process may write to the bytes: the page then becomes private (MAP_PRIVATE) and the file stays unchanged. A file
// that is replaced by rename() stays mapped with its old content.
//
// A page of a mapped file can be unavailable when it is accessed: the disk was unplugged or has a bad block, or someone
// has truncated the file. The kernel then sends SIGBUS, which would end the process. Here, the page is replaced with
// zeros and lost() returns true afterwards. Users of the bytes must tolerate any content anyway, and discard it once
// lost() is true. The handler for SIGBUS is installed with the first mapping and passes unrelated signals to the
// previous handler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace receiverd::storage {

class FileMapping {
 public:
  /// Maps the first `size` bytes of an open regular file, which may then be closed. Null if it cannot be mapped:
  /// no address space, a file system without mmap(), or kMaxMappings reached.
  static std::unique_ptr<FileMapping> map(int file, std::size_t size);

  static constexpr std::size_t kMaxMappings = 64;

  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  std::span<std::uint8_t> bytes() const { return {begin_, size_}; }
  /// True if a page could not be read and is now zero. Safe from any thread.
  bool lost() const;

 private:
  FileMapping(std::size_t slot, std::uint8_t* begin, std::size_t size) : slot_(slot), begin_(begin), size_(size) {}

  std::size_t slot_;
  std::uint8_t* begin_;
  std::size_t size_;
};

}  // namespace receiverd::storage
