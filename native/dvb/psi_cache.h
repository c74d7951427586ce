// Stores the newest raw PAT and PMT sections of the multiplex, so that a new service filter need not wait for the next
// ones (a second, in slow multiplexes). Owned by the tuner thread.
#pragma once

#include <cstdint>
#include <map>

#include "dvb/demux.h"

namespace receiverd::dvb {

class ServiceFilter;

class PsiCache : private SectionHandler {
 public:
  static constexpr std::size_t kMaximumServices = 2048;  ///< PMTs beyond it are not stored

  explicit PsiCache(Demux& demux);
  ~PsiCache() override;
  PsiCache(const PsiCache&) = delete;
  PsiCache& operator=(const PsiCache&) = delete;

  /// Feeds the stored PAT sections to the filter, then the PMT of its service.
  void prime(ServiceFilter& filter) const;

 private:
  struct Program {
    std::uint16_t pmt_pid = kNullPid;
    Section pmt;  // empty until it arrives
  };

  void section(wire::Bytes section, std::uint16_t pid) override;
  void take_pat(wire::Bytes section);

  Demux& demux_;
  std::map<std::uint8_t, Section> pat_;         // by section_number, all of one version
  std::map<std::uint16_t, Program> programs_;   // by service id
  std::map<std::uint16_t, unsigned> pmt_pids_;  // number of programmes on each
};

}  // namespace receiverd::dvb
