#include "dvb/si/delivery_system.h"

#include <algorithm>

#include "dvb/si/descriptor_tags.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {
namespace {

constexpr std::uint8_t kT2DeliverySystem = 0x04;  // descriptor_tag_extension
constexpr std::uint32_t kNorDig = 0x00000029;
constexpr std::uint32_t kSky = 0x00000002;
constexpr std::uint32_t kFreesat = 0x46534154;  // FSAT

/// Converts a centre frequency from units of 10 Hz to Hz. Some networks send all ones, which stands for no frequency.
std::uint64_t centre_frequency(std::uint32_t value) { return value == 0xFFFFFFFF ? 0 : std::uint64_t{value} * 10; }

/// Reads `digits` BCD digits. A nibble over 9 counts as 9, so that a damaged frequency is still a number.
std::uint64_t bcd(std::uint64_t value, int digits) {
  std::uint64_t number = 0;
  for (int digit = digits - 1; digit >= 0; --digit)
    number = number * 10 + std::min<std::uint64_t>(value >> (4 * digit) & 0xF, 9);
  return number;
}

std::optional<DeliverySystem> read_satellite(wire::Bytes body) {
  wire::Cursor cursor(body);
  DeliverySystem system;
  system.frequency = bcd(cursor.u32(), 8) * 10'000;  // 10 kHz
  const auto position = static_cast<std::int16_t>(bcd(cursor.u16(), 4) % 3600);
  const std::uint8_t flags = cursor.u8();
  const std::uint32_t rate = cursor.u32();
  if (!cursor.ok()) return std::nullopt;
  const bool east = (flags & 0x80) != 0;
  system.orbital_position = east ? position : static_cast<std::int16_t>(-position);
  system.polarisation = flags >> 5 & 3;
  system.kind = (flags & 0x04) != 0 ? DeliverySystem::Kind::dvb_s2 : DeliverySystem::Kind::dvb_s;
  system.roll_off = (flags & 0x04) != 0 ? flags >> 3 & 3 : 0;
  system.modulation = flags & 3;
  system.symbol_rate = static_cast<std::uint32_t>(bcd(rate >> 4, 7) * 100);
  system.fec_inner = rate & 0xF;
  return system;
}

std::optional<DeliverySystem> read_cable(wire::Bytes body) {
  wire::Cursor cursor(body);
  DeliverySystem system;
  system.kind = DeliverySystem::Kind::dvb_c;
  system.frequency = bcd(cursor.u32(), 8) * 100;  // 100 Hz
  cursor.skip(2);
  system.modulation = cursor.u8();
  const std::uint32_t rate = cursor.u32();
  if (!cursor.ok()) return std::nullopt;
  system.symbol_rate = static_cast<std::uint32_t>(bcd(rate >> 4, 7) * 100);
  system.fec_inner = rate & 0xF;
  return system;
}

/// STD-B10 part 2, 6.2.31. Several frequencies are those of the relay stations: which one is received is unknown.
std::optional<DeliverySystem> read_isdb_terrestrial(wire::Bytes body) {
  constexpr std::uint8_t kModes[] = {0, 2, 1, 3};  // 2k, 4k, 8k in the codes of DVB
  wire::Cursor cursor(body);
  DeliverySystem system;
  system.kind = DeliverySystem::Kind::isdb_t;
  const std::uint16_t area = cursor.u16();
  const std::uint64_t frequency = cursor.u16();
  if (!cursor.ok()) return std::nullopt;
  if (cursor.left() == 0) system.frequency = frequency * 1'000'000 / 7;
  system.bandwidth = 2;
  system.modulation = 3;
  system.code_rate_hp = system.code_rate_lp = 7;
  system.guard_interval = area >> 2 & 3;
  system.transmission_mode = kModes[area & 3];
  return system;
}

std::optional<DeliverySystem> read_terrestrial(wire::Bytes body) {
  wire::Cursor cursor(body);
  DeliverySystem system;
  system.kind = DeliverySystem::Kind::dvb_t;
  system.frequency = centre_frequency(cursor.u32());
  const std::uint8_t band = cursor.u8();
  const std::uint8_t constellation = cursor.u8();
  const std::uint8_t rates = cursor.u8();
  if (!cursor.ok()) return std::nullopt;
  system.bandwidth = band >> 5;
  system.modulation = constellation >> 6;
  system.hierarchy = constellation >> 3 & 7;
  system.code_rate_hp = constellation & 7;
  system.code_rate_lp = rates >> 5;
  system.guard_interval = rates >> 3 & 3;
  system.transmission_mode = rates >> 1 & 3;
  return system;
}

/// EN 300 468 §6.4.6.3, after descriptor_tag_extension. Reads only the first frequency of the first cell.
std::optional<DeliverySystem> read_t2(wire::Cursor cursor) {
  DeliverySystem system;
  system.kind = DeliverySystem::Kind::dvb_t2;
  system.input_stream = cursor.u8();
  system.t2_system_id = cursor.u16();
  if (!cursor.ok()) return std::nullopt;
  if (cursor.left() < 2) return system;
  system.bandwidth = cursor.u8() >> 2 & 0xF;
  const std::uint8_t mode = cursor.u8();
  system.guard_interval = mode >> 5;
  system.transmission_mode = mode >> 2 & 7;
  const bool time_frequency_slicing = (mode & 1) != 0;
  if (cursor.left() >= 6) {
    cursor.skip(2);  // cell_id
    if (time_frequency_slicing) cursor.skip(1);
    const std::uint32_t frequency = cursor.u32();
    if (cursor.ok()) system.frequency = centre_frequency(frequency);
  }
  return system;
}

/// Adds the parameters of descriptor 0x79 to a satellite (§6.2.13.3).
void merge_s2(wire::Bytes body, DeliverySystem& system) {
  wire::Cursor cursor(body);
  const std::uint8_t flags = cursor.u8();
  if (!cursor.ok()) return;
  system.kind = DeliverySystem::Kind::dvb_s2;
  if ((flags & 0x80) != 0) system.scrambling_sequence = cursor.u24() & 0x3FFFF;
  if ((flags & 0x40) != 0) {
    const std::uint8_t input_stream = cursor.u8();
    if (cursor.ok()) system.input_stream = input_stream;
  }
}

void read_logical_channel_list(wire::Bytes body, bool fourteen_bits, std::vector<LogicalChannel>& channels) {
  for (wire::Cursor cursor(body); cursor.left() >= 4;) {
    LogicalChannel channel;
    channel.service_id = cursor.u16();
    const std::uint16_t value = cursor.u16();
    channel.visible = (value & 0x8000) != 0;
    channel.number = value & (fourteen_bits ? 0x3FFF : 0x03FF);
    channels.push_back(channel);
  }
}

/// BSkyB's list (private data specifier 2): channel numbers for one region; region 0xFF stands for all.
void read_sky_channels(wire::Bytes body, std::vector<LogicalChannel>& channels) {
  wire::Cursor cursor(body);
  cursor.skip(1);
  const bool everywhere = cursor.u8() == 0xFF;
  while (cursor.left() >= 9) {
    LogicalChannel channel;
    channel.service_id = cursor.u16();
    cursor.skip(3);  // type, channel id
    channel.number = cursor.u16();
    cursor.skip(2);
    if (channel.number != 0xFFFF) channels.insert(everywhere ? channels.begin() : channels.end(), channel);
  }
}

/// Freesat's list: for each service, channel numbers by region; regions 0 and 0xFFFF stand for all.
void read_freesat_channels(wire::Bytes body, std::vector<LogicalChannel>& channels) {
  for (wire::Cursor cursor(body); cursor.left() >= 5;) {
    LogicalChannel channel;
    channel.service_id = cursor.u16();
    cursor.skip(2);  // channel id
    for (wire::Cursor regions(cursor.take(cursor.u8())); regions.left() >= 4;) {
      channel.number = regions.u16() & 0x0FFF;
      const std::uint16_t region = regions.u16();
      const bool everywhere = region == 0 || region == 0xFFFF;
      if (channel.number != 0) channels.insert(everywhere ? channels.begin() : channels.end(), channel);
    }
  }
}

/// Descriptors with the syntax of 0x83, each with a private data specifier under which it has that syntax.
constexpr struct {
  std::uint8_t tag;
  std::uint32_t specifier;
} kOperatorLists[] = {{0x81, 0}, {0x82, 0}, {0x86, 0}, {0x86, 0x1A0}, {0x93, 0}, {0x93, 0x362275}};

/// NorDig version 2: several named lists by country. Reads only the first list.
void read_logical_channels_v2(wire::Bytes body, std::vector<LogicalChannel>& channels) {
  wire::Cursor cursor(body);
  cursor.skip(1);            // channel_list_id
  cursor.skip(cursor.u8());  // its name
  cursor.skip(3);            // country
  for (wire::Cursor list(cursor.take(cursor.u8())); list.left() >= 4;) {
    LogicalChannel channel;
    channel.service_id = list.u16();
    const std::uint16_t value = list.u16();
    channel.visible = (value & 0x8000) != 0;
    channel.number = value & 0x03FF;
    channels.push_back(channel);
  }
}

}  // namespace

std::optional<DeliverySystem> read_delivery_system(std::uint8_t tag, wire::Bytes body) {
  switch (tag) {
    case tag::kSatellite:
      return read_satellite(body);
    case tag::kCable:
      return read_cable(body);
    case tag::kTerrestrial:
      return read_terrestrial(body);
    case tag::kIsdbTerrestrial:
      return read_isdb_terrestrial(body);
    case tag::kExtension: {
      wire::Cursor cursor(body);
      return cursor.u8() == kT2DeliverySystem ? read_t2(cursor) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<DeliverySystem> find_delivery_system(wire::Bytes descriptors, bool isdb) {
  std::optional<DeliverySystem> found;
  wire::Bytes s2;
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag == tag::kS2Satellite && s2.empty()) s2 = descriptor.body;
    if (descriptor.tag == tag::kIsdbTerrestrial && !isdb) continue;
    const auto system = read_delivery_system(descriptor.tag, descriptor.body);
    if (!system) continue;
    const bool over_t =
        system->kind == DeliverySystem::Kind::dvb_t2 && found && found->kind == DeliverySystem::Kind::dvb_t;
    if (!found || over_t) found = system;
  }
  const bool satellite =
      found && (found->kind == DeliverySystem::Kind::dvb_s || found->kind == DeliverySystem::Kind::dvb_s2);
  if (satellite && !s2.empty()) merge_s2(s2, *found);
  return found;
}

std::uint32_t enigma2_namespace(const DeliverySystem& system, std::uint16_t original_network_id,
                                std::uint16_t transport_stream_id) {
  switch (system.kind) {
    case DeliverySystem::Kind::dvb_c:
      return 0xFFFF0000;
    case DeliverySystem::Kind::dvb_t:
    case DeliverySystem::Kind::dvb_t2:
    case DeliverySystem::Kind::isdb_t:
      return 0xEEEE0000;
    case DeliverySystem::Kind::dvb_s:
    case DeliverySystem::Kind::dvb_s2:
      break;
  }
  const int position = system.orbital_position < 0 ? 3600 + system.orbital_position : system.orbital_position;
  const bool trusted = original_network_id != 0 && original_network_id < 0xFF00 &&
                       !(original_network_id == 1 && transport_stream_id < 2);
  std::uint32_t sub_network = 0;
  if (!trusted) {
    sub_network = static_cast<std::uint32_t>(system.frequency / 1'000'000 & 0xFFFF) |
                  static_cast<std::uint32_t>(system.polarisation & 1) << 15;
  }
  return static_cast<std::uint32_t>(position) << 16 | sub_network;
}

std::vector<ServiceListEntry> read_service_list(wire::Bytes descriptors) {
  std::vector<ServiceListEntry> services;
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag != tag::kServiceList) continue;
    for (wire::Cursor cursor(descriptor.body); cursor.left() >= 3;) {
      const std::uint16_t service_id = cursor.u16();
      services.push_back({service_id, cursor.u8()});
    }
  }
  return services;
}

std::vector<LogicalChannel> read_logical_channels(wire::Bytes descriptors) {
  std::vector<LogicalChannel> channels;
  std::vector<LogicalChannel> simulcast;
  std::uint32_t specifier = 0;
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    switch (descriptor.tag) {
      case tag::kPrivateDataSpecifier:
        specifier = wire::Cursor(descriptor.body).u32();
        break;
      case tag::kLogicalChannel:
        read_logical_channel_list(descriptor.body, specifier == kNorDig, channels);
        break;
      case tag::kLogicalChannelV2:
        if (specifier == kNorDig && channels.empty()) read_logical_channels_v2(descriptor.body, channels);
        break;
      case tag::kSimulcastLogicalChannel:
        read_logical_channel_list(descriptor.body, false, simulcast);
        break;
      case tag::kSkyChannels:
        if (specifier == kSky) read_sky_channels(descriptor.body, channels);
        break;
      case tag::kFreesatChannels:
        if (specifier == kFreesat) read_freesat_channels(descriptor.body, channels);
        break;
      default:
        if (std::ranges::any_of(kOperatorLists, [&](const auto& list) {
              return list.tag == descriptor.tag && list.specifier == specifier;
            })) {
          read_logical_channel_list(descriptor.body, false, channels);
        }
        break;
    }
  }
  for (const LogicalChannel& channel : simulcast) {
    const auto same = std::find_if(channels.begin(), channels.end(), [&channel](const LogicalChannel& other) {
      return other.service_id == channel.service_id;
    });
    LogicalChannel& one =
        same != channels.end() ? *same : channels.emplace_back(LogicalChannel{channel.service_id, true, 0});
    one.visible = channel.visible;
    one.simulcast_number = channel.number;
  }
  return channels;
}

}  // namespace receiverd::dvb
