#include "recording/side_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace receiverd::recording {

namespace {

void put(std::vector<std::uint8_t>& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint64_t get(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

void append_entry(std::vector<std::uint8_t>& entries, std::uint64_t offset, std::uint64_t value) {
  put(entries, offset);
  put(entries, value);
}

SideFile::~SideFile() {
  if (file_ >= 0) ::close(file_);
}

void SideFile::add(std::uint64_t offset, std::uint64_t value) {
  if (waiting_.size() >= kMaxWaitingEntries * kEntryBytes) return;
  append_entry(waiting_, offset, value);
}

void SideFile::flush(std::uint64_t limit) {
  std::size_t size = 0;
  while (size < waiting_.size() && get(waiting_.data() + size) < limit) size += kEntryBytes;
  if (size == 0) return;
  if (file_ < 0) {
    // Another file may have that name, such as one of an earlier recording.
    const bool is_new = written_ == 0;
    if (is_new) ::unlink(path_.c_str());
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (is_new ? O_EXCL : 0), 0644);
    if (file_ < 0) return;
    // After a disk has been reconnected, the file may end with other data.
    if (::ftruncate(file_, static_cast<off_t>(written_)) != 0) return close();
  }
  std::size_t done = 0;
  bool disk_full = false;
  while (done < size) {
    const ssize_t count = ::pwrite(file_, waiting_.data() + done, size - done, static_cast<off_t>(written_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      disk_full = count < 0 && errno == ENOSPC;
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  const bool all = done == size;
  done = done / kEntryBytes * kEntryBytes;
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
  written_ += done;
  // An incomplete entry is removed; the next attempt writes it again.
  if (!all && (::ftruncate(file_, static_cast<off_t>(written_)) != 0 || !disk_full)) close();
}

void SideFile::truncate(std::uint64_t limit) {
  while (!waiting_.empty() && get(waiting_.data() + waiting_.size() - kEntryBytes) >= limit) {
    waiting_.resize(waiting_.size() - kEntryBytes);
  }
  if (file_ < 0 || !waiting_.empty()) return;
  std::uint64_t kept = written_;
  std::array<std::uint8_t, kEntryBytes> last;
  while (kept != 0 && ::pread(file_, last.data(), kEntryBytes, static_cast<off_t>(kept - kEntryBytes)) == kEntryBytes &&
         get(last.data()) >= limit) {
    kept -= kEntryBytes;
  }
  if (kept != written_ && ::ftruncate(file_, static_cast<off_t>(kept)) == 0) written_ = kept;
}

void SideFile::close() {
  ::close(file_);
  file_ = -1;
}

}  // namespace receiverd::recording
