#include "dvb/si/service_description.h"

#include "dvb/si/descriptor_tags.h"
#include "epg/arib/arib_logo.h"
#include "epg/arib/arib_services.h"
#include "epg/arib/arib_text.h"
#include "epg/text/dvb_text.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {
namespace {

/// The body of the first descriptor with this tag; empty if there is none.
wire::Bytes find_descriptor(wire::Bytes descriptors, std::uint8_t tag) {
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag == tag) return descriptor.body;
  }
  return {};
}

epg::ServiceName decode_name(wire::Bytes text, const epg::SiRules& rules) {
  return epg::decode_service_name(text, rules.arib ? epg::arib_text_assumption(rules) : epg::TextAssumption{});
}

}  // namespace

ServiceDescription describe_service(wire::Bytes descriptors, const epg::SiRules& rules) {
  ServiceDescription description;
  description.default_authority = read_default_authority(descriptors);
  wire::Cursor cursor(find_descriptor(descriptors, tag::kService));
  description.type = cursor.u8();
  if (rules.arib) {
    description.type = epg::dvb_service_type(description.type);
    description.logo_id = epg::read_logo_id(find_descriptor(descriptors, tag::kLogoTransmission));
  }
  description.provider = decode_name(cursor.take(cursor.u8()), rules).full;
  epg::ServiceName name = decode_name(cursor.take(cursor.u8()), rules);
  description.name = std::move(name.full);
  description.short_name = std::move(name.abbreviated);
  return description;
}

std::string read_broadcaster_name(wire::Bytes descriptors, const epg::SiRules& rules) {
  return decode_name(find_descriptor(descriptors, tag::kBroadcasterName), rules).full;
}
std::string read_network_name(wire::Bytes descriptors, const epg::SiRules& rules) {
  return decode_name(find_descriptor(descriptors, tag::kNetworkName), rules).full;
}
std::string read_bouquet_name(wire::Bytes descriptors, const epg::SiRules& rules) {
  return decode_name(find_descriptor(descriptors, tag::kBouquetName), rules).full;
}

/// A domain name: anything but printable ASCII is dropped.
std::string read_default_authority(wire::Bytes descriptors) {
  std::string text(wire::text_of(find_descriptor(descriptors, tag::kDefaultAuthority)));
  std::erase_if(text, [](char c) { return c <= 0x20 || c >= 0x7F; });
  return text;
}

std::vector<SubService> read_sub_services(wire::Bytes eit_section) {
  constexpr std::size_t kEventsAt = 14;
  constexpr std::size_t kLoopLengthAt = 10;  // in an event, after id, start and duration
  constexpr std::uint8_t kSubService = 0xB0;
  std::vector<SubService> found;
  wire::Cursor cursor(eit_section.first(eit_section.size() - kCrcSize).subspan(kEventsAt));
  cursor.skip(kLoopLengthAt);
  wire::DescriptorLoop loop(cursor.take(cursor.u16() & 0x0FFF));
  for (wire::Descriptor descriptor; loop.next(descriptor) && found.size() < kMaxSubServices;) {
    if (descriptor.tag != tag::kLinkage) continue;
    wire::Cursor body(descriptor.body);
    DvbTriplet triplet;
    triplet.transport_stream_id = body.u16();
    triplet.original_network_id = body.u16();
    triplet.service_id = body.u16();
    const bool is_sub_service = body.u8() == kSubService;
    if (!body.ok() || !is_sub_service) continue;
    found.push_back({triplet, epg::decode_service_name(body.rest()).full});
  }
  return found;
}

}  // namespace receiverd::dvb
