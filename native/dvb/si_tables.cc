#include "dvb/si_tables.h"

#include <algorithm>
#include <utility>

namespace receiverd::dvb {
namespace {

/// Adds a section to its sub-table, within the bound for all tables together.
SectionOutcome collect(SiTables& tables, SubTable& sub_table, const SectionHeader& header, wire::Bytes section) {
  if (tables.bytes + section.size() > SiTables::kMaximumBytes) return SectionOutcome::refused;
  tables.bytes -= sub_table.bytes();
  const bool changed = sub_table.add(header, section);
  tables.bytes += sub_table.bytes();
  return changed ? SectionOutcome::changed : SectionOutcome::repeated;
}

/// Returns the entry of `key`, created if there is room, or null.
template <typename Map>
typename Map::mapped_type* entry_of(Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  if (found != map.end()) return &found->second;
  if (map.size() >= SiTables::kMaximumSubTables) return nullptr;
  return &map[key];
}

void forget(SiTables& tables, SubTable& sub_table) {
  tables.bytes -= sub_table.bytes();
  sub_table = {};
}

/// Keeps the PMTs of programmes whose PMT PID is unchanged, and drops the others.
void follow_pat(SiTables& tables) {
  std::map<std::uint16_t, SiTables::Programme> programmes;
  for (const Pat::Program& program : tables.pat.programs) {
    if (programmes.size() >= SiTables::kMaximumProgrammes) break;
    if (programmes.contains(program.service_id)) continue;
    const auto before = tables.programmes.find(program.service_id);
    if (before != tables.programmes.end() && before->second.pmt_pid == program.pmt_pid) {
      programmes.insert(tables.programmes.extract(before));
    } else {
      programmes[program.service_id].pmt_pid = program.pmt_pid;
    }
  }
  for (auto& [service_id, programme] : tables.programmes) forget(tables, programme.sections);
  tables.programmes = std::move(programmes);
}

SectionOutcome add_pat(SiTables& tables, const SectionHeader& header, wire::Bytes section) {
  const bool other_multiplex =
      !tables.pat_sections.empty() && tables.pat.transport_stream_id != header.table_id_extension;
  if (other_multiplex) {
    // The transport stream itself has changed (a spliced capture): nothing of the old one is valid.
    SiTables fresh;
    fresh.services_revision = tables.services_revision + 1;
    fresh.streams_revision = tables.streams_revision + 1;
    fresh.bouquets_revision = tables.bouquets_revision + 1;
    fresh.guide_revision = tables.guide_revision + 1;
    tables = std::move(fresh);
  }
  const SectionOutcome outcome = collect(tables, tables.pat_sections, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  tables.pat = tables.pat_sections.table<Pat>();
  follow_pat(tables);
  ++tables.services_revision;
  return outcome;
}

SectionOutcome add_pmt(SiTables& tables, const SectionHeader& header, wire::Bytes section, std::uint16_t pid) {
  const auto found = tables.programmes.find(header.table_id_extension);
  // Programmes may share a PMT PID. A PMT is refused if the PAT places it on another PID.
  if (found == tables.programmes.end() || found->second.pmt_pid != pid) return SectionOutcome::refused;
  SiTables::Programme& programme = found->second;
  const SectionOutcome outcome = collect(tables, programme.sections, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  programme.pmt = programme.sections.table<Pmt>();
  programme.ca_system_ids = read_ca_system_ids(programme.pmt.descriptors);
  programme.streams.clear();
  for (const Pmt::Stream& stream : programme.pmt.streams) {
    programme.streams.push_back(describe_stream(stream));
    for (const std::uint16_t id : programme.streams.back().ca_system_ids) {
      auto& all = programme.ca_system_ids;
      if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
    }
  }
  ++tables.services_revision;
  return outcome;
}

SectionOutcome add_services(SiTables& tables, SiTables::Services& services, const SectionHeader& header,
                            wire::Bytes section, std::uint64_t& revision) {
  const SectionOutcome outcome = collect(tables, services.sections, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  services.sdt = services.sections.table<Sdt>();
  services.descriptions.clear();
  for (const Sdt::Service& service : services.sdt.services) {
    services.descriptions.push_back(describe_service(service.descriptors));
  }
  ++revision;
  return outcome;
}

SectionOutcome add_sdt(SiTables& tables, const SectionHeader& header, wire::Bytes section) {
  Sdt one;
  if (!append_section(section, one)) return SectionOutcome::refused;
  if (one.actual) {
    SiTables::Services& services = tables.sdt_actual;
    const bool other_key = !services.sections.empty() && (services.sdt.transport_stream_id != one.transport_stream_id ||
                                                          services.sdt.original_network_id != one.original_network_id);
    if (other_key) {
      forget(tables, services.sections);
      services = {};
    }
    return add_services(tables, services, header, section, tables.services_revision);
  }
  SiTables::Services* services = entry_of(tables.sdt_other, {one.original_network_id, one.transport_stream_id});
  if (services == nullptr) return SectionOutcome::refused;
  return add_services(tables, *services, header, section, tables.streams_revision);
}

SectionOutcome add_nit(SiTables& tables, const SectionHeader& header, wire::Bytes section) {
  SiTables::NetworkTable* network =
      entry_of(tables.networks, {header.table_id == table_id::kNitOther, header.table_id_extension});
  if (network == nullptr) return SectionOutcome::refused;
  const SectionOutcome outcome = collect(tables, network->sections, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  network->nit = network->sections.table<Nit>();
  ++tables.streams_revision;
  ++tables.services_revision;  // channel numbers, service types
  return outcome;
}

SectionOutcome add_bat(SiTables& tables, const SectionHeader& header, wire::Bytes section) {
  SiTables::BouquetTable* bouquet = entry_of(tables.bouquets, header.table_id_extension);
  if (bouquet == nullptr) return SectionOutcome::refused;
  const SectionOutcome outcome = collect(tables, bouquet->sections, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  bouquet->bat = bouquet->sections.table<Bat>();
  ++tables.bouquets_revision;
  return outcome;
}

SectionOutcome add_tot(SiTables& tables, wire::Bytes section) {
  auto tot = read_tot(section);
  if (!tot) return SectionOutcome::refused;
  // Some senders move the time of the next change along with the clock: that alone is no change.
  const bool same = std::ranges::equal(tot->offsets, tables.local_time_offsets, [](const auto& a, const auto& b) {
    return a.country == b.country && a.region_id == b.region_id && a.offset_minutes == b.offset_minutes;
  });
  tables.local_time_offsets = std::move(tot->offsets);
  return same ? SectionOutcome::repeated : SectionOutcome::changed;
}

}  // namespace

SectionOutcome add_section(SiTables& tables, wire::Bytes section, std::uint16_t pid) {
  if (section.empty()) return SectionOutcome::refused;
  if (section[0] == table_id::kTot && pid == pid::kTdtTot) return add_tot(tables, section);
  const auto header = read_section_header(section);
  if (!header) return SectionOutcome::refused;
  if (!header->current) return SectionOutcome::repeated;  // not yet valid
  switch (header->table_id) {
    case table_id::kPat:
      return pid == pid::kPat ? add_pat(tables, *header, section) : SectionOutcome::refused;
    case table_id::kPmt:
      return add_pmt(tables, *header, section, pid);
    case table_id::kNitActual:
    case table_id::kNitOther:
      return pid == pid::kNit ? add_nit(tables, *header, section) : SectionOutcome::refused;
    case table_id::kSdtActual:
    case table_id::kSdtOther:
      return pid == pid::kSdtBat ? add_sdt(tables, *header, section) : SectionOutcome::refused;
    case table_id::kBat:
      return pid == pid::kSdtBat ? add_bat(tables, *header, section) : SectionOutcome::refused;
    default:
      return SectionOutcome::refused;
  }
}

SectionOutcome add_guide_service(SiTables& tables, const EitSectionHeader& header) {
  SectionOutcome outcome = SectionOutcome::repeated;
  if (header.actual() && !tables.eit_actual) {
    tables.eit_actual = {header.original_network_id, header.transport_stream_id};
    ++tables.services_revision;
    outcome = SectionOutcome::changed;
  }
  const auto found = tables.guide_services.find(header.triplet());
  if (found == tables.guide_services.end()) {
    if (tables.guide_services.size() >= SiTables::kMaximumGuideServices) return SectionOutcome::refused;
    tables.guide_services.emplace(header.triplet(), header.actual());
  } else if (header.actual() && !found->second) {
    found->second = true;
  } else {
    return outcome;
  }
  ++tables.guide_revision;
  return SectionOutcome::changed;
}

SectionOutcome add_sub_services(SiTables& tables, const EitSectionHeader& header, wire::Bytes section) {
  const bool present = header.present_following() && header.section.section_number == 0;
  if (!present || !header.actual()) return SectionOutcome::repeated;
  std::vector<SubService> services = read_sub_services(section);
  const auto before = tables.sub_services.find(header.service_id());
  if (before == tables.sub_services.end()) {
    if (services.empty()) return SectionOutcome::repeated;
    if (tables.sub_services.size() >= SiTables::kMaximumProgrammes) return SectionOutcome::refused;
    tables.sub_services.emplace(header.service_id(), std::move(services));
  } else if (services.empty()) {
    tables.sub_services.erase(before);
  } else if (before->second == services) {
    return SectionOutcome::repeated;
  } else {
    before->second = std::move(services);
  }
  ++tables.services_revision;
  return SectionOutcome::changed;
}

}  // namespace receiverd::dvb
