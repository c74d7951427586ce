#include "demo/service_tables.h"

#include "demo/text_coding.h"
#include "dvb/si/descriptor_writer.h"
#include "dvb/si/tables.h"

namespace receiverd::demo {

using namespace dvb;

namespace {

constexpr std::uint8_t kDefaultAuthority = 0x73;
constexpr std::uint32_t kEacem = 0x28;

struct OtherService {
  std::uint16_t service_id;
  std::uint16_t channel;
  std::uint8_t type;
  std::string_view name;
  std::string_view provider;
};

constexpr OtherService kOtherServices[] = {
    {0x0D31, 11, service_type::kTelevision, "Aldermoor Two", "Aldermoor Television"},
    {0x0D32, 12, service_type::kTelevision, "Talblick Plus", "Talblick Medien Süd"}};

/// 8 MHz, 64-QAM, 3/4, 1/8, 8k in the UHF band.
DeliverySystem channel(std::uint64_t frequency) {
  DeliverySystem system;
  system.kind = DeliverySystem::Kind::dvb_t;
  system.frequency = frequency;
  system.modulation = 2;
  system.code_rate_hp = 2;
  system.guard_interval = 2;
  system.transmission_mode = 1;
  return system;
}

/// The entry of a multiplex in NIT or BAT: its services, their channel numbers and, unless `frequency` is 0, the
/// delivery system.
template <class Services>
NetworkTable::Entry multiplex(std::uint16_t id, std::uint64_t frequency, const Services& services) {
  std::vector<ServiceListEntry> list;
  std::vector<LogicalChannel> channels;
  for (const auto& service : services) {
    list.push_back({service.service_id, service.type});
    channels.push_back({service.service_id, true, service.channel});
  }
  DescriptorWriter descriptors;
  if (frequency != 0) descriptors.terrestrial(channel(frequency));
  descriptors.service_list(list);
  descriptors.private_data_specifier(kEacem);
  descriptors.logical_channels(channels);
  return {id, kOriginalNetworkId, descriptors.take()};
}

/// Adds the descriptors of a stream in the PMT (EN 300 468 §6.2.42, annexes D and H).
void describe(const StreamEntry& stream, DescriptorWriter& descriptors) {
  const std::uint8_t aac[] = {0x51};                         // AAC profile, level 2
  const std::uint8_t ac3[] = {0x80, stream.component_type};  // component_type_flag
  switch (stream.coding) {
    case Coding::aac:
      descriptors.language(stream.language);
      descriptors.add(0x7C, aac);
      break;
    case Coding::ac3:
      descriptors.language(stream.language);
      descriptors.add(0x6A, ac3);
      break;
    case Coding::mp2:
      descriptors.language(stream.language);
      break;
    case Coding::subtitles: {
      Section body;
      epg::put_code(body, stream.language);
      body.insert(body.end(), {stream.component_type, 0, 1, 0, 1});  // composition and ancillary page
      descriptors.add(0x59, body);
      break;
    }
    case Coding::h264:
    case Coding::hevc:
      break;
  }
}

}  // namespace

std::vector<Section> pat_sections() {
  Pat pat;
  pat.transport_stream_id = kTransportStreamId;
  pat.network_pid = 0x0010;
  for (const LineupEntry& service : lineup()) pat.programs.push_back({service.service_id, service.pmt_pid});
  return write_sections(pat);
}

std::vector<Section> pmt_sections(const LineupEntry& service) {
  Pmt pmt;
  pmt.service_id = service.service_id;
  pmt.pcr_pid = service.pcr_pid();
  std::uint8_t tag = 1;
  for (const StreamEntry& stream : service.streams) {
    DescriptorWriter descriptors;
    describe(stream, descriptors);
    descriptors.stream_identifier(tag++);
    pmt.streams.push_back({traits(stream.coding).stream_type, stream.pid, descriptors.take()});
  }
  return write_sections(pmt);
}

std::vector<Section> sdt_actual_sections() {
  Sdt sdt;
  sdt.transport_stream_id = kTransportStreamId;
  sdt.original_network_id = kOriginalNetworkId;
  for (const LineupEntry& service : lineup()) {
    DescriptorWriter descriptors;
    descriptors.service(service.type, code_text(service.table, service.provider),
                        code_text(service.table, service.name));
    descriptors.add(kDefaultAuthority, wire::bytes_of(kCridAuthority));
    sdt.services.push_back({service.service_id, true, true, RunningStatus::running, false, descriptors.take()});
  }
  return write_sections(sdt);
}

std::vector<Section> sdt_other_sections() {
  Sdt sdt;
  sdt.actual = false;
  sdt.transport_stream_id = kOtherTransportStreamId;
  sdt.original_network_id = kOriginalNetworkId;
  for (const OtherService& service : kOtherServices) {
    DescriptorWriter descriptors;
    descriptors.service(service.type, code_text(epg::CharacterTable::iso6937, service.provider),
                        code_text(epg::CharacterTable::iso6937, service.name));
    sdt.services.push_back({service.service_id, false, false, RunningStatus::running, false, descriptors.take()});
  }
  return write_sections(sdt);
}

std::vector<Section> nit_sections() {
  NetworkTable nit;
  nit.id = kNetworkId;
  DescriptorWriter descriptors;
  descriptors.network_name(wire::bytes_of(kNetworkName));
  nit.descriptors = descriptors.take();
  nit.transport_streams = {multiplex(kTransportStreamId, 474'000'000, lineup()),
                           multiplex(kOtherTransportStreamId, 482'000'000, kOtherServices)};
  return write_sections(nit);
}

std::vector<Section> bat_sections() {
  NetworkTable bat;
  bat.table_id = table_id::kBat;
  bat.id = kBouquetId;
  DescriptorWriter descriptors;
  descriptors.bouquet_name(wire::bytes_of(kBouquetName));
  bat.descriptors = descriptors.take();
  bat.transport_streams = {multiplex(kTransportStreamId, 0, lineup())};
  return write_sections(bat);
}

std::vector<Section> tdt_sections(std::int64_t unix_seconds) { return {write_tdt(unix_seconds)}; }

std::vector<Section> tot_sections(std::int64_t unix_seconds, const UtcOffset& utc_offset) {
  constexpr std::int64_t kDay = 86400;
  LocalTimeOffset local;
  local.country = "GBR";
  local.offset_minutes = utc_offset(unix_seconds) / 60;
  local.next_offset_minutes = local.offset_minutes;
  for (std::int64_t day = 1; day <= 366; ++day) {
    const std::int64_t then = unix_seconds + day * kDay;
    if (utc_offset(then) / 60 == local.offset_minutes) continue;
    std::int64_t before = then - kDay;
    std::int64_t after = then;
    while (after - before > 1) {  // finds the second of the change
      const std::int64_t middle = before + (after - before) / 2;
      (utc_offset(middle) / 60 == local.offset_minutes ? before : after) = middle;
    }
    local.change = after;
    local.next_offset_minutes = utc_offset(after) / 60;
    break;
  }
  return {write_tot(unix_seconds, local)};
}

}  // namespace receiverd::demo
