#include "epg/epg_binding.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "epg/answers/event_list.h"
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

/// The value that the name in a field stands for, or `otherwise` if the field is absent.
template <typename Value>
Value named_in(const Napi::Object& object, const char* field, Value otherwise, Names<Value> names) {
  const Napi::Value given = object.Get(field);
  return given.IsUndefined() ? otherwise : named(given, field, names);
}

ServiceKey service_of(const Napi::Value& value) {
  const std::vector<ServiceKey> services = services_of(value);
  if (services.size() != 1) throw Napi::TypeError::New(value.Env(), "one service is required");
  return services.front();
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

Bounds bounds_of(const Napi::Object& options) {
  Bounds bounds;
  take_number(options, "maximumEvents", bounds.events);
  take_number(options, "maximumServices", bounds.services);
  take_number(options, "maximumTextBytes", bounds.text_bytes);
  return bounds;
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
         InstanceMethod<&GuideObject::load>("load"), InstanceMethod<&GuideObject::leave_snapshot>("leaveSnapshot"),
         InstanceAccessor<&GuideObject::snapshot_lost>("snapshotLost")});
  }

  explicit GuideObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const Napi::Object options = call[0].IsObject() ? call[0].As<Napi::Object>() : Napi::Object::New(call.Env());
    eit_options_ = eit_options(options);
    ingest_ = std::make_shared<Ingest>(std::make_shared<Store>(bounds_of(options)), eit_options_);
    call.This().As<Napi::Object>().TypeTag(&kGuideTag);
  }

  const std::shared_ptr<Ingest>& ingest() const { return ingest_; }

 private:
  /// A promise of what `work(ingest)` returns on a worker thread.
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
    return run(call,
               [typed = text_of(call[0]), from = time_of(call[1]), limit = static_cast<std::size_t>(time_of(call[2]))](
                   const Ingest& ingest) { return suggest(*ingest.store(), typed, from, limit); });
  }

  Napi::Value services(const Napi::CallbackInfo& call) {
    return run(call, [](const Ingest& ingest) { return service_list(*ingest.store()); });
  }

  Napi::Value counters(const Napi::CallbackInfo& call) { return run(call, statistics); }

  Napi::Value expire(const Napi::CallbackInfo& call) {
    return run(call, [before = time_of(call[0])](Ingest& ingest) { return ingest.expire(before); });
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

  Napi::Value leave_snapshot(const Napi::CallbackInfo& call) {
    return run(call, [](Ingest& ingest) { ingest.leave_snapshot(); });
  }

  Napi::Value snapshot_lost(const Napi::CallbackInfo& call) {
    return Napi::Boolean::New(call.Env(), ingest_->snapshot_lost());
  }

  EitOptions eit_options_;
  std::shared_ptr<Ingest> ingest_;
};

// ---- Lists of events

constexpr napi_type_tag kServiceListTag = {0x2b61d9c6f3f0411eULL, 0x8c1d5a9a0e7742b8ULL};
constexpr napi_type_tag kEventFormTag = {0x54e0c1a84d2b4a79ULL, 0xa6d2f5170b3e9c41ULL};

/// Bounds of what is written on JavaScript's thread before workers take over. Waking a worker and being woken by it
/// takes about fifty microseconds, in which a desktop core writes two hundred events. A slow core writes some of them
/// and leaves the rest to a worker.
constexpr std::size_t kBytesAtOnce = 192 * 1024;
constexpr std::chrono::microseconds kTimeAtOnce{200};
/// A few hundred microseconds of work.
constexpr std::size_t kPiece = 256 * 1024;

/// A JavaScript object that holds an immutable object of the core.
template <typename Self, typename Core>
class Holder : public Napi::ObjectWrap<Self> {
 public:
  Holder(const Napi::CallbackInfo& call, const napi_type_tag& tag) : Napi::ObjectWrap<Self>(call) {
    call.This().As<Napi::Object>().TypeTag(&tag);
  }

  std::shared_ptr<const Core> core;
};

class ServiceListObject : public Holder<ServiceListObject, ServiceList> {
 public:
  static Napi::Function define(Napi::Env env) { return DefineClass(env, "ServiceList", {}); }

  explicit ServiceListObject(const Napi::CallbackInfo& call) : Holder(call, kServiceListTag) {
    const auto given = call[0].As<Napi::Object>();
    const std::vector<ServiceKey> keys = services_of(given.Get("keys"));
    const auto guide = given.Get("guide").As<Napi::Uint8Array>();
    const std::vector<std::string> texts = node::texts_of(given.Get("texts"));
    const std::size_t columns = given.Get("columns").As<Napi::Number>().Uint32Value();
    if (keys.size() != guide.ElementLength() || texts.size() != keys.size() * columns) {
      throw Napi::RangeError::New(call.Env(), "each service requires three numbers and all its texts");
    }
    std::vector<std::optional<ServiceKey>> services(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (guide[i] != 0) services[i] = keys[i];
    }
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size();
    if (bytes > kLongestTexts) throw Napi::RangeError::New(call.Env(), "the texts are too long");
    core = std::make_shared<const ServiceList>(std::move(services), texts, columns);
  }

 private:
  static constexpr std::size_t kLongestTexts = std::size_t{256} << 20;
};

class EventFormObject : public Holder<EventFormObject, EventForm> {
 public:
  static Napi::Function define(Napi::Env env) { return DefineClass(env, "EventForm", {}); }

  explicit EventFormObject(const Napi::CallbackInfo& call) : Holder(call, kEventFormTag) {
    const auto given = call[0].As<Napi::Object>();
    EventForm form;
    form.escape = named<Escape>(given.Get("escape"), "escape",
                                {{"xml", Escape::xml}, {"json", Escape::json}, {"cleanedJson", Escape::cleaned_json}});
    form.event = segments_of(given.Get("event").As<Napi::Array>());
    form.missing = segments_of(given.Get("missing").As<Napi::Array>());
    form.separator = text_of(given.Get("separator"));
    const auto genres = given.Get("genres").As<Napi::Array>();
    for (std::uint32_t i = 0; i < form.genres.size(); ++i) form.genres[i] = text_of(genres.Get(i));
    core = std::make_shared<const EventForm>(std::move(form));
  }

 private:
  static std::vector<EventForm::Segment> segments_of(const Napi::Array& given) {
    std::vector<EventForm::Segment> segments;
    for (std::uint32_t i = 0; i < given.Length(); ++i) {
      const Napi::Value one = given.Get(i);
      if (segments.empty() || is_full(segments.back())) segments.emplace_back();
      if (one.IsString()) {
        segments.back().literal += text_of(one);
      } else {
        set_field(segments.back(), one.As<Napi::Object>().Get("of"));
      }
    }
    return segments;
  }

  static bool is_full(const EventForm::Segment& segment) { return segment.field != nullptr || segment.column >= 0; }

  static void set_field(EventForm::Segment& segment, const Napi::Value& of) {
    if (of.IsNumber()) {
      segment.column = static_cast<int>(of.As<Napi::Number>().Uint32Value() & 0xFF);
      return;
    }
    segment.field = event_field(text_of(of));
    if (segment.field == nullptr) throw Napi::TypeError::New(of.Env(), "no field '" + text_of(of) + "'");
  }
};

EventQuestion question_of(const Napi::Object& given) {
  EventQuestion question;
  question.asked = named<EventsAsked>(given.Get("asked"), "asked",
                                      {{"now", EventsAsked::now},
                                       {"next", EventsAsked::next},
                                       {"nowNext", EventsAsked::now_next},
                                       {"before", EventsAsked::before},
                                       {"id", EventsAsked::id},
                                       {"window", EventsAsked::window},
                                       {"search", EventsAsked::search}});
  take_number(given, "from", question.from);
  take_number(given, "until", question.until);
  take_number(given, "id", question.id);
  take_number(given, "limit", question.limit);
  question.end_inclusive = given.Get("endInclusive").ToBoolean().Value();
  if (question.asked == EventsAsked::search) question.query = query_of(given.Get("query").As<Napi::Object>());
  return question;
}

Moment moment_of(const Napi::Object& given) {
  Moment moment;
  take_number(given, "now", moment.now);
  const auto pairs = given.Get("zone").As<Napi::Float64Array>();
  std::vector<LocalTimes::Change> changes;
  for (std::size_t i = 0; i + 1 < pairs.ElementLength(); i += 2) {
    changes.push_back({static_cast<wire::UnixSeconds>(pairs[i]), static_cast<std::int32_t>(pairs[i + 1])});
  }
  moment.zone = LocalTimes(std::move(changes));
  return moment;
}

/// (guide, services, form, question, moment)
std::unique_ptr<EventList> list_of(const Napi::CallbackInfo& call) {
  auto services = unwrapped<ServiceListObject>(call[1], kServiceListTag, "a list of services").core;
  auto form = unwrapped<EventFormObject>(call[2], kEventFormTag, "a form of events").core;
  if (form->columns() > services->columns()) {
    throw Napi::RangeError::New(call.Env(), "the list of services has no such column");
  }
  return std::make_unique<EventList>(
      ingest_of(call[0])->store(), question_of(call[3].As<Napi::Object>()),
      EventWriter(std::move(form), std::move(services), moment_of(call[4].As<Napi::Object>())));
}

/// Memory of JavaScript's that it leaves alone while a piece is written into it.
using Memory = Napi::Buffer<char>;

Memory memory_of(const Napi::Value& given) {
  if (!given.IsBuffer()) throw Napi::TypeError::New(given.Env(), "a piece needs a Buffer to be written into");
  return given.As<Memory>();
}

ByteBuffer buffer_in(const Memory& memory) { return ByteBuffer(std::span(memory.Data(), memory.Length())); }

Napi::Promise write_piece(Napi::Env env, const std::shared_ptr<EventList>& list, const Memory& memory);

/// The bytes are in `memory` if they fit, otherwise in a Buffer of their own.
Napi::Object piece_of(Napi::Env env, std::shared_ptr<EventList> list, const ByteBuffer& written, const Memory& memory) {
  const std::string_view bytes = written.bytes();
  auto piece = Napi::Object::New(env);
  piece.Set("bytes", bytes.data() == memory.Data() ? memory : Memory::Copy(env, bytes.data(), bytes.size()));
  piece.Set("size", number_of(env, bytes.size()));
  piece.Set("total", number_of(env, list->total()));
  piece.Set("rows", number_of(env, list->rows()));
  if (list->ended()) return piece;
  const auto next = [list = std::move(list)](const Napi::CallbackInfo& call) mutable -> Napi::Value {
    if (list == nullptr) throw Napi::Error::New(call.Env(), "this piece was asked for before");
    return write_piece(call.Env(), std::exchange(list, nullptr), memory_of(call[0]));
  };
  piece.Set("next", Napi::Function::New(env, next));
  return piece;
}

/// Writes the next piece of a list on a worker thread, which has the list to itself. Resolves to an EventPiece.
Napi::Promise write_piece(Napi::Env env, const std::shared_ptr<EventList>& list, const Memory& memory) {
  const auto written = std::make_shared<ByteBuffer>(buffer_in(memory));
  return node::run(
      env,
      [list, written]() -> node::MadeValue {
        list->write(*written, kPiece);
        return [list, written](Napi::Env env, const Napi::Value& memory) {
          return piece_of(env, list, *written, memory.As<Memory>());
        };
      },
      memory);
}

Napi::Value list_events(const Napi::CallbackInfo& call) {
  std::shared_ptr<EventList> list = list_of(call);
  const Memory memory = memory_of(call[5]);
  ByteBuffer bytes = buffer_in(memory);
  list->write(bytes, kBytesAtOnce, kTimeAtOnce);
  return piece_of(call.Env(), std::move(list), bytes, memory);
}

Napi::Value search_listed(const Napi::CallbackInfo& call) {
  return write_piece(call.Env(), list_of(call), memory_of(call[5]));
}

Napi::Value count_events(const Napi::CallbackInfo& call) { return number_of(call.Env(), list_of(call)->count()); }

}  // namespace

std::shared_ptr<Ingest> ingest_of(const Napi::Value& value) {
  return unwrapped<GuideObject>(value, kGuideTag, "a guide").ingest();
}

std::vector<ServiceKey> services_of(const Napi::Value& value) {
  const auto packed = value.As<Napi::Uint16Array>();
  std::vector<ServiceKey> services(packed.ElementLength() / 3);
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
  exports.Set("ServiceList", ServiceListObject::define(env));
  exports.Set("EventForm", EventFormObject::define(env));
  exports.Set("listEvents", Napi::Function::New<list_events>(env, "listEvents"));
  exports.Set("searchEvents", Napi::Function::New<search_listed>(env, "searchEvents"));
  exports.Set("countEvents", Napi::Function::New<count_events>(env, "countEvents"));
}

}  // namespace receiverd::epg
