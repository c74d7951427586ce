// The six moving figures. All are loops of kMotifFrames; `turn` is the phase as a fraction of the loop, 0..1.
#include <array>
#include <cmath>
#include <numbers>

#include "dvb/demo/scene.h"

namespace receiverd::dvb::demo {
namespace {

constexpr double kTau = 2 * std::numbers::pi;
constexpr Point kCentre{(kMotifArea.left + kMotifArea.right) / 2, (kMotifArea.top + kMotifArea.bottom) / 2};

/// Area of a disc of `radius` around `centre`.
Area around(Point centre, double radius) {
  return {centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius};
}

void disc(Canvas& canvas, Point centre, double radius, Colour colour, double opacity = 1) {
  Mask mask(canvas, around(centre, radius + 2));
  mask.disc(centre, radius);
  canvas.blend(mask, colour, opacity);
}

void line(Canvas& canvas, Point from, Point to, double radius, Colour colour, double opacity = 1) {
  Mask mask(canvas, {std::min(from.x, to.x) - radius - 2, std::min(from.y, to.y) - radius - 2,
                     std::max(from.x, to.x) + radius + 2, std::max(from.y, to.y) + radius + 2});
  mask.capsule(from, to, radius);
  canvas.blend(mask, colour, opacity);
}

/// An ellipse on the ground.
void flat_shadow(Canvas& canvas, Point centre, double wide, double high, double opacity) {
  const Area area{centre.x - wide - 2, centre.y - high - 2, centre.x + wide + 2, centre.y + high + 2};
  Mask mask(canvas, area);
  mask.shape(area, [=](double x, double y) {
    const double px = (x - centre.x) / wide;
    const double py = (y - centre.y) / high;
    return (std::sqrt(px * px + py * py) - 1) * high;
  });
  canvas.blend(mask, rgb(0x000010), opacity);
}

/// A ball that touches the ground on every full second.
void bouncing_ball(Canvas& canvas, Colour accent, double turn) {
  const double second = std::fmod(turn * 4, 1.0);
  const double height = 4 * second * (1 - second);
  const double ground = 408;
  const double radius = 44;
  const Point ball{kCentre.x, ground - radius - height * 190};
  flat_shadow(canvas, {kCentre.x, ground + 12}, 74 - 30 * height, 9, 0.45 - 0.25 * height);
  for (int i = 3; i > 0; --i) {  // its trail
    const double before = second - 0.035 * i;
    if (before < 0) continue;
    disc(canvas, {kCentre.x, ground - radius - 4 * before * (1 - before) * 190}, radius - 4.0 * i, accent, 0.1);
  }
  disc(canvas, ball, radius, accent);
  disc(canvas, {ball.x + 6, ball.y + 8}, radius - 10, rgb(0xE08A1E), 0.25);
  disc(canvas, {ball.x - 15, ball.y - 16}, 10, rgb(0xFFFFFF), 0.75);
}

constexpr double kGlobe = 138;

void globe_ground(Canvas& canvas) {
  disc(canvas, kCentre, kGlobe, rgb(0x3A0F1E), 0.9);
  Mask lines(canvas, around(kCentre, kGlobe + 4));
  lines.ring(kCentre, kGlobe, kGlobe, 2.4);
  for (const double latitude : {-0.66, -0.35, 0.0, 0.35, 0.66}) {
    const double half = kGlobe * std::sqrt(1 - latitude * latitude);
    const double y = kCentre.y + latitude * kGlobe;
    lines.capsule({kCentre.x - half, y}, {kCentre.x + half, y}, 1.3);
  }
  canvas.blend(lines, rgb(0xFFB8B0), 0.85);
}

void globe(Canvas& canvas, double turn) {
  Mask lines(canvas, around(kCentre, kGlobe + 4));
  for (int i = 0; i < 5; ++i) {  // 10 meridians; a loop is a tenth of a turn, which moves each to its neighbour's place
    const double angle = (i + turn) * std::numbers::pi / 5;
    const double x = std::cos(angle) * kGlobe;
    for (int k = 0; k < 24; ++k) {
      const auto point = [&](int step) {
        const double t = std::numbers::pi * step / 24 - std::numbers::pi / 2;
        return Point{kCentre.x + x * std::cos(t), kCentre.y + kGlobe * std::sin(t)};
      };
      lines.capsule(point(k), point(k + 1), 1.3);
    }
  }
  canvas.blend(lines, rgb(0xFFB8B0), 0.85);
}

constexpr double kPorthole = 146;

/// Seen through a porthole.
void sea_ground(Canvas& canvas) {
  disc(canvas, kCentre, kPorthole, rgb(0x0A3A4A));
  disc(canvas, {kCentre.x + 46, 226}, 38, rgb(0xF4F1DE), 0.95);
  disc(canvas, {kCentre.x + 46, 226}, 52, rgb(0xF4F1DE), 0.12);
  Mask rim(canvas, around(kCentre, kPorthole + 8));
  rim.ring(kCentre, kPorthole, kPorthole, 5);
  canvas.blend(rim, rgb(0xC9D6D3));
}

void sea(Canvas& canvas, Colour accent, double turn) {
  const Area area = kMotifArea;
  const double glass = kPorthole - 5;
  struct Wave {
    double level, height, length;
    int turns;
    std::uint32_t colour;
    double opacity;
  };
  constexpr std::array<Wave, 3> waves{
      {{296, 9, 176, 1, 0x3FA796, 0.75}, {330, 12, 352, -1, 0x1F7A78, 0.85}, {374, 10, 176, 2, 0x0B4A52, 0.95}}};
  for (std::size_t i = 0; i < waves.size(); ++i) {
    const Wave& wave = waves[i];
    const auto surface = [&wave, turn, &area](double x) {
      return wave.level + wave.height * std::sin(kTau * ((x - area.left) / wave.length - wave.turns * turn));
    };
    if (i == 1) {  // a boat between the waves
      const double x = kCentre.x - 40;
      const double y = surface(x) - 6;
      const double lean = 0.12 * std::cos(kTau * ((x - area.left) / wave.length - wave.turns * turn));
      line(canvas, {x - 34, y - 4 - 34 * lean}, {x + 34, y - 4 + 34 * lean}, 8, rgb(0x5B2E1A));
      line(canvas, {x, y - 6}, {x + 70 * lean, y - 92}, 2.4, rgb(0x5B2E1A));
      Mask sail(canvas, {x - 20, y - 96, x + 80, y});
      sail.shape({x - 10, y - 92, x + 70, y - 14}, [=](double px, double py) {
        const double down = (py - (y - 90)) / 74;  // triangle, mast on the left
        const double left = x + 6 + 70 * lean * (1 - down);
        return std::max({left - px, px - left - 54 * down, y - 90 - py, py - (y - 16)});
      });
      canvas.blend(sail, accent, 0.95);
    }
    Mask mask(canvas, area);
    mask.shape({area.left, wave.level - wave.height - 2, area.right, area.bottom}, [&](double x, double y) {
      const double below = surface(x) - y;
      if (below > 2) return below;
      const double dx = x - kCentre.x;
      const double dy = y - kCentre.y;
      return std::max(below, std::sqrt(dx * dx + dy * dy) - glass);
    });
    canvas.blend(mask, rgb(wave.colour), wave.opacity);
  }
}

void faces(Canvas& canvas, double turn) {
  struct Face {
    double x, radius, hop;
    int hops;
    double offset;
    std::uint32_t colour;
  };
  constexpr std::array<Face, 3> row{
      {{704, 46, 70, 4, 0.0, 0x33B1FF}, {816, 62, 120, 2, 0.25, 0x7ED957}, {928, 46, 70, 4, 0.5, 0xFF5C8A}}};
  for (const Face& face : row) {
    const double part = std::fmod(turn * face.hops + face.offset, 1.0);
    const double height = 4 * part * (1 - part);
    const Point centre{face.x, 416 - face.radius - height * face.hop};
    flat_shadow(canvas, {face.x, 420}, face.radius * (0.95 - 0.4 * height), 9, 0.35 - 0.2 * height);
    disc(canvas, centre, face.radius, rgb(face.colour));
    const double r = face.radius;
    for (const double side : {-1.0, 1.0}) {
      disc(canvas, {centre.x + side * r * 0.34, centre.y - r * 0.2}, r * 0.22, rgb(0xFFFFFF));
      disc(canvas, {centre.x + side * r * 0.34, centre.y - r * (0.14 + 0.1 * height)}, r * 0.11, rgb(0x222222));
    }
    Mask smile(canvas, around(centre, r));
    for (int i = 0; i < 10; ++i) {
      const auto point = [&](int step) {
        const double angle = std::numbers::pi * (0.15 + 0.7 * step / 10);
        return Point{centre.x + r * 0.5 * std::cos(angle), centre.y + r * 0.12 + r * 0.4 * std::sin(angle)};
      };
      smile.capsule(point(i), point(i + 1), r * 0.06);
    }
    canvas.blend(smile, rgb(0x222222));
  }
}

constexpr double kRecord = 144;

void record_ground(Canvas& canvas, Colour accent) {
  disc(canvas, kCentre, kRecord, rgb(0x0A080E));
  Mask grooves(canvas, around(kCentre, kRecord));
  for (double r = 64; r < kRecord - 6; r += 13) grooves.ring(kCentre, r, r, 0.7);
  canvas.blend(grooves, rgb(0x6B5A80), 0.55);
  disc(canvas, kCentre, 52, accent);
  disc(canvas, kCentre, 6, rgb(0x140C22));
}

void record(Canvas& canvas, double turn) {
  Mask gleam(canvas, around(kCentre, kRecord));
  gleam.shape(around(kCentre, kRecord), [&](double x, double y) {
    const double dx = x - kCentre.x;
    const double dy = y - kCentre.y;
    const double distance = std::sqrt(dx * dx + dy * dy);
    if (distance < 56 || distance > kRecord - 1) return 2.0;
    const double angle = std::remainder(std::atan2(dy, dx) - kTau * turn, std::numbers::pi);
    return std::max({distance - kRecord + 3, 58 - distance, (std::fabs(angle) - 0.16) * distance});
  });
  canvas.blend(gleam, rgb(0xFFFFFF), 0.13);
  const double angle = kTau * 2 * turn;
  disc(canvas, {kCentre.x + 32 * std::cos(angle), kCentre.y + 32 * std::sin(angle)}, 9, rgb(0x4B2E63));
  disc(canvas, {kCentre.x - 32 * std::cos(angle), kCentre.y - 32 * std::sin(angle)}, 4, rgb(0x4B2E63));
  line(canvas, {980, 150}, {952, 262}, 4.5, rgb(0xD8D2E0));
  line(canvas, {952, 262}, {906, 300}, 4.5, rgb(0xD8D2E0));
  disc(canvas, {980, 150}, 12, rgb(0xD8D2E0));
}

/// A point on the track: two straights and two half circles.
Point on_lane(double radius, double part) {
  const double straight = 90;
  const double length = 4 * straight + kTau * radius;
  double way = std::fmod(part, 1.0) * length;
  if (way < 2 * straight) return Point{kCentre.x - straight + way, kCentre.y - radius};
  way -= 2 * straight;
  if (way < std::numbers::pi * radius) {
    const double angle = way / radius - std::numbers::pi / 2;
    return Point{kCentre.x + straight + radius * std::cos(angle), kCentre.y + radius * std::sin(angle)};
  }
  way -= std::numbers::pi * radius;
  if (way < 2 * straight) return Point{kCentre.x + straight - way, kCentre.y + radius};
  way -= 2 * straight;
  const double angle = way / radius + std::numbers::pi / 2;
  return Point{kCentre.x - straight + radius * std::cos(angle), kCentre.y + radius * std::sin(angle)};
}

void track_ground(Canvas& canvas) {
  const auto lane = [&](double radius, double pen, Colour colour, double opacity) {
    Mask mask(canvas, kMotifArea);
    for (int i = 0; i < 64; ++i) mask.capsule(on_lane(radius, i / 64.0), on_lane(radius, (i + 1) / 64.0), pen);
    canvas.blend(mask, colour, opacity);
  };
  lane(62, 26, rgb(0xC4552D), 1);
  for (const double radius : {38.0, 54.0, 70.0, 86.0}) lane(radius, 1.2, rgb(0xFFFFFF), 0.8);
  line(canvas, {kCentre.x, kCentre.y + 38}, {kCentre.x, kCentre.y + 86}, 2.5, rgb(0xFFFFFF));
}

void track(Canvas& canvas, Colour accent, double turn) {
  const std::array<std::uint32_t, 3> shirts{0xFFFFFF, 0x2B59C3, 0x111111};
  for (std::size_t i = 0; i < shirts.size(); ++i) {
    const Point runner = on_lane(46 + 16.0 * static_cast<double>(i), turn + 0.07 * static_cast<double>(i));
    disc(canvas, runner, 10, i == 0 ? accent : rgb(shirts[i]));
    disc(canvas, {runner.x, runner.y}, 4, rgb(0x3A1D0F));
  }
}

}  // namespace

void paint_motif_ground(Canvas& canvas, const LineupEntry& service) {
  switch (service.motif) {
    case Motif::globe:
      return globe_ground(canvas);
    case Motif::sea:
      return sea_ground(canvas);
    case Motif::record:
      return record_ground(canvas, rgb(service.accent));
    case Motif::track:
      return track_ground(canvas);
    case Motif::none:
    case Motif::bouncing_ball:
    case Motif::faces:
      return;
  }
}

void paint_motif(Canvas& canvas, const LineupEntry& service, int phase) {
  const double turn = static_cast<double>(phase) / kMotifFrames;
  const Colour accent = rgb(service.accent);
  switch (service.motif) {
    case Motif::none:
      return;
    case Motif::bouncing_ball:
      return bouncing_ball(canvas, accent, turn);
    case Motif::globe:
      return globe(canvas, turn);
    case Motif::sea:
      return sea(canvas, accent, turn);
    case Motif::faces:
      return faces(canvas, turn);
    case Motif::record:
      return record(canvas, turn);
    case Motif::track:
      return track(canvas, accent, turn);
  }
}

}  // namespace receiverd::dvb::demo
