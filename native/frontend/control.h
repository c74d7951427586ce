// The thread that talks to a front end: opens it, moves the dish, tunes, waits for the lock, and measures.
//
//   tune() ─order─► [ open ─► steps ─► FE_SET_PROPERTY ─► status every 50 ms ─lock─► status and signal every 250 ms ]
//                                                                                         └─► view()
//
// Drivers take seconds for a call, and broken ones never return. So nobody waits for this thread: tune() and view()
// leave messages, and the destructor gives up on it after kPatience. It then ends by itself when the call returns; what
// it uses lives as long.
//
// Thread safety: tune(), view() and wait() may be called from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "dvb/source.h"
#include "dvb/tuning.h"
#include "frontend/front_end.h"
#include "frontend/system.h"

namespace receiverd::frontend {

class Control {
 public:
  static constexpr std::chrono::milliseconds kPatience{2000};

  /// `system` must live as long as the process.
  Control(System& system, std::string path);
  /// Closes the front end, which switches the dish off.
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  void tune(const dvb::TuningOrder& order, dvb::Attempt attempt);

  struct View {
    /// The newest order has been given to the front end.
    bool tuned = false;
    /// Why it could not be.
    std::string tuning_error;
    dvb::SignalQuality signal;
    /// The device has disappeared.
    bool gone = false;
    /// How many variants of the newest order there are; 1 until the front end is open.
    unsigned variants = 1;
  };
  View view() const;
  /// Waits until the lock may have changed, at most `time`.
  void wait(std::chrono::milliseconds time) const;

 private:
  class Thread;
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

/// Does the steps, with their waits. `wait` returns false to break off. Calls that a front end does not have are passed
/// over: one without an own supply cannot switch it off. Returns false if it was broken off, or the device is gone.
bool run_steps(FrontEnd& front_end, std::span<const dvb::SatelliteStep> steps,
               const std::function<bool(std::chrono::milliseconds)>& wait);

}  // namespace receiverd::frontend
