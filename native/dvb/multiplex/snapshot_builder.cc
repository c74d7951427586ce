#include "dvb/multiplex/snapshot_builder.h"

#include <algorithm>
#include <utility>

namespace receiverd::dvb {
namespace {

constexpr std::uint8_t kDigitalTelevision = 0x01;
constexpr std::uint8_t kDigitalRadio = 0x02;

/// Guesses the service_type of a service that no table describes, from its streams.
std::uint8_t guess_type(const std::vector<ElementaryStream>& streams) {
  const auto has = [&](StreamKind kind) { return std::ranges::count(streams, kind, &ElementaryStream::kind) != 0; };
  if (has(StreamKind::video)) return kDigitalTelevision;
  return has(StreamKind::audio) ? kDigitalRadio : 0;
}

/// Visits the channels of the terrestrial VCT, then of that for cable.
template <typename Visit>
void each_channel(const SiTables& tables, Visit visit) {
  for (const Vct::Channel& channel : tables.tvct.table.channels) visit(channel);
  for (const Vct::Channel& channel : tables.cvct.table.channels) visit(channel);
}

}  // namespace

MultiplexSnapshot SnapshotBuilder::build(const SiTables& tables) {
  if (streams_revision_ != tables.streams_revision) build_streams(tables);
  if (bouquets_revision_ != tables.bouquets_revision) build_bouquets(tables);
  if (guide_revision_ != tables.guide_revision) {
    guide_services_.clear();
    for (const auto& [triplet, actual] : tables.guide_services) guide_services_.push_back({triplet, actual});
  }
  streams_revision_ = tables.streams_revision;
  bouquets_revision_ = tables.bouquets_revision;
  guide_revision_ = tables.guide_revision;

  MultiplexSnapshot snapshot;
  build_services(tables, build_ids(tables, snapshot), snapshot);
  for (Service& service : snapshot.services) {
    if (service.logical_channel_number != 0 || service.simulcast_channel_number != 0) continue;
    const auto channel = bouquet_channels_.find(service.triplet);
    if (channel == bouquet_channels_.end()) continue;
    service.logical_channel_number = channel->second.number;
    service.simulcast_channel_number = channel->second.simulcast_number;
  }
  const TransportStreamKey own{snapshot.original_network_id.value_or(0), snapshot.transport_stream_id.value_or(0)};
  for (const auto& [key, services] : other_services_) {
    if (key != own) snapshot.other_services.push_back(services);
  }
  add_other_channels(tables, snapshot);
  snapshot.transport_streams = transport_streams_;
  snapshot.bouquets = bouquets_;
  snapshot.guide_services = guide_services_;
  return snapshot;
}

void SnapshotBuilder::build_streams(const SiTables& tables) {
  networks_.clear();
  nit_entries_.clear();
  for (const auto& [key, table] : tables.networks) {
    const NetworkTable& nit = table.table;
    if (nit.table_id == table_id::kNitActual)
      networks_.push_back({nit.id, read_network_name(nit.descriptors, tables.rules)});
    const std::string network_authority = read_default_authority(nit.descriptors);
    for (const NetworkTable::Entry& entry : nit.transport_streams) {
      // Actual networks come first: their entry for a stream takes precedence.
      const auto [place, is_new] = nit_entries_.try_emplace({entry.original_network_id, entry.transport_stream_id});
      if (!is_new) continue;
      NitEntry& nit_entry = place->second;
      nit_entry.stream = {entry.original_network_id, entry.transport_stream_id, nit.id,
                          find_delivery_system(entry.descriptors, tables.rules.arib)};
      if (tables.rules.arib) nit_entry.arib = epg::read_arib_stream(entry.descriptors, tables.rules);
      for (const LogicalChannel& channel : read_logical_channels(entry.descriptors)) {
        nit_entry.channels.emplace(channel.service_id, channel);
      }
      for (const ServiceListEntry& service : read_service_list(entry.descriptors)) {
        nit_entry.types.emplace(service.service_id, service.service_type);
      }
      nit_entry.default_authority = read_default_authority(entry.descriptors);
      if (nit_entry.default_authority.empty()) nit_entry.default_authority = network_authority;
    }
  }

  auto before = std::exchange(other_services_, {});
  for (const auto& [key, table] : tables.sdt_other) {
    const auto nit_entry = nit_entries_.find(key);
    std::vector<Service> services;
    for (std::size_t i = 0; i < table.table.services.size(); ++i) {
      Service service;
      service.triplet = {key.first, key.second, table.table.services[i].service_id};
      describe(service, table.table.services[i], table.descriptions[i]);
      const NitEntry* const listed = nit_entry != nit_entries_.end() ? &nit_entry->second : nullptr;
      add_nit_data(service, listed);
      add_arib_data(tables, service, listed);
      services.push_back(std::move(service));
    }
    std::ranges::sort(services, {}, &Service::triplet);
    auto& place = other_services_[key];
    place = std::move(before[key]);
    if (!place || *place != services) place = std::make_shared<const std::vector<Service>>(std::move(services));
  }

  std::map<TransportStreamKey, TransportStream> streams;
  for (const auto& [key, nit_entry] : nit_entries_) streams.emplace(key, nit_entry.stream);
  for (const auto& [key, table] : tables.sdt_other) {
    streams.try_emplace(key, TransportStream{key.first, key.second, 0, std::nullopt});
  }
  transport_streams_.clear();
  for (const auto& [key, stream] : streams) transport_streams_.push_back(stream);
}

/// Returns the NIT data of this multiplex, or null.
const SnapshotBuilder::NitEntry* SnapshotBuilder::build_ids(const SiTables& tables, MultiplexSnapshot& snapshot) const {
  const bool has_sdt = !tables.sdt_actual.sections.empty();
  if (!tables.pat.sections.empty()) {
    snapshot.transport_stream_id = tables.pat.table.transport_stream_id;
  } else if (has_sdt) {
    snapshot.transport_stream_id = tables.sdt_actual.table.transport_stream_id;
  } else if (tables.eit_actual) {
    snapshot.transport_stream_id = tables.eit_actual->second;
  }
  if (has_sdt) snapshot.original_network_id = tables.sdt_actual.table.original_network_id;
  const NitEntry* nit_entry = find_nit_entry(snapshot);
  if (!snapshot.original_network_id && nit_entry != nullptr) {
    snapshot.original_network_id = nit_entry->stream.original_network_id;
  }
  for (const Network& network : networks_) {
    const bool lists_us = nit_entry != nullptr && nit_entry->stream.network_id == network.network_id;
    if (!snapshot.network || lists_us) snapshot.network = network;
  }
  if (!snapshot.original_network_id && tables.eit_actual) {
    snapshot.original_network_id = tables.eit_actual->first;
    nit_entry = find_nit_entry(snapshot);
  }
  return nit_entry;
}

void SnapshotBuilder::build_services(const SiTables& tables, const NitEntry* nit_entry, MultiplexSnapshot& snapshot) {
  std::map<std::uint16_t, Service> services;
  const Sdt& sdt = tables.sdt_actual.table;
  for (std::size_t i = 0; i < sdt.services.size(); ++i) {
    describe(services[sdt.services[i].service_id], sdt.services[i], tables.sdt_actual.descriptions[i]);
  }
  snapshot.has_pat = tables.pat.sections.complete();
  each_channel(tables, [&](const Vct::Channel& channel) {
    const bool is_here = channel.transport_stream_id == snapshot.transport_stream_id &&
                         (!snapshot.has_pat || tables.programs.contains(channel.program_number));
    if (!is_here) return;
    if (Service& service = services[channel.program_number]; !service.in_sdt) describe(service, channel);
  });
  snapshot.complete = snapshot.has_pat && (tables.sdt_actual.sections.complete() || tables.tvct.sections.complete() ||
                                           tables.cvct.sections.complete());
  for (const auto& [service_id, program] : tables.programs) {
    Service& service = services[service_id];
    service.pmt_pid = program.pmt_pid;
    service.pcr_pid = program.table.pcr_pid;
    service.streams = program.streams;
    service.ca_system_ids = program.ca_system_ids;
    if (program.sections.empty()) snapshot.complete = false;
  }

  std::size_t logos = 0;
  snapshot.services.reserve(services.size());
  for (auto& [service_id, service] : services) {
    service.triplet = {snapshot.original_network_id.value_or(0), snapshot.transport_stream_id.value_or(0), service_id};
    add_nit_data(service, nit_entry);
    add_arib_data(tables, service, nit_entry);
    const auto logo = tables.logos.find(service.logo_id.value_or(~std::uint16_t{0}));
    if (logo != tables.logos.end() && logos++ < SiTables::kMaxLogos) service.logo = logo->second.picture;
    if (const auto text = tables.channel_texts.find(service.source_id); text != tables.channel_texts.end()) {
      service.text = text->second;
    }
    if (const auto linked = tables.sub_services.find(service_id); linked != tables.sub_services.end()) {
      service.sub_services = linked->second;
    }
    // In Japan, free_CA_mode is 0 for free services, which are scrambled all the same.
    if (!service.in_sdt || tables.rules.arib) service.scrambled |= !service.ca_system_ids.empty();
    if (service.type == 0) service.type = guess_type(service.streams);
    snapshot.services.push_back(std::move(service));
  }
}

void SnapshotBuilder::build_bouquets(const SiTables& tables) {
  bouquets_.clear();
  bouquet_channels_.clear();
  for (const auto& [bouquet_id, table] : tables.bouquets) {
    Bouquet bouquet{bouquet_id, read_bouquet_name(table.table.descriptors, tables.rules), {}};
    for (const NetworkTable::Entry& entry : table.table.transport_streams) {
      for (const ServiceListEntry& service : read_service_list(entry.descriptors)) {
        bouquet.services.push_back({entry.original_network_id, entry.transport_stream_id, service.service_id});
      }
      for (const LogicalChannel& channel : read_logical_channels(entry.descriptors)) {
        bouquet_channels_.try_emplace({entry.original_network_id, entry.transport_stream_id, channel.service_id},
                                      channel);
      }
    }
    bouquets_.push_back(std::move(bouquet));
  }
}

/// Finds the stream by both ids if they are known, otherwise the only one with that transport_stream_id.
const SnapshotBuilder::NitEntry* SnapshotBuilder::find_nit_entry(const MultiplexSnapshot& ids) const {
  if (!ids.transport_stream_id) return nullptr;
  if (ids.original_network_id) {
    const auto found = nit_entries_.find({*ids.original_network_id, *ids.transport_stream_id});
    return found != nit_entries_.end() ? &found->second : nullptr;
  }
  const NitEntry* only = nullptr;
  for (const auto& [key, nit_entry] : nit_entries_) {
    if (key.second != *ids.transport_stream_id) continue;
    if (only != nullptr) return nullptr;
    only = &nit_entry;
  }
  return only;
}

void SnapshotBuilder::describe(Service& service, const Sdt::Service& entry, const ServiceDescription& description) {
  service.in_sdt = true;
  static_cast<ServiceDescription&>(service) = description;
  service.running_status = entry.running_status;
  service.scrambled = entry.free_ca_mode;
  service.eit_present_following = entry.eit_present_following;
  service.eit_schedule = entry.eit_schedule;
}

void SnapshotBuilder::describe(Service& service, const Vct::Channel& channel) {
  service.in_sdt = true;
  service.name = channel.name;
  service.type = channel.service_type;
  service.scrambled = channel.access_controlled;
  service.visible = !channel.hidden;
  service.eit_schedule = channel.source_id != 0;
  service.logical_channel_number = channel.major_number;
  service.minor_channel_number = channel.minor_number;
  service.source_id = channel.source_id;
}

/// Services of the VCT that another transport stream carries.
void SnapshotBuilder::add_other_channels(const SiTables& tables, MultiplexSnapshot& snapshot) {
  std::map<DvbTriplet, Service> others;
  each_channel(tables, [&](const Vct::Channel& channel) {
    if (channel.transport_stream_id == snapshot.transport_stream_id) return;
    const DvbTriplet triplet{snapshot.original_network_id.value_or(0), channel.transport_stream_id,
                             channel.program_number};
    const auto [place, is_new] = others.try_emplace(triplet);
    if (!is_new) return;
    place->second.triplet = triplet;
    describe(place->second, channel);
  });
  if (others.empty()) return;
  std::vector<Service> services;
  services.reserve(others.size());
  for (auto& [triplet, service] : others) services.push_back(std::move(service));
  snapshot.other_services.push_back(std::make_shared<const std::vector<Service>>(std::move(services)));
}

void SnapshotBuilder::add_nit_data(Service& service, const NitEntry* nit_entry) {
  if (nit_entry == nullptr) return;
  const std::uint16_t service_id = service.triplet.service_id;
  if (const auto channel = nit_entry->channels.find(service_id); channel != nit_entry->channels.end()) {
    service.logical_channel_number = channel->second.number;
    service.simulcast_channel_number = channel->second.simulcast_number;
    service.visible = channel->second.visible;
  }
  if (const auto type = nit_entry->types.find(service_id); service.type == 0 && type != nit_entry->types.end()) {
    service.type = type->second;
  }
  if (service.default_authority.empty()) service.default_authority = nit_entry->default_authority;
}

void SnapshotBuilder::add_arib_data(const SiTables& tables, Service& service, const NitEntry* nit_entry) {
  if (!tables.rules.arib) return;
  const epg::AribStream none;
  const epg::AribStream& stream = nit_entry != nullptr ? nit_entry->arib : none;
  const std::uint16_t service_id = service.triplet.service_id;
  const auto number = epg::arib_channel_number(service.triplet, stream.remote_control_key, tables.rules);
  service.logical_channel_number = number.major;
  service.minor_channel_number = number.minor;
  service.one_seg = std::ranges::count(stream.partial_reception, service_id) != 0;
  if (service.one_seg) service.visible = false;  // the same programme, in the size of a telephone
  if (!service.provider.empty()) return;
  const auto broadcaster = tables.providers.find(service_id);
  service.provider = broadcaster != tables.providers.end() ? broadcaster->second : stream.name;
}

}  // namespace receiverd::dvb
