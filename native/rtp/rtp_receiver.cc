#include "rtp/rtp_receiver.h"

#include <algorithm>
#include <optional>

#include "dvb/packets/packet.h"

namespace receiverd::rtp {

namespace {

struct RtpPacket {
  std::uint8_t type = 0;
  std::uint16_t sequence = 0;
  std::uint32_t source = 0;
  wire::Bytes payload;
};

/// RFC 3550 §5.1.
std::optional<RtpPacket> read_rtp(wire::Bytes datagram) {
  wire::Cursor cursor(datagram);
  const std::uint8_t flags = cursor.u8();
  const std::uint8_t type = cursor.u8() & 0x7fU;
  RtpPacket packet{.type = type, .sequence = cursor.u16()};
  cursor.skip(4);
  packet.source = cursor.u32();
  cursor.skip(std::size_t{flags & 0x0fU} * 4);
  if ((flags & 0x10U) != 0) {
    cursor.skip(2);
    cursor.skip(std::size_t{cursor.u16()} * 4);
  }
  packet.payload = cursor.rest();
  if (!cursor.ok() || flags >> 6 != 2) return std::nullopt;
  if ((flags & 0x20U) != 0) {
    const std::size_t padding = packet.payload.empty() ? 0 : packet.payload.back();
    if (padding > packet.payload.size()) return std::nullopt;
    packet.payload = packet.payload.first(packet.payload.size() - padding);
  }
  return packet;
}

bool is_transport_stream(wire::Bytes bytes) {
  return bytes.size() % dvb::kPacketSize == 0 && (bytes.empty() || bytes[0] == dvb::kSyncByte);
}

}  // namespace

void RtpReceiver::packet(wire::Bytes datagram, Time now) {
  if (!datagram.empty() && datagram[0] == dvb::kSyncByte && is_transport_stream(datagram)) return pass(datagram);
  const auto packet = read_rtp(datagram);
  if (!packet) {
    ++counters_.refused;
    return;
  }
  // Forward error correction on the same port has another type, and sequence numbers of its own (RFC 5109 §3).
  const bool has_transport_stream = !packet->payload.empty() && is_transport_stream(packet->payload);
  if (!has_transport_stream && packet->type != type_) {
    ++counters_.refused;
    return;
  }
  type_ = packet->type;
  const auto step = [&] { return static_cast<std::int16_t>(packet->sequence - expected_); };
  if (!started_ || packet->source != source_ || step() > kMaxForwardStep || step() < -kMaxBackwardStep) {
    restart();
    started_ = true;
    source_ = packet->source;
    expected_ = packet->sequence;
  }
  // A payload larger than any datagram comes over TCP, which keeps the order.
  const int window = packet->payload.size() > kSlotSize ? 1 : kMaxHeldPackets;
  while (step() >= window) skip_missing();
  if (step() < 0 || (step() > 0 && slot(packet->sequence).taken)) {
    ++counters_.late;
  } else if (step() > 0) {
    if (held_++ == 0) held_since_ = now;
    Slot& kept = slot(packet->sequence);
    kept.taken = true;
    kept.size = packet->payload.size();
    std::ranges::copy(packet->payload, kept.bytes.begin());
  } else {
    if (held_ > 0) ++counters_.reordered;
    deliver(packet->payload);
    pass_held();
    held_since_ = now;
  }
}

void RtpReceiver::tick(Time now) {
  if (now - held_since_ < kReorderTimeout) return;
  const std::size_t before = held_;
  while (held_ > 0 && held_ == before) skip_missing();
  held_since_ = now;
}

void RtpReceiver::restart() {
  for (Slot& one : slots_) one.taken = false;
  held_ = 0;
  started_ = false;
}

void RtpReceiver::clear() {
  restart();
  output_.clear();
  taken_ = 0;
}

std::size_t RtpReceiver::take(std::span<std::uint8_t> buffer) {
  const std::size_t size = std::min(buffer.size(), output_.size() - taken_);
  std::copy_n(output_.begin() + static_cast<std::ptrdiff_t>(taken_), size, buffer.begin());
  taken_ += size;
  if (taken_ == output_.size()) {
    output_.clear();
    taken_ = 0;
  }
  return size;
}

/// Passes the payload of the packet that was expected next.
void RtpReceiver::deliver(wire::Bytes payload) {
  ++expected_;
  pass(payload);
}

void RtpReceiver::pass(wire::Bytes payload) {
  if (!is_transport_stream(payload)) {
    ++counters_.refused;
    return;
  }
  if (output_.size() - taken_ + payload.size() > kMaxOutputBytes) {
    ++counters_.lost;
    return;
  }
  // A reader that never takes all must not let the taken packets fill the buffer.
  if (taken_ >= kMaxOutputBytes) {
    output_.erase(output_.begin(), output_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  output_.insert(output_.end(), payload.begin(), payload.end());
}

void RtpReceiver::pass_held() {
  for (Slot* next = &slot(expected_); next->taken; next = &slot(expected_)) {
    next->taken = false;
    --held_;
    deliver({next->bytes.data(), next->size});
  }
}

/// Counts the expected packet as lost, and passes those held for it.
void RtpReceiver::skip_missing() {
  ++counters_.lost;
  ++expected_;
  pass_held();
}

}  // namespace receiverd::rtp
