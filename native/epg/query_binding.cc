#include "epg/query_binding.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace receiverd::epg {

using node::named;
using node::take_number;

namespace {

template <typename Value>
using Names = std::initializer_list<std::pair<std::string_view, Value>>;

/// The value that the name in a field stands for, or `otherwise` if the field is absent.
template <typename Value>
Value named_in(const Napi::Object& object, const char* field, Value otherwise, Names<Value> names) {
  const Napi::Value given = object.Get(field);
  return given.IsUndefined() ? otherwise : named(given, field, names);
}

}  // namespace

std::vector<ServiceKey> services_of(const Napi::Value& value) {
  const auto packed = value.As<Napi::Uint16Array>();
  std::vector<ServiceKey> services(packed.ElementLength() / 3);
  for (std::size_t i = 0; i < services.size(); ++i) {
    services[i] = {packed[i * 3], packed[i * 3 + 1], packed[i * 3 + 2]};
  }
  return services;
}

ServiceKey service_of(const Napi::Value& value) {
  const std::vector<ServiceKey> services = services_of(value);
  if (services.size() != 1) throw Napi::TypeError::New(value.Env(), "one service is required");
  return services.front();
}

std::vector<Language> languages_of(const Napi::Value& value) {
  std::vector<Language> languages;
  if (!value.IsArray()) return languages;
  const auto codes = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i < codes.Length(); ++i) {
    const std::string code = codes.Get(i).ToString().Utf8Value();
    if (code.size() != 3) throw Napi::TypeError::New(value.Env(), "'" + code + "' is not an ISO 639-2 code");
    languages.push_back(language_of(wire::bytes_of(code)));
  }
  return languages;
}

Query query_of(const Napi::Object& object) {
  Query query;
  if (const Napi::Value texts = object.Get("text"); texts.IsArray()) {
    const auto array = texts.As<Napi::Array>();
    for (std::uint32_t i = 0; i < array.Length(); ++i) query.texts.push_back(array.Get(i).ToString().Utf8Value());
  }
  query.match = named_in(object, "match", TextMatch::contains,
                         {{"contains", TextMatch::contains},
                          {"prefix", TextMatch::prefix},
                          {"suffix", TextMatch::suffix},
                          {"word", TextMatch::word},
                          {"words", TextMatch::words},
                          {"phrase", TextMatch::phrase},
                          {"exact", TextMatch::exact}});
  query.within = named_in<std::uint8_t>(object, "within", scope::kTitle,
                                        {{"title", scope::kTitle},
                                         {"short", scope::kShort},
                                         {"long", scope::kLong},
                                         {"text", scope::kShort | scope::kLong},
                                         {"title+short", scope::kTitle | scope::kShort},
                                         {"all", scope::kTitle | scope::kShort | scope::kLong}});
  query.order =
      named_in(object, "order", EventOrder::time,
               {{"time", EventOrder::time}, {"relevance", EventOrder::relevance}, {"title", EventOrder::title}});
  query.case_sensitive = object.Get("caseSensitive").ToBoolean().Value();
  if (const Napi::Value services = object.Get("services"); !services.IsUndefined()) {
    query.services = services_of(services);
  }
  take_number(object, "from", query.from);
  take_number(object, "until", query.until);
  take_number(object, "minimumDuration", query.minimum_duration);
  take_number(object, "maximumDuration", query.maximum_duration);
  take_number(object, "offset", query.offset);
  take_number(object, "limit", query.limit);
  query.languages = languages_of(object.Get("languages"));
  if (const Napi::Value genres = object.Get("genres"); genres.IsArray()) {
    const auto array = genres.As<Napi::Array>();
    for (std::uint32_t i = 0; i < array.Length(); ++i) {
      const auto genre = array.Get(i).As<Napi::Object>();
      GenreFilter filter;
      take_number(genre, "level1", filter.level1);
      if (std::uint8_t level2 = 0; genre.Get("level2").IsNumber()) {
        take_number(genre, "level2", level2);
        filter.level2 = level2;
      }
      query.genres.push_back(filter);
    }
  }
  if (const Napi::Value crid = object.Get("crid"); crid.IsObject()) {
    const auto wanted = crid.As<Napi::Object>();
    query.crid = wanted.Get("crid").ToString().Utf8Value();
    query.crid_type =
        named_in<std::uint8_t>(wanted, "type", 0, {{"programme", std::uint8_t{1}}, {"series", std::uint8_t{2}}});
  }
  if (const Napi::Value given = object.Get("similarTo"); given.IsObject()) {
    const auto event = given.As<Napi::Object>();
    EventId& similar = query.similar_to.emplace();
    similar.service = service_of(event.Get("service"));
    take_number(event, "id", similar.id);
  }
  return query;
}

}  // namespace receiverd::epg
