// Recomputes the checksums of a snapshot whose content was changed, as someone who knows the format would.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "epg/snapshot_file.h"
#include "wire/xxh64.h"

namespace receiverd::epg {

/// The section table of an undamaged file.
inline std::vector<SnapshotEntry> table_of(std::span<const std::uint8_t> file) {
  SnapshotHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<SnapshotEntry> table(header.sections);
  std::memcpy(table.data(), file.data() + header.table_offset, table.size() * sizeof(SnapshotEntry));
  return table;
}

/// A section's checksum as stored in the table (kSnapshotBlock).
inline std::uint64_t section_checksum(std::span<const std::uint8_t> section) {
  wire::Xxh64 hash;
  while (!section.empty()) {
    const std::size_t size = std::min(section.size(), kSnapshotBlock);
    const std::uint64_t block = wire::xxh64(section.first(size));
    hash.update({reinterpret_cast<const std::uint8_t*>(&block), sizeof block});
    section = section.subspan(size);
  }
  return hash.digest();
}

/// REQUIRES: header and table are those of a complete file, apart from the checksums.
inline void reseal(std::span<std::uint8_t> file) {
  SnapshotHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<SnapshotEntry> table = table_of(file);
  for (SnapshotEntry& entry : table) {
    entry.checksum = section_checksum(file.subspan(entry.offset, entry.bytes));
  }
  std::memcpy(file.data() + header.table_offset, table.data(), table.size() * sizeof(SnapshotEntry));
  header.checksum = 0;
  std::memcpy(file.data(), &header, sizeof header);
  wire::Xxh64 hash;
  hash.update(file.first(kSnapshotPage));
  hash.update(file.subspan(header.table_offset));
  header.checksum = hash.digest();
  std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace receiverd::epg
