// Bytes from an HDHomeRun on its control connection, parsed and handled by a session.
//
//   piece 8 | bytes of the connection
//
// Replies must not depend on how the bytes are split, and must be printable. A session that gets them sends whole
// packets of its own, and never more than one for each reply. Each piece also is a value and an error that a device
// might send.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hdhomerun/control.h"

using namespace receiverd;
using namespace receiverd::hdhomerun;

namespace {

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
  ReplyReader reader([&](const Reply& reply) {
    check(reply.value.size() <= kMaxPacketBytes && is_printable(reply.value) && is_printable(reply.error));
    all.append(reply.value).append(1, '\0').append(reply.error).append(1, '\0');
  });
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!reader.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)))) return all + "refused";
  }
  return all;
}

void converse(wire::Bytes bytes, std::size_t piece) {
  ControlSession session(0, 1);
  ControlSession::Time now{};
  const auto begin = [&] { session.begin("192.0.2.9:65001", "auto:1", 5000, now); };
  begin();
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const wire::Bytes one = bytes.subspan(at, std::min(piece, bytes.size() - at));
    check(session.output().size() <= kMaxPacketBytes);
    session.output().clear();
    const std::string text(wire::text_of(one.subspan(1)));
    if (one[0] == 'T') begin();
    if (one[0] == 'L') session.reconnected(now);
    if (one[0] == 'E') session.take({.value = {}, .error = text + '!'}, now);
    if (one[0] == 'V') session.take({.value = text, .error = {}}, now);
    session.tick(now += std::chrono::milliseconds(100));
    check(session.signal(now).snr_percent <= 100);
  }
  session.end(now);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = std::max(std::size_t{data[0]} + 1, size / kMaxPieces);
  const wire::Bytes bytes(data + 1, size - 1);
  check(said(bytes, piece) == said(bytes, size));
  converse(bytes, piece);
  return 0;
}
