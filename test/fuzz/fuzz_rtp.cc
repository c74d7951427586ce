// Datagrams on an RTP port of SAT>IP or multicast: any bytes, in any order, at any time.
//
//   elapsed 8 | size 16 | datagram | ...      elapsed: milliseconds; 255 and 254 also restart, as tuning does
//
// The output must consist of input payloads, each at most once, and must stay within its bound.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dvb/packets/packet.h"
#include "rtp/rtp_receiver.h"

using namespace receiverd;
using rtp::RtpReceiver;

namespace {

constexpr std::uint8_t kRestart = 255;
constexpr std::uint8_t kClear = 254;

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  RtpReceiver receiver;
  RtpReceiver::Time now{};
  std::vector<std::uint8_t> buffer(10 * dvb::kPacketSize);
  std::size_t received = 0;
  std::size_t delivered = 0;
  for (wire::Cursor cursor({data, size}); cursor.left() > 0;) {
    const std::uint8_t elapsed = cursor.u8();
    const wire::Bytes datagram = cursor.take(std::min<std::size_t>(cursor.u16(), cursor.left()));
    if (elapsed == kRestart) receiver.restart();
    if (elapsed == kClear) receiver.clear();
    receiver.tick(now += std::chrono::milliseconds(elapsed));
    receiver.packet(datagram, now);
    received += datagram.size();
    check(receiver.output().size() % dvb::kPacketSize == 0 && receiver.output().size() <= RtpReceiver::kMaxOutputBytes);
    // A slow reader: output accumulates.
    if (elapsed % 4 == 0) delivered += receiver.take(buffer);
  }
  while (const std::size_t taken = receiver.take(buffer)) delivered += taken;
  check(delivered <= received && delivered % dvb::kPacketSize == 0);
  return 0;
}
