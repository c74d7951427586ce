// The source of transport packets behind a tuner: the port that files, the demo and front ends implement.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dvb/tuning.h"

namespace receiverd::dvb {

/// Signal values of a front end; those that it does not measure are missing.
struct SignalQuality {
  bool locked = false;
  std::optional<float> snr_decibel = {};       ///< carrier to noise ratio, dB
  std::optional<float> strength_decibel = {};  ///< dBm
  std::uint8_t snr_percent = 0;                ///< 0..100, in the scale of the front end, or of its delivery system
  std::uint8_t strength_percent = 0;           ///< 0..100
  /// After correction, in the last measured period; of old drivers in a unit that nobody knows.
  std::optional<std::uint64_t> bit_errors = {};
  std::optional<double> bit_error_rate = {};     ///< the same for each bit
  std::optional<std::uint64_t> bad_blocks = {};  ///< uncorrected blocks since the tuning
};

/// One try at an order.
struct Attempt {
  /// Which of the values that the order leaves open: 0 to variants() - 1.
  unsigned variant = 0;
  /// Assume nothing of the state of the dish.
  bool afresh = false;
  bool operator==(const Attempt&) const = default;
};

struct ReadResult {
  enum class State : std::uint8_t {
    data,   ///< `size` bytes were written
    idle,   ///< nothing is due yet; try again
    ended,  ///< the source has no more data (a pipe was closed)
    failed  ///< see Source::error(); a device has disappeared
  };
  State state = State::idle;
  std::size_t size = 0;
};

/// Datagrams of a source that receives from a network.
struct NetworkCounters {
  std::uint64_t lost = 0;
  std::uint64_t reordered = 0;  ///< came before an earlier one, and were put back
  std::uint64_t late = 0;       ///< came twice, or after they had been given up as lost
  std::uint64_t refused = 0;    ///< do not carry a transport stream
};

/// Owned and called by one tuner thread, except for its constructor. Nothing blocks for more than 50 ms, so that the
/// tuner thread can stop.
class Source {
 public:
  virtual ~Source() = default;

  /// Starts tuning; signal() tells when it has succeeded. Sources that cannot be tuned are always tuned.
  virtual void tune(const TuningOrder& /*order*/, Attempt /*attempt*/) {}
  /// How many the newest order has, as far as that is known.
  virtual unsigned variants() const { return 1; }
  /// False while the steps before tuning are still being done.
  virtual bool tuned() const { return true; }
  /// Why the last attempt could not even be made, for people; empty if it could.
  virtual std::string trouble() const { return {}; }

  /// Only these PIDs need be delivered, each once, the most important first: tables, the services in use, then what is
  /// good to have. Until the first call, all are. They hold however often it is tuned again, until others are named.
  virtual void want(std::span<const std::uint16_t> /*pids*/) {}
  /// Those that are delivered from now on, or again after a while, since the last call: their counters may have jumped.
  virtual std::vector<std::uint16_t> take_resumed() { return {}; }

  /// Writes up to `buffer.size()` bytes of transport stream, paced in real time. The bytes need not be aligned to
  /// packets.
  virtual ReadResult read(std::span<std::uint8_t> buffer) = 0;
  /// Everything has been delivered once, and comes again from now on: a file that loops.
  virtual bool repeats() const { return false; }
  /// How often data was lost because it was not read in time.
  virtual std::uint64_t overflows() const { return 0; }
  virtual NetworkCounters network() const { return {}; }

  virtual SignalQuality signal() const = 0;

  /// A human-readable reason, after ReadResult::State::failed.
  virtual std::string error() const { return {}; }
};

}  // namespace receiverd::dvb
