#include "epg/eit/event_descriptors.h"

#include <algorithm>
#include <string>

#include "epg/event/event_details.h"
#include "epg/store/store.h"
#include "wire/time.h"

namespace receiverd::epg {
namespace {

constexpr std::uint8_t kUtf8 = 0x15;

void put(DescriptorBytes& body, wire::Bytes bytes) { body.insert(body.end(), bytes.begin(), bytes.end()); }

/// The number of bytes of `text`, at most `limit`, that are whole characters in the table of `selection`.
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
  if (table == kUtf8) {
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  } else if (table >= 0x20) {  // ISO/IEC 6937: a mark precedes its letter
    while (end > 0 && (text[end - 1] & 0xF0) == 0xC0) --end;
  }
  return end > 0 ? end : limit;
}

/// The content of one extended_event_descriptor.
struct ExtendedPart {
  DescriptorBytes items;
  DescriptorBytes text;
  std::size_t room() const {
    return EventDescriptorWriter::kMaxBodyBytes - EventDescriptorWriter::kExtendedFixedBytes - items.size() -
           text.size();
  }
};

}  // namespace

DescriptorBytes utf8_text(std::string_view utf8, std::size_t limit) {
  DescriptorBytes text;
  if (!utf8.empty() && limit > 0) text.push_back(kUtf8);
  const wire::Bytes bytes = wire::bytes_of(utf8);
  put(text, bytes.first(whole_characters({&kUtf8, 1}, bytes, limit - text.size())));
  return text;
}

void put_code(DescriptorBytes& body, std::string_view code) {
  for (std::size_t i = 0; i < 3; ++i) body.push_back(i < code.size() ? static_cast<std::uint8_t>(code[i]) : ' ');
}

void put_text(DescriptorBytes& body, wire::Bytes text) {
  body.push_back(static_cast<std::uint8_t>(text.size()));
  put(body, text);
}

bool EventDescriptorWriter::add(std::uint8_t tag, wire::Bytes body) {
  if (body.size() > kMaxBodyBytes) return false;
  loop_.push_back(tag);
  loop_.push_back(static_cast<std::uint8_t>(body.size()));
  put(loop_, body);
  return true;
}

bool EventDescriptorWriter::short_event(std::string_view language, wire::Bytes title, wire::Bytes text) {
  DescriptorBytes body;
  put_code(body, language);
  put_text(body, title);
  put_text(body, text);
  return add(0x4D, body);
}

bool EventDescriptorWriter::extended_event(std::string_view language, std::span<const ExtendedItem> items,
                                           wire::Bytes text, std::size_t selection, std::size_t max_parts) {
  constexpr std::size_t kMaxCharacterBytes = 4;  // a part with less room might not fit any character
  max_parts = std::min(max_parts, kMaxExtendedParts);
  std::vector<ExtendedPart> parts;
  bool whole = true;
  for (const ExtendedItem& item : items) {
    const std::size_t size = 2 + item.description.size() + item.item.size();
    if (parts.empty() || parts.back().room() < size) {
      if (parts.size() == max_parts || size > ExtendedPart().room()) {
        whole = false;
        continue;
      }
      parts.emplace_back();
    }
    put_text(parts.back().items, item.description);
    put_text(parts.back().items, item.item);
  }
  const wire::Bytes prefix = text.first(std::min(selection, text.size()));
  for (wire::Bytes left = text.subspan(prefix.size()); !left.empty();) {
    if (parts.empty() || !parts.back().text.empty() || parts.back().room() < prefix.size() + kMaxCharacterBytes) {
      if (parts.size() == max_parts) {
        whole = false;
        break;
      }
      parts.emplace_back();
    }
    ExtendedPart& part = parts.back();
    const std::size_t length = whole_characters(prefix, left, part.room() - prefix.size());
    put(part.text, prefix);
    put(part.text, left.first(length));
    left = left.subspan(length);
  }
  for (std::size_t number = 0; number < parts.size(); ++number) {
    DescriptorBytes body{static_cast<std::uint8_t>(number << 4 | (parts.size() - 1))};
    put_code(body, language);
    put_text(body, parts[number].items);
    put_text(body, parts[number].text);
    add(0x4E, body);
  }
  return whole;
}

bool EventDescriptorWriter::content(std::uint8_t level, std::uint8_t user) {
  const std::uint8_t body[] = {level, user};
  return add(0x54, body);
}

bool EventDescriptorWriter::parental_rating(std::string_view country, std::uint8_t age) {
  DescriptorBytes body;
  put_code(body, country);
  body.push_back(static_cast<std::uint8_t>(std::clamp<int>(age, 4, 18) - 3));
  return add(0x55, body);
}

bool EventDescriptorWriter::component(std::uint8_t stream_content, std::uint8_t component_type,
                                      std::uint8_t component_tag, std::string_view language, wire::Bytes text) {
  DescriptorBytes body{static_cast<std::uint8_t>(0xF0 | (stream_content & 0xF)), component_type, component_tag};
  put_code(body, language);
  put(body, text);
  return add(0x50, body);
}

bool EventDescriptorWriter::content_identifier(std::uint8_t crid_type, std::string_view crid) {
  DescriptorBytes body{static_cast<std::uint8_t>(crid_type << 2)};
  put_text(body, wire::bytes_of(crid));
  return add(0x76, body);
}

DescriptorBytes event_head(const EventView& event) {
  const std::uint64_t start = wire::to_mjd_time(event.start);
  if (start == 0xFFFFFFFFFFULL) return {};
  DescriptorBytes head;
  const auto big_endian = [&](std::uint64_t value, int size) {
    while (size-- > 0) head.push_back(static_cast<std::uint8_t>(value >> (8 * size)));
  };
  big_endian(event.id, 2);
  big_endian(start, 5);
  big_endian(wire::to_bcd_seconds(event.duration), 3);
  return head;
}

bool write_event_descriptors(const EventView& event, std::size_t max_bytes, DescriptorBytes& loop) {
  constexpr std::size_t kMaxDetailBytes = 2000;  // of genres, ratings, CRIDs, components; the long text gets the rest
  constexpr std::size_t kMaxDetails = 40;
  constexpr std::size_t kExtendedSize = 2 + EventDescriptorWriter::kMaxBodyBytes;
  const std::string language = language_text(event.language);
  EventDescriptorWriter writer;
  constexpr std::size_t kMaxShortTextBytes = EventDescriptorWriter::kMaxBodyBytes - 5;  // language and two lengths
  bool whole = event.title.size() < kMaxShortTextBytes && event.short_text.size() < kMaxShortTextBytes;
  if (!event.title.empty()) writer.short_event(language, utf8_text(event.title, kMaxShortTextBytes), {});
  if (!event.short_text.empty()) writer.short_event(language, {}, utf8_text(event.short_text, kMaxShortTextBytes));

  const EventDetails details = unpack_details(event.details);
  EventDescriptorWriter others;
  std::size_t count = 0;
  const auto room = [&](std::size_t size) {
    if (count == kMaxDetails || others.loop().size() + size > kMaxDetailBytes) return whole = false;
    ++count;
    return true;
  };
  DescriptorBytes body;
  for (const Genre& genre : details.genres) {
    if (body.size() + 2 > EventDescriptorWriter::kMaxBodyBytes) break;
    body.insert(body.end(), {genre.nibbles, genre.user});
  }
  if (!body.empty() && room(2 + body.size())) others.add(0x54, body);
  body.clear();
  for (const ParentalRating& rating : details.parental) {
    if (body.size() + 4 > EventDescriptorWriter::kMaxBodyBytes) break;
    put_code(body, {rating.country.data(), rating.country.size()});
    body.push_back(rating.rating);
  }
  if (!body.empty() && room(2 + body.size())) others.add(0x55, body);
  // One descriptor per CRID, so that all episodes share the descriptor of their series.
  constexpr std::uint8_t kMaxCridType = 0x3F;  // those beyond, of event groups, are no CRIDs
  for (const ContentIdentifier& crid : details.crids) {
    if (crid.type > kMaxCridType) continue;
    if (room(4 + crid.crid.size()) && !others.content_identifier(crid.type, crid.crid)) whole = false;
  }
  for (const Component& component : details.components) {
    constexpr std::size_t kFixed = 6;
    const DescriptorBytes text = utf8_text(component.text, EventDescriptorWriter::kMaxBodyBytes - kFixed);
    if (!room(2 + kFixed + text.size())) break;
    others.component(component.stream_content, component.type, component.tag, language_text(component.language), text);
  }

  const std::size_t used = writer.loop().size() + others.loop().size();
  if (!event.extended_text.empty()) {
    const std::size_t parts = (max_bytes - std::min(used, max_bytes)) / kExtendedSize;
    const DescriptorBytes text = utf8_text(event.extended_text, event.extended_text.size() + 1);
    if (!writer.extended_event(language, {}, text, 1, parts)) whole = false;
  }
  put(loop, writer.loop());
  put(loop, others.loop());
  return whole;
}

}  // namespace receiverd::epg
