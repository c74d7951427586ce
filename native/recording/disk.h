// The system calls for the file of a recording, so that tests can substitute a failing disk.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "wire/bytes.h"

namespace receiverd::recording {

/// The plain system calls; errno holds the reason of a failure.
class Disk {
 public:
  virtual ~Disk() = default;
  /// Opens an existing file for reading and writing.
  virtual int open(const char* path);
  virtual ssize_t write(int file, wire::Bytes bytes, std::uint64_t offset);
  virtual int sync(int file);

  static Disk& system();
};

}  // namespace receiverd::recording
