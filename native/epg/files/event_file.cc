#include "epg/files/event_file.h"

#include <algorithm>
#include <span>
#include <string>

#include "epg/eit/event_descriptors.h"
#include "epg/event/event_details.h"
#include "epg/store/event_json.h"
#include "wire/json_writer.h"

namespace receiverd::epg {
namespace {

constexpr std::size_t kHeadSize = 12;

/// A view of an event outside any store; `details` are its packed details.
EventView view_of(const Event& event, std::string_view details) {
  EventView view;
  view.id = event.id;
  view.start = static_cast<std::uint32_t>(event.start);
  view.duration = event.duration;
  view.running_status = event.running_status;
  view.free_ca = event.free_ca;
  view.language = event.language;
  view.title = event.title;
  view.short_text = event.short_text;
  view.extended_text = event.extended_text;
  view.details = details;
  return view;
}

}  // namespace

std::string event_file_json(wire::Bytes file, const EitOptions& options) {
  wire::Cursor cursor(file);
  const wire::Bytes head = cursor.take(kHeadSize);
  if (!cursor.ok()) return "null";
  const std::size_t length = static_cast<std::size_t>(head[10] & 0x0F) << 8U | head[11];
  const CodedEvent coded{head, cursor.take(std::min(length, cursor.left()))};
  EitDecoder decoder(options);
  const std::span<const Event> events = decoder.decode_events({}, {&coded, 1});
  if (events.empty()) return "null";
  std::string details;
  pack_details(events.front(), details);
  wire::JsonWriter json;
  write_event(json, view_of(events.front(), details));
  return json.take();
}

std::vector<std::uint8_t> event_file(const Store& store, const DvbTriplet& service, std::uint16_t id) {
  const Store::Reader reader = store.read();
  const Timeline* const timeline = reader.find(service);
  if (timeline == nullptr) return {};
  const std::size_t index = timeline->find(id);
  if (index == Timeline::kNone || (*timeline)[index].shadowed != 0) return {};
  const EventView event = reader.view((*timeline)[index]);
  std::vector<std::uint8_t> file = event_head(event);
  if (file.empty()) return file;
  DescriptorBytes descriptors;
  write_event_descriptors(event, kMaxEventFileBytes - kHeadSize, descriptors);
  const auto state = event.running_status << 13U | (event.free_ca ? 1U : 0U) << 12U | descriptors.size();
  file.push_back(static_cast<std::uint8_t>(state >> 8));
  file.push_back(static_cast<std::uint8_t>(state));
  file.insert(file.end(), descriptors.begin(), descriptors.end());
  return file;
}

}  // namespace receiverd::epg
