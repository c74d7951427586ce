// The source of transport packets behind a tuner: the port that file, demo, and later dvb and satip, implement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace receiverd::dvb {

/// Signal values of the front end. Values are 0 if the source cannot measure them.
struct SignalQuality {
  bool locked = false;
  float snr_decibel = 0;              ///< signal-to-noise ratio in dB
  std::uint8_t snr_percent = 0;       ///< 0..100
  std::uint8_t strength_percent = 0;  ///< 0..100
  std::uint32_t bit_errors = 0;       ///< errors in the last measured period
};

struct ReadResult {
  enum class State : std::uint8_t {
    data,   ///< `size` bytes were written
    idle,   ///< nothing is due yet; try again
    ended,  ///< the source has no more data (a pipe was closed)
    failed  ///< see Source::error()
  };
  State state = State::idle;
  std::size_t size = 0;
};

/// Owned and called by one tuner thread, except for its constructor.
class Source {
 public:
  virtual ~Source() = default;

  /// Writes up to `buffer.size()` bytes of transport stream, paced in real time. Blocks at most 50 ms, so that the
  /// tuner thread can stop. The bytes need not be aligned to packets.
  virtual ReadResult read(std::span<std::uint8_t> buffer) = 0;

  virtual SignalQuality signal() const = 0;

  /// A human-readable reason, after ReadResult::State::failed.
  virtual std::string error() const { return {}; }
};

}  // namespace receiverd::dvb
