// A tuner source that receives with a front end of the Linux DVB API.
//
//   Control ─lock─► open demux ─wanted PIDs─► packets of these PIDs, or of all ─► read()
//
// One demux descriptor (DMX_OUT_TSDEMUX_TAP) delivers the packets. Up to kMaxPids wanted PIDs, each has a filter, so
// that the kernel copies only these; with more, the whole multiplex (PID 0x2000) is delivered if the hardware supports
// that. Filters are set once the signal is locked, so that no packets of the previous transponder arrive.
//
// An overflow of the kernel's ring (EOVERFLOW) loses its contents. It is counted, and reading continues.
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
  /// PIDs with a filter of their own: old hardware has 32 filters, and the kernel checks each filter for each packet.
  static constexpr std::size_t kMaxPids = 32;

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
  bool update_filters();
  bool add_filter(std::uint16_t pid);
  dvb::ReadResult fail(int error);

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
  std::set<std::uint16_t> filtered_;  // PIDs with a filter; only kWholeMultiplex for all
};

}  // namespace receiverd::frontend
