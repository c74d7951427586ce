#include "dvb/psi_cache.h"

#include <algorithm>

#include "dvb/pat.h"
#include "dvb/service_filter.h"

namespace receiverd::dvb {

PsiCache::PsiCache(Demux& demux) : demux_(demux) { demux_.add_handler(pid::kPat, *this); }

PsiCache::~PsiCache() {
  demux_.remove_handler(pid::kPat, *this);
  for (const auto& [pid, count] : pmt_pids_) demux_.remove_handler(pid, *this);
}

void PsiCache::prime(ServiceFilter& filter) const {
  const auto program = programs_.find(filter.service_id());
  if (program == programs_.end()) return;
  for (const auto& [number, section] : pat_) filter.prime(section, pid::kPat);
  if (!program->second.pmt.empty()) filter.prime(program->second.pmt, program->second.pmt_pid);
}

void PsiCache::section(wire::Bytes section, std::uint16_t pid) {
  const auto header = read_section_header(section);
  if (!header || !header->current) return;
  if (pid == pid::kPat && header->table_id == table_id::kPat) {
    take_pat(section);
    return;
  }
  if (header->table_id != table_id::kPmt) return;
  const auto program = programs_.find(header->table_id_extension);
  if (program == programs_.end() || program->second.pmt_pid != pid) return;
  if (!std::ranges::equal(section, program->second.pmt)) program->second.pmt.assign(section.begin(), section.end());
}

void PsiCache::take_pat(wire::Bytes section) {
  const auto header = *read_section_header(section);
  Section& known = pat_[header.section_number];
  if (std::ranges::equal(section, known)) return;
  known.assign(section.begin(), section.end());
  // Drops sections of another version or transport stream.
  std::erase_if(pat_, [&](const auto& entry) {
    const auto other = read_section_header(entry.second);
    return !other || other->version != header.version || other->table_id_extension != header.table_id_extension ||
           entry.first > header.last_section_number;
  });

  Pat pat;
  for (const auto& [number, one] : pat_) append_section(one, pat);
  std::map<std::uint16_t, Program> programs;
  std::map<std::uint16_t, unsigned> pmt_pids;
  for (const Pat::Program& entry : pat.programs) {
    if (programs.size() >= kMaximumServices) break;
    if (entry.pmt_pid == kNullPid || entry.pmt_pid < 0x10) continue;
    Program& program = programs[entry.service_id];
    if (const auto before = programs_.find(entry.service_id);
        before != programs_.end() && before->second.pmt_pid == entry.pmt_pid) {
      program = std::move(before->second);
    }
    program.pmt_pid = entry.pmt_pid;
    ++pmt_pids[entry.pmt_pid];
  }
  for (const auto& [pid, count] : pmt_pids) {
    if (!pmt_pids_.contains(pid)) demux_.add_handler(pid, *this);
  }
  for (const auto& [pid, count] : pmt_pids_) {
    if (!pmt_pids.contains(pid)) demux_.remove_handler(pid, *this);
  }
  programs_ = std::move(programs);
  pmt_pids_ = std::move(pmt_pids);
}

}  // namespace receiverd::dvb
