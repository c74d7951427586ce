// What a SAT>IP server says of the signal: in RTCP packets (EN 50585 §3.5.7), and when it is asked by DESCRIBE
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

/// The beginning of `tuner=1,240,1,15,11493.75,h,...`.
struct Report {
  unsigned level = 0;  ///< 0..255: 224 is -25 dBm, 32 is -65 dBm, 0 says nothing
  bool lock = false;
  unsigned quality = 0;  ///< 0..15; 15 is free of errors
};

/// Finds it in an SDP, or in the text of an RTCP packet. Whatever stands before `tuner=` differs between servers.
std::optional<Report> read_report(std::string_view text);
/// Finds it in a compound RTCP packet.
std::optional<Report> read_rtcp(wire::Bytes packet);

dvb::SignalQuality signal_of(const Report& report);

}  // namespace receiverd::satip
