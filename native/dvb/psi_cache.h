// The newest PAT and PMT sections of the multiplex as they came, so that a service filter made now need not wait for
// the next ones (a second, in slow multiplexes). Owned by the tuner thread.
#pragma once

#include <cstdint>
#include <map>

#include "dvb/demux.h"

namespace receiverd::dvb {

class ServiceFilter;

class PsiCache : private SectionHandler {
 public:
  static constexpr std::size_t kMaximumServices = 2048;  ///< PMTs beyond it are not kept

  explicit PsiCache(Demux& demux);
  ~PsiCache() override;
  PsiCache(const PsiCache&) = delete;
  PsiCache& operator=(const PsiCache&) = delete;

  /// Gives the filter the PAT section that names its service, then the PMT.
  void prime(ServiceFilter& filter) const;

 private:
  struct Program {
    std::uint16_t pmt_pid = kNullPid;
    Section pmt;  // empty until it comes
  };

  void section(wire::Bytes section, std::uint16_t pid) override;
  void take_pat(wire::Bytes section);

  Demux& demux_;
  std::map<std::uint8_t, Section> pat_;         // by section_number, of one version
  std::map<std::uint16_t, Program> programs_;   // by service id
  std::map<std::uint16_t, unsigned> pmt_pids_;  // programmes on each
};

}  // namespace receiverd::dvb
