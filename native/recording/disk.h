// The system calls for the file of a recording, so that tests can substitute a failing disk.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "wire/bytes.h"

namespace receiverd::recording {

/// The plain system calls; errno holds the reason of a failure.
class Disk {
 public:
  virtual ~Disk() = default;
  /// Opens an existing file for reading and writing; a link in its place is refused.
  virtual int open(const char* path) { return ::open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC); }
  virtual ssize_t write(int file, wire::Bytes bytes, std::uint64_t offset) {
    ssize_t count = 0;
    do {
      count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    } while (count < 0 && errno == EINTR);
    return count;
  }
  virtual int sync(int file) { return ::fdatasync(file); }

  static Disk& system() {
    static Disk disk;
    return disk;
  }
};

}  // namespace receiverd::recording
