// A tuner source that receives by a front end of the Linux DVB API.
//
//   Control ─lock─► demux opened ─PIDs wanted─► packets of these PIDs, or of all ─► read()
//
// One demux descriptor (DMX_OUT_TSDEMUX_TAP) carries the packets: while few PIDs are wanted, these alone, so that the
// kernel copies nothing else; beyond kMostPids the whole multiplex (PID 0x2000), where the hardware can. Filters are
// set once the signal is locked, so that nothing of the last transponder arrives.
//
// Overflow of the kernel's ring (EOVERFLOW) loses what it held. It is counted, and reading goes on.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dvb/source.h"
#include "frontend/control.h"
#include "frontend/system.h"

namespace receiverd::frontend {

struct DvbOptions {
  unsigned adapter = 0;
  unsigned front_end = 0;
};

class DvbSource final : public dvb::Source {
 public:
  /// The most PIDs filtered one by one: old hardware has places for 32, and the kernel looks at each for each packet.
  static constexpr std::size_t kMostPids = 32;

  DvbSource(System& system, DvbOptions options);

  void tune(const dvb::TuningOrder& order, dvb::Attempt attempt) override;
  unsigned variants() const override { return view_.variants; }
  bool tuned() const override { return view_.tuned; }
  std::string tuning_error() const override { return view_.tuning_error; }
  void set_wanted_pids(std::span<const std::uint16_t> pids) override;
  std::vector<std::uint16_t> take_resumed_pids() override { return std::exchange(resumed_, {}); }
  dvb::ReadResult read(std::span<std::uint8_t> buffer) override;
  std::uint64_t overflows() const override { return overflows_; }
  dvb::SignalQuality signal() const override { return view_.signal; }
  std::string error() const override { return error_; }

 private:
  std::string path_of(const char* kind, unsigned number) const;
  bool open_demux();
  bool filter();
  bool add(std::uint16_t pid);
  dvb::ReadResult failed(int error);

  System& system_;
  const DvbOptions options_;
  Control control_;
  Control::View view_;
  Device demux_;
  std::string error_;
  std::uint64_t overflows_ = 0;
  std::chrono::steady_clock::time_point next_read_{};

  std::set<std::uint16_t> wanted_;
  bool wants_all_ = true;
  std::vector<std::uint16_t> resumed_;
  std::set<std::uint16_t> filtered_;  // kWholeMultiplex alone for all
};

}  // namespace receiverd::frontend
