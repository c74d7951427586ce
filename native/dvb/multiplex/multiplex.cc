#include "dvb/multiplex/multiplex.h"

#include <algorithm>
#include <utility>

namespace receiverd::dvb {
namespace {

/// The table PIDs of EN 300 468 and ATSC A/65. A program may use them for its streams instead.
constexpr std::uint16_t kTablePids[] = {pid::kNit, pid::kSdtBat, pid::kEit, pid::kTdtTot, pid::kPsip};
/// Table PIDs that ISDB adds.
constexpr std::uint16_t kIsdbPids[] = {pid::kBit, pid::kCdt, pid::kMobileEit, pid::kOneSegEit};

constexpr std::uint8_t kNoEit = 0xFF;

/// A section of EIT-k as one of a DVB schedule, to be counted: three hours are a segment, and EIT-0 is the first.
EitSectionHeader as_schedule(const SectionHeader& sent, const epg::PsipOrigin& origin, std::uint8_t k,
                             std::uint8_t last_k) {
  constexpr std::uint8_t kSegments = 32;
  constexpr std::uint8_t kSections = 8;
  const auto numbered = [&](std::uint8_t number) {
    return static_cast<std::uint8_t>(k % kSegments * kSections + std::min<std::uint8_t>(number, kSections - 1));
  };
  const std::uint8_t first = origin.actual ? table_id::kEitScheduleActual : table_id::kEitScheduleOther;
  const bool is_last = k / kSegments == last_k / kSegments;
  EitSectionHeader header;
  header.section.table_id = static_cast<std::uint8_t>(first + k / kSegments);
  header.section.table_id_extension = origin.service.service_id;
  header.section.section_number = numbered(sent.section_number);
  header.section.last_section_number = is_last ? static_cast<std::uint8_t>(last_k % kSegments * kSections) : 0xFF;
  header.segment_last_section_number = numbered(sent.last_section_number);
  header.last_table_id = static_cast<std::uint8_t>(first + last_k / kSegments);
  header.transport_stream_id = origin.service.transport_stream_id;
  header.original_network_id = origin.service.original_network_id;
  return header;
}

}  // namespace

Multiplex::Multiplex(Demux& demux, MultiplexObserver& observer) : demux_(demux), observer_(observer) {
  demux_.add_handler(pid::kPat, *this);
  follow_pids();
}

Multiplex::~Multiplex() {
  demux_.remove_handler(pid::kPat, *this);
  for (const std::uint16_t pid : followed_) demux_.remove_handler(pid, *this);
}

void Multiplex::section(wire::Bytes section, std::uint16_t pid) {
  const bool guide = pid == pid::kEit || pid == pid::kMobileEit || pid == pid::kOneSegEit;
  if (guide && section[0] != table_id::kPmt) {
    guide_section(section);
    return;
  }
  if (section[0] == table_id::kTdt) {
    const auto time = read_tdt(section);
    if (time && pid == pid::kTdtTot) clock_.take_tdt(*time - tables_.rules.zone_seconds);
    return;
  }
  if (section[0] == table_id::kTot && pid == pid::kTdtTot) {
    if (const auto time = read_tot(section)) return take_tot(section, *time);
  }
  if (psip_section(section, pid)) return;
  const bool arib = tables_.rules.arib;
  switch (add_section(tables_, section, pid)) {
    case SectionOutcome::repeated:
      return;
    case SectionOutcome::refused:
      // Other tables are legal on these PIDs (RST, stuffing, PMTs of other programs); invalid ones are rare enough.
      ++ignored_;
      return;
    case SectionOutcome::changed:
      changed_ = true;
      if (section[0] <= table_id::kPmt || section[0] >= table_id::kMgt || tables_.rules.arib != arib) follow_pids();
      return;
  }
}

/// A time that may be local waits until a NIT tells: a clock that is wrong by hours would start timers.
void Multiplex::take_tot(wire::Bytes section, wire::UnixSeconds time) {
  if (tables_.rules.latin) {
    tables_.rules.zone_seconds = epg::zone_of_tot(section).value_or(tables_.rules.zone_seconds);
  } else if (!tables_.rules.arib && tables_.networks.empty() && epg::may_be_local_time(section)) {
    return;
  }
  clock_.take_tot(time - tables_.rules.zone_seconds);
}

void Multiplex::guide_section(wire::Bytes section) {
  auto header = read_eit_section_header(section);
  if (!header) {
    ++ignored_;
    return;
  }
  Section named;
  // An actual table describes the transport stream that carries it, whatever ids it contains (EN 300 468 §5.2.4).
  if (header->is_actual() && tables_.programs.contains(header->service_id())) {
    const DvbTriplet own{snapshot_->original_network_id.value_or(header->original_network_id),
                         tables_.pat.table.transport_stream_id, header->service_id()};
    if (own != header->triplet()) {
      named = with_triplet(section, own);
      section = named;
      header = read_eit_section_header(section);
    }
  }
  const epg::SiRules rules = tables_.rules.arib ? tables_.rules : epg::rules_of_eit(section);
  if (header->section.current) {
    if (add_guide_service(tables_, *header) == SectionOutcome::changed) changed_ = true;
    if (add_sub_services(tables_, *header, section) == SectionOutcome::changed) changed_ = true;
    guide_.section(*header, rules.arib);
    if (header->is_present_following()) clock_.take_present_following(*header, section, rules.zone_seconds);
  }
  observer_.eit_section(section, rules);
}

/// Takes a section of PSIP that is not part of the multiplex's description. Returns false for any other.
bool Multiplex::psip_section(wire::Bytes section, std::uint16_t pid) {
  if (pid == pid::kPsip && section[0] == table_id::kStt) {
    if (const auto stt = read_stt(section)) {
      gps_utc_offset_ = stt->gps_utc_offset;
      clock_.take_tot(stt->utc);
    }
    return true;
  }
  if (pid == pid::kPsip && section[0] == table_id::kRrt) {
    observer_.psip_section(section, {});
    return true;
  }
  if ((section[0] != table_id::kAtscEit && section[0] != table_id::kEtt) || !psip_pids_.contains(pid)) return false;
  psip_guide_section(section, pid);
  return true;
}

/// Passes a section of EIT-k or an ETT on for each service with its source_id, up to kMaxChannels.
void Multiplex::psip_guide_section(wire::Bytes section, std::uint16_t pid) {
  constexpr std::size_t kMaxChannels = 32;  // of a source
  const auto header = read_section_header(section);
  const std::uint8_t k = psip_pids_[pid];
  const bool is_eit = section[0] == table_id::kAtscEit;
  // The upper half of ETM_id, which follows the protocol_version.
  const std::size_t min_size = kLongSectionHeaderSize + (is_eit ? 2 : 5) + kCrcSize;
  if (!header || section.size() < min_size) {
    ++ignored_;
    return;
  }
  if (!header->current) return;
  if (!is_eit) {
    switch (add_channel_text(tables_, section)) {
      case SectionOutcome::changed:
        changed_ = true;
        return;
      case SectionOutcome::repeated:
        return;
      case SectionOutcome::refused:  // of an event
        break;
    }
  }
  const std::uint16_t source_id = is_eit ? header->table_id_extension : wire::Cursor(section.subspan(9, 2)).u16();
  const std::uint16_t own_stream = tables_.pat.table.transport_stream_id;
  std::size_t channels = 0;
  for (const Vct* vct : {&tables_.tvct.table, &tables_.cvct.table}) {
    for (const Vct::Channel& channel : vct->channels) {
      if (channel.source_id != source_id) continue;
      if (channels++ == kMaxChannels) return;
      epg::PsipOrigin origin;
      origin.service = {snapshot_->original_network_id.value_or(0), channel.transport_stream_id,
                        channel.program_number};
      origin.actual = channel.transport_stream_id == own_stream;
      origin.gps_utc_offset = gps_utc_offset_;
      origin.pid = pid;
      if (is_eit && k != kNoEit) {
        const EitSectionHeader counted = as_schedule(*header, origin, k, last_eit_);
        if (add_guide_service(tables_, counted) == SectionOutcome::changed) changed_ = true;
        guide_.section(counted);
      }
      observer_.psip_section(section, origin);
    }
  }
}

/// Subscribes to the PMT PIDs of the PAT, to the PIDs of EIT and ETT of the MGT, and to the table PIDs of the standards
/// that no PMT or VCT uses for a stream.
void Multiplex::follow_pids() {
  constexpr std::uint16_t kEitTypes = 0x0100;
  constexpr std::uint16_t kEttTypes = 0x0200;
  constexpr std::uint16_t kChannelEtt = 0x0004;
  constexpr std::uint16_t kCount = 0x80;
  std::set<std::uint16_t> wanted(std::begin(kTablePids), std::end(kTablePids));
  if (tables_.rules.arib) wanted.insert(std::begin(kIsdbPids), std::end(kIsdbPids));
  psip_pids_.clear();
  last_eit_ = 0;
  for (const Mgt::Table& table : tables_.mgt.table.tables) {
    const bool is_eit = table.type >= kEitTypes && table.type < kEitTypes + kCount;
    const bool is_ett = table.type == kChannelEtt || (table.type >= kEttTypes && table.type < kEttTypes + kCount);
    if ((!is_eit && !is_ett) || table.pid < kFirstFreePid || table.pid >= pid::kPsip) continue;
    const auto k = static_cast<std::uint8_t>(table.type & 0x7F);
    if (is_eit) last_eit_ = std::max(last_eit_, k);
    wanted.insert(table.pid);
    const auto [place, is_new] = psip_pids_.emplace(table.pid, is_eit ? k : kNoEit);
    if (!is_new && is_eit) place->second = k;
  }
  for (const auto& [service_id, program] : tables_.programs) {
    for (const Pmt::Stream& stream : program.table.streams) wanted.erase(stream.pid);
  }
  for (const Vct* vct : {&tables_.tvct.table, &tables_.cvct.table}) {
    for (const Vct::Channel& channel : vct->channels) {
      for (const std::uint16_t pid : channel.pids) wanted.erase(pid);
    }
  }
  for (const auto& [service_id, program] : tables_.programs) {
    if (program.pmt_pid >= kFirstFreePid && program.pmt_pid != kNullPid) wanted.insert(program.pmt_pid);
  }
  for (const std::uint16_t pid : followed_) {
    if (!wanted.contains(pid)) demux_.remove_handler(pid, *this);
  }
  for (const std::uint16_t pid : wanted) demux_.add_handler(pid, *this);
  followed_ = std::move(wanted);
}

void Multiplex::publish() {
  if (changed_) {
    changed_ = false;
    MultiplexSnapshot fresh = builder_.build(tables_);
    fresh.generation = snapshot_->generation;
    fresh.exhausted = exhausted_;
    if (!(fresh == *snapshot_)) {
      ++fresh.generation;
      snapshot_ = std::make_shared<const MultiplexSnapshot>(std::move(fresh));
      observer_.multiplex_changed(snapshot_);
    }
  }
  if (clock_.time().received != received_) {
    received_ = clock_.time().received;
    observer_.broadcast_time(clock_.time());
  }
}

void Multiplex::mark_exhausted() {
  if (exhausted_) return;
  exhausted_ = changed_ = true;
}

void Multiplex::visit_psi(std::uint16_t service_id, const std::function<void(wire::Bytes, std::uint16_t)>& take) const {
  const auto program = tables_.programs.find(service_id);
  if (program == tables_.programs.end()) return;
  tables_.pat.sections.each([&](wire::Bytes section) { take(section, pid::kPat); });
  program->second.sections.each([&](wire::Bytes section) { take(section, program->second.pmt_pid); });
}

}  // namespace receiverd::dvb
