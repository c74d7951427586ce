#include "dvb/service_description.h"

#include "epg/text/dvb_text.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {
namespace {

constexpr std::uint8_t kNetworkName = 0x40;
constexpr std::uint8_t kBouquetName = 0x47;
constexpr std::uint8_t kService = 0x48;
constexpr std::uint8_t kDefaultAuthority = 0x73;

std::string read_name(wire::Bytes descriptors, std::uint8_t tag) {
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag == tag) return epg::decode_service_name(descriptor.body).full;
  }
  return {};
}

/// A domain name: anything but printable ASCII is dropped.
std::string ascii(wire::Bytes bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    if (byte > 0x20 && byte < 0x7F) text.push_back(static_cast<char>(byte));
  }
  return text;
}

}  // namespace

ServiceDescription describe_service(wire::Bytes descriptors) {
  ServiceDescription description;
  description.default_authority = read_default_authority(descriptors);
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag != kService) continue;
    wire::Cursor cursor(descriptor.body);
    description.type = cursor.u8();
    const wire::Bytes provider = cursor.take(cursor.u8());
    const wire::Bytes name = cursor.take(cursor.u8());
    epg::ServiceName decoded = epg::decode_service_name(name);
    description.provider = epg::decode_service_name(provider).full;
    description.name = std::move(decoded.full);
    description.short_name = std::move(decoded.abbreviated);
    break;
  }
  return description;
}

std::string read_network_name(wire::Bytes descriptors) { return read_name(descriptors, kNetworkName); }

std::string read_bouquet_name(wire::Bytes descriptors) { return read_name(descriptors, kBouquetName); }

std::string read_default_authority(wire::Bytes descriptors) {
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag == kDefaultAuthority) return ascii(descriptor.body);
  }
  return {};
}

}  // namespace receiverd::dvb
