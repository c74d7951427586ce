// Tracks which EIT sub-tables have been received completely since the multiplex was tuned.
//
// Present/following is complete with sections 0 to last_section_number of table 0x4E or 0x4F. A schedule is complete
// with every sub-table from 0x50 (0x60) to last_table_id. A sub-table consists of segments of eight section numbers,
// and segment_last_section_number is the last number that its segment uses (EN 300 468 §5.2.4, TS 101 211 §4.1.4). A
// new version resets its sub-table.
//
// Owned by one thread. Memory: 70 bytes per sub-table, for at most kMaxSubTables; further sub-tables are ignored.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "dvb/si/eit_section.h"

namespace receiverd::dvb {

class GuideProgress {
 public:
  static constexpr std::size_t kMaxSubTables = 32768;

  /// `arib`: long texts have tables of their own, from 0x58 and 0x68 on, and segments that have passed are left out.
  void section(const EitSectionHeader& header, bool arib = false);

  /// Numbers of services of one transport stream: those with a sub-table, and those whose sub-tables are complete.
  struct Stream {
    std::uint16_t original_network_id = 0;
    std::uint16_t transport_stream_id = 0;
    std::size_t present_following = 0;  ///< services with any section of present/following
    std::size_t present_following_complete = 0;
    std::size_t schedules = 0;
    std::size_t schedules_complete = 0;
    bool operator==(const Stream&) const = default;
  };
  std::vector<Stream> streams() const;

 private:
  class SubTable {
   public:
    void take(const EitSectionHeader& header);
    bool complete(bool passed_are_left_out) const;
    std::uint8_t last_table() const { return last_table_; }

   private:
    static constexpr std::size_t kSegments = 32;
    static constexpr std::size_t kSections = 8;

    std::uint8_t version_ = 0xFF;
    std::uint8_t last_section_ = 0;
    std::uint8_t last_table_ = 0;
    std::bitset<kSegments * kSections> received_;
    /// The last section number that each segment uses; valid once a section of the segment has arrived.
    std::array<std::uint8_t, kSegments> segment_last_{};
  };
  struct Service {
    SubTable present_following;
    bool has_present_following = false;
    bool arib = false;
    std::map<std::uint8_t, SubTable> schedule;  // by table_id
  };

  static bool schedule_complete(const Service& service);

  std::map<DvbTriplet, Service> services_;
  std::size_t sub_tables_ = 0;
};

}  // namespace receiverd::dvb
