// Tracks which sections of one EIT schedule sub-table (table_id and service) have been received, and which times its
// segments cover.
//
// A sub-table is sent as up to 32 segments of three hours, a segment as up to eight sections (TS 101 211 §4.1.4.2):
// section_number = 8 * segment + n, segment_last_section_number = the last one this segment uses. A new version_number
// begins a new run. Once every section of a segment has been received in one run, stored events of that segment that
// were not among them are no longer announced.
//
// Segment 0 of table 0x50 begins at midnight of the broadcaster's current day, in UTC (ISDB: in its local time). That
// day is not transmitted. It follows from the events, since each event is in the segment in which it starts. If a
// sub-table breaks this rule, it is irregular: events that are missing in its segments are then not removed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "epg/event/event.h"

namespace receiverd::epg {

class SubTable {
 public:
  static constexpr wire::UnixSeconds kSegmentSeconds = 3 * 3600;
  static constexpr std::uint8_t kSegments = 32;
  static constexpr std::uint8_t kSections = 8;  ///< per segment, at most

  /// `run`: the latest run with events in the store.
  explicit SubTable(std::uint8_t table_id, std::uint8_t run = 0) : table_id_(table_id), run_(run) {}

  std::uint8_t table_id() const { return table_id_; }
  /// The current collection run. Events carry it in EventRecord::schedule_run.
  std::uint8_t run() const { return run_; }

  /// Records a section. REQUIRES: section.table_id == table_id().
  void take(const EitSection& section);

  /// A time range for which all events of this sub-table have been received in this run: a complete segment, or
  /// everything after the last segment of a complete sub-table. Returns each range once; call until it returns nothing.
  std::optional<std::pair<wire::UnixSeconds, wire::UnixSeconds>> next_settled();

 private:
  void learn_time(const EitSection& section);
  void unsettle();
  bool all_seen(unsigned segment) const;
  bool complete() const;

  const std::uint8_t table_id_;
  std::uint8_t run_;
  std::uint8_t version_ = 0xFF;
  std::uint8_t last_section_ = 0;
  bool regular_ = true;
  std::optional<wire::UnixSeconds> begin_;
  std::optional<wire::UnixSeconds> earliest_;   // start of the first event of this run
  std::array<std::uint8_t, kSegments> seen_{};  // one bit per section of a segment
  std::array<std::uint8_t, kSegments> segment_last_{};
  // One bit per segment.
  std::uint32_t complete_ = 0;  // every section of it has been received
  std::uint32_t settled_ = 0;
  bool rest_settled_ = false;  // everything after the last segment
};

}  // namespace receiverd::epg
