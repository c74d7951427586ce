// Recomputes the checksums of a snapshot whose content was changed, as someone who knows the format would.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "epg/snapshot_file.h"

namespace receiverd::epg {

/// The section table of an undamaged file.
inline std::vector<SnapshotEntry> table_of(std::span<const std::uint8_t> file) {
  SnapshotHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<SnapshotEntry> table(header.sections);
  std::memcpy(table.data(), file.data() + header.table_offset, table.size() * sizeof(SnapshotEntry));
  return table;
}

/// REQUIRES: header and table are those of a complete file, apart from the checksums.
inline void reseal(std::span<std::uint8_t> file) {
  SnapshotHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<SnapshotEntry> table = table_of(file);
  for (SnapshotEntry& entry : table) {
    entry.checksum = snapshot_checksum(file.subspan(entry.offset, entry.bytes));
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
