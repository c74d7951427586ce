// The file of a recording, written in large blocks from one buffer.
//
// A write ends at the end of a block (kBlockBytes: a multiple of both packets and pages), or earlier at a flush(). The
// file always contains whole packets. Writeback of written data starts at once, sync() waits for it, and the data is
// dropped from the page cache soon after: a recording must not evict everything else from a small memory.
//
// Data that cannot be written stays in the buffer, and flush() retries it. After any error except a full disk, the file
// is reopened by its path, since a disk that comes back is a new one. Data that such a disk has lost is replaced by
// null packets, so that offsets into the file stay valid.
//
// Owned by one thread, which waits for the disk here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "dvb/packets/packet.h"
#include "recording/disk.h"
#include "wire/bytes.h"

namespace receiverd::recording {

class OutputFile {
 public:
  static constexpr std::size_t kPageBytes = 4096;
  /// Whole packets fill a multiple of 47 pages (188 = 4 x 47); five times that is 0.9 MiB.
  static constexpr std::size_t kBlockBytes = 5 * 47 * kPageBytes;
  static_assert(kBlockBytes % dvb::kPacketSize == 0);
  /// Bytes before the end that stay in the page cache, for a user who watches the recording a few seconds behind.
  static constexpr std::uint64_t kMaxCachedBytes = 16 << 20;

  /// The file must exist; the first flush() opens it.
  explicit OutputFile(std::string path, Disk& disk = Disk::system());
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Takes as many whole packets as fit into the buffer, and returns the rest.
  wire::Bytes append(wire::Bytes packets);
  bool full() const { return position_ - block_ == kBlockBytes; }
  /// Whether to call flush(): the buffer is full, holds packets since `since` or longer, or there was an error.
  bool needs_flush(std::chrono::steady_clock::time_point since) const {
    return full() || error_ != 0 || (written_ != position_ && gathered_since_ <= since);
  }
  /// Writes the buffer. Returns false if part of it is still there; error() holds the reason.
  bool flush();
  /// Truncates the file to `offset`, which may be its size, and blanks incomplete units at its end
  /// (incomplete_units.h). Call it before the last sync(), once everything is written. Nothing may be appended
  /// afterwards.
  void truncate(std::uint64_t offset);
  /// Waits until all written data is on the disk. Returns false on failure.
  bool sync();

  /// Bytes taken, bytes written, and bytes known to be on the disk.
  std::uint64_t position() const { return position_; }
  std::uint64_t written() const { return written_; }
  std::uint64_t synced() const { return synced_; }
  /// Bytes that a disk has lost after they were written.
  std::uint64_t lost() const { return lost_; }
  /// errno of the current failure; 0: none.
  int error() const { return error_; }
  /// Whether the file has been deleted: it has no name any more.
  bool is_deleted() const;

 private:
  bool open();
  bool fill_lost(std::uint64_t from);
  bool fail();
  void write_back(std::uint64_t from);

  const std::string path_;
  Disk& disk_;
  int file_ = -1;
  int error_ = 0;
  const std::unique_ptr<std::uint8_t[]> buffer_;
  std::uint64_t block_ = 0;     // offset of the buffer's first byte in the file: a multiple of kBlockBytes
  std::uint64_t position_ = 0;  // of the next packet
  std::chrono::steady_clock::time_point gathered_since_{};
  std::uint64_t written_ = 0;
  std::uint64_t synced_ = 0;
  std::uint64_t dropped_ = 0;  // data before this offset has been dropped from the page cache
  std::uint64_t lost_ = 0;
};

}  // namespace receiverd::recording
