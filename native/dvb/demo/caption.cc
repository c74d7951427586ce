#include "dvb/demo/caption.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "dvb/demo/lettering.h"
#include "dvb/demo/paint.h"

namespace receiverd::dvb::demo {

namespace {

constexpr double kMargin = 64;
constexpr Lettering kHeading{.size = 54, .weight = 0.12, .spacing = 1};
constexpr Lettering kText{.size = 30, .weight = 0.11, .spacing = 1};

/// Draws one line, centred horizontally with its baseline at `y`.
void put_line(Canvas& canvas, std::string_view text, double y, const Lettering& lettering, Colour colour) {
  const std::string fitting = fit_text(text, Canvas::kWidth - 2 * kMargin, lettering);
  const double left = (Canvas::kWidth - text_width(fitting, lettering)) / 2;
  put_text(canvas, fitting, {left, y}, lettering, colour);
}

/// Expands video levels (16 to 235) to full range.
std::uint8_t full_level(std::uint8_t luma) {
  return static_cast<std::uint8_t>((std::clamp<int>(luma, 16, 235) - 16) * 255 / 219);
}

}  // namespace

std::vector<std::uint8_t> caption(int width, int height, std::string_view heading, std::string_view text) {
  Picture picture(width, height);
  Canvas canvas(picture);
  put_line(canvas, heading, 290, kHeading, rgb(0xFFFFFF));
  put_line(canvas, text, 360, kText, rgb(0xB0B0B0));
  std::vector<std::uint8_t> rows;
  rows.reserve(static_cast<std::size_t>(width + 1) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    rows.push_back(0);
    const auto row = picture.y.begin() + static_cast<std::ptrdiff_t>(y) * width;
    std::transform(row, row + width, std::back_inserter(rows), full_level);
  }
  return rows;
}

}  // namespace receiverd::dvb::demo
