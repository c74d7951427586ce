// Reads a SAT>IP server's reports of the signal: from RTCP packets (EN 50585 §3.5.7), and from replies to DESCRIBE
// (§3.5.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dvb/source.h"
#include "wire/bytes.h"

namespace receiverd::satip {

/// The type and name of RTCP packets with reports (RFC 3550 §6.7).
inline constexpr std::uint8_t kApplication = 204;
inline constexpr std::string_view kReportName = "SES1";

/// The first values of `tuner=1,240,1,15,11493.75,h,...`, after the number of the front end.
struct Report {
  unsigned level = 0;  ///< 0..255: 224 is -25 dBm, 32 is -65 dBm, 0 unknown
  bool lock = false;
  unsigned quality = 0;  ///< 0..15; 15: no errors
};

/// Finds the report in an SDP, or in the text of an RTCP packet. The text before `tuner=` differs between servers.
std::optional<Report> read_report(std::string_view text);
/// Finds the report in a compound RTCP packet.
std::optional<Report> read_rtcp(wire::Bytes packet);

dvb::SignalQuality signal_of(const Report& report);

}  // namespace receiverd::satip
