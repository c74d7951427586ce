#include "epg/event_details.h"

#include <algorithm>

#include "epg/fold.h"
#include "epg/utf8.h"

namespace receiverd::epg {
namespace {

constexpr std::size_t kMost = 255;

void put(std::string& out, std::uint32_t byte) { out.push_back(static_cast<char>(byte)); }

void put_text(std::string& out, std::string_view text) {
  std::size_t end = std::min(text.size(), kMost);
  while (end < text.size() && end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  put(out, static_cast<std::uint32_t>(end));
  out.append(text.substr(0, end));
}

template <typename List, typename Write>
void put_list(std::string& out, const List& list, Write write) {
  const std::size_t count = std::min(list.size(), kMost);
  put(out, static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) write(list[i]);
}

std::string text_of(wire::Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

std::string pack_details(const Event& event) {
  std::string out;
  if (event.genres.empty() && event.parental.empty() && event.components.empty() && event.crids.empty()) return out;
  put_list(out, event.genres, [&](const Genre& genre) {
    put(out, genre.nibbles);
    put(out, genre.user);
  });
  put_list(out, event.parental, [&](const ParentalRating& rating) {
    out.append(rating.country.data(), rating.country.size());
    put(out, rating.rating);
  });
  put_list(out, event.components, [&](const Component& component) {
    put(out, component.stream_content);
    put(out, component.type);
    put(out, component.tag);
    put(out, component.language >> 16);
    put(out, component.language >> 8);
    put(out, component.language);
    put_text(out, component.text);
  });
  put_list(out, event.crids, [&](const ContentIdentifier& crid) {
    put(out, crid.type);
    put_text(out, crid.crid);
  });
  return out;
}

EventDetails unpack_details(std::string_view packed) {
  EventDetails details;
  wire::Cursor cursor({reinterpret_cast<const std::uint8_t*>(packed.data()), packed.size()});
  for (int left = cursor.u8(); left > 0 && cursor.ok(); --left) {
    const std::uint8_t nibbles = cursor.u8();
    details.genres.push_back({nibbles, cursor.u8()});
  }
  for (int left = cursor.u8(); left > 0 && cursor.ok(); --left) {
    ParentalRating rating;
    for (char& character : rating.country) character = static_cast<char>(cursor.u8());
    rating.rating = cursor.u8();
    details.parental.push_back(rating);
  }
  for (int left = cursor.u8(); left > 0 && cursor.ok(); --left) {
    Component component;
    component.stream_content = cursor.u8();
    component.type = cursor.u8();
    component.tag = cursor.u8();
    component.language = cursor.u24();
    component.text = text_of(cursor.take(cursor.u8()));
    details.components.push_back(std::move(component));
  }
  for (int left = cursor.u8(); left > 0 && cursor.ok(); --left) {
    const std::uint8_t type = cursor.u8();
    details.crids.push_back({type, text_of(cursor.take(cursor.u8()))});
  }
  return details;
}

bool has_crid(const EventDetails& details, std::string_view wanted, std::uint8_t type) {
  return std::any_of(details.crids.begin(), details.crids.end(), [&](const ContentIdentifier& crid) {
    return (type == 0 || crid.type == type) && folded(crid.crid) == wanted;
  });
}

}  // namespace receiverd::epg
