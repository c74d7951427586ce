#include "dvb/descriptor_writer.h"

#include <algorithm>
#include <utility>

namespace receiverd::dvb {
namespace {

constexpr std::size_t kLongestBody = 255;

void put(Section& body, wire::Bytes bytes) { body.insert(body.end(), bytes.begin(), bytes.end()); }

void put_u16(Section& body, std::uint16_t value) {
  body.push_back(static_cast<std::uint8_t>(value >> 8));
  body.push_back(static_cast<std::uint8_t>(value));
}

void put_u32(Section& body, std::uint32_t value) {
  put_u16(body, static_cast<std::uint16_t>(value >> 16));
  put_u16(body, static_cast<std::uint16_t>(value));
}

/// Language and country codes: three letters, filled with blanks.
void put_code(Section& body, std::string_view code) {
  for (std::size_t i = 0; i < 3; ++i) body.push_back(i < code.size() ? static_cast<std::uint8_t>(code[i]) : ' ');
}

/// A length byte, then the text; a text over 255 bytes makes the body too long, so that add() refuses it.
void put_text(Section& body, wire::Bytes text) {
  body.push_back(static_cast<std::uint8_t>(text.size()));
  put(body, text);
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

/// The most bytes of `text`, at most `limit`, that end between two characters of the character table `selection`.
std::size_t whole_characters(wire::Bytes selection, wire::Bytes text, std::size_t limit) {
  if (text.size() <= limit) return text.size();
  const std::uint8_t table = selection.empty() ? 0x20 : selection[0];
  if (table == 0x11) return limit & ~std::size_t{1};
  if (table >= 0x12 && table <= 0x14) {  // one byte below 0x80, else two
    std::size_t at = 0;
    while (true) {
      const std::size_t width = text[at] < 0x80 ? 1 : 2;
      if (at + width > limit) return at;
      at += width;
    }
  }
  std::size_t end = limit;
  if (table == 0x15) {
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  } else if (table >= 0x20) {  // ISO/IEC 6937: a mark precedes its letter
    while (end > 0 && (text[end - 1] & 0xF0) == 0xC0) --end;
  }
  return end > 0 ? end : limit;
}

}  // namespace

Section dvb_text(std::string_view utf8, std::size_t limit) {
  const bool ascii = std::all_of(utf8.begin(), utf8.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  Section text;
  if (!ascii && limit > 0) text.push_back(0x15);
  const wire::Bytes bytes(reinterpret_cast<const std::uint8_t*>(utf8.data()), utf8.size());
  constexpr std::uint8_t kUtf8 = 0x15;
  put(text, bytes.first(whole_characters({&kUtf8, 1}, bytes, limit - text.size())));
  return text;
}

bool DescriptorWriter::add(std::uint8_t tag, wire::Bytes body) {
  if (body.size() > kLongestBody) return false;
  loop_.push_back(tag);
  loop_.push_back(static_cast<std::uint8_t>(body.size()));
  put(loop_, body);
  return true;
}

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

bool DescriptorWriter::short_event(std::string_view language, wire::Bytes title, wire::Bytes text) {
  Section body;
  put_code(body, language);
  put_text(body, title);
  put_text(body, text);
  return add(0x4D, body);
}

bool DescriptorWriter::extended_event(std::string_view language, wire::Bytes text, std::size_t selection) {
  constexpr std::size_t kRoom = kLongestBody - 6;
  constexpr std::size_t kMostParts = 16;
  const wire::Bytes prefix = text.first(std::min(selection, text.size()));
  wire::Bytes left = text.subspan(prefix.size());
  std::vector<wire::Bytes> parts;
  do {
    const std::size_t length = whole_characters(prefix, left, kRoom - prefix.size());
    parts.push_back(left.first(length));
    left = left.subspan(length);
  } while (!left.empty() && parts.size() < kMostParts);
  for (std::size_t number = 0; number < parts.size(); ++number) {
    Section body{static_cast<std::uint8_t>(number << 4 | (parts.size() - 1))};
    put_code(body, language);
    body.push_back(0);  // no items
    body.push_back(static_cast<std::uint8_t>(prefix.size() + parts[number].size()));
    put(body, prefix);
    put(body, parts[number]);
    add(0x4E, body);
  }
  return left.empty();
}

bool DescriptorWriter::content(std::uint8_t level, std::uint8_t user) {
  const std::uint8_t body[] = {level, user};
  return add(0x54, body);
}

bool DescriptorWriter::parental_rating(std::string_view country, std::uint8_t age) {
  Section body;
  put_code(body, country);
  body.push_back(static_cast<std::uint8_t>(std::clamp<int>(age, 4, 18) - 3));
  return add(0x55, body);
}

bool DescriptorWriter::component(std::uint8_t stream_content, std::uint8_t component_type, std::uint8_t component_tag,
                                 std::string_view language, wire::Bytes text) {
  Section body{static_cast<std::uint8_t>(0xF0 | (stream_content & 0xF)), component_type, component_tag};
  put_code(body, language);
  put(body, text);
  return add(0x50, body);
}

bool DescriptorWriter::content_identifier(std::uint8_t crid_type, std::string_view crid) {
  Section body{static_cast<std::uint8_t>(crid_type << 2)};
  put_text(body, {reinterpret_cast<const std::uint8_t*>(crid.data()), crid.size()});
  return add(0x76, body);
}

}  // namespace receiverd::dvb
