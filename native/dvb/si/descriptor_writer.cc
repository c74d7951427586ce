#include "dvb/si/descriptor_writer.h"

#include "dvb/si/descriptor_tags.h"

namespace receiverd::dvb {
namespace {

using epg::put_code;
using epg::put_text;

void put_u16(Section& body, std::uint16_t value) {
  body.push_back(static_cast<std::uint8_t>(value >> 8));
  body.push_back(static_cast<std::uint8_t>(value));
}

void put_u32(Section& body, std::uint32_t value) {
  put_u16(body, static_cast<std::uint16_t>(value >> 16));
  put_u16(body, static_cast<std::uint16_t>(value));
}

}  // namespace

bool DescriptorWriter::service(std::uint8_t service_type, wire::Bytes provider, wire::Bytes name) {
  Section body{service_type};
  put_text(body, provider);
  put_text(body, name);
  return add(tag::kService, body);
}

bool DescriptorWriter::service_list(std::span<const ServiceListEntry> services) {
  Section body;
  for (const ServiceListEntry& service : services) {
    put_u16(body, service.service_id);
    body.push_back(service.service_type);
  }
  return add(tag::kServiceList, body);
}

bool DescriptorWriter::private_data_specifier(std::uint32_t specifier) {
  Section body;
  put_u32(body, specifier);
  return add(tag::kPrivateDataSpecifier, body);
}

bool DescriptorWriter::logical_channels(std::span<const LogicalChannel> channels) {
  Section body;
  for (const LogicalChannel& channel : channels) {
    put_u16(body, channel.service_id);
    put_u16(body, static_cast<std::uint16_t>((channel.visible ? 0x8000 : 0) | 0x7C00 | (channel.number & 0x03FF)));
  }
  return add(tag::kLogicalChannel, body);
}

bool DescriptorWriter::terrestrial(const DeliverySystem& system) {
  Section body;
  put_u32(body, static_cast<std::uint32_t>(system.frequency / 10));
  body.push_back(static_cast<std::uint8_t>((system.bandwidth & 7) << 5 | 0x1F));
  body.push_back(static_cast<std::uint8_t>((system.modulation & 3) << 6 | (system.hierarchy & 7) << 3 |
                                           (system.code_rate_hp & 7)));
  body.push_back(static_cast<std::uint8_t>((system.code_rate_lp & 7) << 5 | (system.guard_interval & 3) << 3 |
                                           (system.transmission_mode & 3) << 1));
  put_u32(body, 0xFFFFFFFF);
  return add(tag::kTerrestrial, body);
}

bool DescriptorWriter::language(std::string_view code, std::uint8_t audio_type) {
  Section body;
  put_code(body, code);
  body.push_back(audio_type);
  return add(tag::kLanguage, body);
}

}  // namespace receiverd::dvb
