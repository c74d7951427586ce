#include "recording/file_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "recording/side_file.h"
#include "storage/file_io.h"

namespace receiverd::recording {

std::size_t FileIndex::step(int file) {
  ssize_t count = 0;
  do {
    count = ::pread(file, chunk_.data(), chunk_.size(), static_cast<off_t>(position_));
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw std::runtime_error(storage::error_text(errno));
  ::posix_fadvise(file, static_cast<off_t>(position_), count, POSIX_FADV_DONTNEED);
  const auto size = static_cast<std::size_t>(count);
  position_ += size;
  reader_.feed({chunk_.data(), size});
  for (wire::Bytes run; !(run = reader_.next()).empty();) {
    if (reader_.packet_distance() == dvb::kPacketSize) {
      stream_.take(run, position_ - reader_.unread_bytes() - run.size());
    }
  }
  return size;
}

void FileIndex::access_point(std::uint64_t offset, std::uint64_t pts) {
  if (entries_.size() < kMaxPoints * SideFile::kEntryBytes) append_entry(entries_, offset, pts);
}

}  // namespace receiverd::recording
