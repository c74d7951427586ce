#include "dvb/sub_services.h"

#include <cstddef>
#include <cstdint>

#include "epg/text/dvb_text.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {

std::vector<SubService> read_sub_services(wire::Bytes eit_section) {
  constexpr std::size_t kEventsAt = 14;
  constexpr std::size_t kLoopLengthAt = 10;  // in an event, after id, start and duration
  constexpr std::uint8_t kLinkage = 0x4A;
  constexpr std::uint8_t kSubService = 0xB0;
  std::vector<SubService> found;
  wire::Cursor cursor(eit_section.first(eit_section.size() - kCrcSize).subspan(kEventsAt));
  cursor.skip(kLoopLengthAt);
  const wire::Bytes descriptors = cursor.take(cursor.u16() & 0x0FFF);
  if (!cursor.ok()) return found;
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor) && found.size() < kMaximumSubServices;) {
    if (descriptor.tag != kLinkage) continue;
    wire::Cursor body(descriptor.body);
    DvbTriplet triplet;
    triplet.transport_stream_id = body.u16();
    triplet.original_network_id = body.u16();
    triplet.service_id = body.u16();
    const bool is_sub_service = body.u8() == kSubService;
    if (!body.ok() || !is_sub_service) continue;
    found.push_back({triplet, epg::decode_service_name(body.take(body.left())).full});
  }
  return found;
}

}  // namespace receiverd::dvb
