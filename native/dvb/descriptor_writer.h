// Writes descriptors into a loop: those that the demo multiplex and the service filter send.
//
// Texts are given as DVB text, that is encoded (EN 300 468 Annex A); dvb_text() makes it of UTF-8. A descriptor whose
// body would exceed 255 bytes is left out: add() says so.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "dvb/delivery_system.h"
#include "dvb/section.h"

namespace receiverd::dvb {

/// UTF-8 as DVB text: plain ASCII as it is, anything else behind the selection byte 0x15; cut before a character so
/// that it has at most `limit` bytes.
Section dvb_text(std::string_view utf8, std::size_t limit = 255);

class DescriptorWriter {
 public:
  /// Any descriptor. False when `body` has over 255 bytes.
  bool add(std::uint8_t tag, wire::Bytes body);

  /// 0x48 (EN 300 468 §6.2.33).
  bool service(std::uint8_t service_type, wire::Bytes provider, wire::Bytes name);
  /// 0x40 (§6.2.28) and 0x47 (§6.2.4).
  bool network_name(wire::Bytes name) { return add(0x40, name); }
  bool bouquet_name(wire::Bytes name) { return add(0x47, name); }
  /// 0x41 (§6.2.35): at most 85 services.
  bool service_list(std::span<const ServiceListEntry> services);
  /// 0x5F (§6.2.31): must precede private descriptors.
  bool private_data_specifier(std::uint32_t specifier);
  /// 0x83 as it stands under private data specifier 0x28 (EACEM): at most 63 services, numbers 1..1023.
  bool logical_channels(std::span<const LogicalChannel> channels);
  /// 0x43, 0x44, 0x5A, 0x79 or the T2 extension, whatever `system` is; of T2 one cell.
  bool delivery_system(const DeliverySystem& system);
  /// 0x0A ISO_639_language (ISO/IEC 13818-1 §2.6.18); `audio_type` 0 undefined.
  bool language(std::string_view code, std::uint8_t audio_type = 0);
  /// 0x52 (§6.2.39).
  bool stream_identifier(std::uint8_t component_tag) { return add(0x52, {&component_tag, 1}); }
  /// 0x4D (§6.2.37): title and text as DVB text.
  bool short_event(std::string_view language, wire::Bytes title, wire::Bytes text);
  /// 0x4E (§6.2.15): the text cut between characters into as many descriptors as needed. The first `selection` bytes of
  /// `text` select its character table and are repeated in every part. False when 16 parts did not hold all of it.
  bool extended_event(std::string_view language, wire::Bytes text, std::size_t selection);
  /// 0x54 (§6.2.9): one genre; `level` is nibble 1 and 2.
  bool content(std::uint8_t level, std::uint8_t user = 0);
  /// 0x55 (§6.2.30): minimum age in years, 4..18.
  bool parental_rating(std::string_view country, std::uint8_t age);
  /// 0x50 (§6.2.8).
  bool component(std::uint8_t stream_content, std::uint8_t component_type, std::uint8_t component_tag,
                 std::string_view language, wire::Bytes text);
  /// 0x76 (TS 102 323 §12.1), one CRID: type 1 programme, 2 series.
  bool content_identifier(std::uint8_t crid_type, std::string_view crid);

  const Section& loop() const { return loop_; }
  Section take() { return std::move(loop_); }

 private:
  Section loop_;
};

}  // namespace receiverd::dvb
