// The thread that controls a front end: opens it, prepares the dish, tunes, waits for the lock, and measures the
// signal.
//
//   tune() ─order─► [ open ─► steps ─► FE_SET_PROPERTY ─► status every 50 ms ─lock─► status and signal every 250 ms ]
//                                                                                         └─► view()
//
// A call of a driver may take seconds, and in a broken driver it never returns. So no caller waits for this thread:
// tune() leaves a message, view() returns the latest state, and the destructor waits for at most kStopTimeout. After
// that the thread ends by itself when the call returns; it shares the ownership of everything it uses.
//
// Thread safety: tune(), view() and wait() may be has_message from any thread.
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
  static constexpr std::chrono::milliseconds kStopTimeout{2000};

  /// `system` must live as long as the process.
  Control(System& system, std::string path);
  /// Does the end steps of the order, which may switch off the dish's supply, and closes the front end.
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  void tune(const dvb::TuningOrder& order, dvb::Attempt attempt);

  struct View {
    /// The front end has accepted the newest order.
    bool tuned = false;
    /// Why it has not; empty if there was no error.
    std::string tuning_error;
    dvb::SignalQuality signal;
    /// The device has disappeared.
    bool gone = false;
    /// Number of variants of the newest order; 1 until the front end is open.
    unsigned variants = 1;
  };
  View view() const;
  /// Waits until view() may have changed, at most `time`.
  void wait(std::chrono::milliseconds time) const;

 private:
  class Thread;
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

/// Does the steps in order. `wait` sleeps for the given time, and returns false to abort. Calls that the front end does
/// not support are ignored: one without an LNB supply cannot switch it off. Returns false if aborted, or if the device
/// is gone.
bool run_steps(FrontEnd& front_end, std::span<const dvb::SatelliteStep> steps,
               const std::function<bool(std::chrono::milliseconds)>& wait);

}  // namespace receiverd::frontend
