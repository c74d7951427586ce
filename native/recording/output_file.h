// The file of a recording, written in large pieces from one buffer.
//
// A piece ends where a block ends (kBlock: whole packets and whole pages at once), or earlier when flush() wants it. At
// every moment the file holds whole packets. What is written is given to the disk at once, synced as the policy says,
// and leaves the page cache again a little later: a recording must not push everything else out of a small memory.
//
// What cannot be written stays in the buffer; flush() tries it again. After an error other than a full disk the file is
// opened anew by its path, as a disk that comes back is a new one. What such a disk has lost is filled with null
// packets, so that whatever points into the file stays right.
//
// Owned by one thread, which waits for the disk here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "dvb/packet.h"
#include "recording/disk.h"
#include "wire/bytes.h"

namespace receiverd::recording {

class OutputFile {
 public:
  static constexpr std::size_t kPage = 4096;
  /// 47 pages are the fewest that whole packets fill (188 = 4 x 47); five times that are 0.9 MiB.
  static constexpr std::size_t kBlock = 5 * 47 * kPage;
  static_assert(kBlock % dvb::kPacketSize == 0);

  /// The file must be there: who chooses the name makes it. Opened with the first flush().
  explicit OutputFile(std::string path, Disk& disk = Disk::system());
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Takes whole packets as far as there is room; gives the rest.
  wire::Bytes append(wire::Bytes packets);
  bool full() const { return position_ - block_ == kBlock; }
  /// Writes what is in the buffer. False when some of it is there still: error() says why.
  bool flush();
  /// Lets the file end here, which may be where it ends already, without anything that is there only in part (tail.h).
  /// To be called before the last sync(), when everything is written; nothing may be appended any more.
  void cut(std::uint64_t offset);
  /// Everything written is on the disk when it returns; false when that failed.
  bool sync();

  /// Bytes taken, written, and known to be on the disk.
  std::uint64_t position() const { return position_; }
  std::uint64_t written() const { return written_; }
  std::uint64_t synced() const { return synced_; }
  /// Bytes that a disk has lost after they were written.
  std::uint64_t lost() const { return lost_; }
  /// errno of what fails now; 0 = nothing.
  int error() const { return error_; }
  /// The file has no name any more: somebody has deleted it.
  bool deleted() const;

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { ::operator delete[](bytes, std::align_val_t{kPage}); }
  };

  bool open();
  bool fill_lost(std::uint64_t from);
  bool failed();
  void write_back(std::uint64_t from);

  const std::string path_;
  Disk& disk_;
  int file_ = -1;
  int error_ = 0;
  std::unique_ptr<std::uint8_t[], Free> buffer_;
  std::uint64_t block_ = 0;     // offset of the buffer's first byte in the file: a multiple of kBlock
  std::uint64_t position_ = 0;  // of the next packet
  std::uint64_t written_ = 0;
  std::uint64_t synced_ = 0;
  std::uint64_t dropped_ = 0;  // up to here the page cache was asked to let go
  std::uint64_t lost_ = 0;
};

}  // namespace receiverd::recording
