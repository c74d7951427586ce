// The tables of the multiplex in rotation.
//
// A group is the sections of one sub-table; each is sent once in every period, evenly spread, so that sections of the
// same sub-table keep well over the 25 ms distance of EN 300 468 §5.1.4. Groups of one PID take turns, one section at a
// time, never faster than 1 Mbit/s on a PID, which is what a decoder must be able to take (ISO/IEC 13818-1 §2.4.2.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dvb/section.h"
#include "dvb/section_packetizer.h"

namespace receiverd::dvb::demo {

class Carousel {
 public:
  /// Time is counted in packets of the multiplex. `distance`: least packets between two on the same PID.
  explicit Carousel(int distance) : distance_(distance) {}

  /// A new, empty group on `pid`, to be sent once every `period` packets; its number.
  std::size_t add_group(std::uint16_t pid, std::int64_t period, std::int64_t first_due);

  /// Other sections for a group; rotation goes on.
  void replace(std::size_t group, std::vector<Section> sections);

  /// The group whose section is begun next on the PID of `group` asks for fresh content first.
  bool due(std::size_t group, std::int64_t now) const { return groups_[group].next_due <= now; }

  /// When the most urgent packet that may go now should have gone; kNothing when there is none.
  static constexpr std::int64_t kNothing = INT64_MAX;
  std::int64_t deadline(std::int64_t now);

  /// The packet that deadline() spoke of.
  std::span<const std::uint8_t> take(std::int64_t now);

  /// Starts all groups again at `now`, after a jump of the clock.
  void restart(std::int64_t now);

 private:
  struct Group {
    std::size_t channel;
    std::vector<Section> sections;
    std::int64_t period;
    std::int64_t next_due;
    std::size_t next = 0;
  };
  struct Channel {
    explicit Channel(std::uint16_t pid) : packetizer(pid) {}
    SectionPacketizer packetizer;
    std::vector<std::uint8_t> packets;  // of the section on its way
    std::size_t sent = 0;
    std::int64_t free_at = INT64_MIN;  // when the PID may have its next packet
    std::int64_t deadline = 0;
  };

  void begin_sections(std::int64_t now);

  int distance_;
  std::vector<Group> groups_;
  std::vector<Channel> channels_;
  std::size_t chosen_ = 0;
};

}  // namespace receiverd::dvb::demo
