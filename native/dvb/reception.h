// Whether a tuner receives, and when it has to be tuned again.
//
//   tuning ──lock──► locked ──no lock for a second, no data for seven──► lost ──pause──► retuning ──lock──► locked
//     └─time is up─► the next variant; after the last one: lost            ▲                 │
//                                                                          └──time is up─────┘
//
// Pauses: none after a lock, then 1, 2, 5 and 10 seconds. The first attempt after a lock assumes that the dish is still
// as it was; later ones do not.
//
// A function of its inputs: no clock, no thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "dvb/source.h"

namespace receiverd::dvb {

class Reception {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State : std::uint8_t { tuning, locked, lost, retuning };

  static constexpr std::chrono::seconds kUnlocked{1};
  static constexpr std::chrono::seconds kNoData{7};

  struct Observed {
    /// The attempt has been made: the dish is ready, and the front end has taken the transponder.
    bool tuned = true;
    bool locked = false;
    bool data = false;         ///< some has arrived since the last step
    std::string trouble = {};  ///< why the attempt could not be made, or what ended what it had led to; else empty
    unsigned variants = 1;
    /// How long the signal may take once it is tuned; before, how long that may take.
    std::chrono::milliseconds patience{5000};
  };

  /// The first attempt is made now.
  explicit Reception(Time now) : since_(now), good_at_(now), data_at_(now) {}

  /// Returns the attempt to make now, if any. Call it every few milliseconds.
  std::optional<Attempt> step(Time now, const Observed& observed);

  State state() const { return state_; }
  /// Why it was not locked the last time; empty if it always was.
  const std::string& reason() const { return reason_; }
  /// When it came into this state.
  Time since() const { return since_; }

 private:
  std::optional<Attempt> wait_for_lock(Time now, const Observed& observed);
  Attempt attempt(Time now, bool afresh);
  void watch_lock(Time now, const Observed& observed);
  void enter(State state, Time now);
  void lose(Time now, std::string reason);

  State state_ = State::tuning;
  std::string reason_;
  Time since_;
  Time good_at_;  ///< the last lock; before one, when the attempt was begun, or made
  bool was_untuned_ = false;
  Time data_at_;  ///< the last data
  unsigned variant_ = 0;
  bool ever_locked_ = false;
  unsigned failures_ = 0;  ///< since the last data
};

}  // namespace receiverd::dvb
