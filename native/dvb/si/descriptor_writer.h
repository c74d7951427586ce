// Writes the descriptors that the demo multiplex sends. Event descriptors, and the rules for texts and bounds, are in
// epg/eit/event_descriptors.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dvb/packets/section.h"
#include "dvb/si/delivery_system.h"
#include "dvb/si/descriptor_tags.h"
#include "epg/eit/event_descriptors.h"

namespace receiverd::dvb {

class DescriptorWriter : public epg::EventDescriptorWriter {
 public:
  /// service_descriptor (EN 300 468 §6.2.33).
  bool service(std::uint8_t service_type, wire::Bytes provider, wire::Bytes name);
  /// network_name_descriptor (§6.2.28), bouquet_name_descriptor (§6.2.4).
  bool network_name(wire::Bytes name) { return add(tag::kNetworkName, name); }
  bool bouquet_name(wire::Bytes name) { return add(tag::kBouquetName, name); }
  /// service_list_descriptor (§6.2.35): at most 85 services.
  bool service_list(std::span<const ServiceListEntry> services);
  /// private_data_specifier_descriptor (§6.2.31): must precede the private descriptors it applies to.
  bool private_data_specifier(std::uint32_t specifier);
  /// logical_channel_descriptor in the form used under private data specifier 0x28 (EACEM): at most 63 services,
  /// numbers 1..1023.
  bool logical_channels(std::span<const LogicalChannel> channels);
  /// terrestrial_delivery_system_descriptor of DVB-T (§6.2.13.4).
  bool terrestrial(const DeliverySystem& system);
  /// ISO_639_language_descriptor (ISO/IEC 13818-1 §2.6.18); `audio_type` 0 undefined.
  bool language(std::string_view code, std::uint8_t audio_type = 0);
  /// stream_identifier_descriptor (§6.2.39).
  bool stream_identifier(std::uint8_t component_tag) { return add(tag::kStreamIdentifier, {&component_tag, 1}); }
};

}  // namespace receiverd::dvb
