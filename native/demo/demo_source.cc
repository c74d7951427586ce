#include "demo/demo_source.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <thread>

#include "demo/assets.h"
#include "demo/multiplexer.h"

namespace receiverd::demo {

using dvb::kPacketSize;
using dvb::ReadResult;

namespace {

constexpr std::int64_t kPacketsPerMillisecond = kPacketsPerSecond / 1000;
constexpr std::int64_t kMaxForwardStep =
    10 * kPacketsPerSecond;  // larger steps are a change of the clock; a slow machine may be late by less
constexpr std::int64_t kMaxBackwardStep = 2 * kPacketsPerSecond;
constexpr std::chrono::milliseconds kMaxSleep{20};

std::int64_t system_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::int32_t process_offset(std::int64_t unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm local{};
  if (localtime_r(&time, &local) == nullptr) return 0;
  return static_cast<std::int32_t>(local.tm_gmtoff);
}

class DemoSource final : public dvb::Source {
 public:
  explicit DemoSource(DemoOptions options)
      : options_(std::move(options)),
        start_(options_.wall_clock()),
        multiplexer_(start_ * kPacketsPerMillisecond, load_assets(options_.assets), options_.utc_offset) {}

  ReadResult read(std::span<std::uint8_t> buffer) override {
    std::size_t size = take_rest(buffer);
    std::int64_t due = packets_due();
    if (due <= 0 && size == 0) {
      const std::int64_t wait = -due / kPacketsPerMillisecond + 1;
      std::this_thread::sleep_for(std::clamp(std::chrono::milliseconds(wait), kMinSleep, kMaxSleep));
      return {ReadResult::State::idle, 0};
    }
    for (; due > 0 && size < buffer.size(); --due) {
      if (buffer.size() - size >= kPacketSize) {
        multiplexer_.write(buffer.data() + size);
        size += kPacketSize;
      } else {
        multiplexer_.write(packet_.data());
        rest_ = packet_.size();
        size += take_rest(buffer.subspan(size));
      }
    }
    return {ReadResult::State::data, size};
  }

  dvb::SignalQuality signal() const override {
    dvb::SignalQuality quality;
    quality.locked = true;
    quality.snr_decibel = 31.5F;
    quality.snr_percent = 98;
    quality.strength_percent = 95;
    return quality;
  }

 private:
  /// Long enough for a read to return a fair number of packets.
  static constexpr std::chrono::milliseconds kMinSleep{10};

  /// Packets per read while units in progress are sent before a jump, independent of the clock: 10 ms.
  static constexpr std::int64_t kPacketsUntilJump = 10 * kPacketsPerMillisecond;

  /// Packets by which a reader of a fast broadcast may be late: one second.
  static constexpr std::int64_t kMaxLatePackets = kPacketsPerSecond;

  std::int64_t packets_due() {
    if (options_.speed == 0) return INT64_MAX;
    if (options_.speed > 1) return packets_due_fast();
    if (multiplexer_.has_pending_jump()) return kPacketsUntilJump;
    const std::int64_t now = options_.wall_clock() * kPacketsPerMillisecond;
    const std::int64_t due = now - multiplexer_.next();
    if (due <= kMaxForwardStep && due >= -kMaxBackwardStep) return due;
    multiplexer_.jump(now);
    return kPacketsUntilJump;
  }

  /// Like packets_due(), for a speed above 1: never jumps, since a late reader delays the broadcast instead.
  std::int64_t packets_due_fast() {
    const std::int64_t elapsed = (options_.wall_clock() - start_) * options_.speed;
    const std::int64_t due = (start_ + elapsed + delay_) * kPacketsPerMillisecond - multiplexer_.next();
    const std::int64_t late = std::max<std::int64_t>(due - kMaxLatePackets, 0);
    delay_ -= late / kPacketsPerMillisecond;
    return due - late;
  }

  /// Copies the rest of a packet that did not fit into the last buffer.
  std::size_t take_rest(std::span<std::uint8_t> buffer) {
    const std::size_t size = std::min(rest_, buffer.size());
    std::memcpy(buffer.data(), packet_.data() + packet_.size() - rest_, size);
    rest_ -= size;
    return size;
  }

  DemoOptions options_;
  const std::int64_t start_;  // Unix time in milliseconds
  std::int64_t delay_ = 0;    // milliseconds of broadcast; not above 0
  Multiplexer multiplexer_;
  std::array<std::uint8_t, kPacketSize> packet_{};
  std::size_t rest_ = 0;
};

}  // namespace

std::function<std::int64_t()> clock_from(std::int64_t start) {
  return [start, begin = std::chrono::steady_clock::now()] {
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    return start + std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  };
}

std::unique_ptr<dvb::Source> make_demo_source(DemoOptions options) {
  if (!options.wall_clock) options.wall_clock = system_clock;
  if (!options.utc_offset) options.utc_offset = process_offset;
  return std::make_unique<DemoSource>(std::move(options));
}

}  // namespace receiverd::demo
