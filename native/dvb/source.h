// The source of transport packets behind a tuner: the interface that files, the demo and front ends implement.
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
  std::uint8_t snr_percent = 0;                ///< 0..100, in the scale of the front end or of its delivery system
  std::uint8_t strength_percent = 0;           ///< 0..100
  /// After correction, in the last measured period. Old drivers do not specify the unit.
  std::optional<std::uint64_t> bit_errors = {};
  std::optional<double> bit_error_rate = {};     ///< bit errors per bit
  std::optional<std::uint64_t> bad_blocks = {};  ///< uncorrected blocks since tuning
};

/// One attempt to carry out a TuningOrder.
struct Attempt {
  /// Selects among the parameters that the order leaves open: 0 to Source::variants() - 1.
  unsigned variant = 0;
  /// Do all steps of the dish, whatever its state: TuningOrder::all_steps.
  bool all_steps = false;
  bool operator==(const Attempt&) const = default;
};

struct ReadResult {
  enum class State : std::uint8_t {
    data,   ///< `size` bytes were written
    idle,   ///< nothing is due yet; try again
    ended,  ///< the source has no more data (a pipe was closed)
    failed  ///< an error such as a removed device: see Source::error()
  };
  State state = State::idle;
  std::size_t size = 0;
};

/// Datagrams of a source that receives from a network.
struct NetworkCounters {
  std::uint64_t lost = 0;
  std::uint64_t reordered = 0;  ///< arrived ahead of an earlier one, and were put back into order
  std::uint64_t late = 0;       ///< duplicates, and those that arrived after they had been counted as lost
  std::uint64_t refused = 0;    ///< without a transport stream
};

/// Owned and called by one tuner thread, except for its constructor. No function blocks for more than 50 ms, so that
/// the tuner thread can stop.
class Source {
 public:
  virtual ~Source() = default;

  /// Starts tuning; signal() reports the lock. Sources that cannot be tuned ignore it.
  virtual void tune(const TuningOrder& /*order*/, Attempt /*attempt*/) {}
  /// Number of variants of the newest order, as far as it is known; see Attempt::variant.
  virtual unsigned variants() const { return 1; }
  /// False while the steps of the dish before tuning are in progress.
  virtual bool tuned() const { return true; }
  /// Human-readable reason why the last attempt failed before there could be a signal; empty if it did not.
  virtual std::string tuning_error() const { return {}; }

  /// Only these PIDs need be delivered. Each is listed once, in order of importance: tables, streams of the services in
  /// use, optional PIDs. Until the first call, all PIDs are delivered. The list stays valid when the source is retuned.
  virtual void set_wanted_pids(std::span<const std::uint16_t> /*pids*/) {}
  /// The PIDs whose delivery has started or resumed since the last call: their continuity counters may have jumped.
  virtual std::vector<std::uint16_t> take_resumed_pids() { return {}; }

  /// Writes up to `buffer.size()` bytes of transport stream, paced in real time. The bytes need not be aligned to
  /// packets.
  virtual ReadResult read(std::span<std::uint8_t> buffer) = 0;
  /// Whether everything has been delivered once and is being repeated: a looping file.
  virtual bool has_repeated() const { return false; }
  /// Number of times data was lost because it was not read in time.
  virtual std::uint64_t overflows() const { return 0; }
  virtual NetworkCounters network() const { return {}; }

  virtual SignalQuality signal() const = 0;

  /// A human-readable reason, after ReadResult::State::failed.
  virtual std::string error() const { return {}; }
};

}  // namespace receiverd::dvb
