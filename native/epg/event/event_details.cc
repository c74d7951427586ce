#include "epg/event/event_details.h"

#include <algorithm>

#include "epg/text/fold.h"
#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

// Lengths and counts take one byte.
constexpr std::size_t kMaxCount = 255;

// The number of bytes of a text that are stored: at most kMaxCount, without splitting a character.
std::size_t stored_size(std::string_view text) {
  std::size_t end = std::min(text.size(), kMaxCount);
  while (end < text.size() && end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

// Writes bytes into memory that is large enough.
class Writer {
 public:
  explicit Writer(char* at) : at_(at) {}

  void put(std::uint32_t byte) { *at_++ = static_cast<char>(byte); }
  void put_text(std::string_view text) {
    const std::size_t size = stored_size(text);
    put(static_cast<std::uint32_t>(size));
    at_ = std::copy_n(text.data(), size, at_);
  }
  template <typename List, typename Write>
  void put_list(const List& list, Write write) {
    const std::size_t count = std::min(list.size(), kMaxCount);
    put(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) write(list[i]);
  }
  const char* end() const { return at_; }

 private:
  char* at_;
};

std::size_t max_packed_size(const Event& event) {
  std::size_t size =
      6 + event.picture.size() + event.rating.size() + event.genres.size() * 2 + event.parental.size() * 4;
  for (const Component& component : event.components) size += 7 + component.text.size();
  for (const ContentIdentifier& identifier : event.crids) size += 2 + identifier.crid.size();
  return size;
}

}  // namespace

void pack_details(const Event& event, std::string& out) {
  if (event.genres.empty() && event.parental.empty() && event.components.empty() && event.crids.empty() &&
      event.picture.empty() && event.rating.empty())
    return;
  const std::size_t begin = out.size();
  out.resize(begin + max_packed_size(event));
  Writer writer(out.data() + begin);
  writer.put_list(event.genres, [&](const Genre& genre) {
    writer.put(genre.nibbles);
    writer.put(genre.user);
  });
  writer.put_list(event.parental, [&](const ParentalRating& rating) {
    for (const char character : rating.country) writer.put(static_cast<std::uint8_t>(character));
    writer.put(rating.rating);
  });
  writer.put_list(event.components, [&](const Component& component) {
    writer.put(component.stream_content);
    writer.put(component.type);
    writer.put(component.tag);
    writer.put(component.language >> 16);
    writer.put(component.language >> 8);
    writer.put(component.language);
    writer.put_text(component.text);
  });
  writer.put_list(event.crids, [&](const ContentIdentifier& identifier) {
    writer.put(identifier.type);
    writer.put_text(identifier.crid);
  });
  if (!event.picture.empty() || !event.rating.empty()) writer.put_text(event.picture);
  if (!event.rating.empty()) writer.put_text(event.rating);
  out.resize(static_cast<std::size_t>(writer.end() - out.data()));
}

EventDetails unpack_details(std::string_view packed) {
  EventDetails details;
  wire::Cursor cursor(wire::bytes_of(packed));
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
    component.text = wire::text_of(cursor.take(cursor.u8()));
    details.components.push_back(std::move(component));
  }
  for (int left = cursor.u8(); left > 0 && cursor.ok(); --left) {
    const std::uint8_t type = cursor.u8();
    details.crids.push_back({type, std::string(wire::text_of(cursor.take(cursor.u8())))});
  }
  if (cursor.left() > 0) details.picture = wire::text_of(cursor.take(cursor.u8()));
  if (cursor.left() > 0) details.rating = wire::text_of(cursor.take(cursor.u8()));
  return details;
}

bool has_crid(const EventDetails& details, std::string_view wanted, std::uint8_t type) {
  return std::any_of(details.crids.begin(), details.crids.end(), [&](const ContentIdentifier& crid) {
    return (type == 0 || crid.type == type) && folded(crid.crid) == wanted;
  });
}

}  // namespace receiverd::epg
