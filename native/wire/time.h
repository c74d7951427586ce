// Dates and times of DVB service information (EN 300 468 §5.2.5 and Annex C): 16-bit Modified Julian Date plus six BCD
// digits, always UTC.
#pragma once

#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace receiverd::wire {

using UnixSeconds = std::int64_t;

/// Six BCD digits hhmmss as seconds. Returns nothing if a nibble is over 9, or minutes or seconds are over 59.
/// `hours` may be up to 99: durations longer than a day exist.
inline std::optional<std::uint32_t> bcd_seconds(std::uint32_t hhmmss) {
  std::uint32_t digits[6];
  for (int i = 0; i < 6; ++i) {
    digits[i] = hhmmss >> (20 - 4 * i) & 0xF;
    if (digits[i] > 9) return std::nullopt;
  }
  const std::uint32_t hours = digits[0] * 10 + digits[1];
  const std::uint32_t minutes = digits[2] * 10 + digits[3];
  const std::uint32_t seconds = digits[4] * 10 + digits[5];
  if (minutes > 59 || seconds > 59) return std::nullopt;
  return hours * 3600 + minutes * 60 + seconds;
}

/// MJD and UTC time in 40 bits. Returns nothing for all ones (undefined start) and for invalid BCD.
inline std::optional<UnixSeconds> mjd_time(std::uint64_t value) {
  if (value == 0xFFFFFFFFFFULL) return std::nullopt;
  const auto seconds = bcd_seconds(static_cast<std::uint32_t>(value & 0xFFFFFF));
  if (!seconds || *seconds >= 86400) return std::nullopt;
  constexpr UnixSeconds kMjdOf1970 = 40587;
  return (static_cast<UnixSeconds>(value >> 24) - kMjdOf1970) * 86400 + *seconds;
}

/// Inverse of bcd_seconds(). Anything longer becomes 99:59:59.
inline std::uint32_t to_bcd_seconds(std::uint32_t seconds) {
  constexpr std::uint32_t kMaxSeconds = 99 * 3600 + 59 * 60 + 59;
  if (seconds > kMaxSeconds) seconds = kMaxSeconds;
  const auto bcd = [](std::uint32_t number) { return number / 10 << 4 | number % 10; };
  return bcd(seconds / 3600) << 16 | bcd(seconds / 60 % 60) << 8 | bcd(seconds % 60);
}

/// Inverse of mjd_time(). Returns all ones (undefined) for times that 16 bits of days cannot hold: before 1858-11-17 or
/// after 2038-04-22.
inline std::uint64_t to_mjd_time(UnixSeconds time) {
  constexpr UnixSeconds kEpoch = -40587LL * 86400;
  constexpr UnixSeconds kEnd = kEpoch + 65536LL * 86400;
  if (time < kEpoch || time >= kEnd) return 0xFFFFFFFFFFULL;
  const auto since = static_cast<std::uint64_t>(time - kEpoch);
  return since / 86400 << 24 | to_bcd_seconds(static_cast<std::uint32_t>(since % 86400));
}

}  // namespace receiverd::wire
