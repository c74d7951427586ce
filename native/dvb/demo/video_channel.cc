#include "dvb/demo/video_channel.h"

#include <cmath>
#include <cstdio>

#include "dvb/demo/lettering.h"
#include "dvb/demo/mpeg2_encoder.h"

namespace receiverd::dvb::demo {
namespace {

constexpr int kStaticQuantiser = 5;
constexpr int kMotifQuantiser = 7;
constexpr int kTickerQuantiser = 6;
constexpr int kTickerStep = 4;  // pixels per frame; even, so that chroma also moves by whole samples
constexpr double kTickerTop = 512;
constexpr double kTickerBottom = 544;

std::string clock_text(std::int64_t local_seconds) {
  const int day = static_cast<int>(((local_seconds % 86400) + 86400) % 86400);
  char text[16];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d", day / 3600, day / 60 % 60, day % 60);
  return text;
}

bool same_caption(const Caption& a, const Caption& b) {
  return a.times == b.times && a.title == b.title && a.subtitle == b.subtitle && a.next_time == b.next_time &&
         a.next_title == b.next_title && std::lround(a.elapsed * 500) == std::lround(b.elapsed * 500);
}

}  // namespace

/// The ticker text as one long picture of two macroblock rows that moves across the screen, its end joined to its
/// start.
class VideoChannel::Tape {
 public:
  Tape(const std::string& text, double scale_x, Colour paper) : picture_(width_for(text, scale_x), 32), text_(text) {
    Canvas canvas(picture_, {0, 0, picture_.width, picture_.height}, scale_x, 1);
    canvas.fill([&](double, double) { return paper; });
    put_text(canvas, text, {20, 24}, kLettering, rgb(0xFFFFFF));
  }

  const std::string& text() const { return text_; }

  /// Copies the part visible at `frame` into the two rows of `target` from `row`.
  void show(std::int64_t frame, Picture& target, int row) const {
    const auto offset = static_cast<int>(frame % (picture_.width / kTickerStep) * kTickerStep);
    const auto copy = [offset](const std::vector<std::uint8_t>& from, int from_width, std::vector<std::uint8_t>& to,
                               int to_width, int to_line, int lines, int part) {
      for (int line = 0; line < lines; ++line) {
        const std::uint8_t* source = from.data() + static_cast<std::size_t>(line * from_width);
        std::uint8_t* target_line = to.data() + static_cast<std::size_t>((to_line + line) * to_width);
        int at = offset / part;
        for (int x = 0; x < to_width; ++x) {
          target_line[x] = source[at];
          if (++at == from_width) at = 0;
        }
      }
    };
    copy(picture_.y, picture_.width, target.y, target.width, row * 16, 32, 1);
    copy(picture_.cb, picture_.width / 2, target.cb, target.width / 2, row * 8, 16, 2);
    copy(picture_.cr, picture_.width / 2, target.cr, target.width / 2, row * 8, 16, 2);
  }

 private:
  static constexpr Lettering kLettering{18, 0.14, 1.1};

  static int width_for(const std::string& text, double scale_x) {
    const auto pixels = static_cast<int>(std::ceil((text_width(text, kLettering) + 60) * scale_x));
    return (pixels + 15) / 16 * 16;
  }

  Picture picture_;
  std::string text_;
};

VideoChannel::VideoChannel(const LineupEntry& service, OnAir on_air, int group_offset)
    : service_(service),
      on_air_(std::move(on_air)),
      group_offset_(group_offset),
      shown_(service.video.width, service.video.height),
      next_(service.video.width, service.video.height),
      motif_(rows_of(kMotifArea)),
      changed_(static_cast<std::size_t>(shown_.columns() * shown_.rows())),
      kept_(static_cast<std::size_t>(shown_.rows())),
      motif_frames_(kMotifFrames) {
  if (on_air_.ticker) {
    ticker_ = {0, shown_.columns(), static_cast<int>(kTickerTop) / 16, static_cast<int>(kTickerBottom) / 16};
  }
  renew({0, shown_.columns(), 0, shown_.rows()}, [](Canvas&) {});
}

VideoChannel::~VideoChannel() = default;

VideoChannel::Rows VideoChannel::rows_of(const Area& area) const {
  const double column = 16 * Canvas::kWidth / shown_.width;
  const double row = 16 * Canvas::kHeight / shown_.height;
  return {static_cast<int>(area.left / column),
          std::min(shown_.columns(), static_cast<int>(std::ceil(area.right / column))),
          static_cast<int>(area.top / row), std::min(shown_.rows(), static_cast<int>(std::ceil(area.bottom / row)))};
}

void VideoChannel::renew(const Rows& rows, const std::function<void(Canvas&)>& paint) {
  Canvas canvas(next_, {rows.first_column * 16, rows.first_row * 16, rows.end_column * 16, rows.end_row * 16});
  paint_backdrop(canvas, service_);
  paint(canvas);
  show(rows);
}

/// Copies the changed macroblocks of these rows from `next_` to `shown_` and marks them.
void VideoChannel::show(const Rows& rows) {
  for (int row = rows.first_row; row < rows.end_row; ++row) {
    for (int column = rows.first_column; column < rows.end_column; ++column) {
      if (same_macroblock(shown_, next_, column, row)) continue;
      copy_macroblocks(next_, shown_, row, column, column + 1);
      changed_[static_cast<std::size_t>(row * shown_.columns() + column)] = true;
      for (ByteVector& slice : kept_[static_cast<std::size_t>(row)]) slice.clear();
    }
  }
}

void VideoChannel::update(std::int64_t second) {
  const std::string clock = clock_text(second + on_air_.utc_offset(second));
  renew(rows_of(kClockArea), [&](Canvas& canvas) { paint_clock(canvas, service_, clock); });
  Caption caption = on_air_.caption(second);
  if (!same_caption(caption, caption_)) {
    caption_ = std::move(caption);
    renew(rows_of(kProgrammeArea), [&](Canvas& canvas) { paint_caption(canvas, service_, caption_); });
  }
  if (on_air_.ticker) {
    std::string text = on_air_.ticker(second);
    if (!tape_ || tape_->text() != text) {
      tape_ = std::make_unique<Tape>(text, shown_.width / Canvas::kWidth, rgb(service_.deep));
    }
  }
}

/// Brings `shown_` to the motif of `phase`; `changed_` holds the macroblocks that changed.
void VideoChannel::show_motif(int phase) {
  if (motif_phase_ == phase) return;
  Canvas canvas(next_, {motif_.first_column * 16, motif_.first_row * 16, motif_.end_column * 16, motif_.end_row * 16});
  if (!motif_ground_) {
    paint_backdrop(canvas, service_);
    paint_motif_ground(canvas, service_);
    motif_ground_ = std::make_unique<Picture>(next_);
  } else {
    for (int row = motif_.first_row; row < motif_.end_row; ++row) {
      copy_macroblocks(*motif_ground_, next_, row, motif_.first_column, motif_.end_column);
    }
  }
  paint_motif(canvas, service_, phase);
  show(motif_);
  motif_phase_ = phase;
}

const VideoChannel::MotifFrame& VideoChannel::motif_frame(int phase, bool intra) {
  MotifFrame& frame = motif_frames_[static_cast<std::size_t>(phase)];
  std::vector<ByteVector>& slices = intra ? frame.intra : frame.predicted;
  if (!slices.empty()) return frame;
  if (!intra) show_motif((phase + kMotifFrames - 1) % kMotifFrames);
  const int columns = shown_.columns();
  for (int row = motif_.first_row; row < motif_.end_row; ++row) {
    for (int column = motif_.first_column; column < motif_.end_column; ++column) {
      changed_[static_cast<std::size_t>(row * columns + column)] = false;
    }
  }
  show_motif(phase);
  for (int row = motif_.first_row; row < motif_.end_row; ++row) {
    ByteVector slice;
    if (intra) {
      encode_intra_slice(slice, shown_, row, motif_.first_column, motif_.end_column, kMotifQuantiser);
    } else {
      encode_predicted_slice(slice, shown_, row, motif_.first_column, motif_.end_column, kMotifQuantiser,
                             [&](int column) { return changed_[static_cast<std::size_t>(row * columns + column)]; });
    }
    slice.shrink_to_fit();
    slices.push_back(std::move(slice));
  }
  // After this many frames the loop is usually complete. The ground is painted again for any frame still missing.
  if (++motif_made_ == kMotifFrames) motif_ground_.reset();
  return frame;
}

bool VideoChannel::append_frame(std::int64_t number, ByteVector& out) {
  const std::int64_t second = number / 25;
  const bool intra = number != last_frame_ + 1 || (number + group_offset_) % kGroupFrames == 0;
  last_frame_ = number;
  std::fill(changed_.begin(), changed_.end(), false);
  if (second != last_second_) {
    last_second_ = second;
    update(second);
  }
  if (tape_) tape_->show(number, shown_, ticker_.first_row);

  if (intra) {
    const auto local = static_cast<int>((second + on_air_.utc_offset(second)) % 86400);
    write_sequence_start(out, service_.video, local, static_cast<int>(number % 25));
  }
  const auto in_group = static_cast<int>((number + group_offset_) % kGroupFrames);
  write_picture_start(out, intra ? PictureType::intra : PictureType::predicted, in_group);
  const MotifFrame& motif = motif_frame(static_cast<int>(number % kMotifFrames), intra);
  for (int row = 0; row < shown_.rows(); ++row) {
    if (ticker_.holds(row)) {
      if (intra) {
        encode_intra_slice(out, shown_, row, 0, shown_.columns(), kTickerQuantiser);
      } else {
        encode_scrolled_slice(out, shown_, row, kTickerStep, kTickerQuantiser);
      }
    } else if (motif_.holds(row)) {
      append_static(row, 0, motif_.first_column, intra, out);
      const std::vector<ByteVector>& slices = intra ? motif.intra : motif.predicted;
      const ByteVector& slice = slices[static_cast<std::size_t>(row - motif_.first_row)];
      out.insert(out.end(), slice.begin(), slice.end());
      append_static(row, motif_.end_column, shown_.columns(), intra, out);
    } else {
      append_static(row, 0, shown_.columns(), intra, out);
    }
  }
  return intra;
}

void VideoChannel::append_static(int row, int first, int end, bool intra, ByteVector& out) {
  if (first >= end) return;
  if (!intra) {
    const auto begin = changed_.begin() + static_cast<std::ptrdiff_t>(row * shown_.columns());
    encode_predicted_slice(out, shown_, row, first, end, kStaticQuantiser,
                           [begin](int column) { return begin[column]; });
    return;
  }
  ByteVector& kept = kept_[static_cast<std::size_t>(row)][first == 0 ? 0 : 1];
  if (kept.empty()) encode_intra_slice(kept, shown_, row, first, end, kStaticQuantiser);
  out.insert(out.end(), kept.begin(), kept.end());
}

}  // namespace receiverd::dvb::demo
