// Cuts one service out of a multiplex, as a separate transport stream for any number of readers.
//
//   PID              what is sent                                                           continuity counter
//   0x0000           PAT with this program only, each time the broadcaster sends a PAT      own
//   the PMT's        the PMT of this service, byte for byte                                 own
//   0x0011           SDT actual with this service only                                      own
//   0x0012           EIT present/following (actual) of this service, section for section    own
//   0x0014           TDT and TOT                                                            as broadcast
//   streams, PCR     packet for packet                                                      as broadcast
//
// PAT and PMT take precedence: if the service has a stream on 0x11, 0x12 or 0x14, the table of that PID is not sent.
//
// NIT, CAT, other tables and the ECM PIDs are left out (ECMs are sent on request). If the PCR PID is not a stream of
// the service, its packets are sent with the PCR only. A change of PAT or PMT takes effect at its packet. New PIDs
// start with a payload_unit_start. In network streams the program number may change too, for example at each
// advertisement: on request, the filter follows the only program of a PAT that lacks the service.
//
// A reader gets
//
//   PAT, PMT, SDT, EIT, TDT   from the start
//   the (first) video stream  from a random access point; the packets of the access unit under test are held until
//                             random_access.h has decided
//   everything else           from the next payload_unit_start after the video has started
//
// A decoder that joins at a random access point of an open group of pictures lacks the references of the pictures shown
// before that point. Decoders drop these pictures themselves. The other streams wait for the video for at most
// kMaxVideoWait, and the video for an access point for at most kMaxAccessPointWait: TS 101 154 §4.1 demands one every
// five seconds, but network streams often have one every ten. Scrambled video does not wait, since the start of an
// access unit cannot be found then.
//
// Owned by the tuner thread. Nothing is allocated per packet; a change of tables and a new reader allocate.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dvb/multiplex/demux.h"
#include "dvb/packets/random_access.h"
#include "dvb/packets/section_writer.h"
#include "dvb/packets/stream_queue.h"
#include "dvb/si/tables.h"

namespace receiverd::dvb {

/// Which packets of one PID are passed on, and from where.
struct PidRoute {
  enum class Role : std::uint8_t {
    none,       ///< no packet
    table,      ///< every packet
    video,      ///< from a random access point
    stream,     ///< other PES packets or sections, from a payload_unit_start
    clock_only  ///< a stream of another service: only its PCR
  };
  Role role = Role::none;
  VideoCodec codec = VideoCodec::unknown;
  bool operator==(const PidRoute&) const = default;
};

class ServiceFilter : private SectionHandler {
 public:
  static constexpr std::chrono::seconds kMaxVideoWait{3};
  static constexpr std::chrono::seconds kMaxAccessPointWait{12};

  /// Subscribes to the tables it needs; `demux` must outlive the filter. `ecm` keeps the PIDs of the CA descriptors.
  /// `only_program`: follow the only program of a PAT that lacks the service.
  ServiceFilter(Demux& demux, std::uint16_t service_id, bool ecm, bool only_program = false);
  ~ServiceFilter() override;
  ServiceFilter(const ServiceFilter&) = delete;
  ServiceFilter& operator=(const ServiceFilter&) = delete;

  /// The requested service, which `only_program` may replace by another.
  std::uint16_t service_id() const { return service_id_; }
  bool ecm() const { return ecm_; }

  /// Takes a PAT, PMT or SDT section received before the filter was created, so that the first reader need not wait for
  /// the next one.
  void prime(wire::Bytes section, std::uint16_t pid) { this->section(section, pid); }

  /// The reader gets PAT and PMT at once if they are known, otherwise as soon as they are.
  void add_reader(std::shared_ptr<StreamQueue> queue, SteadyTime now);

  /// Takes the next packet of the multiplex, after the demux has processed it.
  void packet(Packet packet) {
    const PidRoute route = route_of_pid_[packet.pid()];
    if (route.role != PidRoute::Role::none) pass(packet, route);
  }

  /// Call once per batch of packets: sets the time for the readers, flushes their queues and removes readers that have
  /// ended.
  void tick(SteadyTime now);
  /// Ends all readers.
  void finish(StreamEnd reason);

  /// The PIDs whose packets are passed on, besides those with handlers. They change with the PMT; routes_revision()
  /// increases whenever they do.
  std::vector<std::uint16_t> pids() const;
  std::uint64_t routes_revision() const { return routes_revision_; }

  bool has_readers() const { return !readers_.empty(); }
  /// Whether any reader's queue is at least half full: a source that can wait should do so.
  bool reader_half_full() const;
  /// Ends the readers whose queue is at least half full, with StreamEnd::overflow.
  void drop_half_full_readers();
  /// The counters of all readers, in the order in which they were added.
  std::vector<StreamQueue::Counters> counters() const;

 private:
  class Reader;

  void section(wire::Bytes section, std::uint16_t pid) override;
  void take_pat(const SectionHeader& header, wire::Bytes section);
  std::optional<Pat::Program> program_in(const SectionHeader& header, wire::Bytes section) const;
  void take_pmt(wire::Bytes section);
  void take_sdt(const SectionHeader& header, wire::Bytes section);
  void follow_pmt_pid(std::uint16_t pid);
  void follow_tables();
  bool has_table(std::uint16_t pid) const;
  void route(wire::Bytes pmt_section);
  void send(SectionPacketizer& packetizer, wire::Bytes section);
  void start(Reader& reader);
  void pass(Packet packet, PidRoute route);

  Demux& demux_;
  const std::uint16_t service_id_;
  const bool ecm_;
  const bool only_program_;
  SteadyTime now_{};

  std::uint16_t transport_stream_id_ = 0;
  std::uint16_t program_;             // the program being sent: service_id_, or the only one of the PAT
  std::uint16_t pmt_pid_ = kNullPid;  // kNullPid: not in a PAT yet
  bool pmt_moved_ = false;            // to another PID, from which no PMT has arrived yet
  std::uint8_t pat_version_ = 0;
  // The sections currently sent; empty until known.
  Section pat_;
  Section pmt_;
  Section sdt_;
  SectionPacketizer pat_packets_{pid::kPat};
  SectionPacketizer pmt_packets_{kNullPid};
  SectionPacketizer sdt_packets_{pid::kSdtBat};
  SectionPacketizer eit_packets_{pid::kEit};
  std::vector<std::uint8_t> scratch_;  // packets of the section being sent

  std::array<PidRoute, kPidCount> route_of_pid_{};
  bool has_video_ = false;
  std::uint64_t routes_revision_ = 0;

  std::vector<std::unique_ptr<Reader>> readers_;
};

}  // namespace receiverd::dvb
