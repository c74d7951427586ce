// The tables of the tuned multiplex received so far, each section at most once, decoded when it changes.
//
//   add_section()  stores the contents of a section and reports whether they are new; snapshot_builder.h merges all
//
// Bounds: the maxima of programmes, sub-tables and bytes in SiTables; anything beyond is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dvb/bat.h"
#include "dvb/eit_section.h"
#include "dvb/elementary_stream.h"
#include "dvb/nit.h"
#include "dvb/pat.h"
#include "dvb/pmt.h"
#include "dvb/sdt.h"
#include "dvb/service_description.h"
#include "dvb/sub_services.h"
#include "dvb/sub_table.h"
#include "dvb/tdt.h"

namespace receiverd::dvb {

/// original_network_id and transport_stream_id.
using TransportStreamKey = std::pair<std::uint16_t, std::uint16_t>;

struct SiTables {
  static constexpr std::size_t kMaximumProgrammes = 2048;  ///< of the PAT, so also PMTs
  static constexpr std::size_t kMaximumSubTables = 1024;   ///< of SDT other, NIT and BAT, each
  static constexpr std::size_t kMaximumBytes = 8U << 20;   ///< of stored sections, all tables together
  static constexpr std::size_t kMaximumGuideServices = 8192;

  struct Programme {
    std::uint16_t pmt_pid = 0;
    SubTable sections;  ///< empty until the PMT has arrived
    Pmt pmt;
    std::vector<ElementaryStream> streams;
    std::vector<std::uint16_t> ca_system_ids;  ///< of the programme and all its streams
  };

  struct Services {
    SubTable sections;
    Sdt sdt;
    std::vector<ServiceDescription> descriptions;  ///< one per service of `sdt`, in its order
  };

  struct NetworkTable {
    SubTable sections;
    Nit nit;
  };

  struct BouquetTable {
    SubTable sections;
    Bat bat;
  };

  SubTable pat_sections;
  Pat pat;
  std::map<std::uint16_t, Programme> programmes;  ///< those of the PAT, by service id
  Services sdt_actual;
  std::map<TransportStreamKey, Services> sdt_other;
  std::map<std::pair<bool, std::uint16_t>, NetworkTable> networks;  ///< by (is other, network_id): actual ones first
  std::map<std::uint16_t, BouquetTable> bouquets;
  std::vector<LocalTimeOffset> local_time_offsets;
  /// Of the present events of this multiplex, by service id. Only services that have any; at most as many as a PAT may
  /// list.
  std::map<std::uint16_t, std::vector<SubService>> sub_services;
  std::map<DvbTriplet, bool> guide_services;     ///< whether the service is "actual"
  std::optional<TransportStreamKey> eit_actual;  ///< ids of the first EIT actual section

  /// Revision counters, so that unchanged parts need not be rebuilt. `streams` covers NIT and SDT other.
  std::uint64_t services_revision = 0;
  std::uint64_t streams_revision = 0;
  std::uint64_t bouquets_revision = 0;
  std::uint64_t guide_revision = 0;

  std::size_t bytes = 0;  ///< in all sub-tables
};

enum class SectionOutcome : std::uint8_t {
  repeated,  ///< already known
  changed,   ///< something is new
  refused    ///< not a table that belongs here, malformed, or over a bound
};

/// Takes a PAT, PMT, SDT, NIT, BAT or TOT section received on `pid`; the clock of the TOT is not stored.
SectionOutcome add_section(SiTables& tables, wire::Bytes section, std::uint16_t pid);

/// Records the service that an EIT section belongs to.
SectionOutcome add_guide_service(SiTables& tables, const EitSectionHeader& header);

/// Takes the sub-services of a present event of this multiplex; ignores other EIT sections.
SectionOutcome add_sub_services(SiTables& tables, const EitSectionHeader& header, wire::Bytes section);

}  // namespace receiverd::dvb
