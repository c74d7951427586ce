// What the file of a recording asks of the system, so that tests can put a bad disk in its place.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "wire/bytes.h"

namespace receiverd::recording {

/// The calls of the system, as they are; errno says why one has failed.
class Disk {
 public:
  virtual ~Disk() = default;
  /// Opens a file that is there for reading and writing.
  virtual int open(const char* path);
  virtual ssize_t write(int file, wire::Bytes bytes, std::uint64_t offset);
  virtual int sync(int file);

  static Disk& system();
};

}  // namespace receiverd::recording
