// Merges the tables of a multiplex into one snapshot.
//
//   service         PAT (PMT PID) + SDT actual or VCT (names, flags) + PMT (streams) + NIT (channel number, type)
//   multiplex ids   PAT, else SDT actual, else NIT, else EIT actual
//   others          SDT other (+ NIT), NIT, VCT
//
// Parts whose tables have not changed since the last call are reused.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "dvb/multiplex/multiplex_snapshot.h"
#include "dvb/si/si_tables.h"
#include "epg/arib/arib_services.h"

namespace receiverd::dvb {

class SnapshotBuilder {
 public:
  /// `generation` of the result is 0: the caller sets it.
  MultiplexSnapshot build(const SiTables& tables);

 private:
  /// The data of one transport stream in the NIT.
  struct NitEntry {
    TransportStream stream;
    std::map<std::uint16_t, LogicalChannel> channels;  // by service id
    std::map<std::uint16_t, std::uint8_t> types;       // by service id
    std::string default_authority;
    epg::AribStream arib;
  };

  void build_streams(const SiTables& tables);
  const NitEntry* build_ids(const SiTables& tables, MultiplexSnapshot& snapshot) const;
  static void build_services(const SiTables& tables, const NitEntry* listed, MultiplexSnapshot& snapshot);
  void build_bouquets(const SiTables& tables);
  const NitEntry* find_nit_entry(const MultiplexSnapshot& ids) const;

  static void describe(Service& service, const Sdt::Service& entry, const ServiceDescription& description);
  static void describe(Service& service, const Vct::Channel& channel);
  static void add_other_channels(const SiTables& tables, MultiplexSnapshot& snapshot);
  static void add_nit_data(Service& service, const NitEntry* listed);
  static void add_arib_data(const SiTables& tables, Service& service, const NitEntry* listed);

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::uint64_t streams_revision_ = kNever;
  std::uint64_t bouquets_revision_ = kNever;
  std::uint64_t guide_revision_ = kNever;
  std::map<TransportStreamKey, NitEntry> nit_entries_;
  std::map<TransportStreamKey, std::shared_ptr<const std::vector<Service>>> other_services_;
  std::vector<Network> networks_;  // of NIT actual
  std::vector<TransportStream> transport_streams_;
  std::vector<Bouquet> bouquets_;
  /// Channel numbers of the BAT, for services without one in the NIT.
  std::map<DvbTriplet, LogicalChannel> bouquet_channels_;
  std::vector<GuideService> guide_services_;
};

}  // namespace receiverd::dvb
