#include "epg/epg_binding.h"

#include <string>
#include <string_view>
#include <utility>

#include "epg/files/epg_dat.h"
#include "epg/files/event_file.h"
#include "epg/ingest/ingest.h"
#include "epg/search/search.h"
#include "epg/store/event_json.h"
#include "node/bindings.h"
#include "node/values.h"

namespace receiverd::epg {
namespace {

using node::named;
using node::number_of;
using node::take_number;
using node::text_of;
using node::unwrapped;

// ---- Queries (src/epg/query.ts)

template <typename Value>
using Names = std::initializer_list<std::pair<std::string_view, Value>>;

/// The value that a field names, or `otherwise` if the field is absent.
template <typename Value>
Value named_in(const Napi::Object& object, const char* field, Value otherwise, Names<Value> names) {
  const Napi::Value given = object.Get(field);
  return given.IsUndefined() ? otherwise : named(given, field, names);
}

DvbTriplet service_of(const Napi::Value& value) {
  const std::vector<DvbTriplet> services = services_of(value);
  if (services.size() != 1) throw Napi::TypeError::New(value.Env(), "one service is required");
  return services.front();
}

// ---- The guide

constexpr napi_type_tag kGuideTag = {0x9d1c2f0a4be04d6bULL, 0xb0f3a1e85c77d213ULL};

wire::UnixSeconds time_of(const Napi::Value& value) { return value.As<Napi::Number>().Int64Value(); }

wire::Bytes bytes_of(const Napi::Value& value) {
  const auto bytes = value.As<Napi::Uint8Array>();
  return {bytes.Data(), bytes.ElementLength()};
}

EitOptions eit_options(const Napi::Object& options) {
  EitOptions eit;
  eit.languages = languages_of(options.Get("languages"));
  if (const Napi::Value encodings = options.Get("encodings"); encodings.IsString()) {
    auto defaults = std::make_shared<TextDefaults>();
    defaults->add(text_of(encodings));
    eit.defaults = std::move(defaults);
  }
  if (const Napi::Value files = options.Get("huffman"); files.IsArray()) {
    const auto tables = files.As<Napi::Array>();
    eit.huffman = std::make_shared<HuffmanTables>(text_of(tables[0U]), text_of(tables[1U]));
  }
  return eit;
}

StoreLimits limits_of(const Napi::Object& options) {
  StoreLimits limits;
  take_number(options, "maxEvents", limits.max_events);
  take_number(options, "maxServices", limits.max_services);
  take_number(options, "maxTextBytes", limits.max_text_bytes);
  return limits;
}

class GuideObject : public Napi::ObjectWrap<GuideObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Guide",
        {InstanceAccessor<&GuideObject::generation>("generation"),
         InstanceMethod<&GuideObject::search_events>("search"), InstanceMethod<&GuideObject::suggestions>("suggest"),
         InstanceMethod<&GuideObject::services>("services"), InstanceMethod<&GuideObject::counters>("statistics"),
         InstanceMethod<&GuideObject::expire>("expire"), InstanceMethod<&GuideObject::clear>("clear"),
         InstanceMethod<&GuideObject::flush>("flush"), InstanceMethod<&GuideObject::ingest_section>("ingestSection"),
         InstanceMethod<&GuideObject::event_of_file>("eventOfFile"),
         InstanceMethod<&GuideObject::event_file_of>("eventFile"),
         InstanceMethod<&GuideObject::import_epg_dat>("importEpgDat"),
         InstanceMethod<&GuideObject::export_epg_dat>("exportEpgDat"), InstanceMethod<&GuideObject::save>("save"),
         InstanceMethod<&GuideObject::load>("load"), InstanceMethod<&GuideObject::move_into>("moveInto"),
         InstanceMethod<&GuideObject::leave_snapshot>("leaveSnapshot"),
         InstanceAccessor<&GuideObject::snapshot_lost>("snapshotLost")});
  }

  explicit GuideObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const Napi::Object options = call[0].IsObject() ? call[0].As<Napi::Object>() : Napi::Object::New(call.Env());
    eit_options_ = eit_options(options);
    ingest_ = std::make_shared<Ingest>(std::make_shared<Store>(limits_of(options)), eit_options_);
    call.This().As<Napi::Object>().TypeTag(&kGuideTag);
  }

  const std::shared_ptr<Ingest>& ingest() const { return ingest_; }

 private:
  /// Runs `work(ingest)` on a worker thread. The promise resolves to its result.
  template <typename Work>
  Napi::Value run(const Napi::CallbackInfo& call, Work work) {
    return node::run(call.Env(), [ingest = ingest_, work = std::move(work)] { return work(*ingest); });
  }

  Napi::Value generation(const Napi::CallbackInfo& call) {
    return number_of(call.Env(), ingest_->store()->generation());
  }

  Napi::Value search_events(const Napi::CallbackInfo& call) {
    return run(call, [query = query_of(call[0].As<Napi::Object>())](const Ingest& ingest) {
      return search(*ingest.store(), query);
    });
  }

  Napi::Value suggestions(const Napi::CallbackInfo& call) {
    return run(call, [typed = text_of(call[0]), from = time_of(call[1]),
                      limit = static_cast<std::size_t>(time_of(call[2])), forgiving = call[3].ToBoolean().Value()](
                         const Ingest& ingest) { return suggest(*ingest.store(), typed, from, limit, forgiving); });
  }

  Napi::Value services(const Napi::CallbackInfo& call) {
    return run(call, [](const Ingest& ingest) { return service_list(*ingest.store()); });
  }

  Napi::Value counters(const Napi::CallbackInfo& call) { return run(call, statistics); }

  Napi::Value expire(const Napi::CallbackInfo& call) {
    return run(call, [now = time_of(call[0]), history = time_of(call[1])](Ingest& ingest) {
      return ingest.expire(now, history);
    });
  }

  Napi::Value clear(const Napi::CallbackInfo& call) {
    return run(call, [](Ingest& ingest) { return ingest.clear(); });
  }

  Napi::Value flush(const Napi::CallbackInfo& call) {
    return run(call, [](Ingest& ingest) { ingest.flush(); });
  }

  void ingest_section(const Napi::CallbackInfo& call) { ingest_->unchecked_section(bytes_of(call[0])); }

  Napi::Value event_of_file(const Napi::CallbackInfo& call) {
    return Napi::String::New(call.Env(), event_file_json(bytes_of(call[0]), eit_options_));
  }

  Napi::Value event_file_of(const Napi::CallbackInfo& call) {
    return run(call, [service = service_of(call[0]),
                      id = static_cast<std::uint16_t>(call[1].As<Napi::Number>().Uint32Value())](const Ingest& ingest) {
      const std::vector<std::uint8_t> file = event_file(*ingest.store(), service, id);
      return std::string(file.begin(), file.end());
    });
  }

  Napi::Value import_epg_dat(const Napi::CallbackInfo& call) {
    return run(call, [options = eit_options_, path = text_of(call[0]), from = time_of(call[1])](const Ingest& ingest) {
      return import_epg_dat_file(*ingest.store(), options, path, from);
    });
  }

  Napi::Value export_epg_dat(const Napi::CallbackInfo& call) {
    return run(call, [path = text_of(call[0]), now = time_of(call[1])](const Ingest& ingest) {
      return export_epg_dat_file(*ingest.store(), path, now);
    });
  }

  Napi::Value save(const Napi::CallbackInfo& call) {
    return run(call, [path = text_of(call[0]), now = time_of(call[1])](const Ingest& ingest) {
      return saved_json(save_guide(*ingest.store(), path, now));
    });
  }

  Napi::Value load(const Napi::CallbackInfo& call) {
    return run(call, [path = text_of(call[0])](Ingest& ingest) { return loaded_json(ingest.load(path)); });
  }

  Napi::Value move_into(const Napi::CallbackInfo& call) {
    const auto generation = static_cast<std::uint64_t>(call[1].ToNumber().DoubleValue());
    return run(call, [path = text_of(call[0]), generation](Ingest& ingest) {
      return loaded_json(ingest.move_into(path, generation));
    });
  }

  Napi::Value leave_snapshot(const Napi::CallbackInfo& call) {
    return run(call, [](Ingest& ingest) { ingest.leave_snapshot(); });
  }

  Napi::Value snapshot_lost(const Napi::CallbackInfo& call) {
    return Napi::Boolean::New(call.Env(), ingest_->snapshot_lost());
  }

  EitOptions eit_options_;
  std::shared_ptr<Ingest> ingest_;
};

}  // namespace

std::shared_ptr<Ingest> ingest_of(const Napi::Value& value) {
  return unwrapped<GuideObject>(value, kGuideTag, "a guide").ingest();
}

Query query_of(const Napi::Object& object) {
  Query query;
  if (const Napi::Value texts = object.Get("text"); texts.IsArray()) query.texts = node::texts_of(texts);
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
  if (const Napi::Value given = object.Get("timeOfDay"); given.IsObject()) {
    const auto part = given.As<Napi::Object>();
    TimeOfDay& wanted = query.time_of_day.emplace();
    take_number(part, "from", wanted.from);
    take_number(part, "until", wanted.until);
    wanted.zone = local_times_of(part.Get("zone"));
  }
  take_number(object, "minDurationSeconds", query.min_duration);
  take_number(object, "maxDurationSeconds", query.max_duration);
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

LocalTimes local_times_of(const Napi::Value& value) {
  const auto pairs = value.As<Napi::Float64Array>();
  std::vector<LocalTimes::Change> changes;
  for (std::size_t i = 0; i + 1 < pairs.ElementLength(); i += 2) {
    changes.push_back({static_cast<wire::UnixSeconds>(pairs[i]), static_cast<std::int32_t>(pairs[i + 1])});
  }
  return LocalTimes(std::move(changes));
}

std::vector<DvbTriplet> services_of(const Napi::Value& value) {
  const auto packed = value.As<Napi::Uint16Array>();
  std::vector<DvbTriplet> services(packed.ElementLength() / 3);
  for (std::size_t i = 0; i < services.size(); ++i) {
    services[i] = {packed[i * 3], packed[i * 3 + 1], packed[i * 3 + 2]};
  }
  return services;
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

void register_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("Guide", GuideObject::define(env));
  register_responses(env, exports);
}

}  // namespace receiverd::epg
