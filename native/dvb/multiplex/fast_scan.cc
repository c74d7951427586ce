#include "dvb/multiplex/fast_scan.h"

#include <map>
#include <utility>

#include "dvb/si/delivery_system.h"
#include "dvb/si/descriptor_tags.h"
#include "dvb/si/service_description.h"
#include "dvb/si/tables.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {
namespace {

/// Reads the logical channels of a descriptor loop. Unlike in a NIT, bits 13..0 are always the channel number, and bit
/// 14 hides the service.
void read_channels(wire::Bytes descriptors, std::map<std::uint16_t, LogicalChannel>& channels) {
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag != tag::kLogicalChannel) continue;
    for (wire::Cursor cursor(descriptor.body); cursor.left() >= 4;) {
      const std::uint16_t service_id = cursor.u16();
      const std::uint16_t value = cursor.u16();
      const bool visible = (value & 0x4000) == 0;
      channels.emplace(service_id, LogicalChannel{service_id, visible, static_cast<std::uint16_t>(value & 0x3FFF)});
    }
  }
}

/// False for the PIDs that stand for "none".
bool is_pid(std::uint16_t pid) { return pid != 0 && pid != kNullPid; }

Service listed_service(const FastScanServices::Service& entry) {
  Service service;
  static_cast<ServiceDescription&>(service) = describe_service(entry.descriptors);
  service.triplet = entry.triplet;
  service.in_sdt = true;
  service.scrambled = is_pid(entry.video_ecm_pid) || is_pid(entry.audio_ecm_pid);
  return service;
}

}  // namespace

bool FastScan::feed(wire::Bytes packets) {
  if (!complete()) demux_.feed(packets);
  return complete();
}

void FastScan::section(wire::Bytes section, std::uint16_t) {
  const auto header = read_section_header(section);
  if (!header || !header->current) return;
  const bool is_network = header->table_id == table_id::kFastScanNetwork;
  if (!is_network && header->table_id != table_id::kFastScanServices) return;
  if (operator_.value_or(header->table_id_extension) != header->table_id_extension) return;
  if (networks_.bytes() + services_.bytes() + section.size() > kMaxBytes) return;
  operator_ = header->table_id_extension;
  (is_network ? networks_ : services_).add(*header, section);
}

MultiplexSnapshot FastScan::result() const {
  MultiplexSnapshot result;
  if (!complete()) return result;
  NetworkTable table;
  networks_.each([&](wire::Bytes section) { append_section(section, table); });
  FastScanServices list;
  services_.each([&](wire::Bytes section) { append_section(section, list); });
  result.generation = 1;
  result.network = Network{table.id, read_network_name(table.descriptors)};
  std::map<TransportStreamKey, std::map<std::uint16_t, LogicalChannel>> channels;
  for (const NetworkTable::Entry& entry : table.transport_streams) {
    const TransportStreamKey key{entry.original_network_id, entry.transport_stream_id};
    read_channels(entry.descriptors, channels[key]);
    result.transport_streams.push_back({key.first, key.second, table.id, find_delivery_system(entry.descriptors)});
  }
  for (const FastScanServices::Service& entry : list.services) {
    Service service = listed_service(entry);
    const auto& numbers = channels[{entry.triplet.original_network_id, entry.triplet.transport_stream_id}];
    if (const auto found = numbers.find(entry.triplet.service_id); found != numbers.end()) {
      service.logical_channel_number = found->second.number;
      service.visible = found->second.visible;
    }
    result.services.push_back(std::move(service));
  }
  return result;
}

}  // namespace receiverd::dvb
