// Local time by arithmetic alone. The zone's offsets come from JavaScript, which knows the time zones.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/time.h"

namespace receiverd::epg {

class LocalTimes {
 public:
  /// From `from` on, local time is `offset` seconds ahead of UTC.
  struct Change {
    wire::UnixSeconds from = 0;
    std::int32_t offset = 0;
  };

  /// UTC.
  LocalTimes() = default;
  /// REQUIRES: sorted by time. The first offset also holds before the first change, the last one for ever after.
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

/// Length of a clock time and of a date.
inline constexpr std::size_t kClockLength = 5;
inline constexpr std::size_t kDateLength = 14;

/// Writes `20:15`. REQUIRES: room for kClockLength bytes. Returns the end.
char* put_clock(wire::UnixSeconds local, char* out);

/// Writes `Thu 01.01.2026`. REQUIRES: room for kDateLength bytes, a four-digit year. Returns the end.
char* put_date(wire::UnixSeconds local, char* out);

}  // namespace receiverd::epg
