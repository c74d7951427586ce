// The system calls on the file of a recording, as an interface, so that tests can substitute a failing disk.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "wire/bytes.h"

namespace receiverd::recording {

/// Makes the system calls. Functions return what the calls return, and set errno.
class Disk {
 public:
  virtual ~Disk() = default;
  /// Opens an existing file for reading and writing; fails if it is a symbolic link.
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
