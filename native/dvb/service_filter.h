// Cuts one service out of a multiplex, as a transport stream of its own for any number of readers.
//
//   PID              what leaves                                                            continuity counter
//   0x0000           PAT with this one programme, each time the broadcaster sends a PAT     own
//   the PMT's        the PMT of this service, byte for byte                                 own
//   0x0011           SDT actual with this one service                                       own
//   0x0012           EIT present/following (actual) of this service, section for section    own
//   0x0014           TDT and TOT                                                            as broadcast
//   streams, PCR     packet for packet                                                      as broadcast
//
// NIT, CAT, other tables and the ECM PIDs are left out (ECM on request). A clock that the service borrows from a PID
// that is not its own is kept as bare PCR packets. When PAT or PMT change, the filter follows at that packet; PIDs that
// are new begin with a payload_unit_start.
//
// Owned by the tuner thread. Nothing is allocated per packet; a change of tables and a new reader allocate.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "dvb/demux.h"
#include "dvb/section_packetizer.h"
#include "dvb/service_reader.h"

namespace receiverd::dvb {

class ServiceFilter : private SectionHandler {
 public:
  /// Subscribes to the tables it needs; `demux` must outlive the filter. `ecm`: keep the PIDs of the CA descriptors.
  ServiceFilter(Demux& demux, std::uint16_t service_id, bool ecm);
  ~ServiceFilter() override;
  ServiceFilter(const ServiceFilter&) = delete;
  ServiceFilter& operator=(const ServiceFilter&) = delete;

  std::uint16_t service_id() const { return service_id_; }
  bool ecm() const { return ecm_; }

  /// A section received before the filter was made (PAT, PMT, SDT): so that a first reader need not wait for the next.
  void prime(wire::Bytes section, std::uint16_t pid) { this->section(section, pid); }

  /// The reader gets PAT and PMT at once if they are known, else as soon as they are.
  void add_reader(std::shared_ptr<StreamQueue> queue, SteadyTime now);

  /// The next packet of the multiplex, after the demux has had it.
  void packet(Packet packet) {
    const std::uint8_t slot = slot_of_pid_[packet.pid()];
    if (slot != kNoSlot) pass(packet, pids_[slot]);
  }

  /// To be called once per batch of packets: the time for the readers, lets their queues publish, drops ended readers.
  void tick(SteadyTime now);
  /// Ends all readers.
  void finish(StreamEnd reason);

  bool has_readers() const { return !readers_.empty(); }
  /// A reader has much to read yet: a source that can wait should.
  bool reader_half_full() const;
  /// Ends those with StreamEnd::overflow.
  void drop_half_full_readers();
  /// Of all readers, in the order they came.
  std::vector<StreamQueue::Counters> counters() const;

 private:
  static constexpr std::uint8_t kNoSlot = 0xFF;

  void section(wire::Bytes section, std::uint16_t pid) override;
  void take_pat(wire::Bytes section);
  void take_pmt(wire::Bytes section);
  void take_sdt(wire::Bytes section);
  void take_eit(wire::Bytes section);
  void follow_pmt_pid(std::uint16_t pid);
  void route(wire::Bytes pmt_section);
  void send(SectionPacketizer& packetizer, wire::Bytes section);
  void start(ServiceReader& reader);
  void pass(Packet packet, const ServicePid& pid);

  Demux& demux_;
  const std::uint16_t service_id_;
  const bool ecm_;
  SteadyTime now_{};

  std::uint16_t transport_stream_id_ = 0;
  std::uint16_t pmt_pid_ = kNullPid;  // kNullPid: not in a PAT yet
  std::uint8_t pat_version_ = 0;
  // What is sent now; empty until it is known.
  Section pat_;
  Section pmt_;
  Section sdt_;
  SectionPacketizer pat_packets_{pid::kPat};
  SectionPacketizer pmt_packets_{kNullPid};
  SectionPacketizer sdt_packets_{pid::kSdtBat};
  SectionPacketizer eit_packets_{pid::kEit};
  std::vector<std::uint8_t> scratch_;  // packets of the section being sent

  std::array<std::uint8_t, kPidCount> slot_of_pid_;
  std::vector<ServicePid> pids_;  // index is the slot; entries of PIDs that are gone have pid kNullPid
  bool has_video_ = false;

  std::vector<std::unique_ptr<ServiceReader>> readers_;
};

}  // namespace receiverd::dvb
