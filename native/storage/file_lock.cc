#include "storage/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "storage/file_io.h"

namespace receiverd::storage {
namespace {

enum class Attempt { done, busy, failed };

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Open file description locks came with Linux 3.15; older kernels return EINVAL.
Attempt lock(int file) {
  struct flock wanted = whole_file();
  if (::fcntl(file, F_OFD_SETLK, &wanted) == 0) return Attempt::done;
  if (errno == EAGAIN || errno == EACCES) return Attempt::busy;
  if (errno != EINVAL) return Attempt::failed;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return Attempt::done;
  return errno == EWOULDBLOCK ? Attempt::busy : Attempt::failed;
}

bool locked_by_another(int file) {
  struct flock wanted = whole_file();
  if (::fcntl(file, F_OFD_GETLK, &wanted) == 0) return wanted.l_type != F_UNLCK;
  if (errno != EINVAL) return false;
  if (::flock(file, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(file, LOCK_UN);
  return false;
}

}  // namespace

FileLock::Result FileLock::take(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0644);
  if (file < 0) return {State::failed, nullptr, error_text(errno)};
  switch (lock(file)) {
    case Attempt::done:
      return {State::held, std::unique_ptr<FileLock>(new FileLock(file)), {}};
    case Attempt::busy:
      ::close(file);
      return {State::busy, nullptr, {}};
    case Attempt::failed:
      break;
  }
  const int error = errno;
  ::close(file);
  return {State::failed, nullptr, error_text(error)};
}

FileLock::Holder FileLock::holder(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return {};
  Holder holder{.held = locked_by_another(file), .note = {}};
  if (holder.held) {
    std::array<char, kMaxNoteBytes> note{};
    const ssize_t size = ::pread(file, note.data(), note.size(), 0);
    if (size > 0) holder.note.assign(note.data(), static_cast<std::size_t>(size));
  }
  ::close(file);
  return holder;
}

FileLock::~FileLock() {
  write_note({});
  ::close(file_);
}

bool FileLock::write_note(std::string_view note) const {
  if (note.size() > kMaxNoteBytes) return false;
  const ssize_t written = ::pwrite(file_, note.data(), note.size(), 0);
  return written == static_cast<ssize_t>(note.size()) && ::ftruncate(file_, static_cast<off_t>(note.size())) == 0;
}

}  // namespace receiverd::storage
