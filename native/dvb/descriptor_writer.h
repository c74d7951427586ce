// Writes the descriptors that the demo multiplex sends. Event descriptors, and the rules for texts and bounds, are in
// epg/eit/event_descriptors.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dvb/delivery_system.h"
#include "dvb/section.h"
#include "epg/eit/event_descriptors.h"

namespace receiverd::dvb {

class DescriptorWriter : public epg::EventDescriptorWriter {
 public:
  /// 0x48 service_descriptor (EN 300 468 §6.2.33).
  bool service(std::uint8_t service_type, wire::Bytes provider, wire::Bytes name);
  /// 0x40 (§6.2.28) and 0x47 (§6.2.4).
  bool network_name(wire::Bytes name) { return add(0x40, name); }
  bool bouquet_name(wire::Bytes name) { return add(0x47, name); }
  /// 0x41 service_list (§6.2.35): at most 85 services.
  bool service_list(std::span<const ServiceListEntry> services);
  /// 0x5F private_data_specifier (§6.2.31): must precede the private descriptors it applies to.
  bool private_data_specifier(std::uint32_t specifier);
  /// 0x83 in the form used under private data specifier 0x28 (EACEM): at most 63 services, numbers 1..1023.
  bool logical_channels(std::span<const LogicalChannel> channels);
  /// 0x5A (§6.2.13.4): terrestrial_delivery_system of DVB-T.
  bool terrestrial(const DeliverySystem& system);
  /// 0x0A ISO_639_language (ISO/IEC 13818-1 §2.6.18); `audio_type` 0 undefined.
  bool language(std::string_view code, std::uint8_t audio_type = 0);
  /// 0x52 (§6.2.39).
  bool stream_identifier(std::uint8_t component_tag) { return add(0x52, {&component_tag, 1}); }
};

}  // namespace receiverd::dvb
