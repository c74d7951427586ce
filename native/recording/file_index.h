// Finds the access points of a recording that exists already, in steps, so that the caller decides how fast. The points
// are those that a Recording of the same packets writes into its `.ap` file.
//
// Used by one thread at a time, which waits for the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dvb/packets/packet_reader.h"
#include "recording/recorded_stream.h"

namespace receiverd::recording {

class FileIndex : private PictureSink {
 public:
  static constexpr std::size_t kStepBytes = std::size_t{1} << 20;
  /// Further points are dropped: 16 MiB, which src/recordings/files/recording-files.ts still reads.
  static constexpr std::size_t kMaxPoints = std::size_t{1} << 20;

  FileIndex() : stream_(*this), chunk_(kStepBytes) {}

  /// Reads the next bytes from `file`, an open file, and drops them from the page cache. Returns how many; 0 at the
  /// end. Throws std::runtime_error if they cannot be read.
  std::size_t step(int file);
  /// The entries of the `.ap` file. None if the packets are not 188 bytes apart: positions in the file are then not
  /// those of packets.
  const std::vector<std::uint8_t>& entries() const { return entries_; }

 private:
  void access_point(std::uint64_t offset, std::uint64_t pts) override;
  void structure(std::uint64_t, std::uint64_t) override {}

  dvb::PacketReader reader_;
  RecordedStream stream_;
  std::vector<std::uint8_t> chunk_;
  std::uint64_t position_ = 0;
  std::vector<std::uint8_t> entries_;
};

}  // namespace receiverd::recording
