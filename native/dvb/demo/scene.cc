#include "dvb/demo/scene.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dvb/demo/lettering.h"

namespace receiverd::dvb::demo {
namespace {

constexpr double kLeft = 52;
constexpr double kTextWidth = 560;
constexpr Lettering kName{44, 0.15, 1};
constexpr Lettering kLabel{17, 0.15, 1.6};
constexpr Lettering kTitle{38, 0.13, 1};
constexpr Lettering kText{21, 0.13, 1.05};
constexpr Lettering kClock{40, 0.13, 1.1};

void box(Canvas& canvas, Area area, double corner, Colour colour, double opacity) {
  Mask mask(canvas, {area.left - 2, area.top - 2, area.right + 2, area.bottom + 2});
  mask.box(area, corner);
  canvas.blend(mask, colour, opacity);
}

/// Splits a title into at most two lines.
std::vector<std::string> title_lines(const std::string& title) {
  if (text_width(title, kTitle) <= kTextWidth) return {title};
  std::string first = fit_text(title, kTextWidth, kTitle);
  const std::string mark = " …";
  if (first.size() > mark.size() && first.ends_with(mark)) first.resize(first.size() - mark.size());
  if (first.size() >= title.size()) return {first};
  return {first, fit_text(std::string_view(title).substr(first.size() + 1), kTextWidth, kTitle)};
}

}  // namespace

void paint_backdrop(Canvas& canvas, const LineupEntry& service) {
  const Colour paper = rgb(service.paper);
  const Colour deep = rgb(service.deep);
  // Light falls from the upper right, where the motif is; a darker floor carries the last line.
  canvas.fill([&](double x, double y) {
    const double dx = (x - 800) / 900;
    const double dy = (y - 200) / 560;
    const double light = std::clamp(1 - std::sqrt(dx * dx + dy * dy), 0.0, 1.0);
    return mix(deep, paper, light);
  });
  box(canvas, {-10, 500, Canvas::kWidth + 10, Canvas::kHeight + 10}, 0, rgb(0x000000), 0.28);
  box(canvas, {-10, 498, Canvas::kWidth + 10, 500}, 0, rgb(service.accent), 0.7);

  put_text(canvas, service.name, {kLeft, 106}, kName, rgb(0xFFFFFF));
  box(canvas, {kLeft, 128, kLeft + 96, 134}, 3, rgb(service.accent), 1);
  if (service.motif != Motif::globe) {  // otherwise the ticker is there
    put_text(canvas, service.provider, {kLeft, 546}, kText, rgb(0xFFFFFF), 0.75);
    const std::string_view origin = "receiverd demo";
    put_text(canvas, origin, {Canvas::kWidth - kLeft - text_width(origin, kText), 546}, kText, rgb(0xFFFFFF), 0.5);
  }
}

void paint_caption(Canvas& canvas, const LineupEntry& service, const Caption& caption) {
  const Colour white = rgb(0xFFFFFF);
  const Colour accent = rgb(service.accent);
  double x = kLeft;
  put_text(canvas, service.now_label, {x, 228}, kLabel, accent);
  x += text_width(service.now_label, kLabel) + 16;
  put_text(canvas, caption.times, {x, 228}, kLabel, white, 0.85);

  double y = 290;
  for (const std::string& text : title_lines(caption.title)) {
    put_text(canvas, text, {kLeft, y}, kTitle, white);
    y += 54;
  }
  if (!caption.subtitle.empty()) {
    put_text(canvas, fit_text(caption.subtitle, kTextWidth, kText), {kLeft, y - 8}, kText, white, 0.8);
  }

  box(canvas, {kLeft, 414, kLeft + 500, 421}, 3.5, white, 0.25);
  box(canvas, {kLeft, 414, kLeft + std::max(8.0, 500 * caption.elapsed), 421}, 3.5, accent, 1);

  if (!caption.next_title.empty()) {
    x = kLeft;
    put_text(canvas, service.next_label, {x, 464}, kLabel, accent);
    x += text_width(service.next_label, kLabel) + 16;
    put_text(canvas, caption.next_time, {x, 464}, kLabel, white, 0.85);
    x += text_width(caption.next_time, kLabel) + 16;
    put_text(canvas, fit_text(caption.next_title, kLeft + kTextWidth - x, kText), {x, 465}, kText, white, 0.9);
  }
}

void paint_clock(Canvas& canvas, const LineupEntry&, std::string_view clock) {
  put_text(canvas, clock, {Canvas::kWidth - kLeft - text_width("00:00:00", kClock), 92}, kClock, rgb(0xFFFFFF), 0.95);
}

}  // namespace receiverd::dvb::demo
