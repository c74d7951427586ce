#include "dvb/multiplex/demux.h"

#include <algorithm>
#include <utility>

namespace receiverd::dvb {

/// One PID: its counters, plus an assembler and the handlers while its sections are wanted.
struct Demux::Slot final : SectionHandler {
  explicit Slot(std::uint16_t pid) { statistics.pid = pid; }

  void section(wire::Bytes section, std::uint16_t pid) override {
    ++statistics.sections;
    // By index, since a handler may add another one while it runs. A removed handler is null until the packet is done.
    for (std::size_t i = 0; i < handlers.size(); ++i) {
      if (handlers[i] != nullptr) handlers[i]->section(section, pid);
    }
  }

  void push(Packet packet, Continuity state) {
    if (!assembler) assembler = std::make_unique<SectionAssembler>(statistics.section_errors);
    delivering = true;
    assembler->push(packet, state, *this);
    delivering = false;
    if (has_removed) tidy();
  }

  void restart() {
    continuity.reset();
    if (assembler) assembler->reset();
  }

  void remove(SectionHandler& handler) {
    const auto found = std::find(handlers.begin(), handlers.end(), &handler);
    if (found == handlers.end()) return;
    *found = nullptr;
    has_removed = true;
    if (!delivering) tidy();
  }

  void tidy() {
    std::erase(handlers, nullptr);
    has_removed = false;
    if (handlers.empty()) assembler.reset();
  }

  PidStatistics statistics;
  ContinuityCounter continuity;
  bool delivering = false;
  bool has_removed = false;
  std::vector<SectionHandler*> handlers;
  std::unique_ptr<SectionAssembler> assembler;
};

Demux::Demux() { slot_of_pid_.fill(kNoSlot); }
Demux::~Demux() = default;

// Runs once per packet. A separate function creates the slots, so that this one stays small enough to be inlined.
inline Demux::Slot& Demux::slot_of(std::uint16_t pid) {
  const std::uint16_t index = slot_of_pid_[pid & kNullPid];
  return index == kNoSlot ? make_slot(pid & kNullPid) : *slots_[index];
}

Demux::Slot& Demux::make_slot(std::uint16_t pid) {
  slot_of_pid_[pid] = static_cast<std::uint16_t>(slots_.size());
  return *slots_.emplace_back(std::make_unique<Slot>(pid));
}

void Demux::add_handler(std::uint16_t pid, SectionHandler& handler) {
  auto& handlers = slot_of(pid).handlers;
  if (std::find(handlers.begin(), handlers.end(), &handler) != handlers.end()) return;
  handlers.push_back(&handler);
  ++wanted_revision_;
}

void Demux::remove_handler(std::uint16_t pid, SectionHandler& handler) {
  slot_of(pid).remove(handler);
  ++wanted_revision_;
}

std::vector<std::uint16_t> Demux::wanted_pids() const {
  std::vector<std::uint16_t> pids;
  for (const auto& slot : slots_) {
    if (std::ranges::any_of(slot->handlers, [](const SectionHandler* one) { return one != nullptr; })) {
      pids.push_back(slot->statistics.pid);
    }
  }
  std::ranges::sort(pids);
  return pids;
}

void Demux::feed(wire::Bytes packets) {
  const std::uint8_t* at = packets.data();
  for (std::size_t left = packets.size() / kPacketSize; left != 0; --left, at += kPacketSize) take(Packet(at));
}

inline void Demux::take(Packet packet) {
  Slot& slot = slot_of(packet.pid());
  ++slot.statistics.packets;
  if (packet.transport_error()) {
    ++slot.statistics.transport_errors;
    return;
  }
  const bool scrambled = packet.scrambling_control() != 0;
  if (scrambled) ++slot.statistics.scrambled;
  if (slot.statistics.pid == kNullPid) return;
  const Continuity state = slot.continuity.check(packet);
  if (state == Continuity::gap) ++slot.statistics.continuity_errors;
  if (state == Continuity::duplicate) ++slot.statistics.duplicates;
  if (!slot.handlers.empty() && !scrambled) slot.push(packet, state);
}

void Demux::discontinuity() {
  for (const auto& slot : slots_) slot->restart();
}

void Demux::restart(std::uint16_t pid) {
  if (pid == kWholeMultiplex) return discontinuity();
  const std::uint16_t index = slot_of_pid_[pid & kNullPid];
  if (index != kNoSlot) slots_[index]->restart();
}

PidStatistics Demux::totals() const {
  PidStatistics sum;
  sum.pid = kNullPid;
  for (const auto& slot : slots_) {
    const PidStatistics& one = slot->statistics;
    sum.packets += one.packets;
    sum.continuity_errors += one.continuity_errors;
    sum.duplicates += one.duplicates;
    sum.transport_errors += one.transport_errors;
    sum.scrambled += one.scrambled;
    sum.sections += one.sections;
    sum.section_errors.lost += one.section_errors.lost;
    sum.section_errors.crc += one.section_errors.crc;
    sum.section_errors.truncated += one.section_errors.truncated;
    sum.section_errors.oversized += one.section_errors.oversized;
  }
  return sum;
}

std::vector<PidStatistics> Demux::statistics() const {
  std::vector<PidStatistics> all;
  all.reserve(slots_.size());
  for (const auto& slot : slots_) {
    if (slot->statistics.packets > 0) all.push_back(slot->statistics);
  }
  std::ranges::sort(all, {}, &PidStatistics::pid);
  return all;
}

}  // namespace receiverd::dvb
