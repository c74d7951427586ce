// The tables of the tuned multiplex received so far. Each section is stored once, and its table is decoded when a
// section changes. add_section() stores a section and reports whether it is new; snapshot_builder.h merges the tables.
//
// The numbers of programs, sub-tables and bytes are bounded by the constants of SiTables; sections beyond are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dvb/si/atsc_tables.h"
#include "dvb/si/eit_section.h"
#include "dvb/si/elementary_stream.h"
#include "dvb/si/service_description.h"
#include "dvb/si/tables.h"
#include "epg/arib/si_rules.h"

namespace receiverd::dvb {

/// The sections of one sub-table (EN 300 468 §5.1.1: same table_id, extension and version), from the carousel.
///
/// The shown version is the last complete one. Until a version is complete, the newest version is shown as far as it
/// has arrived. A repeated section is recognised by its CRC_32.
class SubTable {
 public:
  /// Returns true if the shown version has changed. `section` must be the one `header` was read from.
  bool add(const SectionHeader& header, wire::Bytes section);

  bool empty() const { return shown_.received == 0; }
  bool complete() const { return !empty() && shown_.received == shown_.sections.size(); }

  /// Bytes stored, of the shown version and of the incomplete next one.
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
    std::size_t received = 0;
    std::size_t bytes = 0;
    std::vector<Section> sections;  // by section_number; missing ones are empty

    bool matches(const SectionHeader& header) const;
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
  static constexpr std::size_t kMaxPrograms = 2048;   ///< in the PAT, so also the number of PMTs
  static constexpr std::size_t kMaxSubTables = 1024;  ///< of SDT other, of NIT and of BAT
  static constexpr std::size_t kMaxBytes = 8U << 20;  ///< stored sections of all tables together
  static constexpr std::size_t kMaxGuideServices = 8192;

  struct Program : Collected<Pmt> {
    std::uint16_t pmt_pid = 0;
    std::vector<ElementaryStream> streams;
    std::vector<std::uint16_t> ca_system_ids;  ///< of the program and all its streams
  };

  struct Services : Collected<Sdt> {
    std::vector<ServiceDescription> descriptions;  ///< one per service of the table, in its order
  };

  Collected<Pat> pat;
  std::map<std::uint16_t, Program> programs;  ///< the programs of the PAT, by service id
  Services sdt_actual;
  Collected<Mgt> mgt;
  Collected<Vct> tvct;
  Collected<Vct> cvct;
  std::map<TransportStreamKey, Services> sdt_other;
  std::map<std::pair<std::uint8_t, std::uint16_t>, Collected<NetworkTable>> networks;  ///< by table_id and network_id
  std::map<std::uint16_t, Collected<NetworkTable>> bouquets;
  Collected<Bit> bit;  ///< ISDB
  /// Also of the services that have one: many may have the same.
  static constexpr std::size_t kMaxLogos = 64;
  struct Logo {
    std::uint8_t type = 0;
    std::uint16_t version = 0;
    std::shared_ptr<const std::string> picture;
  };
  std::map<std::uint16_t, Logo> logos;             ///< of the CDT, by logo_id: the largest type of each
  std::map<std::uint16_t, std::string> providers;  ///< of the BIT, by service id
  static constexpr std::size_t kMaxChannelTexts = 128;
  std::map<std::uint16_t, std::shared_ptr<const std::string>> channel_texts;  ///< of the ETTs, by source_id
  /// The sub-services of the present events of this multiplex, by service id, for services that have any. At most
  /// kMaxPrograms entries.
  std::map<std::uint16_t, std::vector<SubService>> sub_services;
  std::map<DvbTriplet, bool> guide_services;     ///< value: whether the service is in EIT actual
  std::optional<TransportStreamKey> eit_actual;  ///< ids of the first EIT actual section

  epg::SiRules rules;  ///< known once NIT and SDT actual have been received

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

/// Takes a PAT, PMT, SDT, NIT, BAT, MGT or VCT section received on `pid`.
SectionOutcome add_section(SiTables& tables, wire::Bytes section, std::uint16_t pid);

/// Records the service that an EIT section belongs to.
SectionOutcome add_guide_service(SiTables& tables, const EitSectionHeader& header);

/// Takes the text of a channel in an ETT.
SectionOutcome add_channel_text(SiTables& tables, wire::Bytes section);

/// Takes the sub-services of a present event of this multiplex; ignores other EIT sections.
SectionOutcome add_sub_services(SiTables& tables, const EitSectionHeader& header, wire::Bytes section);

}  // namespace receiverd::dvb
