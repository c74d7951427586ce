#include "dvb/si/si_tables.h"

#include <algorithm>
#include <utility>

#include "dvb/si/delivery_system.h"
#include "epg/arib/arib_logo.h"
#include "epg/atsc/multiple_string.h"

namespace receiverd::dvb {
namespace {

/// Adds a section to its table, and decodes the table again if it has changed. Refuses sections beyond kMaxBytes.
template <typename Table>
SectionOutcome collect(SiTables& tables, Collected<Table>& collected, const SectionHeader& header,
                       wire::Bytes section) {
  if (tables.bytes + section.size() > SiTables::kMaxBytes) return SectionOutcome::refused;
  tables.bytes -= collected.sections.bytes();
  const bool changed = collected.sections.add(header, section);
  tables.bytes += collected.sections.bytes();
  if (!changed) return SectionOutcome::repeated;
  collected.table = {};
  collected.sections.each([&](wire::Bytes one) { append_section(one, collected.table); });
  return SectionOutcome::changed;
}

/// Returns the entry of `key`, which is created if it is missing; null if there are kMaxSubTables others.
template <typename Map>
typename Map::mapped_type* entry_of(Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  if (found != map.end()) return &found->second;
  if (map.size() >= SiTables::kMaxSubTables) return nullptr;
  return &map[key];
}

void describe(SiTables::Services& services, const epg::SiRules& rules) {
  services.descriptions.clear();
  for (const Sdt::Service& service : services.table.services) {
    services.descriptions.push_back(describe_service(service.descriptors, rules));
  }
}

/// Describes everything again if the multiplex turns out to follow other rules.
void apply_rules(SiTables& tables, const epg::SiRules& rules) {
  if (!rules.arib || tables.rules.arib) return;
  tables.rules = rules;
  describe(tables.sdt_actual, rules);
  for (auto& [key, services] : tables.sdt_other) describe(services, rules);
  ++tables.streams_revision;
  ++tables.bouquets_revision;
}

/// Keeps the PMTs of programs whose PMT PID is unchanged, and drops the others.
void follow_pat(SiTables& tables) {
  std::map<std::uint16_t, SiTables::Program> programs;
  for (const Pat::Program& program : tables.pat.table.programs) {
    if (programs.size() >= SiTables::kMaxPrograms) break;
    if (programs.contains(program.service_id)) continue;
    const auto before = tables.programs.find(program.service_id);
    if (before != tables.programs.end() && before->second.pmt_pid == program.pmt_pid) {
      programs.insert(tables.programs.extract(before));
    } else {
      programs[program.service_id].pmt_pid = program.pmt_pid;
    }
  }
  for (const auto& [service_id, program] : tables.programs) tables.bytes -= program.sections.bytes();
  tables.programs = std::move(programs);
}

SectionOutcome add_pat(SiTables& tables, const SectionHeader& header, wire::Bytes section) {
  if (!tables.pat.sections.empty() && tables.pat.table.transport_stream_id != header.table_id_extension) {
    // The transport stream itself has changed (a spliced capture): nothing of the old one is valid.
    SiTables fresh;
    fresh.streams_revision = tables.streams_revision + 1;
    fresh.bouquets_revision = tables.bouquets_revision + 1;
    fresh.guide_revision = tables.guide_revision + 1;
    tables = std::move(fresh);
  }
  const SectionOutcome outcome = collect(tables, tables.pat, header, section);
  if (outcome == SectionOutcome::changed) follow_pat(tables);
  return outcome;
}

SectionOutcome add_pmt(SiTables& tables, const SectionHeader& header, wire::Bytes section, std::uint16_t pid) {
  const auto found = tables.programs.find(header.table_id_extension);
  // Programs may share a PMT PID. A PMT is refused if the PAT assigns it another PID.
  if (found == tables.programs.end() || found->second.pmt_pid != pid) return SectionOutcome::refused;
  SiTables::Program& program = found->second;
  const SectionOutcome outcome = collect(tables, program, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  program.ca_system_ids = read_ca_system_ids(program.table.descriptors);
  program.streams.clear();
  for (const Pmt::Stream& stream : program.table.streams) {
    program.streams.push_back(describe_stream(stream));
    for (const std::uint16_t id : program.streams.back().ca_system_ids) {
      auto& all = program.ca_system_ids;
      if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
    }
  }
  return outcome;
}

SectionOutcome add_sdt(SiTables& tables, const SectionHeader& header, wire::Bytes section) {
  Sdt one;
  if (!append_section(section, one)) return SectionOutcome::refused;
  SiTables::Services* services = &tables.sdt_actual;
  if (!one.actual) {
    services = entry_of(tables.sdt_other, {one.original_network_id, one.transport_stream_id});
    if (services == nullptr) return SectionOutcome::refused;
  } else if (!services->sections.empty() && (services->table.transport_stream_id != one.transport_stream_id ||
                                             services->table.original_network_id != one.original_network_id)) {
    tables.bytes -= services->sections.bytes();
    *services = {};
  }
  const SectionOutcome outcome = collect(tables, *services, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  if (one.actual) apply_rules(tables, epg::rules_of_network(one.original_network_id));
  describe(*services, tables.rules);
  if (!one.actual) ++tables.streams_revision;
  return outcome;
}

/// Refuses the VCT of another transport stream than the PAT's.
SectionOutcome add_vct(SiTables& tables, Collected<Vct>& vct, const SectionHeader& header, wire::Bytes section,
                       std::uint16_t pid) {
  const bool has_pat = !tables.pat.sections.empty();
  const bool is_other = has_pat && header.table_id_extension != tables.pat.table.transport_stream_id;
  return pid == pid::kPsip && !is_other ? collect(tables, vct, header, section) : SectionOutcome::refused;
}

/// Adds a section of a NIT or BAT to its table in `map`, and increments `revision` if the table has changed.
template <typename Map>
SectionOutcome add_network(SiTables& tables, Map& map, const typename Map::key_type& key, const SectionHeader& header,
                           wire::Bytes section, std::uint64_t& revision) {
  Collected<NetworkTable>* const network = entry_of(map, key);
  if (network == nullptr) return SectionOutcome::refused;
  const SectionOutcome outcome = collect(tables, *network, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  ++revision;
  if (header.table_id == table_id::kNitActual) {
    const NetworkTable& nit = network->table;
    apply_rules(tables, epg::rules_of_nit(nit.descriptors, nit.id));
    for (const NetworkTable::Entry& entry : nit.transport_streams) {
      apply_rules(tables, epg::rules_of_nit(entry.descriptors, entry.original_network_id));
    }
  }
  return outcome;
}

/// The broadcasters of the services of this network.
SectionOutcome add_bit(SiTables& tables, const SectionHeader& header, wire::Bytes section) {
  const SectionOutcome outcome = collect(tables, tables.bit, header, section);
  if (outcome != SectionOutcome::changed) return outcome;
  tables.providers.clear();
  for (const Bit::Broadcaster& broadcaster : tables.bit.table.broadcasters) {
    const std::string name = read_broadcaster_name(broadcaster.descriptors, tables.rules);
    if (name.empty()) continue;
    for (const ServiceListEntry& service : read_service_list(broadcaster.descriptors)) {
      if (tables.providers.size() < SiTables::kMaxPrograms) tables.providers.emplace(service.service_id, name);
    }
  }
  ++tables.streams_revision;
  return outcome;
}

SectionOutcome add_logo(SiTables& tables, wire::Bytes section) {
  const auto logo = epg::read_logo(section_body(section));
  if (!logo) return SectionOutcome::repeated;  // other common data
  const auto known = tables.logos.find(logo->id);
  if (known == tables.logos.end() && tables.logos.size() >= SiTables::kMaxLogos) return SectionOutcome::refused;
  if (known != tables.logos.end()) {
    const bool newer = logo->version != known->second.version;
    if (logo->type < known->second.type || (logo->type == known->second.type && !newer))
      return SectionOutcome::repeated;
  }
  if (!epg::is_logo_picture(logo->png)) return SectionOutcome::refused;
  tables.logos[logo->id] = {logo->type, logo->version, std::make_shared<const std::string>(wire::text_of(logo->png))};
  return SectionOutcome::changed;
}

}  // namespace

bool SubTable::Edition::matches(const SectionHeader& header) const {
  return received > 0 && version == header.version && sections.size() == header.last_section_number + 1U;
}

bool SubTable::Edition::put(const SectionHeader& header, wire::Bytes section) {
  if (!matches(header)) {
    *this = {};
    version = header.version;
    sections.resize(header.last_section_number + 1U);
  }
  Section& place = sections[header.section_number];
  if (place.size() == section.size() && section_crc(place) == section_crc(section)) return false;
  if (place.empty()) ++received;
  bytes += section.size() - place.size();
  place.assign(section.begin(), section.end());
  return true;
}

bool SubTable::add(const SectionHeader& header, wire::Bytes section) {
  // If a sender changes a section without changing its version, the latest content is used.
  if (!complete() || shown_.matches(header)) return shown_.put(header, section);
  next_.put(header, section);
  if (next_.received < next_.sections.size()) return false;
  shown_ = std::exchange(next_, {});
  return true;
}

SectionOutcome add_section(SiTables& tables, wire::Bytes section, std::uint16_t pid) {
  if (section.empty()) return SectionOutcome::refused;
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
      if (pid != pid::kNit) return SectionOutcome::refused;
      return add_network(tables, tables.networks, {header->table_id, header->table_id_extension}, *header, section,
                         tables.streams_revision);
    case table_id::kSdtActual:
    case table_id::kSdtOther:
      return pid == pid::kSdtBat ? add_sdt(tables, *header, section) : SectionOutcome::refused;
    case table_id::kBat:
      if (pid != pid::kSdtBat) return SectionOutcome::refused;
      return add_network(tables, tables.bouquets, header->table_id_extension, *header, section,
                         tables.bouquets_revision);
    case table_id::kBit:
      return pid == pid::kBit && tables.rules.arib ? add_bit(tables, *header, section) : SectionOutcome::refused;
    case table_id::kMgt:
      return pid == pid::kPsip ? collect(tables, tables.mgt, *header, section) : SectionOutcome::refused;
    case table_id::kTvct:
      static_assert(table_id::kTvct == table_id::kCdt);
      if (pid == pid::kCdt && tables.rules.arib) return add_logo(tables, section);
      return add_vct(tables, tables.tvct, *header, section, pid);
    case table_id::kCvct:
      return add_vct(tables, tables.cvct, *header, section, pid);
    default:
      return SectionOutcome::refused;
  }
}

SectionOutcome add_guide_service(SiTables& tables, const EitSectionHeader& header) {
  SectionOutcome outcome = SectionOutcome::repeated;
  if (header.is_actual() && !tables.eit_actual) {
    tables.eit_actual = {header.original_network_id, header.transport_stream_id};
    outcome = SectionOutcome::changed;
  }
  const auto found = tables.guide_services.find(header.triplet());
  if (found == tables.guide_services.end()) {
    if (tables.guide_services.size() >= SiTables::kMaxGuideServices) return SectionOutcome::refused;
    tables.guide_services.emplace(header.triplet(), header.is_actual());
  } else if (header.is_actual() && !found->second) {
    found->second = true;
  } else {
    return outcome;
  }
  ++tables.guide_revision;
  return SectionOutcome::changed;
}

SectionOutcome add_channel_text(SiTables& tables, wire::Bytes section) {
  const auto sent = read_channel_text(section);
  if (!sent) return SectionOutcome::refused;
  auto known = tables.channel_texts.find(sent->source_id);
  if (known == tables.channel_texts.end()) {
    if (tables.channel_texts.size() >= SiTables::kMaxChannelTexts) return SectionOutcome::refused;
    known = tables.channel_texts.emplace(sent->source_id, nullptr).first;
  }
  std::string text = epg::decode_multiple_string(sent->text);
  if (known->second != nullptr && *known->second == text) return SectionOutcome::repeated;
  known->second = std::make_shared<const std::string>(std::move(text));
  return SectionOutcome::changed;
}

SectionOutcome add_sub_services(SiTables& tables, const EitSectionHeader& header, wire::Bytes section) {
  const bool present = header.is_present_following() && header.section.section_number == 0;
  if (!present || !header.is_actual()) return SectionOutcome::repeated;
  std::vector<SubService> services = read_sub_services(section);
  const auto before = tables.sub_services.find(header.service_id());
  if (before == tables.sub_services.end()) {
    if (services.empty()) return SectionOutcome::repeated;
    if (tables.sub_services.size() >= SiTables::kMaxPrograms) return SectionOutcome::refused;
    tables.sub_services.emplace(header.service_id(), std::move(services));
  } else if (services.empty()) {
    tables.sub_services.erase(before);
  } else if (before->second == services) {
    return SectionOutcome::repeated;
  } else {
    before->second = std::move(services);
  }
  return SectionOutcome::changed;
}

}  // namespace receiverd::dvb
