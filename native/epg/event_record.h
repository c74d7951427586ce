// An event as the store keeps it: 36 bytes, texts by their id in the pool.
#pragma once

#include <cstdint>

#include "epg/text_pool.h"
#include "wire/time.h"

namespace receiverd::epg {

struct EventRecord {
  std::uint32_t start = 0;  ///< Unix seconds; a 16-bit MJD ends in 2038, this field in 2106
  std::uint32_t duration : 24 = 0;
  std::uint32_t running_status : 3 = 0;
  std::uint32_t free_ca : 1 = 0;
  /// From EIT present/following: outranks the schedule.
  std::uint32_t present_following : 1 = 0;
  /// Contradicted by present/following: kept, but not shown while that lasts.
  std::uint32_t shadowed : 1 = 0;
  std::uint32_t : 2;
  std::uint32_t language : 24 = 0;
  /// In which collection run of its sub-table the event was last seen; rises with the version.
  std::uint32_t schedule_run : 8 = 0;
  TextId title = 0;
  TextId short_text = 0;
  TextId extended_text = 0;
  TextId details = 0;  ///< genres, ratings, components, CRIDs: event_details.h
  std::uint16_t id = 0;
  /// The schedule table (0x50..0x6F) that has the event; 0 = none.
  std::uint8_t schedule_table = 0;

  wire::UnixSeconds end() const { return static_cast<wire::UnixSeconds>(start) + duration; }
};

static_assert(sizeof(EventRecord) <= 36);

}  // namespace receiverd::epg
