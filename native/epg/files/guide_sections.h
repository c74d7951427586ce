// The names of the sections of a guide snapshot, and the records in them that are not the store's own. Used only by
// guide_writer.cc and guide_reader.cc. docs/snapshot-format.md describes the format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "epg/files/snapshot_file.h"
#include "epg/store/store.h"

namespace receiverd::epg {

/// Every member has an initialiser, so that no indeterminate bytes reach the file.
namespace snapshot_parts {

/// Incremented whenever a section or one of its records changes its meaning.
inline constexpr SnapshotContent kContent{{'g', 'u', 'i', 'd', 'e'}, 2};

struct Totals {
  std::uint64_t events = 0;
  std::uint32_t free_slot = kNoEvent;
  std::uint32_t imports = 0;
};

struct ServiceRow {
  std::uint16_t original_network_id = 0;
  std::uint16_t transport_stream_id = 0;
  std::uint16_t service_id = 0;
  std::uint8_t used = 0;  ///< 0: this row is free, and its other members have no meaning
  std::uint8_t announced = 0;
  std::int32_t present = -1;
  std::int32_t following = -1;
  std::uint32_t events = 0;      ///< number of its elements in "timelines"
  std::uint32_t sub_tables = 0;  ///< number of its elements in "sub_tables"
};
static_assert(sizeof(ServiceRow) == 24);

struct SubTableRow {
  std::uint8_t table_id = 0;
  std::uint8_t run = 0;
};

struct PoolRow {
  std::uint64_t text_bytes = 0;
  std::uint64_t learnt_from = 0;
  std::uint32_t current = 0;
  std::uint32_t codec = 0;
};

struct ChunkRow {
  std::uint32_t used = 0;
  std::uint16_t present = 0;
  std::uint16_t codec = 0;
};

/// The layout of bit-fields is up to the compiler. One record of each kind with known values shows whether this
/// program's compiler lays them out as the writer's did, byte for byte.
struct Layout {
  EventRecord event;
  Programme programme;

  Layout() {
    event.start = 0x01234567;
    event.duration = 0x54321;
    event.running_status = 5;
    event.free_ca = 1;
    event.present_following = 0;
    event.shadowed = 1;
    event.schedule = 0x2B;
    event.programme = 0xABCDEF;
    event.schedule_run = 0x89;
    event.service = 0x1122;
    event.id = 0x3344;
    event.next = 0x55667788;
    programme.title = 0x010203;
    programme.events = 0x04;
    programme.short_text = 0x050607;
    programme.some_shadowed = 1;
    programme.set_begins(0x123456);
    programme.long_text = 0x090A0B;
    programme.details = 0x0C0D0E;
    programme.next = {0x10111213, 0x14151617, 0x18191A1B};
    programme.first = 0x1C1D1E1F;
  }
};

inline constexpr std::array<const char*, kTextKinds + 1> kPoolNames = {"title", "short", "long", "details"};

/// The gram index of the titles.
inline constexpr const char* kGrams = "gram";

inline std::string name_of(std::size_t pool, const char* part) { return std::string(kPoolNames[pool]) + '.' + part; }

}  // namespace snapshot_parts

}  // namespace receiverd::epg
