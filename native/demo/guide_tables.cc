#include "demo/guide_tables.h"

#include "demo/text_coding.h"
#include "dvb/si/descriptor_writer.h"

namespace receiverd::demo {

using namespace dvb;

namespace {

constexpr std::size_t kMaxTextBytes = 16 * 255;  // more than extended_event_descriptors can hold

void write_extended_event(epg::CharacterTable table, std::string_view language, const Event& event,
                          DescriptorWriter& descriptors) {
  std::vector<ByteVector> coded;
  coded.reserve(2 * event.items.size());
  std::vector<epg::ExtendedItem> items;
  for (const Event::Item& item : event.items) {
    const ByteVector& description = coded.emplace_back(code_text(table, item.description, 60));
    items.push_back({description, coded.emplace_back(code_text(table, item.text, 120))});
  }
  descriptors.extended_event(language, items, code_text(table, event.text, kMaxTextBytes),
                             selection_bytes(table).size());
}

void write_components(const LineupEntry& service, DescriptorWriter& descriptors) {
  std::uint8_t tag = 1;
  for (const StreamEntry& stream : service.streams) {
    Section body{traits(stream.coding).stream_content, stream.component_type, tag++};
    epg::put_code(body, stream.language.empty() ? service.language : stream.language);
    descriptors.add(0x50, body);  // component_descriptor, EN 300 468 §6.2.8
  }
}

DvbTriplet triplet(const LineupEntry& service) { return {kOriginalNetworkId, kTransportStreamId, service.service_id}; }

/// One event with its descriptors: short and extended event, genre, rating, components, CRIDs.
EitEvent code_event(const LineupEntry& service, const Event& event, RunningStatus status) {
  DescriptorWriter descriptors;
  const ByteVector title = code_text(service.table, event.title, 120);
  const ByteVector subtitle = code_text(service.table, event.subtitle, 120);
  descriptors.short_event(service.language, title, subtitle);
  write_extended_event(service.table, service.language, event, descriptors);
  write_components(service, descriptors);
  if (event.genre != 0) descriptors.content(event.genre);
  if (event.min_age >= 4) {
    descriptors.parental_rating(service.country, static_cast<std::uint8_t>(event.min_age));
  }
  if (!event.series.empty()) descriptors.content_identifier(2, event.series);
  if (!event.programme.empty()) descriptors.content_identifier(1, event.programme);

  EitEvent coded;
  coded.event_id = event.id;
  coded.start = event.start;
  coded.duration = static_cast<std::uint32_t>(event.end - event.start);
  coded.running_status = status;
  coded.descriptors = descriptors.take();
  return coded;
}

}  // namespace

std::vector<Section> present_following_sections(const LineupEntry& service, Schedule& schedule, std::int64_t time) {
  const Schedule::Pair& pair = schedule.at(time);
  const EitEvent present = code_event(service, pair.present, RunningStatus::running);
  const EitEvent following = code_event(service, pair.following, RunningStatus::not_running);
  return write_eit_present_following(triplet(service), true, pair.present.id & 31, &present, &following);
}

std::vector<Section> schedule_sections(const LineupEntry& service, const Schedule& schedule, std::int64_t time) {
  constexpr std::int64_t kDay = 86400;
  constexpr std::int64_t kDays = 8;
  const std::int64_t midnight = time / kDay * kDay;
  std::vector<EitEvent> events;
  for (const Event& event : schedule.between(midnight, midnight + kDays * kDay)) {
    if (event.start >= midnight) events.push_back(code_event(service, event, RunningStatus::undefined));
  }
  return write_eit_schedule(triplet(service), true, static_cast<std::uint8_t>(midnight / kDay & 31), midnight, events);
}

}  // namespace receiverd::demo
