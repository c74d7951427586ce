// The time within a recording: 90 kHz ticks since its first time stamp, without the jumps of the broadcaster's clock
// (and of its 33 bits, which wrap every 26.5 hours). Readers of an `.ap` file calculate it the same way.
#pragma once

#include <algorithm>
#include <cstdint>

namespace receiverd::recording {

class RecordedTime {
 public:
  static constexpr std::int64_t kLongestGap = std::int64_t{10} * 90'000;

  /// Takes the next time stamp, 33 bits of 90 kHz, in stream order.
  void take(std::uint64_t stamp) {
    const auto time = static_cast<std::int64_t>(stamp);
    if (!any_) {
      any_ = true;
      delta_ = time;
    }
    if (time - delta_ - now_ > kLongestGap || now_ - (time - delta_) > kLongestGap) delta_ = time - now_;
    now_ = time - delta_;
    latest_ = std::max(latest_, now_);
  }

  bool any() const { return any_; }
  /// Ticks from the first time stamp to the latest.
  std::uint64_t ticks() const { return static_cast<std::uint64_t>(latest_); }

 private:
  bool any_ = false;
  std::int64_t delta_ = 0;
  std::int64_t now_ = 0;
  std::int64_t latest_ = 0;
};

}  // namespace receiverd::recording
