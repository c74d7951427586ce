#include "epg/arib/arib_services.h"

#include "epg/arib/arib_text.h"
#include "wire/descriptors.h"

namespace receiverd::epg {

using wire::Bytes;
using wire::Cursor;

AribStream read_arib_stream(Bytes descriptors, const SiRules& rules) {
  constexpr std::uint8_t kTsInformation = 0xCD;
  constexpr std::uint8_t kPartialReception = 0xFB;
  AribStream stream;
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    Cursor cursor(descriptor.body);
    if (descriptor.tag == kTsInformation) {
      const std::uint8_t key = cursor.u8();
      const Bytes name = cursor.take(cursor.u8() >> 2);
      if (!cursor.ok()) continue;
      stream.remote_control_key = key;
      TextErrors ignored;
      stream.name.clear();
      decode_arib_text(name, rules.latin, ignored, stream.name);
    } else if (descriptor.tag == kPartialReception) {
      while (cursor.left() >= 2) stream.partial_reception.push_back(cursor.u16());
    }
  }
  return stream;
}

AribNumber arib_channel_number(const wire::DvbTriplet& service, std::uint8_t remote_control_key, const SiRules& rules) {
  constexpr std::uint16_t kLastThreeDigits = 999;
  const std::uint16_t id = service.service_id;
  if (remote_control_key == 0) {
    const bool terrestrial = rules.latin || rules_of_network(service.original_network_id).arib;
    return terrestrial || id > kLastThreeDigits ? AribNumber{} : AribNumber{id, 0};
  }
  // The kind of a service (0 television, 3 one-seg) and its number lie in its id.
  const unsigned number = (id & 7U) + 1;
  if (rules.latin) return {remote_control_key, static_cast<std::uint16_t>((id >> 3 & 3U) * 10 + number)};
  const unsigned digits = (id >> 7 & 3U) * 200 + remote_control_key * 10U + number;
  return digits > kLastThreeDigits ? AribNumber{} : AribNumber{static_cast<std::uint16_t>(digits), 0};
}

std::uint8_t dvb_service_type(std::uint8_t arib_type) {
  switch (arib_type) {
    case 0xA1:
    case 0xA5:
      return 0x01;
    case 0xA2:
    case 0xA6:
      return 0x02;
    case 0xAD:
      return 0x1F;  // HEVC
    default:
      return arib_type;
  }
}

}  // namespace receiverd::epg
