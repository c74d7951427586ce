#include "dvb/multiplex.h"

#include <utility>

namespace receiverd::dvb {
namespace {

/// The table PIDs of EN 300 468. A program may use them for its streams instead.
constexpr std::uint16_t kTablePids[] = {pid::kNit, pid::kSdtBat, pid::kEit, pid::kTdtTot};

}  // namespace

Multiplex::Multiplex(Demux& demux, MultiplexObserver& observer) : demux_(demux), observer_(observer) {
  demux_.add_handler(pid::kPat, *this);
  follow_pmt_pids();
}

Multiplex::~Multiplex() {
  demux_.remove_handler(pid::kPat, *this);
  for (const std::uint16_t pid : followed_) demux_.remove_handler(pid, *this);
}

void Multiplex::section(wire::Bytes section, std::uint16_t pid) {
  if (pid == pid::kEit && section[0] != table_id::kPmt) {
    guide_section(section);
    return;
  }
  if (section[0] == table_id::kTdt) {
    if (const auto utc = read_tdt(section); utc && pid == pid::kTdtTot) clock_.take_tdt(*utc);
    return;
  }
  if (section[0] == table_id::kTot && pid == pid::kTdtTot) {
    if (const auto utc = read_tot(section)) {
      clock_.take_tot(*utc);
      return;
    }
  }
  switch (add_section(tables_, section, pid)) {
    case SectionOutcome::repeated:
      return;
    case SectionOutcome::refused:
      // Other tables are legal on these PIDs (RST, stuffing, PMTs of other programs); invalid ones are rare enough.
      ++ignored_;
      return;
    case SectionOutcome::changed:
      changed_ = true;
      if (section[0] == table_id::kPat || section[0] == table_id::kPmt) follow_pmt_pids();
      return;
  }
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
  if (header->section.current) {
    if (add_guide_service(tables_, *header) == SectionOutcome::changed) changed_ = true;
    if (add_sub_services(tables_, *header, section) == SectionOutcome::changed) changed_ = true;
    guide_.section(*header);
    if (header->is_present_following()) clock_.take_present_following(*header, section);
  }
  observer_.eit_section(section);
}

/// Subscribes to the PMT PIDs of the PAT, and to the table PIDs of EN 300 468 that no PMT uses for a stream.
void Multiplex::follow_pmt_pids() {
  std::set<std::uint16_t> wanted(std::begin(kTablePids), std::end(kTablePids));
  for (const auto& [service_id, program] : tables_.programs) {
    for (const Pmt::Stream& stream : program.table.streams) wanted.erase(stream.pid);
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
