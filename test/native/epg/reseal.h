// Recomputes the checksums of a snapshot whose content was changed, as someone who knows the format would.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "epg/files/snapshot_file.h"
#include "wire/crc32.h"

namespace receiverd::epg {

/// The section table of an undamaged file.
inline std::vector<SnapshotEntry> table_of(std::span<const std::uint8_t> file) {
  SnapshotHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<SnapshotEntry> table(header.sections);
  std::memcpy(table.data(), file.data() + header.table_offset, table.size() * sizeof(SnapshotEntry));
  return table;
}

/// A section's checksum as stored in the table (kSnapshotBlockBytes).
inline std::uint32_t section_checksum(std::span<const std::uint8_t> section) {
  std::uint32_t checksum = wire::kCrcStart;
  while (!section.empty()) {
    const std::size_t size = std::min(section.size(), kSnapshotBlockBytes);
    const std::uint32_t block = wire::crc32(section.first(size));
    checksum = wire::crc32({reinterpret_cast<const std::uint8_t*>(&block), sizeof block}, checksum);
    section = section.subspan(size);
  }
  return checksum;
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
  header.checksum = wire::crc32(file.subspan(header.table_offset), wire::crc32(file.first(kSnapshotPageBytes)));
  std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace receiverd::epg
