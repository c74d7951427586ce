#include "dvb/multiplex.h"

#include <set>
#include <utility>

#include "dvb/broadcast_clock.h"
#include "dvb/si_tables.h"
#include "dvb/snapshot_builder.h"

namespace receiverd::dvb {
namespace {

constexpr std::uint16_t kTablePids[] = {pid::kPat, pid::kNit, pid::kSdtBat, pid::kEit, pid::kTdtTot};

/// PIDs that carry EIT sections.
constexpr std::uint16_t kGuidePids[] = {pid::kEit};

bool is_guide_pid(std::uint16_t pid) {
  for (const std::uint16_t guide_pid : kGuidePids) {
    if (guide_pid == pid) return true;
  }
  return false;
}

}  // namespace

class Multiplex::Collector final : public SectionHandler {
 public:
  Collector(Demux& demux, MultiplexObserver& observer) : demux_(demux), observer_(observer) {
    for (const std::uint16_t pid : kTablePids) demux_.add_handler(pid, *this);
  }

  ~Collector() override {
    for (const std::uint16_t pid : kTablePids) demux_.remove_handler(pid, *this);
    for (const std::uint16_t pid : pmt_pids_) demux_.remove_handler(pid, *this);
  }

  void section(wire::Bytes section, std::uint16_t pid) override {
    if (is_guide_pid(pid)) {
      guide_section(section);
      return;
    }
    if (pid == pid::kTdtTot) clock_section(section);
    if (section[0] == table_id::kTdt) return;
    switch (add_section(tables_, section, pid)) {
      case SectionOutcome::repeated:
        return;
      case SectionOutcome::refused:
        // Other tables are legal on these PIDs (RST, stuffing, PMTs of other programmes); invalid ones are rare enough.
        ++ignored_;
        return;
      case SectionOutcome::changed:
        changed_ = true;
        if (section[0] == table_id::kPat) follow_pmts();
        return;
    }
  }

  void publish() {
    if (changed_) {
      changed_ = false;
      MultiplexSnapshot fresh = builder_.build(tables_);
      fresh.generation = snapshot_->generation;
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

  void psi_of(std::uint16_t service_id, const std::function<void(wire::Bytes, std::uint16_t)>& take) const {
    const auto programme = tables_.programmes.find(service_id);
    if (programme == tables_.programmes.end()) return;
    tables_.pat_sections.each([&](wire::Bytes section) { take(section, pid::kPat); });
    programme->second.sections.each([&](wire::Bytes section) { take(section, programme->second.pmt_pid); });
  }

  std::uint64_t ignored() const { return ignored_; }
  const GuideProgress& guide() const { return guide_; }

 private:
  void guide_section(wire::Bytes section) {
    const auto header = read_eit_section_header(section);
    if (!header) {
      ++ignored_;
      return;
    }
    if (header->section.current) {
      if (add_guide_service(tables_, *header) == SectionOutcome::changed) changed_ = true;
      if (add_sub_services(tables_, *header, section) == SectionOutcome::changed) changed_ = true;
      guide_.section(*header);
      if (header->present_following()) clock_.present_following(*header, section);
    }
    observer_.eit_section(section);
  }

  void clock_section(wire::Bytes section) {
    if (const auto tdt = read_tdt(section)) clock_.tdt(tdt->utc);
    if (const auto tot = read_tot(section)) clock_.tot(tot->utc);
  }

  void follow_pmts() {
    std::set<std::uint16_t> wanted;
    for (const auto& [service_id, programme] : tables_.programmes) {
      if (programme.pmt_pid >= kFirstFreePid && programme.pmt_pid != kNullPid) wanted.insert(programme.pmt_pid);
    }
    for (const std::uint16_t pid : pmt_pids_) {
      if (!wanted.contains(pid)) demux_.remove_handler(pid, *this);
    }
    for (const std::uint16_t pid : wanted) demux_.add_handler(pid, *this);
    pmt_pids_ = std::move(wanted);
  }

  Demux& demux_;
  MultiplexObserver& observer_;

  SiTables tables_;
  SnapshotBuilder builder_;
  std::shared_ptr<const MultiplexSnapshot> snapshot_ = std::make_shared<const MultiplexSnapshot>();  // last published
  BroadcastClock clock_;
  GuideProgress guide_;
  std::uint64_t received_ = 0;  // of the time last published
  std::set<std::uint16_t> pmt_pids_;
  bool changed_ = false;
  std::uint64_t ignored_ = 0;
};

Multiplex::Multiplex(Demux& demux, MultiplexObserver& observer)
    : collector_(std::make_unique<Collector>(demux, observer)) {}
Multiplex::~Multiplex() = default;

void Multiplex::publish() { collector_->publish(); }
void Multiplex::psi_of(std::uint16_t service_id, const std::function<void(wire::Bytes, std::uint16_t)>& take) const {
  collector_->psi_of(service_id, take);
}
const GuideProgress& Multiplex::guide() const { return collector_->guide(); }
std::uint64_t Multiplex::ignored() const { return collector_->ignored(); }

}  // namespace receiverd::dvb
