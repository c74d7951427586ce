// The built-in demo multiplex: a small terrestrial network of an invented broadcaster.
//
// It exists so that everything works on a fresh machine without a tuner. It has six television and two radio services
// with video and audio in current codecs, played in loops (loop.h), PSI/SI, and a guide of more than a week in eight
// languages and seven DVB character codings.
//
// The stream depends on the time only. Transport packet n is sent at n / 2 ms after 1970 (2000 packets per second, 3.01
// Mbit/s), and its PCR follows from n. Video, audio and guide follow from the wall clock time at which they are
// presented. After a restart the stream therefore continues as if it had not stopped, with the same guide and event
// ids.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dvb/source.h"

namespace receiverd::demo {

struct DemoOptions {
  /// The folder of the guide texts and loops: assets/demo of the package.
  std::string assets;

  /// Returns Unix time in milliseconds. If empty, the system clock; see also clock_from().
  std::function<std::int64_t()> wall_clock;

  /// Returns seconds east of UTC at a Unix time in seconds: the time zone of the on-screen clock and of the programme
  /// grids. If empty, the zone of the process.
  std::function<std::int32_t(std::int64_t)> utc_offset;

  /// Seconds of broadcast per second of the wall clock. 1 follows the clock. Above 1 the broadcast starts at the wall
  /// clock and runs ahead of it; a slow reader delays it. 0: as fast as it is read.
  std::uint32_t speed = 1;
};

/// Returns a clock for DemoOptions that reads `start` (Unix time in milliseconds) now and advances with the machine's
/// monotonic clock, so changes of the system clock have no effect. Copies show the same time.
std::function<std::int64_t()> clock_from(std::int64_t start);

/// Creates a demo multiplex that starts now. It never ends or fails. If the wall clock is set back by more than 2 s or
/// forward by more than 10 s, the stream jumps with it (discontinuity_indicator set).
/// @throws std::runtime_error that names the missing or damaged asset
std::unique_ptr<dvb::Source> make_demo_source(DemoOptions options);

}  // namespace receiverd::demo
