#include "epg/event_file.h"

#include <algorithm>
#include <span>
#include <string>

#include "epg/answers.h"
#include "epg/event_details.h"
#include "wire/json_writer.h"

namespace receiverd::epg {
namespace {

constexpr std::size_t kHeadSize = 12;

/// A view of an event that is in no store; `details` are those of the event, packed.
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

}  // namespace receiverd::epg
