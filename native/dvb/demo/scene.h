// The picture of a demo service: background, moving motif, programme, clock.
//
// Every function paints everything inside the clip of its canvas, so any part of the picture can be redrawn separately.
#pragma once

#include <string>
#include <string_view>

#include "dvb/demo/lineup.h"
#include "dvb/demo/paint.h"

namespace receiverd::dvb::demo {

/// Frames in the motif's loop: 4 seconds, in step with the wall clock.
inline constexpr int kMotifFrames = 100;

/// Positions of the motif, the programme and the clock, in drawing units.
inline constexpr Area kMotifArea{640, 128, 992, 448};
inline constexpr Area kProgrammeArea{32, 192, 632, 480};
inline constexpr Area kClockArea{688, 32, 1008, 112};

struct Caption {
  std::string times;  ///< "20:15 – 21:45"
  std::string title;
  std::string subtitle;
  std::string next_time;
  std::string next_title;
  double elapsed = 0;  ///< fraction of the programme, 0..1
};

/// Paints the background, the service name and everything else that never changes.
void paint_backdrop(Canvas& canvas, const LineupEntry& service);

/// Paints the static part of the motif over the backdrop.
void paint_motif_ground(Canvas& canvas, const LineupEntry& service);

/// Paints the moving part, at `phase` 0..kMotifFrames-1, over that.
void paint_motif(Canvas& canvas, const LineupEntry& service, int phase);

void paint_caption(Canvas& canvas, const LineupEntry& service, const Caption& caption);

/// "HH:MM:SS".
void paint_clock(Canvas& canvas, const LineupEntry& service, std::string_view clock);

}  // namespace receiverd::dvb::demo
