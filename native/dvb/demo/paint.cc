#include "dvb/demo/paint.h"

#include <algorithm>

namespace receiverd::dvb::demo {

Mask::Mask(const Canvas& canvas, Area area) : scale_x_(canvas.scale_x()), scale_y_(canvas.scale_y()) {
  // Even edges, so that a mask covers whole chroma samples.
  const Canvas::Clip& clip = canvas.clip();
  const auto horizontal = [&](double x) {
    return static_cast<int>(std::clamp(x * scale_x_, clip.left + 0.0, clip.right + 0.0));
  };
  const auto vertical = [&](double y) {
    return static_cast<int>(std::clamp(y * scale_y_, clip.top + 0.0, clip.bottom + 0.0));
  };
  left_ = horizontal(area.left) & ~1;
  top_ = vertical(area.top) & ~1;
  width_ = std::min(clip.right, (horizontal(area.right) + 2) & ~1) - left_;
  height_ = std::min(clip.bottom, (vertical(area.bottom) + 2) & ~1) - top_;
  coverage_.assign(static_cast<std::size_t>(width_ * height_), 0);
}

void Mask::capsule(Point from, Point to, double radius) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double length = dx * dx + dy * dy;
  const Area area{std::min(from.x, to.x) - radius, std::min(from.y, to.y) - radius, std::max(from.x, to.x) + radius,
                  std::max(from.y, to.y) + radius};
  shape(area, [=](double x, double y) {
    double part = length > 0 ? ((x - from.x) * dx + (y - from.y) * dy) / length : 0;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    const double ax = x - from.x - part * dx;
    const double ay = y - from.y - part * dy;
    return std::sqrt(ax * ax + ay * ay) - radius;
  });
}

void Mask::ring(Point centre, double radius_x, double radius_y, double pen) {
  const Area area{centre.x - radius_x - pen, centre.y - radius_y - pen, centre.x + radius_x + pen,
                  centre.y + radius_y + pen};
  shape(area, [=](double x, double y) {
    // First-order distance to an ellipse: value over gradient.
    const double px = (x - centre.x) / radius_x;
    const double py = (y - centre.y) / radius_y;
    const double value = std::sqrt(px * px + py * py);
    const double slope = std::sqrt(px * px / (radius_x * radius_x) + py * py / (radius_y * radius_y));
    if (slope < 1e-9) return std::min(radius_x, radius_y);
    return std::fabs(value * (value - 1) / slope) - pen;
  });
}

void Mask::box(Area area, double corner) {
  const double cx = (area.left + area.right) / 2;
  const double cy = (area.top + area.bottom) / 2;
  const double hx = (area.right - area.left) / 2 - corner;
  const double hy = (area.bottom - area.top) / 2 - corner;
  shape(area, [=](double x, double y) {
    const double dx = std::fabs(x - cx) - hx;
    const double dy = std::fabs(y - cy) - hy;
    const double ox = std::max(dx, 0.0);
    const double oy = std::max(dy, 0.0);
    return std::sqrt(ox * ox + oy * oy) + std::min(std::max(dx, dy), 0.0) - corner;
  });
}

void Canvas::blend(const Mask& mask, Colour colour, double opacity) {
  const auto strength = static_cast<int>(std::clamp(opacity, 0.0, 1.0) * 256 + 0.5);
  const auto lay = [](std::uint8_t& under, int over, int alpha) {  // alpha 0..65280
    under = static_cast<std::uint8_t>(under + ((over - under) * alpha + (over >= under ? 32640 : -32640)) / 65280);
  };
  const int half = picture_.width / 2;
  for (int y = 0; y < mask.height_; y += 2) {
    for (int x = 0; x < mask.width_; x += 2) {
      const std::uint8_t* cover = mask.coverage_.data() + static_cast<std::size_t>(y * mask.width_ + x);
      const int sum = cover[0] + cover[1] + cover[mask.width_] + cover[mask.width_ + 1];
      if (sum == 0) continue;
      const int px = mask.left_ + x;
      const int py = mask.top_ + y;
      std::uint8_t* luma = picture_.y.data() + static_cast<std::size_t>(py * picture_.width + px);
      lay(luma[0], colour.y, cover[0] * strength);
      lay(luma[1], colour.y, cover[1] * strength);
      lay(luma[picture_.width], colour.y, cover[mask.width_] * strength);
      lay(luma[picture_.width + 1], colour.y, cover[mask.width_ + 1] * strength);
      const auto chroma = static_cast<std::size_t>(py / 2 * half + px / 2);
      lay(picture_.cb[chroma], colour.cb, sum * strength / 4);
      lay(picture_.cr[chroma], colour.cr, sum * strength / 4);
    }
  }
}

}  // namespace receiverd::dvb::demo
