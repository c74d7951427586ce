// The picture of one service, frame by frame, as an MPEG-2 elementary stream that costs next to nothing to make.
//
//   static part   background, programme, clock: repainted area by area when they change (the clock once a second); only
//                 macroblocks that differ are coded. An unchanged row is a slice kept as bytes.
//   motif         a loop of kMotifFrames: its slices are made the first time a phase is shown, then kept as bytes.
//   ticker        two rows that move left by whole pixels: motion vectors, only the right edge is coded.
//
// A row of macroblocks has one slice for each part it holds. Frame f is shown at f * 40 ms after 1970; the motif, the
// clock and the ticker follow from f, so the stream is the same whenever it is started, apart from where its groups of
// pictures begin to be cached.
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

/// What the picture needs to know; asked on the tuner thread.
struct OnAir {
  std::function<Caption(std::int64_t unix_seconds)> caption;
  std::function<std::int32_t(std::int64_t unix_seconds)> utc_offset;
  std::function<std::string(std::int64_t unix_seconds)> ticker;  ///< empty: no ticker
};

class VideoChannel {
 public:
  /// `group_offset`: shifts the intra pictures of this service against the others.
  VideoChannel(const LineupEntry& service, OnAir on_air, int group_offset);
  ~VideoChannel();

  /// Appends the access unit of frame `number`. Frames are asked for in order; after a jump the next one is intra.
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
    std::vector<ByteVector> intra;      // a slice per row
    std::vector<ByteVector> predicted;  // against the frame before
  };
  class Tape;

  Rows rows_of(const Area& area) const;
  /// Paints the rows anew and marks what changed.
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
  std::unique_ptr<Picture> motif_ground_;  // kept while the loop is made
  int motif_made_ = 0;
  int motif_phase_ = -1;  // which phase shown_ holds
  std::int64_t last_frame_ = -1;
  std::int64_t last_second_ = -1;
  Caption caption_;
};

}  // namespace receiverd::dvb::demo
