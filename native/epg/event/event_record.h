// An event as the store keeps it, in 20 bytes. Its texts and details are in its programme.
#pragma once

#include <cstdint>

#include "wire/time.h"

namespace receiverd::epg {

/// The index of an event in the store's column of events. It does not change while the event exists.
using EventSlot = std::uint32_t;
inline constexpr EventSlot kNoEvent = 0xFFFFFFFF;

/// A distinct programme (store/programmes.h); 0 = none.
using ProgrammeId = std::uint32_t;

struct EventRecord {
  std::uint32_t start = 0;  ///< Unix seconds; a 16-bit MJD ends in 2038, this field in 2106
  /// Seconds, at most kMaxDurationSeconds; 0 = unknown.
  std::uint32_t duration : 19 = 0;
  std::uint32_t running_status : 3 = 0;
  std::uint32_t free_ca : 1 = 0;
  /// From EIT present/following: outranks the schedule.
  std::uint32_t present_following : 1 = 0;
  /// Contradicted by present/following: kept, but hidden as long as that holds.
  std::uint32_t shadowed : 1 = 0;
  /// Which schedule lists the event: 0 none, 1 an import, 2.. the tables 0x50 to 0x6F, 34.. imports of other ranks.
  std::uint32_t schedule : 6 = 0;
  std::uint32_t spare : 1 = 0;       ///< named, so that a snapshot has no uninitialised bits
  std::uint32_t programme : 24 = 0;  ///< 0: the slot is free
  /// The run of its sub-table (store/sub_table.h) in which the event was last received.
  std::uint32_t schedule_run : 8 = 0;
  std::uint16_t service = 0;  ///< the store's number for it
  std::uint16_t id = 0;       ///< event_id
  EventSlot next = kNoEvent;  ///< the programme's next event; in a free slot, the next free slot

  wire::UnixSeconds end() const { return static_cast<wire::UnixSeconds>(start) + duration; }
};

static_assert(sizeof(EventRecord) == 20);

/// Longer durations are cut to this, the maximum of the six BCD digits in EIT.
inline constexpr std::uint32_t kMaxDurationSeconds = 99 * 3600 + 59 * 60 + 59;

}  // namespace receiverd::epg
