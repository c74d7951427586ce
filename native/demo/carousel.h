// Repeats the tables of the multiplex at their intervals.
//
// A group holds the sections of one sub-table. Each section is sent once in every period, evenly spread, so that
// sections of the same sub-table stay well above the 25 ms distance of EN 300 468 §5.1.4. Groups on one PID take turns,
// one section at a time, and never exceed 1 Mbit/s on a PID, which every decoder must accept (ISO/IEC 13818-1
// §2.4.2.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dvb/packets/section.h"
#include "dvb/packets/section_writer.h"

namespace receiverd::demo {

class Carousel {
 public:
  /// Time is counted in packets of the multiplex. `distance` is the minimum distance in packets on one PID.
  explicit Carousel(int distance) : distance_(distance) {}

  /// Adds an empty group on `pid`, to be sent once every `period` packets. Returns its index.
  std::size_t add_group(std::uint16_t pid, std::int64_t period, std::int64_t first_due);

  /// Replaces the sections of a group; the rotation continues.
  void replace(std::size_t group, std::vector<dvb::Section> sections);

  /// Whether the next section of the group is due at `now`.
  bool is_due(std::size_t group, std::int64_t now) const { return groups_[group].next_due <= now; }

  /// The deadline of the most urgent packet that may be sent now, or kNothing if there is none.
  static constexpr std::int64_t kNothing = INT64_MAX;
  std::int64_t deadline(std::int64_t now);

  /// Returns the packet whose deadline the last call of deadline() returned.
  std::span<const std::uint8_t> take(std::int64_t now);

  /// Restarts all groups at `now`, after a jump of the clock.
  void restart(std::int64_t now);

 private:
  struct Group {
    std::size_t channel;
    std::vector<dvb::Section> sections;
    std::int64_t period;
    std::int64_t next_due;
    std::size_t next = 0;
  };
  struct Channel {
    explicit Channel(std::uint16_t pid) : packetizer(pid) {}
    dvb::SectionPacketizer packetizer;
    std::vector<std::uint8_t> packets;  // packets of the section being sent
    std::size_t sent = 0;
    std::int64_t free_at = INT64_MIN;  // earliest time of the PID's next packet
    std::int64_t deadline = 0;
  };

  void begin_sections(std::int64_t now);

  int distance_;
  std::vector<Group> groups_;
  std::vector<Channel> channels_;
  std::size_t chosen_ = 0;
};

}  // namespace receiverd::demo
