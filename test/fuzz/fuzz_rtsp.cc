// Bytes from a SAT>IP server on its RTSP connection, parsed and handled by a session.
//
//   piece 8 | traits 8 | PIDs 8 | bytes of the connection
//
// Replies and frames must not depend on how the bytes are split, and must be within their limits. Requests contain
// words of the server: each must remain one request of whole lines, whatever the words are.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "satip/report.h"
#include "satip/rtsp.h"
#include "satip/session.h"

using namespace receiverd;
using namespace receiverd::satip;

namespace {

/// Number of PIDs that a session wants initially, plus one for the PID that stands for all.
constexpr std::size_t kTablesAtFirst = 6;
constexpr std::size_t kMaxPieces = 256;

void check(bool holds) {
  if (!holds) std::abort();
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
}

/// Everything that was parsed, in a form that can be compared.
std::string said(wire::Bytes bytes, std::size_t piece) {
  std::string all;
  RtspReader reader(
      [&](const Reply& reply) {
        check(reply.body.size() <= RtspReader::kMaxBodyBytes && reply.phrase.size() <= RtspReader::kMaxHeadBytes);
        check(is_printable(text_of(reply)) && is_printable(reply.session) && is_printable(reply.stream));
        all += std::to_string(reply.code) + '/' + std::to_string(reply.sequence) + '/' + std::to_string(reply.timeout);
        all.append(reply.phrase).append(reply.session).append(reply.stream).append(reply.body);
      },
      [&](unsigned channel, wire::Bytes frame) {
        all.append(1, static_cast<char>(channel)).append(wire::text_of(frame));
      });
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  return all;
}

/// What a session sends: whole requests, one for each empty line.
void check_requests(std::string_view sent) {
  constexpr std::array<std::string_view, 9> kLines = {
      "SETUP rtsp://", "PLAY rtsp://", "OPTIONS rtsp://", "DESCRIBE rtsp://", "TEARDOWN rtsp://",
      "CSeq: ",        "Transport: ",  "Session: ",       "Accept: "};
  while (!sent.empty()) {
    const std::size_t end = sent.find("\r\n");
    check(end != std::string_view::npos);
    const std::string_view line = sent.substr(0, end);
    check(is_printable(line) && line.size() < 2048);
    check(line.empty() || std::ranges::any_of(kLines, [&](auto start) { return line.starts_with(start); }));
    sent.remove_prefix(end + 2);
  }
}

void converse(wire::Bytes bytes, std::size_t piece, std::uint8_t traits, std::uint8_t pids) {
  Session session({.max_pids = pids < 128 ? 8U : 32U,
                   .supports_all_pids = (traits & 1) != 0,
                   .supports_add_pids = (traits & 2) != 0,
                   .needs_new_session = (traits & 4) != 0,
                   .assumes_lock = (traits & 8) != 0,
                   .trims_session = (traits & 16) != 0});
  std::vector<std::uint16_t> wanted(pids);
  std::iota(wanted.begin(), wanted.end(), 0);
  Session::Time now{};
  RtspReader reader([&](const Reply& reply) { session.take(reply, now); },
                    [&](unsigned channel, wire::Bytes frame) {
                      if (const auto report = read_rtcp(frame); channel % 2 != 0 && report) session.take(*report, now);
                    });
  const auto begin = [&] { session.begin("192.0.2.9:554", "freq=1", 2, now); };
  begin();
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const wire::Bytes one = bytes.subspan(at, std::min(piece, bytes.size() - at));
    reader.feed(one);
    // Some pieces also change the wanted PIDs or the transponder, or lose the connection.
    if (one[0] == 'P') session.set_wanted_pids(wanted);
    if (one[0] == 'T') begin();
    if (one[0] == 'L') session.reconnected(now);
    session.tick(now += std::chrono::milliseconds(100));
    check_requests(session.output());
    check(is_printable(session.error()) && session.take_resumed_pids().size() <= wanted.size() + kTablesAtFirst);
    session.signal(now);
    session.output().clear();
  }
  session.end(now);
  check_requests(session.output());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  // Few pieces for long inputs: each piece parses the waiting bytes again.
  const std::size_t piece = std::max(std::size_t{data[0]} + 1, size / kMaxPieces);
  const wire::Bytes bytes(data + 3, size - 3);
  check(said(bytes, piece) == said(bytes, size));
  converse(bytes, piece, data[1], data[2]);
  return 0;
}
