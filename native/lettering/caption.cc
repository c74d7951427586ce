#include "lettering/caption.h"

#include <string>

#include "lettering/lettering.h"

namespace receiverd::lettering {
namespace {

constexpr double kMargin = 64;
constexpr Lettering kHeading{.size = 54, .weight = 0.12};
constexpr Lettering kText{.size = 30, .weight = 0.11};

/// Shades of a letter above black, in video levels, of which there are 219.
constexpr int kWhite = 219;
constexpr int kGrey = 151;

/// A full-range value for a pixel that a letter of this `shade` covers by `coverage` of 255.
std::uint8_t value(int shade, int coverage) {
  const int level = (shade * coverage + 127) / 255;
  return static_cast<std::uint8_t>(level * 255 / 219);
}

}  // namespace

std::vector<std::uint8_t> caption(int width, int height, std::string_view heading, std::string_view text) {
  const std::size_t stride = static_cast<std::size_t>(width) + 1;
  std::vector<std::uint8_t> rows(stride * static_cast<std::size_t>(height));
  // Draws one line, centred horizontally with its baseline at `y`.
  const auto put_line = [&](std::string_view line, double y, const Lettering& lettering, int shade) {
    const std::string fitting = fit_text(line, kWidth - 2 * kMargin, lettering);
    const double left = (kWidth - text_width(fitting, lettering)) / 2;
    draw_text({width, height}, fitting, {left, y}, lettering).each_covered([&](int column, int row, int coverage) {
      rows[static_cast<std::size_t>(row) * stride + static_cast<std::size_t>(column) + 1] = value(shade, coverage);
    });
  };
  put_line(heading, 290, kHeading, kWhite);
  put_line(text, 360, kText, kGrey);
  return rows;
}

}  // namespace receiverd::lettering
