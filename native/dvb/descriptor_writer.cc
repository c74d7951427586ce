#include "dvb/descriptor_writer.h"

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

std::uint64_t to_bcd(std::uint64_t number, int digits) {
  std::uint64_t value = 0;
  for (int digit = 0; digit < digits; ++digit, number /= 10) value |= number % 10 << (4 * digit);
  return value;
}

Section satellite_body(const DeliverySystem& system) {
  Section body;
  put_u32(body, static_cast<std::uint32_t>(to_bcd(system.frequency / 10'000, 8)));
  const int position = system.orbital_position < 0 ? -system.orbital_position : system.orbital_position;
  put_u16(body, static_cast<std::uint16_t>(to_bcd(static_cast<std::uint64_t>(position), 4)));
  const bool s2 = system.kind == DeliverySystem::Kind::dvb_s2;
  body.push_back(static_cast<std::uint8_t>((system.orbital_position >= 0 ? 0x80 : 0) | (system.polarisation & 3) << 5 |
                                           (s2 ? (system.roll_off & 3) << 3 | 0x04 : 0) | (system.modulation & 3)));
  put_u32(body, static_cast<std::uint32_t>(to_bcd(system.symbol_rate / 100, 7) << 4 | (system.fec_inner & 0xFU)));
  return body;
}

Section s2_body(const DeliverySystem& system) {
  Section body;
  body.push_back(static_cast<std::uint8_t>(0x3F | (system.scrambling_sequence != 0 ? 0x80 : 0) |
                                           (system.input_stream >= 0 ? 0x40 : 0)));
  if (system.scrambling_sequence != 0) {
    body.push_back(static_cast<std::uint8_t>(0xFC | (system.scrambling_sequence >> 16 & 3)));
    put_u16(body, static_cast<std::uint16_t>(system.scrambling_sequence));
  }
  if (system.input_stream >= 0) body.push_back(static_cast<std::uint8_t>(system.input_stream));
  return body;
}

Section cable_body(const DeliverySystem& system) {
  Section body;
  put_u32(body, static_cast<std::uint32_t>(to_bcd(system.frequency / 100, 8)));
  put_u16(body, 0xFFF2);  // FEC_outer: Reed-Solomon (204,188)
  body.push_back(system.modulation);
  put_u32(body, static_cast<std::uint32_t>(to_bcd(system.symbol_rate / 100, 7) << 4 | (system.fec_inner & 0xFU)));
  return body;
}

Section terrestrial_body(const DeliverySystem& system) {
  Section body;
  put_u32(body, static_cast<std::uint32_t>(system.frequency / 10));
  body.push_back(static_cast<std::uint8_t>((system.bandwidth & 7) << 5 | 0x1F));
  body.push_back(static_cast<std::uint8_t>((system.modulation & 3) << 6 | (system.hierarchy & 7) << 3 |
                                           (system.code_rate_hp & 7)));
  body.push_back(static_cast<std::uint8_t>((system.code_rate_lp & 7) << 5 | (system.guard_interval & 3) << 3 |
                                           (system.transmission_mode & 3) << 1));
  put_u32(body, 0xFFFFFFFF);
  return body;
}

Section t2_body(const DeliverySystem& system) {
  Section body{0x04, static_cast<std::uint8_t>(system.input_stream)};
  put_u16(body, system.t2_system_id);
  body.push_back(static_cast<std::uint8_t>((system.bandwidth & 0xF) << 2 | 0x03));
  body.push_back(static_cast<std::uint8_t>((system.guard_interval & 7) << 5 | (system.transmission_mode & 7) << 2));
  if (system.frequency != 0) {
    put_u16(body, 0);  // cell_id
    put_u32(body, static_cast<std::uint32_t>(system.frequency / 10));
    body.push_back(0);  // no sub-cells
  }
  return body;
}

}  // namespace

bool DescriptorWriter::service(std::uint8_t service_type, wire::Bytes provider, wire::Bytes name) {
  Section body{service_type};
  put_text(body, provider);
  put_text(body, name);
  return add(0x48, body);
}

bool DescriptorWriter::service_list(std::span<const ServiceListEntry> services) {
  Section body;
  for (const ServiceListEntry& service : services) {
    put_u16(body, service.service_id);
    body.push_back(service.service_type);
  }
  return add(0x41, body);
}

bool DescriptorWriter::private_data_specifier(std::uint32_t specifier) {
  Section body;
  put_u32(body, specifier);
  return add(0x5F, body);
}

bool DescriptorWriter::logical_channels(std::span<const LogicalChannel> channels) {
  Section body;
  for (const LogicalChannel& channel : channels) {
    put_u16(body, channel.service_id);
    put_u16(body, static_cast<std::uint16_t>((channel.visible ? 0x8000 : 0) | 0x7C00 | (channel.number & 0x03FF)));
  }
  return add(0x83, body);
}

bool DescriptorWriter::delivery_system(const DeliverySystem& system) {
  switch (system.kind) {
    case DeliverySystem::Kind::dvb_s:
      return add(0x43, satellite_body(system));
    case DeliverySystem::Kind::dvb_s2:
      return add(0x43, satellite_body(system)) && add(0x79, s2_body(system));
    case DeliverySystem::Kind::dvb_c:
      return add(0x44, cable_body(system));
    case DeliverySystem::Kind::dvb_t:
      return add(0x5A, terrestrial_body(system));
    case DeliverySystem::Kind::dvb_t2:
      return add(0x7F, t2_body(system));
  }
  return false;
}

bool DescriptorWriter::language(std::string_view code, std::uint8_t audio_type) {
  Section body;
  put_code(body, code);
  body.push_back(audio_type);
  return add(0x0A, body);
}

}  // namespace receiverd::dvb
