// What a SAT>IP server sends: the first byte selects RTP, RTCP, or a connection and the size of its pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "satip/report.h"
#include "satip/rtp.h"
#include "satip/rtsp.h"
#include "satip/session.h"
#include "satip/sockets.h"

using namespace receiverd;
using namespace receiverd::satip;

namespace {

void fuzz_rtp(wire::Bytes bytes) {
  RtpReceiver receiver;
  RtpReceiver::Time now{};
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), 12 + std::size_t{bytes[0]} % 5 * 188);
    receiver.packet(bytes.first(size), now);
    bytes = bytes.subspan(size);
    receiver.tick(now += std::chrono::milliseconds(size % 50));
  }
  if (receiver.output().size() % 188 != 0) std::abort();
}

void fuzz_connection(wire::Bytes bytes, std::size_t piece) {
  Session session({});
  Session::Time now{};
  RtspReader reader([&](const Reply& reply) { session.take(reply, now); }, [](unsigned, wire::Bytes) {});
  session.begin("192.0.2.9:554", "freq=1", "RTP/AVP;unicast;client_port=2-3", now);
  while (!bytes.empty()) {
    const wire::Bytes one = bytes.first(std::min(piece, bytes.size()));
    bytes = bytes.subspan(one.size());
    reader.feed(one);
    session.tick(now += std::chrono::milliseconds(100));
    session.output().clear();
  }
  session.end(now);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const wire::Bytes bytes(data + 1, size - 1);
  if (data[0] == 0) {
    fuzz_rtp(bytes);
  } else if (data[0] == 1) {
    read_rtcp(bytes);
    read_report(wire::text_of(bytes));
    read_address(wire::text_of(bytes));
  } else {
    fuzz_connection(bytes, data[0]);
  }
  return 0;
}
