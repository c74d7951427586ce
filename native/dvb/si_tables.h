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

#include "dvb/eit_section.h"
#include "dvb/elementary_stream.h"
#include "dvb/service_description.h"
#include "dvb/tables.h"

namespace receiverd::dvb {

/// The sections of one sub-table (EN 300 468 §5.1.1: same table_id, extension and version), from the carousel.
///
/// The shown version is the last complete one. Until there is one, it consists of the sections of the newest version
/// received so far. A repeated section is recognised by its CRC_32.
class SubTable {
 public:
  /// Returns true if the shown version has changed. `section` must be the one `header` was read from.
  bool add(const SectionHeader& header, wire::Bytes section);

  bool empty() const { return shown_.held == 0; }
  bool complete() const { return !empty() && shown_.held == shown_.sections.size(); }

  /// Bytes stored, of the shown version and of a partial next one.
  std::size_t bytes() const { return shown_.bytes + next_.bytes; }

  /// Visits the sections of the shown version, in order of section_number.
  template <typename Visit>
  void each(Visit visit) const {
    for (const Section& section : shown_.sections) {
      if (!section.empty()) visit(section);
    }
  }

 private:
  struct Edition {
    std::uint8_t version = 0;
    std::size_t held = 0;
    std::size_t bytes = 0;
    std::vector<Section> sections;  // by section_number; missing ones are empty

    bool is(const SectionHeader& header) const;
    /// Returns false if this section is already stored.
    bool put(const SectionHeader& header, wire::Bytes section);
  };

  Edition shown_;
  Edition next_;
};

/// A table, decoded from its sections.
template <typename Table>
struct Collected {
  SubTable sections;  ///< empty until some have arrived
  Table table;
};

/// original_network_id and transport_stream_id.
using TransportStreamKey = std::pair<std::uint16_t, std::uint16_t>;

struct SiTables {
  static constexpr std::size_t kMaximumProgrammes = 2048;  ///< of the PAT, so also PMTs
  static constexpr std::size_t kMaximumSubTables = 1024;   ///< of SDT other, NIT and BAT, each
  static constexpr std::size_t kMaximumBytes = 8U << 20;   ///< of stored sections, all tables together
  static constexpr std::size_t kMaximumGuideServices = 8192;

  struct Programme : Collected<Pmt> {
    std::uint16_t pmt_pid = 0;
    std::vector<ElementaryStream> streams;
    std::vector<std::uint16_t> ca_system_ids;  ///< of the programme and all its streams
  };

  struct Services : Collected<Sdt> {
    std::vector<ServiceDescription> descriptions;  ///< one per service of the table, in its order
  };

  Collected<Pat> pat;
  std::map<std::uint16_t, Programme> programmes;  ///< those of the PAT, by service id
  Services sdt_actual;
  std::map<TransportStreamKey, Services> sdt_other;
  std::map<std::pair<std::uint8_t, std::uint16_t>, Collected<NetworkTable>> networks;  ///< by table_id and network_id
  std::map<std::uint16_t, Collected<NetworkTable>> bouquets;
  /// Of the present events of this multiplex, by service id. Only services that have any; at most as many as a PAT may
  /// list.
  std::map<std::uint16_t, std::vector<SubService>> sub_services;
  std::map<DvbTriplet, bool> guide_services;     ///< whether the service is "actual"
  std::optional<TransportStreamKey> eit_actual;  ///< ids of the first EIT actual section

  /// Revision counters, so that unchanged parts need not be rebuilt. `streams` covers NIT and SDT other.
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

/// Takes a PAT, PMT, SDT, NIT or BAT section received on `pid`.
SectionOutcome add_section(SiTables& tables, wire::Bytes section, std::uint16_t pid);

/// Records the service that an EIT section belongs to.
SectionOutcome add_guide_service(SiTables& tables, const EitSectionHeader& header);

/// Takes the sub-services of a present event of this multiplex; ignores other EIT sections.
SectionOutcome add_sub_services(SiTables& tables, const EitSectionHeader& header, wire::Bytes section);

}  // namespace receiverd::dvb
