// Bytes in memory as a ByteSource, for tests and fuzzers that have no file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "storage/file_io.h"
#include "wire/bytes.h"

namespace receiverd {

/// Does not own the bytes.
class MemorySource final : public storage::ByteSource {
 public:
  explicit MemorySource(wire::Bytes bytes) : bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) const override {
    if (offset > bytes_.size() || into.size() > bytes_.size() - offset) return false;
    const wire::Bytes from = bytes_.subspan(static_cast<std::size_t>(offset), into.size());
    std::copy(from.begin(), from.end(), into.begin());
    return true;
  }

 private:
  wire::Bytes bytes_;
};

}  // namespace receiverd
