#include "epg/store/event_json.h"

#include <array>
#include <string_view>

#include "epg/arib/arib_descriptors.h"
#include "epg/event/event_details.h"

namespace receiverd::epg {
namespace {

using wire::JsonWriter;

void write_service(JsonWriter& json, const DvbTriplet& service) {
  json.begin_object().key("originalNetworkId").value(service.original_network_id);
  json.key("transportStreamId").value(service.transport_stream_id);
  json.key("serviceId").value(service.service_id).end_object();
}

std::string_view crid_type(std::uint8_t type) {
  constexpr std::array<std::string_view, 4> kTypes = {"other", "programme", "series", "recommendation"};
  constexpr std::array<std::string_view, 3> kGroups = {"shared", "relayed", "moved"};
  if (type >= kSharedEvent && type <= kMovedEvent) return kGroups[type - kSharedEvent];
  return kTypes[type < kTypes.size() ? type : 0];
}

void write_details(JsonWriter& json, const EventDetails& details) {
  json.key("genres").begin_array();
  for (const Genre& genre : details.genres) {
    json.begin_object().key("level1").value(genre.nibbles >> 4).key("level2").value(genre.nibbles & 0xF);
    json.key("user").value(genre.user).end_object();
  }
  json.end_array().key("parental").begin_array();
  for (const ParentalRating& rating : details.parental) {
    json.begin_object().key("country").value(std::string_view{rating.country.data(), rating.country.size()});
    json.key("rating").value(rating.rating).end_object();
  }
  json.end_array().key("components").begin_array();
  for (const Component& component : details.components) {
    json.begin_object().key("streamContent").value(component.stream_content);
    json.key("componentType").value(component.type).key("componentTag").value(component.tag);
    json.key("language").value(language_text(component.language)).key("text").value(component.text).end_object();
  }
  json.end_array().key("crids").begin_array();
  for (const ContentIdentifier& crid : details.crids) {
    json.begin_object().key("type").value(crid_type(crid.type)).key("crid").value(crid.crid).end_object();
  }
  json.end_array();
  if (!details.rating.empty()) json.key("rating").value(details.rating);
}

}  // namespace

void write_event(JsonWriter& json, const EventView& event) {
  json.begin_object().key("service");
  write_service(json, event.service);
  json.key("id").value(event.id).key("start").value(event.start).key("duration").value(event.duration);
  json.key("title").value(event.title).key("shortText").value(event.short_text);
  json.key("extendedText").value(event.extended_text);
  json.key("language").value(language_text(event.language));
  json.key("runningStatus").value(event.running_status).key("freeCa").value(event.free_ca);
  write_details(json, unpack_details(event.details));
  json.end_object();
}

std::string service_list(const Store& store) {
  JsonWriter json;
  json.begin_array();
  const Store::Reader reader = store.read();
  reader.each_service([&](const DvbTriplet& service, const Timeline& timeline) {
    json.begin_object().key("service");
    write_service(json, service);
    json.key("events").value(timeline.size()).end_object();
  });
  return json.end_array().take();
}

}  // namespace receiverd::epg
