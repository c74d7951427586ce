#include "epg/eit/event_descriptors.h"

#include <algorithm>
#include <string>

#include "epg/event/event_details.h"
#include "wire/descriptors.h"

namespace receiverd::epg {
namespace {

constexpr std::size_t kMostDetailBytes = 2000;  // of genres, ratings, CRIDs, components; the long text gets the rest
constexpr std::size_t kMostDetails = 40;
constexpr std::size_t kExtendedSize = 2 + EventDescriptorWriter::kLongestBody;

}  // namespace

bool write_event_descriptors(const EventView& event, std::size_t most_bytes, EventDescriptorWriter& writer) {
  const std::string language = language_text(event.language);
  constexpr std::size_t kLongestShort = EventDescriptorWriter::kLongestBody - 5;  // language and two lengths
  bool whole = event.title.size() < kLongestShort && event.short_text.size() < kLongestShort;
  if (!event.title.empty()) writer.short_event(language, utf8_text(event.title, kLongestShort), {});
  if (!event.short_text.empty()) writer.short_event(language, {}, utf8_text(event.short_text, kLongestShort));

  const EventDetails details = unpack_details(event.details);
  EventDescriptorWriter others;
  std::size_t count = 0;
  const auto room = [&](std::size_t size) {
    if (count == kMostDetails || others.loop().size() + size > kMostDetailBytes) return whole = false;
    ++count;
    return true;
  };
  DescriptorBytes body;
  for (const Genre& genre : details.genres) {
    if (body.size() + 2 > EventDescriptorWriter::kLongestBody) break;
    body.insert(body.end(), {genre.nibbles, genre.user});
  }
  if (!body.empty() && room(2 + body.size())) others.add(0x54, body);
  body.clear();
  for (const ParentalRating& rating : details.parental) {
    if (body.size() + 4 > EventDescriptorWriter::kLongestBody) break;
    put_code(body, {rating.country.data(), rating.country.size()});
    body.push_back(rating.rating);
  }
  if (!body.empty() && room(2 + body.size())) others.add(0x55, body);
  // One descriptor each, so that all episodes share the descriptor of their series.
  for (const ContentIdentifier& crid : details.crids) {
    if (room(4 + crid.crid.size()) && !others.content_identifier(crid.type, crid.crid)) whole = false;
  }
  for (const Component& component : details.components) {
    constexpr std::size_t kFixed = 6;
    const DescriptorBytes text = utf8_text(component.text, EventDescriptorWriter::kLongestBody - kFixed);
    if (!room(2 + kFixed + text.size())) break;
    others.component(component.stream_content, component.type, component.tag, language_text(component.language), text);
  }

  const std::size_t used = writer.loop().size() + others.loop().size();
  if (!event.extended_text.empty()) {
    const std::size_t parts = (most_bytes - std::min(used, most_bytes)) / kExtendedSize;
    const DescriptorBytes text = utf8_text(event.extended_text, event.extended_text.size() + 1);
    if (!writer.extended_event(language, {}, text, 1, parts)) whole = false;
  }
  wire::DescriptorLoop loop(others.loop());
  for (wire::Descriptor descriptor; loop.next(descriptor);) writer.add(descriptor.tag, descriptor.body);
  return whole;
}

}  // namespace receiverd::epg
