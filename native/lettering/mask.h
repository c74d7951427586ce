// Antialiased strokes for a grey picture.
//
// Positions are in drawing units: a picture of any size is 1024 units wide and 576 high (16:9). A Mask collects how
// much of each pixel is covered; strokes that overlap do not add up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace receiverd::lettering {

inline constexpr double kWidth = 1024;
inline constexpr double kHeight = 576;

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

/// The size of a picture in pixels.
struct Size {
  int width = 0;
  int height = 0;
};

class Mask {
 public:
  /// Covers `area`, as far as it is inside a picture of this size. Both numbers are even.
  Mask(Size picture, Area area);

  /// Adds a line with round ends.
  void capsule(Point from, Point to, double radius);

  /// Calls `visit(x, y, coverage)` for each pixel that is covered, from 1 to 255.
  template <class Visit>
  void each_covered(Visit visit) const {
    std::size_t at = 0;
    for (int y = top_; y < bottom_; ++y) {
      for (int x = left_; x < right_; ++x, ++at) {
        if (coverage_[at] != 0) visit(x, y, coverage_[at]);
      }
    }
  }

 private:
  double scale_x_;  // pixels per unit
  double scale_y_;
  int left_;
  int top_;
  int right_;
  int bottom_;
  std::vector<std::uint8_t> coverage_;
};

}  // namespace receiverd::lettering
