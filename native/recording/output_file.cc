#include "recording/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "dvb/packets/section_writer.h"
#include "recording/incomplete_units.h"

namespace receiverd::recording {

namespace {

/// An incomplete PES packet is searched so far before the end: a second at 10 Mbit/s, and longer than any of audio.
constexpr std::size_t kMaxTailBytes = 6000 * dvb::kPacketSize;

bool is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

}  // namespace

OutputFile::OutputFile(std::string path, Disk& disk)
    : path_(std::move(path)), disk_(disk), buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(kBlockBytes)) {}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
}

wire::Bytes OutputFile::append(wire::Bytes packets) {
  if (full() && written_ == position_) block_ = position_;
  if (written_ == position_) gathered_since_ = std::chrono::steady_clock::now();
  const auto used = static_cast<std::size_t>(position_ - block_);
  const std::size_t count = std::min(packets.size(), kBlockBytes - used);
  if (count != 0) std::memcpy(buffer_.get() + used, packets.data(), count);
  position_ += count;
  return packets.subspan(count);
}

bool OutputFile::flush() {
  if (written_ == position_) return error_ == 0 || sync();
  if (file_ < 0 && !open()) return false;
  const std::uint64_t from = written_;
  while (written_ < position_) {
    const auto at = static_cast<std::size_t>(written_ - block_);
    const auto left = static_cast<std::size_t>(position_ - written_);
    const ssize_t count = disk_.write(file_, {buffer_.get() + at, left}, written_);
    if (count < 0) return fail();
    if (static_cast<std::size_t>(count) == left) {
      written_ = position_;
      break;
    }
    // After a write that ends inside a packet, the file is truncated to whole packets.
    const auto whole = static_cast<std::uint64_t>(count) / dvb::kPacketSize * dvb::kPacketSize;
    written_ += whole;
    if (whole != static_cast<std::uint64_t>(count) && ::ftruncate(file_, static_cast<off_t>(written_)) != 0) {
      return fail();
    }
    if (whole == 0) {
      errno = ENOSPC;
      return fail();
    }
  }
  error_ = 0;
  write_back(from);
  return true;
}

void OutputFile::truncate(std::uint64_t offset) {
  if (file_ < 0 || written_ != position_ || offset > position_) return;
  if (offset != position_ && ::ftruncate(file_, static_cast<off_t>(offset)) != 0) return;
  written_ = position_ = offset;
  synced_ = 0;
  std::vector<std::uint8_t> tail(std::min<std::uint64_t>(kMaxTailBytes, offset));
  const std::uint64_t from = offset - tail.size();
  if (::pread(file_, tail.data(), tail.size(), static_cast<off_t>(from)) != static_cast<ssize_t>(tail.size())) return;
  const std::size_t changed = blank_incomplete_units(tail);
  if (changed != tail.size()) disk_.write(file_, wire::Bytes(tail).subspan(changed), from + changed);
}

bool OutputFile::sync() {
  if (file_ < 0 && !open()) return false;
  if (disk_.sync(file_) != 0) return fail();
  // What is still in the buffer could not be written.
  if (written_ == position_) error_ = 0;
  synced_ = written_;
  return true;
}

bool OutputFile::is_deleted() const {
  struct stat status {};
  return file_ >= 0 && ::fstat(file_, &status) == 0 && status.st_nlink == 0;
}

/// Opens the file, and ensures that it is as long as the data written to it.
bool OutputFile::open() {
  file_ = disk_.open(path_.c_str());
  if (file_ < 0) return fail();
  struct stat status {};
  if (::fstat(file_, &status) != 0) return fail();
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return size >= written_ || fill_lost(size / dvb::kPacketSize * dvb::kPacketSize);
}

bool OutputFile::fill_lost(std::uint64_t from) {
  static constexpr std::size_t kPackets = 256;
  std::array<std::uint8_t, kPackets * dvb::kPacketSize> packets;
  for (std::size_t at = 0; at < packets.size(); at += dvb::kPacketSize) {
    dvb::write_null_packet(std::span(packets).subspan(at).first<dvb::kPacketSize>());
  }
  for (std::uint64_t at = from; at < written_;) {
    const std::size_t size = std::min<std::uint64_t>(packets.size(), written_ - at);
    const ssize_t count = disk_.write(file_, {packets.data(), size}, at);
    if (count <= 0) return fail();
    at += static_cast<std::uint64_t>(count);
  }
  lost_ += written_ - from;
  synced_ = std::min(synced_, from);
  return true;
}

bool OutputFile::fail() {
  error_ = errno;
  if (!is_full(error_) && file_ >= 0) {
    ::close(file_);
    file_ = -1;
  }
  return false;
}

/// Starts writing new data to the disk, and drops data written long ago from the page cache.
void OutputFile::write_back(std::uint64_t from) {
  ::sync_file_range(file_, static_cast<off_t>(from), static_cast<off_t>(written_ - from), SYNC_FILE_RANGE_WRITE);
  if (written_ < dropped_ + 2 * kMaxCachedBytes) return;
  const std::uint64_t until = (written_ - kMaxCachedBytes) / kPageBytes * kPageBytes;
  ::posix_fadvise(file_, static_cast<off_t>(dropped_), static_cast<off_t>(until - dropped_), POSIX_FADV_DONTNEED);
  dropped_ = until;
}

}  // namespace receiverd::recording
