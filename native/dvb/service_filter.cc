#include "dvb/service_filter.h"

#include <algorithm>
#include <utility>

#include "dvb/clock_shift.h"
#include "dvb/tables.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {

namespace {

constexpr std::uint8_t kCaDescriptor = 0x09;

ServicePid::Role role_of(std::uint8_t stream_type) {
  switch (stream_type) {
    case 0x01:
    case 0x02:
    case 0x10:
    case 0x1B:
    case 0x24:
    case 0x33:
    case 0x42:
    case 0xD1:
    case 0xEA:
      return ServicePid::Role::video;
    default:
      return ServicePid::Role::stream;
  }
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

ServiceFilter::ServiceFilter(Demux& demux, std::uint16_t service_id, bool ecm)
    : demux_(demux), service_id_(service_id), ecm_(ecm) {
  slot_of_pid_.fill(kNoSlot);
  pids_.push_back({pid::kTdtTot, ServicePid::Role::table, VideoCodec::unknown, 0});
  slot_of_pid_[pid::kTdtTot] = 0;
  scratch_.reserve((kMaximumSectionSize / 184 + 2) * kPacketSize);
  for (const std::uint16_t table : {pid::kPat, pid::kSdtBat, pid::kEit}) demux_.add_handler(table, *this);
}

ServiceFilter::~ServiceFilter() {
  for (const std::uint16_t table : {pid::kPat, pid::kSdtBat, pid::kEit}) demux_.remove_handler(table, *this);
  follow_pmt_pid(kNullPid);
}

void ServiceFilter::section(wire::Bytes section, std::uint16_t pid) {
  const auto header = read_section_header(section);
  if (!header || !header->current) return;
  if (pid == pid::kPat && header->table_id == table_id::kPat) {
    take_pat(section);
  } else if (pid == pmt_pid_ && header->table_id == table_id::kPmt && header->table_id_extension == service_id_) {
    take_pmt(section);
  } else if (pid == pid::kSdtBat && header->table_id == table_id::kSdtActual) {
    take_sdt(section);
  } else if (pid == pid::kEit && header->table_id == table_id::kEitPresentFollowingActual &&
             header->table_id_extension == service_id_) {
    take_eit(section);
  }
}

void ServiceFilter::take_pat(wire::Bytes section) {
  const auto header = read_section_header(section);
  wire::Cursor body(section_body(section));
  while (body.left() >= 4) {
    const std::uint16_t program = body.u16();
    const std::uint16_t pid = body.u16() & 0x1FFF;
    if (program != service_id_ || pid < kFirstFreePid || pid == kNullPid) continue;
    if (pat_.empty() || pid != pmt_pid_ || header->table_id_extension != transport_stream_id_) {
      transport_stream_id_ = header->table_id_extension;
      follow_pmt_pid(pid);
      SectionWriter pat(
          {.table_id = table_id::kPat, .table_id_extension = transport_stream_id_, .version = pat_version_});
      pat.u16(service_id_);
      pat.u16(static_cast<std::uint16_t>(0xE000 | pid));
      pat_ = pat.finish();
      pat_version_ = (pat_version_ + 1) & 0x1F;
    }
    // A PAT is useless without its PMT. While the PMT is moving to a new PID, the old streams continue.
    if (!pmt_.empty()) send(pat_packets_, pat_);
    return;
  }
}

void ServiceFilter::follow_pmt_pid(std::uint16_t pid) {
  if (pid == pmt_pid_) return;
  if (pmt_pid_ != kNullPid) demux_.remove_handler(pmt_pid_, *this);
  pmt_pid_ = pid;
  pmt_packets_ = SectionPacketizer(pid);
  if (pid != kNullPid) demux_.add_handler(pid, *this);
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
  send(pmt_packets_, pmt_);
}

/// Selects the PIDs that pass from now on (ISO/IEC 13818-1 §2.4.4.8).
void ServiceFilter::route(wire::Bytes pmt_section) {
  Pmt pmt;
  if (!append_section(pmt_section, pmt)) return;

  // The first entry of a PID counts.
  std::vector<ServicePid> wanted;
  std::bitset<kPidCount> mentioned;
  const auto want = [&](std::uint16_t pid, ServicePid::Role role, VideoCodec codec) {
    if (pid < kFirstFreePid || pid == kNullPid || pid == pmt_pid_ || mentioned[pid]) return;
    mentioned.set(pid);
    wanted.push_back({pid, role, codec, 0});
  };
  std::vector<std::uint16_t> ca_pids;
  if (ecm_) append_ca_pids(pmt.descriptors, ca_pids);
  for (const Pmt::Stream& stream : pmt.streams) {
    want(stream.pid, role_of(stream.stream_type), video_codec(stream.stream_type));
    if (ecm_) append_ca_pids(stream.descriptors, ca_pids);
  }
  for (const std::uint16_t pid : ca_pids) want(pid, ServicePid::Role::stream, VideoCodec::unknown);
  want(pmt.pcr_pid, ServicePid::Role::clock_only, VideoCodec::unknown);

  std::bitset<ServicePid::kMaximum> kept;
  std::array<bool, ServicePid::kMaximum> used{};
  used[0] = kept[0] = true;  // TDT and TOT
  std::array<std::uint8_t, kPidCount> slots;
  slots.fill(kNoSlot);
  slots[pid::kTdtTot] = 0;

  // PIDs that stay keep their slot, so that readers continue with them.
  for (const ServicePid& entry : wanted) {
    const std::uint8_t slot = slot_of_pid_[entry.pid];
    if (slot == kNoSlot || pids_[slot].role != entry.role || pids_[slot].codec != entry.codec) continue;
    slots[entry.pid] = slot;
    used[slot] = true;
    kept.set(slot);
  }
  for (ServicePid& entry : wanted) {
    if (slots[entry.pid] != kNoSlot) continue;
    const auto free = std::ranges::find(used, false);
    if (free == used.end()) break;
    entry.index = static_cast<std::uint8_t>(free - used.begin());
    *free = true;
    if (pids_.size() <= entry.index) pids_.resize(entry.index + 1U);
    pids_[entry.index] = entry;
    slots[entry.pid] = entry.index;
  }
  has_video_ = std::ranges::any_of(wanted, [](const auto& entry) { return entry.role == ServicePid::Role::video; });
  slot_of_pid_ = slots;
  ++routes_;
  for (const auto& reader : readers_) reader->streams_changed(kept, has_video_, now_);
}

std::vector<std::uint16_t> ServiceFilter::pids() const {
  std::vector<std::uint16_t> pids;
  for (std::size_t slot = 0; slot < pids_.size(); ++slot) {
    if (slot_of_pid_[pids_[slot].pid] == slot) pids.push_back(pids_[slot].pid);
  }
  return pids;
}

void ServiceFilter::take_sdt(wire::Bytes section) {
  const auto header = read_section_header(section);
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
    if (service_id != service_id_) continue;
    const wire::Bytes entry = rest.first(5 + length);
    // If version, network and entry are unchanged, the previous section is sent again.
    constexpr std::size_t kHead = kLongSectionHeaderSize + 3;
    const auto sent = sdt_.empty() ? std::nullopt : read_section_header(sdt_);
    if (!sent || sent->version != header->version || sent->table_id_extension != header->table_id_extension ||
        sdt_.size() != kHead + entry.size() + kCrcSize ||
        !std::equal(entry.begin(), entry.end(), sdt_.begin() + kHead)) {
      SectionWriter sdt({.table_id = table_id::kSdtActual,
                         .table_id_extension = header->table_id_extension,
                         .version = header->version});
      sdt.u16(original_network_id);
      sdt.u8(0xFF);
      sdt.bytes(entry);
      sdt_ = sdt.finish();
    }
    if (!pmt_.empty()) send(sdt_packets_, sdt_);
    return;
  }
}

void ServiceFilter::take_eit(wire::Bytes section) {
  if (!pmt_.empty()) send(eit_packets_, section);
}

void ServiceFilter::send(SectionPacketizer& packetizer, wire::Bytes section) {
  scratch_.clear();
  packetizer.write(section, scratch_);
  for (const auto& reader : readers_) reader->table_packets(scratch_, now_);
}

void ServiceFilter::add_reader(std::shared_ptr<StreamQueue> queue, SteadyTime now) {
  now_ = now;
  readers_.push_back(std::make_unique<ServiceReader>(std::move(queue), now));
  if (!pmt_.empty() && !pat_.empty()) start(*readers_.back());
}

/// Sends PAT, PMT and SDT to one reader only. Their continuity counters precede the ones that all readers get next.
void ServiceFilter::start(ServiceReader& reader) {
  scratch_.clear();
  for (auto [packetizer, section] : {std::pair{&pat_packets_, &pat_}, {&pmt_packets_, &pmt_}, {&sdt_packets_, &sdt_}}) {
    write_sent_section(*section, packetizer->pid(), packetizer->last_counter(), false, scratch_);
  }
  reader.start(scratch_, has_video_, now_);
}

void ServiceFilter::pass(Packet packet, const ServicePid& pid) {
  if (pid.role != ServicePid::Role::clock_only) {
    for (const auto& reader : readers_) reader->packet(packet, pid, now_);
    return;
  }
  std::array<std::uint8_t, kPacketSize> clock;
  if (!keep_clock_only(packet.bytes().data(), clock.data())) return;
  clock[3] &= 0xF0;  // its payload is never sent: the counter stands still
  for (const auto& reader : readers_) reader->packet(Packet(clock.data()), pid, now_);
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
