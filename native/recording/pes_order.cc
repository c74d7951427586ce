#include "recording/pes_order.h"

#include <algorithm>

#include "dvb/packets/clock_shift.h"

namespace receiverd::recording {

namespace {

/// Bytes of a PES packet that its PES_packet_length does not count (ISO/IEC 13818-1 §2.4.3.7).
constexpr std::size_t kUncounted = 6;

void append(dvb::Packet packet, std::vector<std::uint8_t>& out) {
  out.insert(out.end(), packet.bytes().begin(), packet.bytes().end());
}

}  // namespace

void PesOrder::push(dvb::Packet packet, std::vector<std::uint8_t>& out) {
  const auto known = units_.find(packet.pid());
  if (known != units_.end() && packet.payload_unit_start()) release(known->second, out);
  const auto head = dvb::read_pes_head(packet);
  if (!head && (known == units_.end() || known->second.packets.empty())) {
    append(packet, out);
    return;
  }
  Unit& unit = known == units_.end() ? units_[packet.pid()] : known->second;
  if (head) unit.missing = head->length == 0 ? 0 : kUncounted + head->length;
  append(packet, unit.packets);
  held_ += dvb::kPacketSize;
  if (unit.missing != 0) {
    unit.missing -= std::min(unit.missing, packet.payload().size());
    if (unit.missing == 0) release(unit, out);
  }
  if (held_ > kMaxHeldBytes) flush(out);
}

void PesOrder::flush(std::vector<std::uint8_t>& out) {
  for (auto& [pid, unit] : units_) release(unit, out);
}

void PesOrder::release(Unit& unit, std::vector<std::uint8_t>& out) {
  out.insert(out.end(), unit.packets.begin(), unit.packets.end());
  held_ -= unit.packets.size();
  unit.packets.clear();
}

}  // namespace receiverd::recording
