#include "epg/arib/arib_descriptors.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace receiverd::epg {
namespace {

using wire::Bytes;
using wire::Cursor;

constexpr std::uint8_t kUnsupported = 0xF0;  // user defined

/// Genres of a content_nibble_level_1: that of the whole, then those of level 2 from 0 on that differ; 0 = none of
/// their own.
struct Genres {
  std::uint8_t whole;
  std::uint8_t parts[12];
};

/// STD-B10 part 2, annex H.
constexpr Genres kJapaneseGenres[] = {
    {0x20, {0, 0x21, 0x22, 0x81, 0x82, 0, 0x24, 0x24, 0x22}},                    // news
    {0x40, {0x42, 0x45, 0x43, 0, 0x45, 0x4B, 0x41, 0x46, 0x47, 0x49, 0x4A}},     // sports
    {0x22, {0, 0x7B, 0xA0, 0xA4, 0xA6, 0xA5, 0x30, 0x30}},                       // information, shows of the day
    {0x10, {0, 0, 0x17}},                                                        // drama
    {0x60, {0x61, 0x61, 0x62, 0x64, 0x63, 0, 0x61, 0, 0x63, 0x50, 0x63}},        // music
    {0x30, {0x31, 0x31, 0x33, 0x14, 0x32, 0xA1, 0xA5}},                          // variety
    {0x10, {0, 0, 0x55}},                                                        // films
    {0x55, {0, 0, 0x13}},                                                        // animation, special effects
    {0x23, {0x80, 0, 0x91, 0x92, 0x74, 0x75, 0, 0, 0x24}},                       // documentaries, culture
    {0x71, {0, 0x65, 0x66}},                                                     // theatre
    {0xA0, {0xA1, 0xA7, 0xA2, 0, 0, 0xA3, 0x79, 0x97, 0x51, 0x54, 0x96, 0x96}},  // hobbies, education
    {0x80, {}},                                                                  // welfare
};
/// ABNT NBR 15603-2, annex C.
constexpr Genres kBrazilianGenres[] = {
    {0x20, {0, 0x24, 0x23}},  // journalism
    {0x40, {}},               // sports
    {0x90, {}},               // education
    {0x15, {}},               // telenovela
    {0x10, {}},               // miniseries
    {0x10, {}},               // series
    {0x32, {}},               // variety
    {0x30, {}},               // reality
    {0x22, {}},               // information
    {0x14, {}},               // comedy
    {0x50, {}},               // children
    {0x18, {}},               // erotic
    {0x10, {}},               // film
    {0x30, {0, 0xA6}},        // lottery, sales
    {0x24, {}},               // debate, interview
};

std::string locator(const DvbTriplet& service, std::uint16_t event) {
  char text[32];
  const int size = std::snprintf(text, sizeof(text), "dvb://%x.%x.%x;%x", service.original_network_id,
                                 service.transport_stream_id, service.service_id, event);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

std::uint8_t dvb_genre(std::uint8_t arib_nibbles, const SiRules& rules) {
  const std::uint8_t level1 = arib_nibbles >> 4;
  const std::uint8_t level2 = arib_nibbles & 0xF;
  constexpr std::uint8_t kExtension = 0xE;
  const auto find = [&](const Genres& genres) -> std::uint8_t {
    return level2 < std::size(genres.parts) && genres.parts[level2] != 0 ? genres.parts[level2] : genres.whole;
  };
  if (rules.latin) return level1 < std::size(kBrazilianGenres) ? find(kBrazilianGenres[level1]) : kUnsupported;
  if (level1 == kExtension) return 0;
  return level1 < std::size(kJapaneseGenres) ? find(kJapaneseGenres[level1]) : kUnsupported;
}

void to_dvb_component(Component& component) {
  const std::uint8_t shape = component.type & 0xF;  // 1 for 4:3, 2 to 4 for 16:9 and wider
  constexpr std::uint8_t kMaxShape = 4;
  if (component.stream_content != 1 || shape == 0 || shape > kMaxShape) return;
  switch (component.type >> 4) {
    case 0x0:
    case 0xA:
    case 0xD:  // 480 lines or fewer: as standard definition at 30 Hz
      component.type = 0x04 + shape;
      return;
    default:
      component.type = 0x0C + shape;
      return;
  }
}

std::optional<Component> read_audio_component(Bytes body, Bytes& text) {
  constexpr std::uint8_t kAac = 6;
  constexpr std::uint8_t kSurround = 5;
  Cursor cursor(body);
  Component component;
  cursor.skip(1);
  component.stream_content = kAac;
  component.type = cursor.u8();
  component.tag = cursor.u8();
  cursor.skip(2);  // stream_type, simulcast_group_tag
  const bool bilingual = (cursor.u8() & 0x80) != 0;
  const Bytes code = cursor.take(3);
  if (bilingual) cursor.skip(3);
  if (!cursor.ok()) return std::nullopt;
  component.language = language_of(code);
  if (component.type > 3 && component.type < 0x40) component.type = kSurround;
  text = cursor.rest();
  return component;
}

std::uint8_t dvb_rating(std::uint8_t abnt_rating) {
  constexpr std::uint8_t kAges[] = {0, 0, 10, 12, 14, 16, 18};
  const std::uint8_t age = kAges[std::min<std::size_t>(abnt_rating & 0xF, std::size(kAges) - 1)];
  return age == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(age - 3);
}

bool read_series(Bytes body, const DvbTriplet& service, std::vector<ContentIdentifier>& crids) {
  Cursor cursor(body);
  const std::uint16_t series = cursor.u16();
  cursor.skip(3);  // repeat_label, program_pattern, expire_date
  const std::uint16_t episode = cursor.u16() >> 4;
  cursor.skip(1);
  if (!cursor.ok()) return false;
  char text[48];
  std::snprintf(text, sizeof(text), "crid://arib/%x/%x", service.original_network_id, series);
  crids.push_back({2, text});
  if (episode != 0) crids.push_back({1, std::string(text) + '/' + std::to_string(episode)});
  return true;
}

bool read_event_group(Bytes body, const DvbTriplet& service, std::uint16_t event_id,
                      std::vector<ContentIdentifier>& crids) {
  constexpr std::size_t kMaxEvents = 8;
  Cursor cursor(body);
  const std::uint8_t head = cursor.u8();
  const std::uint8_t kind = head >> 4;
  const auto add = [&](std::uint8_t type, const DvbTriplet& other, std::uint16_t event) {
    const bool own = other == service && event == event_id;
    if (cursor.ok() && !own && crids.size() < kMaxEvents) crids.push_back({type, locator(other, event)});
  };
  constexpr std::uint8_t kTypes[] = {0, kSharedEvent, kRelayEvent, kMovedEvent, kRelayEvent, kMovedEvent};
  if (kind == 0 || kind >= std::size(kTypes)) return cursor.ok();
  for (int left = head & 0xF; left > 0; --left) {
    DvbTriplet other = service;
    other.service_id = cursor.u16();
    const std::uint16_t event = cursor.u16();
    add(kTypes[kind], other, event);
  }
  while (kind >= 4 && cursor.left() >= 8) {  // in other networks
    DvbTriplet other;
    other.original_network_id = cursor.u16();
    other.transport_stream_id = cursor.u16();
    other.service_id = cursor.u16();
    const std::uint16_t event = cursor.u16();
    add(kTypes[kind], other, event);
  }
  return cursor.ok();
}

std::optional<std::pair<DvbTriplet, std::uint16_t>> event_at(const std::string& locator) {
  unsigned network = 0;
  unsigned stream = 0;
  unsigned service = 0;
  unsigned event = 0;
  if (std::sscanf(locator.c_str(), "dvb://%4x.%4x.%4x;%4x", &network, &stream, &service, &event) != 4) return {};
  const auto id = [](unsigned value) { return static_cast<std::uint16_t>(value); };
  return std::pair{DvbTriplet{id(network), id(stream), id(service)}, id(event)};
}

}  // namespace receiverd::epg
