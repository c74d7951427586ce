// Decides whether a tuner receives a signal, and when it has to be tuned again.
//
//   tuning ──lock──► locked ──no lock for a second, no data for seven──► lost ──pause──► retuning ──lock──► locked
//     └──timeout──► the next variant; after the last one: lost             ▲                 │
//                                                                          └────timeout──────┘
//
// The pause is zero after a lock, then 1, 2, 5 and 10 seconds. The first attempt after a lock assumes that the state of
// the dish is known; later attempts do not.
//
// Depends on its inputs only: it uses no clock and no thread.
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

  static constexpr std::chrono::seconds kUnlockedTimeout{1};  ///< without lock: lost
  static constexpr std::chrono::seconds kNoDataTimeout{7};    ///< with lock, but without data: lost

  struct Observation {
    /// The front end has accepted the transponder, and all steps of the dish are done.
    bool tuned = true;
    bool locked = false;
    bool data = false;       ///< data has arrived since the last step()
    std::string error = {};  ///< why tuning failed, or why reception ended; else empty
    unsigned variants = 1;   ///< of the order: see Source::variants()
    /// Time limit for a lock once `tuned`; before that, for tuning the front end.
    std::chrono::milliseconds timeout{5000};
  };

  /// `now` is the time of the first attempt, which the caller makes.
  explicit Reception(Time now) : since_(now), lock_wait_start_(now), last_data_at_(now) {}

  /// Returns the attempt to make now, if any. Call it every few milliseconds.
  std::optional<Attempt> step(Time now, const Observation& observed);

  State state() const { return state_; }
  /// Why reception was lost the last time; empty if it never was.
  const std::string& reason() const { return reason_; }
  /// Time at which the current state began.
  Time since() const { return since_; }

 private:
  std::optional<Attempt> wait_for_lock(Time now, const Observation& observed);
  Attempt attempt(Time now, bool all_steps);
  void watch_lock(Time now, const Observation& observed);
  void enter(State state, Time now);
  void lose(Time now, std::string reason);

  State state_ = State::tuning;
  std::string reason_;
  Time since_;
  Time lock_wait_start_;  ///< start of the current wait for a lock: the last lock, the start of the attempt, or the end
                          ///< of tuning
  bool was_untuned_ = false;
  Time last_data_at_;  ///< when data last arrived
  unsigned variant_ = 0;
  bool ever_locked_ = false;
  unsigned failures_ = 0;  ///< since the last data
};

}  // namespace receiverd::dvb
