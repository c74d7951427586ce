#include "lettering/mask.h"

#include <algorithm>
#include <cmath>

namespace receiverd::lettering {

Mask::Mask(Size picture, Area area) : scale_x_(picture.width / kWidth), scale_y_(picture.height / kHeight) {
  // Even edges: the last column and row of a picture of even size are reached.
  const auto pixel = [](double value, int limit) { return static_cast<int>(std::clamp(value, 0.0, limit + 0.0)); };
  left_ = pixel(area.left * scale_x_, picture.width) & ~1;
  top_ = pixel(area.top * scale_y_, picture.height) & ~1;
  right_ = std::min(picture.width, (pixel(area.right * scale_x_, picture.width) + 2) & ~1);
  bottom_ = std::min(picture.height, (pixel(area.bottom * scale_y_, picture.height) + 2) & ~1);
  coverage_.resize(static_cast<std::size_t>(right_ - left_) * static_cast<std::size_t>(bottom_ - top_));
}

void Mask::capsule(Point from, Point to, double radius) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double length = dx * dx + dy * dy;
  const auto clip = [](double value, int low, int high) {
    return static_cast<int>(std::clamp(value, low + 0.0, high + 0.0));
  };
  const int x0 = clip(std::floor((std::min(from.x, to.x) - radius) * scale_x_) - 1, left_, right_);
  const int x1 = clip(std::ceil((std::max(from.x, to.x) + radius) * scale_x_) + 1, left_, right_);
  const int y0 = clip(std::floor((std::min(from.y, to.y) - radius) * scale_y_) - 1, top_, bottom_);
  const int y1 = clip(std::ceil((std::max(from.y, to.y) + radius) * scale_y_) + 1, top_, bottom_);
  const double sharpness = (scale_x_ + scale_y_) / 2;
  for (int row = y0; row < y1; ++row) {
    std::uint8_t* covered = coverage_.data() + static_cast<std::ptrdiff_t>(row - top_) * (right_ - left_);
    for (int column = x0; column < x1; ++column) {
      const double x = (column + 0.5) / scale_x_ - from.x;
      const double y = (row + 0.5) / scale_y_ - from.y;
      const double part = length > 0 ? std::clamp((x * dx + y * dy) / length, 0.0, 1.0) : 0;
      const double ax = x - part * dx;
      const double ay = y - part * dy;
      const double inside = 0.5 - (std::sqrt(ax * ax + ay * ay) - radius) * sharpness;
      if (inside <= 0) continue;
      std::uint8_t& pixel = covered[column - left_];
      pixel = std::max(pixel, static_cast<std::uint8_t>(inside >= 1 ? 255 : inside * 255));
    }
  }
}

}  // namespace receiverd::lettering
