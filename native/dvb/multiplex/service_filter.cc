#include "dvb/multiplex/service_filter.h"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <utility>

#include "dvb/packets/clock_shift.h"
#include "dvb/packets/section_writer.h"
#include "dvb/si/tables.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {

namespace {

constexpr std::uint8_t kCaDescriptor = 0x09;

/// stream_types of video (ISO/IEC 13818-1 table 2-34, and others in use).
constexpr std::uint8_t kVideoTypes[] = {0x01, 0x02, 0x10, 0x1B, 0x24, 0x33, 0x42, 0xD1, 0xEA};

PidRoute route_of(std::uint8_t stream_type) {
  const bool is_video = std::ranges::count(kVideoTypes, stream_type) != 0;
  return {is_video ? PidRoute::Role::video : PidRoute::Role::stream, video_codec(stream_type)};
}

/// CA_PIDs of a descriptor loop (ISO/IEC 13818-1 §2.6.16).
void append_ca_pids(wire::Bytes descriptors, std::vector<std::uint16_t>& pids) {
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag != kCaDescriptor || descriptor.body.size() < 4) continue;
    pids.push_back(static_cast<std::uint16_t>((descriptor.body[2] & 0x1F) << 8 | descriptor.body[3]));
  }
}

}  // namespace

/// Passes packets to one queue from the points at which decoders can start.
class ServiceFilter::Reader {
 public:
  Reader(std::shared_ptr<StreamQueue> queue, SteadyTime now) : queue_(std::move(queue)), waiting_since_(now) {
    if (queue_->start() == StreamStart::immediately) started_pids_.set();
  }

  /// PAT and PMT have been sent to this reader, so other packets may follow.
  bool started() const { return started_; }
  /// Sends the first packets: PAT, PMT and other known tables. `wait_for_video`: the service has a video stream.
  void start(wire::Bytes tables, bool wait_for_video, SteadyTime now);
  /// The streams of the service have changed: the PIDs in `kept` continue, others start from the beginning.
  void streams_changed(const std::bitset<kPidCount>& kept, bool wait_for_video, SteadyTime now);

  void table_packets(wire::Bytes packets, SteadyTime now) {
    if (started_) queue_->append(packets, now);
  }
  void packet(Packet packet, PidRoute route, SteadyTime now);

  StreamQueue& queue() { return *queue_; }

 private:
  static constexpr std::size_t kMaxHeldPackets = 24;  // of the access unit under test

  void video_packet(Packet packet, VideoCodec codec, SteadyTime now);
  void begin_video(std::uint16_t pid, SteadyTime now);

  std::shared_ptr<StreamQueue> queue_;
  SteadyTime waiting_since_;
  bool started_ = false;
  bool waiting_for_video_ = false;
  std::bitset<kPidCount> started_pids_;
  RandomAccessDetector detector_;
  std::size_t held_count_ = 0;  // number of packets in held_packets_
  std::array<std::uint8_t, kMaxHeldPackets * kPacketSize> held_packets_{};
};

void ServiceFilter::Reader::start(wire::Bytes tables, bool wait_for_video, SteadyTime now) {
  started_ = true;
  waiting_since_ = now;
  waiting_for_video_ = wait_for_video;
  held_count_ = 0;
  queue_->append(tables, now);
}

void ServiceFilter::Reader::streams_changed(const std::bitset<kPidCount>& kept, bool wait_for_video, SteadyTime now) {
  if (started_ || queue_->start() == StreamStart::at_random_access) started_pids_ &= kept;
  waiting_since_ = now;
  held_count_ = 0;
  // A reader that already gets video must not lose other streams while a new video stream starts.
  waiting_for_video_ = waiting_for_video_ && wait_for_video;
}

void ServiceFilter::Reader::packet(Packet packet, PidRoute route, SteadyTime now) {
  if (!started_) return;
  const std::uint16_t pid = packet.pid();
  if (route.role == PidRoute::Role::table || route.role == PidRoute::Role::clock_only || started_pids_[pid]) {
    queue_->append(packet.bytes(), now);
    return;
  }
  if (route.role == PidRoute::Role::video) {
    video_packet(packet, route.codec, now);
    return;
  }
  if (waiting_for_video_) {
    if (now - waiting_since_ < kMaxVideoWait) return;
    waiting_for_video_ = false;
  }
  if (packet.payload_unit_start() || packet.scrambling_control() != 0) {
    started_pids_.set(pid);
    queue_->append(packet.bytes(), now);
  }
}

void ServiceFilter::Reader::video_packet(Packet packet, VideoCodec codec, SteadyTime now) {
  using Verdict = RandomAccessDetector::Verdict;
  const bool scrambled = packet.scrambling_control() != 0;
  if (packet.payload_unit_start()) {
    held_count_ = 0;
    detector_.begin(codec);
  } else if (held_count_ == 0 && !scrambled) {
    return;
  }
  if (held_count_ == kMaxHeldPackets) {
    held_count_ = 0;
    return;
  }
  std::memcpy(held_packets_.data() + held_count_ * kPacketSize, packet.bytes().data(), kPacketSize);
  ++held_count_;
  const bool begins = scrambled || now - waiting_since_ >= kMaxAccessPointWait;
  const Verdict verdict = begins ? Verdict::yes : detector_.push(packet);
  if (verdict == Verdict::yes) begin_video(packet.pid(), now);
  if (verdict == Verdict::no) held_count_ = 0;
}

void ServiceFilter::Reader::begin_video(std::uint16_t pid, SteadyTime now) {
  started_pids_.set(pid);
  waiting_for_video_ = false;
  queue_->append({held_packets_.data(), held_count_ * kPacketSize}, now);
  held_count_ = 0;
}

ServiceFilter::ServiceFilter(Demux& demux, std::uint16_t service_id, bool ecm, bool only_program)
    : demux_(demux), service_id_(service_id), ecm_(ecm), only_program_(only_program), program_(service_id) {
  route_of_pid_[pid::kTdtTot].role = PidRoute::Role::table;
  scratch_.reserve((kMaxSectionSize / 184 + 2) * kPacketSize);
  for (const std::uint16_t table : {pid::kPat, pid::kSdtBat, pid::kEit}) demux_.add_handler(table, *this);
}

ServiceFilter::~ServiceFilter() {
  follow_pmt_pid(kNullPid);
  for (const std::uint16_t table : {pid::kPat, pid::kSdtBat, pid::kEit}) demux_.remove_handler(table, *this);
}

void ServiceFilter::section(wire::Bytes section, std::uint16_t pid) {
  const auto header = read_section_header(section);
  if (!header || !header->current) return;
  if (pid == pid::kPat && header->table_id == table_id::kPat) {
    take_pat(*header, section);
  } else if (pid == pmt_pid_ && header->table_id == table_id::kPmt && header->table_id_extension == program_) {
    take_pmt(section);
  } else if (pid == pid::kSdtBat && has_table(pid) && header->table_id == table_id::kSdtActual) {
    take_sdt(*header, section);
  } else if (pid == pid::kEit && has_table(pid) && header->table_id == table_id::kEitPresentFollowingActual &&
             header->table_id_extension == program_) {
    if (!pmt_.empty()) send(eit_packets_, section);
  }
}

void ServiceFilter::take_pat(const SectionHeader& header, wire::Bytes section) {
  const auto entry = program_in(header, section);
  if (!entry) return;
  if (pat_.empty() || entry->pmt_pid != pmt_pid_ || entry->service_id != program_ ||
      header.table_id_extension != transport_stream_id_) {
    transport_stream_id_ = header.table_id_extension;
    if (entry->service_id != program_) sdt_.clear();
    program_ = entry->service_id;
    follow_pmt_pid(entry->pmt_pid);
    SectionWriter pat(
        {.table_id = table_id::kPat, .table_id_extension = transport_stream_id_, .version = pat_version_});
    pat.u16(program_);
    pat.u16(static_cast<std::uint16_t>(0xE000 | pmt_pid_));
    pat_ = pat.finish();
    pat_version_ = (pat_version_ + 1) & 0x1F;
  }
  // A PAT is useless without its PMT. While the PMT is moving to a new PID, the old streams continue.
  if (!pmt_.empty()) send(pat_packets_, pat_);
}

/// The PAT entry of the service, or of the program to follow instead.
std::optional<Pat::Program> ServiceFilter::program_in(const SectionHeader& header, wire::Bytes section) const {
  std::size_t count = 0;
  Pat::Program last;
  wire::Cursor body(section_body(section));
  while (body.left() >= 4) {
    const std::uint16_t program = body.u16();
    const std::uint16_t pid = body.u16() & 0x1FFF;
    if (program == 0 || pid < kFirstFreePid || pid == kNullPid) continue;
    last = {program, pid};
    if (program == service_id_) return last;
    ++count;
  }
  if (!only_program_ || count != 1 || header.last_section_number != 0) return std::nullopt;
  return last;
}

void ServiceFilter::follow_pmt_pid(std::uint16_t pid) {
  if (pid == pmt_pid_) return;
  pmt_moved_ = pmt_pid_ != kNullPid;
  if (pmt_moved_) demux_.remove_handler(pmt_pid_, *this);
  pmt_pid_ = pid;
  pmt_packets_ = SectionPacketizer(pid);
  if (pid != kNullPid) demux_.add_handler(pid, *this);
  follow_tables();
}

/// Whether the PID carries its table of EN 300 468, not the PMT or a stream of the service.
bool ServiceFilter::has_table(std::uint16_t pid) const {
  const PidRoute::Role role = route_of_pid_[pid].role;
  return pid != pmt_pid_ && (role == PidRoute::Role::none || role == PidRoute::Role::table);
}

void ServiceFilter::follow_tables() {
  for (const std::uint16_t table : {pid::kSdtBat, pid::kEit}) {
    if (has_table(table) || table == pmt_pid_) {
      demux_.add_handler(table, *this);
    } else {
      demux_.remove_handler(table, *this);
    }
  }
  if (!has_table(pid::kSdtBat)) sdt_.clear();
}

void ServiceFilter::take_pmt(wire::Bytes section) {
  if (pmt_.empty() || !std::ranges::equal(section, pmt_)) {
    pmt_.assign(section.begin(), section.end());
    route(section);
  }
  // Readers that have been waiting for the PMT get it in their first packets.
  for (const auto& reader : readers_) {
    if (!reader->started()) start(*reader);
  }
  // The continuity counter of the PID starts again, also if the PMT was on this PID before.
  if (std::exchange(pmt_moved_, false)) {
    scratch_.clear();
    write_sent_section(pmt_, pmt_pid_, pmt_packets_.last_counter(), true, scratch_);
    for (const auto& reader : readers_) reader->table_packets(scratch_, now_);
  }
  send(pmt_packets_, pmt_);
}

/// Selects the PIDs to pass on from now on (ISO/IEC 13818-1 §2.4.4.8).
void ServiceFilter::route(wire::Bytes pmt_section) {
  Pmt pmt;
  if (!append_section(pmt_section, pmt)) return;

  std::array<PidRoute, kPidCount> routes{};
  has_video_ = false;
  // If a PID is listed more than once, the first entry counts.
  const auto add_route = [&](std::uint16_t pid, PidRoute route) {
    if (pid < kFirstFreePid || pid == kNullPid || pid == pmt_pid_ || routes[pid] != PidRoute{}) return;
    routes[pid] = route;
    has_video_ = has_video_ || route.role == PidRoute::Role::video;
  };
  std::vector<std::uint16_t> ca_pids;
  if (ecm_) append_ca_pids(pmt.descriptors, ca_pids);
  for (const Pmt::Stream& stream : pmt.streams) {
    add_route(stream.pid, route_of(stream.stream_type));
    if (ecm_) append_ca_pids(stream.descriptors, ca_pids);
  }
  for (const std::uint16_t pid : ca_pids) add_route(pid, {PidRoute::Role::stream});
  add_route(pmt.pcr_pid, {PidRoute::Role::clock_only});
  add_route(pid::kTdtTot, {PidRoute::Role::table});

  // Readers continue with the PIDs that stay.
  std::bitset<kPidCount> kept;
  for (std::size_t pid = 0; pid < kPidCount; ++pid) kept[pid] = routes[pid] == route_of_pid_[pid];
  route_of_pid_ = routes;
  ++routes_revision_;
  follow_tables();
  for (const auto& reader : readers_) reader->streams_changed(kept, has_video_, now_);
}

std::vector<std::uint16_t> ServiceFilter::pids() const {
  std::vector<std::uint16_t> pids;
  for (std::uint16_t pid = 0; pid < kPidCount; ++pid) {
    if (route_of_pid_[pid] != PidRoute{}) pids.push_back(pid);
  }
  return pids;
}

void ServiceFilter::take_sdt(const SectionHeader& header, wire::Bytes section) {
  wire::Cursor body(section_body(section));
  const std::uint16_t original_network_id = body.u16();
  body.skip(1);
  while (body.left() >= 5) {
    const wire::Bytes rest = section_body(section).subspan(body.position());
    const std::uint16_t service_id = body.u16();
    body.skip(1);
    const std::size_t length = body.u16() & 0x0FFF;
    body.skip(length);
    if (!body.ok()) return;
    if (service_id != program_) continue;
    const wire::Bytes entry = rest.first(5 + length);
    SectionWriter sdt(
        {.table_id = table_id::kSdtActual, .table_id_extension = header.table_id_extension, .version = header.version});
    sdt.u16(original_network_id);
    sdt.u8(0xFF);
    sdt.bytes(entry);
    sdt_ = sdt.finish();
    if (!pmt_.empty()) send(sdt_packets_, sdt_);
    return;
  }
}

void ServiceFilter::send(SectionPacketizer& packetizer, wire::Bytes section) {
  scratch_.clear();
  packetizer.write(section, scratch_);
  for (const auto& reader : readers_) reader->table_packets(scratch_, now_);
}

void ServiceFilter::add_reader(std::shared_ptr<StreamQueue> queue, SteadyTime now) {
  now_ = now;
  readers_.push_back(std::make_unique<Reader>(std::move(queue), now));
  if (!pmt_.empty() && !pat_.empty()) start(*readers_.back());
}

/// Sends PAT, PMT and SDT to one reader only. Their continuity counters precede those of the packets sent next to all
/// readers.
void ServiceFilter::start(Reader& reader) {
  scratch_.clear();
  for (auto [packetizer, section] : {std::pair{&pat_packets_, &pat_}, {&pmt_packets_, &pmt_}, {&sdt_packets_, &sdt_}}) {
    write_sent_section(*section, packetizer->pid(), packetizer->last_counter(), false, scratch_);
  }
  reader.start(scratch_, has_video_, now_);
}

void ServiceFilter::pass(Packet packet, PidRoute route) {
  if (route.role != PidRoute::Role::clock_only) {
    for (const auto& reader : readers_) reader->packet(packet, route, now_);
    return;
  }
  std::array<std::uint8_t, kPacketSize> clock;
  if (!keep_clock_only(packet.bytes().data(), clock.data())) return;
  clock[3] &= 0xF0;  // packets without payload do not advance the counter
  for (const auto& reader : readers_) reader->packet(Packet(clock.data()), route, now_);
}

void ServiceFilter::tick(SteadyTime now) {
  now_ = now;
  for (const auto& reader : readers_) reader->queue().flush(now);
  std::erase_if(readers_, [](const auto& reader) { return reader->queue().ended(); });
}

void ServiceFilter::finish(StreamEnd reason) {
  for (const auto& reader : readers_) reader->queue().finish(reason);
  readers_.clear();
}

bool ServiceFilter::reader_half_full() const {
  return std::ranges::any_of(readers_, [](const auto& reader) { return reader->queue().half_full(); });
}

void ServiceFilter::drop_half_full_readers() {
  for (const auto& reader : readers_) {
    if (reader->queue().half_full()) reader->queue().overflow();
  }
}

std::vector<StreamQueue::Counters> ServiceFilter::counters() const {
  std::vector<StreamQueue::Counters> counters;
  for (const auto& reader : readers_) counters.push_back(reader->queue().counters());
  return counters;
}

}  // namespace receiverd::dvb
