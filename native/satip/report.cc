#include "satip/report.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace receiverd::satip {

namespace {

constexpr unsigned kMaxLevel = 255;
constexpr unsigned kMaxQuality = 15;
constexpr unsigned kUnmeasuredQuality = 7;

}  // namespace

std::optional<Report> read_report(std::string_view text) {
  constexpr std::string_view kStart = "tuner=";
  const std::size_t start = text.find(kStart);
  if (start == std::string_view::npos) return std::nullopt;
  text.remove_prefix(start + kStart.size());
  std::array<unsigned, 4> values{};
  for (unsigned& value : values) {
    const std::size_t end = text.find_first_of(",;\r\n");
    // An empty field means unknown, which is 0.
    std::from_chars(text.data(), text.data() + std::min(end, text.size()), value);
    if (end == std::string_view::npos || text[end] != ',') {
      if (&value != &values.back()) return std::nullopt;
      break;
    }
    text.remove_prefix(end + 1);
  }
  return Report{
      .level = std::min(values[1], kMaxLevel), .lock = values[2] == 1, .quality = std::min(values[3], kMaxQuality)};
}

std::optional<Report> read_rtcp(wire::Bytes packet) {
  while (packet.size() >= 4) {
    wire::Cursor cursor(packet);
    cursor.skip(1);
    const std::uint8_t type = cursor.u8();
    const std::size_t length = (std::size_t{cursor.u16()} + 1) * 4;
    if (type == kApplication) {
      cursor.skip(4);
      const std::string_view name = wire::text_of(cursor.take(kReportName.size()));
      cursor.skip(2);
      // Some servers send a wrong packet length; the length of the text is right.
      const std::size_t size = cursor.u16();
      if (cursor.ok() && name == kReportName)
        return read_report(wire::text_of(cursor.take(std::min(size, cursor.left()))));
    }
    packet = packet.subspan(std::min(length, packet.size()));
  }
  return std::nullopt;
}

dvb::SignalQuality signal_of(const Report& report) {
  dvb::SignalQuality signal{.locked = report.lock};
  if (report.level > 0) {
    signal.strength_decibel = (static_cast<float>(report.level) - 32) * 40 / 192 - 65;
    signal.strength_percent = static_cast<std::uint8_t>(report.level * 100 / kMaxLevel);
  }
  // Servers that do not measure the quality send 0.
  const unsigned quality = report.lock && report.quality == 0 ? kUnmeasuredQuality : report.quality;
  signal.snr_percent = static_cast<std::uint8_t>(quality * 100 / kMaxQuality);
  return signal;
}

}  // namespace receiverd::satip
