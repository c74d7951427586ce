// The video of one service, frame by frame, as an MPEG-2 elementary stream that costs almost nothing to generate.
//
//   static part   background, programme, clock: areas are repainted when they change (the clock once a second); only
//                 macroblocks that differ are coded. An unchanged row is a cached slice.
//   motif         a loop of kMotifFrames: the slices of a phase are encoded when it is first shown, then cached.
//   ticker        two rows that move left by whole pixels: motion vectors, only the right edge is coded.
//
// A row of macroblocks has one slice for each part it contains. Frame f is shown at f * 40 ms after 1970. Motif, clock
// and ticker depend only on f, so the stream is the same whenever it is started, except for an additional intra picture
// at the start.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dvb/demo/lineup.h"
#include "dvb/demo/scene.h"

namespace receiverd::dvb::demo {

inline constexpr int kFrameMilliseconds = 40;
inline constexpr int kGroupFrames = 25;  ///< an intra picture every second

/// Data for the picture; called on the tuner thread.
struct OnAir {
  std::function<Caption(std::int64_t unix_seconds)> caption;
  std::function<std::int32_t(std::int64_t unix_seconds)> utc_offset;
  std::function<std::string(std::int64_t unix_seconds)> ticker;  ///< empty: no ticker
};

class VideoChannel {
 public:
  /// `group_offset` shifts the intra pictures of this service relative to the others.
  VideoChannel(const LineupEntry& service, OnAir on_air, int group_offset);
  ~VideoChannel();

  /// Appends the access unit of frame `number`. Frames must be requested in order; after a jump the next one is intra.
  /// Returns true for an intra picture.
  bool append_frame(std::int64_t number, ByteVector& out);

 private:
  struct Rows {
    int first_column = 0;
    int end_column = 0;
    int first_row = 0;
    int end_row = 0;
    bool holds(int row) const { return row >= first_row && row < end_row; }
  };
  struct MotifFrame {
    std::vector<ByteVector> intra;      // one slice per row
    std::vector<ByteVector> predicted;  // relative to the previous frame
  };
  class Tape;

  Rows rows_of(const Area& area) const;
  /// Repaints the rows and marks the macroblocks that changed.
  void renew(const Rows& rows, const std::function<void(Canvas&)>& paint);
  void show(const Rows& rows);
  void update(std::int64_t second);
  void show_motif(int phase);
  const MotifFrame& motif_frame(int phase, bool intra);
  void append_static(int row, int first, int end, bool intra, ByteVector& out);

  const LineupEntry& service_;
  OnAir on_air_;
  int group_offset_;
  Picture shown_;
  Picture next_;
  Rows motif_;
  Rows ticker_;
  std::unique_ptr<Tape> tape_;
  std::vector<bool> changed_;                    // per macroblock, since the last picture
  std::vector<std::array<ByteVector, 2>> kept_;  // intra slices per row, left and right of the motif; empty = stale
  std::vector<MotifFrame> motif_frames_;
  std::unique_ptr<Picture> motif_ground_;  // exists while the loop is being encoded
  int motif_made_ = 0;
  int motif_phase_ = -1;  // phase in shown_
  std::int64_t last_frame_ = -1;
  std::int64_t last_second_ = -1;
  Caption caption_;
};

}  // namespace receiverd::dvb::demo
