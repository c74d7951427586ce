// Antialiased drawing.
//
// Everything is drawn in one coordinate system, 1024 x 576 square units (16:9), whatever the size and pixel aspect
// ratio of the picture. A Mask collects the coverage of strokes and shapes (overlapping ones do not add up).
// Canvas::blend applies a colour through it, so a translucent figure of many strokes has no seams.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "dvb/demo/picture.h"

namespace receiverd::dvb::demo {

struct Point {
  double x = 0;
  double y = 0;
};

/// A rectangle in drawing units.
struct Area {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

class Canvas;

class Mask {
 public:
  /// Covers `area`, within the clip of the canvas.
  Mask(const Canvas& canvas, Area area);

  void capsule(Point from, Point to, double radius);
  void disc(Point centre, double radius) { capsule(centre, centre, radius); }
  void ring(Point centre, double radius_x, double radius_y, double pen);
  void box(Area area, double corner);

  /// `distance(x, y)` is negative inside the shape, in units; called for every pixel inside `area`.
  template <class Distance>
  void shape(Area area, Distance distance);

 private:
  friend class Canvas;
  int left_ = 0;
  int top_ = 0;
  int width_ = 0;
  int height_ = 0;
  double scale_x_ = 1;
  double scale_y_ = 1;
  std::vector<std::uint8_t> coverage_;
};

class Canvas {
 public:
  static constexpr double kWidth = 1024;
  static constexpr double kHeight = 576;

  /// Pixels that may be drawn on: [left, right) x [top, bottom), even numbers.
  struct Clip {
    int left;
    int top;
    int right;
    int bottom;
  };

  explicit Canvas(Picture& picture)
      : Canvas(picture, {0, 0, picture.width, picture.height}, picture.width / kWidth, picture.height / kHeight) {}
  Canvas(Picture& picture, Clip clip) : Canvas(picture, clip, picture.width / kWidth, picture.height / kHeight) {}
  Canvas(Picture& picture, Clip clip, double scale_x, double scale_y)
      : picture_(picture), clip_(clip), scale_x_(scale_x), scale_y_(scale_y) {}

  double scale_x() const { return scale_x_; }
  double scale_y() const { return scale_y_; }
  const Clip& clip() const { return clip_; }

  /// Colours every pixel by its position: `colour(x, y)` is used for luma at each pixel and for chroma once per 2 x 2.
  template <class ColourAt>
  void fill(ColourAt colour);

  void blend(const Mask& mask, Colour colour, double opacity = 1);

 private:
  Picture& picture_;
  Clip clip_;
  double scale_x_;
  double scale_y_;
};

template <class Distance>
void Mask::shape(Area area, Distance distance) {
  const auto clip = [](double value, int low, int high) {
    return value < low ? low : value > high ? high : static_cast<int>(value);
  };
  const int x0 = clip(std::floor(area.left * scale_x_) - 1, left_, left_ + width_);
  const int x1 = clip(std::ceil(area.right * scale_x_) + 1, left_, left_ + width_);
  const int y0 = clip(std::floor(area.top * scale_y_) - 1, top_, top_ + height_);
  const int y1 = clip(std::ceil(area.bottom * scale_y_) + 1, top_, top_ + height_);
  const double sharpness = (scale_x_ + scale_y_) / 2;  // pixels per unit
  for (int y = y0; y < y1; ++y) {
    std::uint8_t* row = coverage_.data() + static_cast<std::ptrdiff_t>(y - top_) * width_;
    for (int x = x0; x < x1; ++x) {
      const double inside = 0.5 - distance((x + 0.5) / scale_x_, (y + 0.5) / scale_y_) * sharpness;
      if (inside <= 0) continue;
      const auto covered = static_cast<std::uint8_t>(inside >= 1 ? 255 : inside * 255);
      if (covered > row[x - left_]) row[x - left_] = covered;
    }
  }
}

template <class ColourAt>
void Canvas::fill(ColourAt colour) {
  const int half = picture_.width / 2;
  for (int y = clip_.top; y < clip_.bottom; ++y) {
    for (int x = clip_.left; x < clip_.right; ++x) {
      const Colour here = colour((x + 0.5) / scale_x_, (y + 0.5) / scale_y_);
      picture_.y[static_cast<std::size_t>(y * picture_.width + x)] = here.y;
      if ((x & 1) == 0 && (y & 1) == 0) {
        picture_.cb[static_cast<std::size_t>(y / 2 * half + x / 2)] = here.cb;
        picture_.cr[static_cast<std::size_t>(y / 2 * half + x / 2)] = here.cr;
      }
    }
  }
}

}  // namespace receiverd::dvb::demo
