// The built-in demo multiplex: a small terrestrial network of an invented broadcaster, generated on the fly.
//
// It exists so that everything works on a fresh machine without a tuner. It has six television and two radio services
// with real MPEG-2 video and MPEG-1 Layer II audio (from built-in encoders, nothing else is needed at run time),
// PSI/SI, and a guide of more than a week around now in eight languages and seven DVB character codings.
//
// Everything is a function of the time. Transport packet n is sent at n * 0.2 ms after 1970 (5000 packets a second,
// 7.52 Mbit/s), and its PCR follows from n. Pictures, audio and guide follow from the wall clock at which they are
// shown. A restart therefore continues exactly where the last run would have been, with the same guide and event ids.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "dvb/source.h"

namespace receiverd::dvb::demo {

struct DemoOptions {
  /// Unix time in milliseconds. If empty, the system clock.
  std::function<std::int64_t()> wall_clock;

  /// Seconds east of UTC at a Unix time in seconds: the zone of the on-screen clock and of the programme grids. If
  /// empty, the zone of the process.
  std::function<std::int32_t(std::int64_t)> utc_offset;

  /// Seconds of broadcast in a second of the wall clock. 1 follows the clock. Above 1 the broadcast starts at the wall
  /// clock and runs ahead of it; a slow reader delays it. 0 is as fast as it is read.
  std::uint32_t speed = 1;
};

/// Creates a demo multiplex that starts now. Cheap: pictures and audio are generated when first shown. Never ends,
/// never fails. If the wall clock is set back by more than 2 s or forward by more than 10 s, the stream jumps with it
/// (discontinuity_indicator set).
std::unique_ptr<Source> make_demo_source(DemoOptions options = {});

}  // namespace receiverd::dvb::demo
