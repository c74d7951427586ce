// Conversion of UTC to local time with given offsets, without time zone data.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "wire/time.h"

namespace receiverd::epg {

/// The offsets of a time zone, as JavaScript has determined them.
class LocalTimes {
 public:
  /// From `from` on, local time is `offset` seconds ahead of UTC.
  struct Change {
    wire::UnixSeconds from = 0;
    std::int32_t offset = 0;
  };

  /// UTC.
  LocalTimes() = default;
  /// REQUIRES: sorted by time. The first offset also applies before the first change.
  explicit LocalTimes(std::vector<Change> changes) : changes_(std::move(changes)) {}

  wire::UnixSeconds local(wire::UnixSeconds utc) const {
    std::int32_t offset = changes_.empty() ? 0 : changes_.front().offset;
    for (const Change& change : changes_) {
      if (change.from > utc) break;
      offset = change.offset;
    }
    return utc + offset;
  }

 private:
  std::vector<Change> changes_;
};

/// A part of the day, in local time.
struct TimeOfDay {
  std::uint32_t from = 0;   ///< seconds after midnight
  std::uint32_t until = 0;  ///< exclusive; not after `from`: on the next day
  LocalTimes zone;

  bool has(wire::UnixSeconds utc) const {
    constexpr wire::UnixSeconds kDay = 86'400;
    const auto second = static_cast<std::uint32_t>(((zone.local(utc) % kDay) + kDay) % kDay);
    return from < until ? from <= second && second < until : from <= second || second < until;
  }
};

}  // namespace receiverd::epg
