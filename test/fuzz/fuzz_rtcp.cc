// Reports of a SAT>IP server: compound RTCP packets, and the same text in a reply to DESCRIBE.
//
// The values must be within their limits for any input. A report that RtpStream writes with the same text must be read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "rtp/sockets.h"
#include "satip/report.h"
#include "satip/rtp_stream.h"

using namespace receiverd;
using namespace receiverd::satip;

namespace {

constexpr unsigned kPercent = 100;
constexpr std::size_t kMaxStatusBytes = 1000;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_report(const std::optional<Report>& report) {
  if (!report) return;
  check(report->level <= 255 && report->quality <= 15);
  const dvb::SignalQuality signal = signal_of(*report);
  check(signal.strength_percent <= kPercent && signal.snr_percent <= kPercent && signal.locked == report->lock);
}

bool same(const std::optional<Report>& one, const std::optional<Report>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return one->level == other->level && one->lock == other->lock && one->quality == other->quality;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const wire::Bytes bytes(data, size);
  const std::string_view text = wire::text_of(bytes);
  check_report(read_rtcp(bytes));
  check_report(read_report(text));
  const auto sent = RtpStream(1, 1).report(text, {}, {});
  check(same(read_rtcp(sent), read_report(text.substr(0, kMaxStatusBytes))));
  if (const auto address = rtp::read_address(text)) check(address->size <= sizeof address->bytes);
  return 0;
}
