#include "recording/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace receiverd::recording {

int Disk::open(const char* path) { return ::open(path, O_RDWR | O_CLOEXEC); }

ssize_t Disk::write(int file, wire::Bytes bytes, std::uint64_t offset) {
  ssize_t count = 0;
  do {
    count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  return count;
}

int Disk::sync(int file) { return ::fdatasync(file); }

Disk& Disk::system() {
  static Disk disk;
  return disk;
}

}  // namespace receiverd::recording
