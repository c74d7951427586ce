#include "epg/event_list_binding.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "epg/epg_binding.h"
#include "epg/event_list.h"
#include "epg/ingest.h"
#include "epg/listed_search.h"
#include "epg/query_binding.h"

namespace receiverd::epg {
namespace {

constexpr napi_type_tag kServiceListTag = {0x2b61d9c6f3f0411eULL, 0x8c1d5a9a0e7742b8ULL};
constexpr napi_type_tag kEventTemplateTag = {0x54e0c1a84d2b4a79ULL, 0xa6d2f5170b3e9c41ULL};

std::string text_of(const Napi::Value& value) { return value.As<Napi::String>().Utf8Value(); }

std::string text_of(const Napi::Object& object, const char* name) { return text_of(object.Get(name)); }

wire::UnixSeconds time_of(const Napi::Object& object, const char* name, wire::UnixSeconds otherwise) {
  const Napi::Value value = object.Get(name);
  return value.IsNumber() ? value.As<Napi::Number>().Int64Value() : otherwise;
}

template <typename Value>
Value named(const Napi::Env& env, const std::string& name,
            std::initializer_list<std::pair<std::string_view, Value>> names) {
  for (const auto& [known, value] : names) {
    if (known == name) return value;
  }
  throw Napi::TypeError::New(env, "there is no '" + name + "'");
}

/// A JavaScript object that holds a part of the core which never changes and may be in use by several readers.
template <typename Self, typename Core>
class Holder : public Napi::ObjectWrap<Self> {
 public:
  using Napi::ObjectWrap<Self>::ObjectWrap;

  const std::shared_ptr<const Core>& core() const { return core_; }

 protected:
  std::shared_ptr<const Core> core_;
};

class ServiceListObject : public Holder<ServiceListObject, ServiceList> {
 public:
  static Napi::Function define(Napi::Env env) { return DefineClass(env, "ServiceList", {}); }

  /// (keys: Uint16Array of three numbers a service, guide: Uint8Array of 1 or 0, texts: string[], columns: number), or
  /// (lists: ServiceList[]): these one after another
  explicit ServiceListObject(const Napi::CallbackInfo& call) : Holder(call) {
    core_ = call[0].IsArray() ? joined(call[0].As<Napi::Array>()) : made(call);
    call.This().As<Napi::Object>().TypeTag(&kServiceListTag);
  }

 private:
  static std::shared_ptr<const ServiceList> made(const Napi::CallbackInfo& call) {
    const auto keys = call[0].As<Napi::Uint16Array>();
    const auto guide = call[1].As<Napi::Uint8Array>();
    const auto texts = call[2].As<Napi::Array>();
    const std::size_t columns = call[3].As<Napi::Number>().Uint32Value();
    const std::size_t count = guide.ElementLength();
    if (keys.ElementLength() != count * 3 || texts.Length() != count * columns) {
      throw Napi::RangeError::New(call.Env(), "three numbers and every text are needed of each service");
    }
    std::vector<std::optional<ServiceKey>> services(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (guide[i] != 0) services[i] = ServiceKey{keys[i * 3], keys[i * 3 + 1], keys[i * 3 + 2]};
    }
    std::vector<std::string> all(texts.Length());
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < texts.Length(); ++i) {
      const Napi::HandleScope scope(call.Env());
      all[i] = text_of(texts.Get(i));
      bytes += all[i].size();
    }
    if (bytes > kLongestTexts) throw Napi::RangeError::New(call.Env(), "the texts are too long");
    return std::make_shared<const ServiceList>(std::move(services), all, columns);
  }

  static std::shared_ptr<const ServiceList> joined(const Napi::Array& lists);

  static constexpr std::size_t kLongestTexts = std::size_t{256} << 20;
};

class EventTemplateObject : public Holder<EventTemplateObject, EventTemplate> {
 public:
  static Napi::Function define(Napi::Env env) { return DefineClass(env, "EventTemplate", {}); }

  /// (form: 'xml' | 'json', event: segments, missing: segments, genres: 256 texts). Segments are literals and fields by
  /// turns, beginning and ending with a literal; a field is a name, or the number of a column.
  explicit EventTemplateObject(const Napi::CallbackInfo& call) : Holder(call) {
    auto made = std::make_shared<EventTemplate>();
    made->form = named<Escape>(call.Env(), text_of(call[0]),
                               {{"xml", Escape::xml}, {"json", Escape::json}, {"cleanedJson", Escape::cleaned_json}});
    made->event = segments_of(call[1].As<Napi::Array>());
    made->missing = segments_of(call[2].As<Napi::Array>());
    const auto genres = call[3].As<Napi::Array>();
    for (std::uint32_t i = 0; i < made->genres.size(); ++i) made->genres[i] = text_of(genres.Get(i));
    core_ = std::move(made);
    call.This().As<Napi::Object>().TypeTag(&kEventTemplateTag);
  }

 private:
  static std::vector<EventTemplate::Segment> segments_of(const Napi::Array& parts) {
    std::vector<EventTemplate::Segment> segments;
    for (std::uint32_t i = 0; i < parts.Length(); i += 2) {
      EventTemplate::Segment segment;
      segment.literal = text_of(parts.Get(i));
      if (i + 1 < parts.Length()) set_field(segment, parts.Get(i + 1));
      segments.push_back(std::move(segment));
    }
    return segments;
  }

  static void set_field(EventTemplate::Segment& segment, const Napi::Value& field) {
    if (field.IsNumber()) {
      segment.field = EventField::service_text;
      segment.column = field.As<Napi::Number>().Uint32Value();
      return;
    }
    segment.field = named<EventField>(field.Env(), text_of(field),
                                      {{"id", EventField::id},
                                       {"start", EventField::start},
                                       {"duration", EventField::duration},
                                       {"minutes", EventField::minutes},
                                       {"title", EventField::title},
                                       {"shortText", EventField::short_text},
                                       {"extendedText", EventField::extended_text},
                                       {"now", EventField::now},
                                       {"remaining", EventField::remaining},
                                       {"genre", EventField::genre},
                                       {"genreId", EventField::genre_id},
                                       {"genres", EventField::genres},
                                       {"parental", EventField::parental},
                                       {"date", EventField::date},
                                       {"begin", EventField::begin},
                                       {"end", EventField::end}});
  }
};

/// What a JavaScript object holds; throws a JavaScript TypeError when `value` is something else.
template <typename Object>
auto core_of(const Napi::Value& value, const napi_type_tag& tag, const char* what) {
  if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&tag)) {
    throw Napi::TypeError::New(value.Env(), std::string("not ") + what);
  }
  return Object::Unwrap(value.As<Napi::Object>())->core();
}

std::shared_ptr<const ServiceList> ServiceListObject::joined(const Napi::Array& lists) {
  std::vector<std::shared_ptr<const ServiceList>> parts;
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < lists.Length(); ++i) {
    parts.push_back(core_of<ServiceListObject>(lists.Get(i), kServiceListTag, "a list of services"));
    bytes += parts.back()->bytes();
  }
  if (parts.empty()) throw Napi::RangeError::New(lists.Env(), "no list to join");
  for (const auto& part : parts) {
    if (part->columns() != parts.front()->columns()) throw Napi::RangeError::New(lists.Env(), "other columns");
  }
  if (bytes > kLongestTexts) throw Napi::RangeError::New(lists.Env(), "the texts are too long");
  return std::make_shared<const ServiceList>(parts);
}

std::vector<EventHit> hits_of(const Napi::Object& options) {
  std::vector<EventHit> hits;
  if (!options.Get("hits").IsObject()) return hits;
  const auto given = options.Get("hits").As<Napi::Object>();
  const auto keys = given.Get("keys").As<Napi::Uint16Array>();
  const auto ids = given.Get("ids").As<Napi::Uint16Array>();
  const auto starts = given.Get("starts").As<Napi::Uint32Array>();
  if (keys.ElementLength() != ids.ElementLength() * 3 || starts.ElementLength() != ids.ElementLength()) {
    throw Napi::RangeError::New(options.Env(), "a hit is a service, an id and a start");
  }
  for (std::size_t i = 0; i < ids.ElementLength(); ++i) {
    hits.push_back({.service = {keys[i * 3], keys[i * 3 + 1], keys[i * 3 + 2]}, .id = ids[i], .start = starts[i]});
  }
  return hits;
}

std::shared_ptr<const LocalTimes> zone_of(const Napi::Object& options) {
  std::vector<LocalTimes::Change> changes;
  if (const Napi::Value value = options.Get("zone"); value.IsTypedArray()) {
    // Pairs: the time of a change, the offset from then on.
    const auto pairs = value.As<Napi::Float64Array>();
    for (std::size_t i = 0; i + 1 < pairs.ElementLength(); i += 2) {
      changes.push_back({static_cast<wire::UnixSeconds>(pairs[i]), static_cast<std::int32_t>(pairs[i + 1])});
    }
  }
  return std::make_shared<const LocalTimes>(std::move(changes));
}

EventListQuestion question_of(const Napi::Object& options) {
  EventListQuestion question;
  question.asked = named<EventsAsked>(options.Env(), text_of(options, "asked"),
                                      {{"now", EventsAsked::now},
                                       {"next", EventsAsked::next},
                                       {"nowNext", EventsAsked::now_next},
                                       {"before", EventsAsked::before},
                                       {"id", EventsAsked::id},
                                       {"window", EventsAsked::window},
                                       {"hits", EventsAsked::hits},
                                       {"search", EventsAsked::search}});
  question.from = time_of(options, "from", question.from);
  question.until = time_of(options, "until", question.until);
  question.end_inclusive = options.Get("endInclusive").ToBoolean().Value();
  question.id = static_cast<std::uint16_t>(time_of(options, "id", 0));
  question.hits = hits_of(options);
  if (question.asked == EventsAsked::search) question.query = query_of(options.Get("query").As<Napi::Object>());
  const auto first = time_of(options, "firstService", 0);
  question.first_service = static_cast<std::size_t>(std::max<std::int64_t>(0, first));
  if (const Napi::Value count = options.Get("serviceCount"); count.IsNumber()) {
    question.service_count = static_cast<std::size_t>(std::max<std::int64_t>(0, count.As<Napi::Number>().Int64Value()));
  }
  if (const Napi::Value limit = options.Get("limit"); limit.IsNumber()) {
    question.limit = static_cast<std::size_t>(std::max<std::int64_t>(0, limit.As<Napi::Number>().Int64Value()));
  }
  return question;
}

std::span<char> memory_of(const Napi::Value& value) {
  auto array = value.As<Napi::Uint8Array>();
  return {reinterpret_cast<char*>(array.Data()), array.ByteLength()};
}

/// The number of bytes in the memory that was lent, or a Buffer of all of them when that was too small.
Napi::Value made(Napi::Env env, const ByteBuffer& bytes) {
  if (!bytes.outgrown()) return Napi::Number::New(env, static_cast<double>(bytes.size()));
  return Napi::Buffer<char>::Copy(env, bytes.bytes().data(), bytes.size());
}

/// Makes the next piece on a worker thread.
class PieceWorker : public Napi::AsyncWorker {
 public:
  PieceWorker(Napi::Value memory, std::shared_ptr<EventListWriter> writer, std::shared_ptr<bool> busy,
              std::size_t bytes)
      : AsyncWorker(memory.Env(), "receiverd.event_list"),
        promise_(Napi::Promise::Deferred::New(memory.Env())),
        writer_(std::move(writer)),
        busy_(std::move(busy)),
        bytes_(bytes),
        memory_(Napi::Persistent(memory.As<Napi::Object>())),
        piece_(memory_of(memory)) {}

  Napi::Promise promise() const { return promise_.Promise(); }

 protected:
  void Execute() override { writer_->write(piece_, bytes_); }
  void OnOK() override {
    *busy_ = false;
    promise_.Resolve(made(Env(), piece_));
  }
  void OnError(const Napi::Error& error) override {
    *busy_ = false;
    promise_.Reject(error.Value());
  }

 private:
  Napi::Promise::Deferred promise_;
  std::shared_ptr<EventListWriter> writer_;
  std::shared_ptr<bool> busy_;
  std::size_t bytes_;
  Napi::ObjectReference memory_;  // so that it stays
  ByteBuffer piece_;
};

/// Searches on a worker thread.
class SearchWorker : public Napi::AsyncWorker {
 public:
  SearchWorker(Napi::Env env, std::shared_ptr<const Store> store, Query query,
               std::shared_ptr<const ServiceList> listed, std::size_t rows)
      : AsyncWorker(env, "receiverd.search"),
        promise_(Napi::Promise::Deferred::New(env)),
        store_(std::move(store)),
        query_(std::move(query)),
        listed_(std::move(listed)),
        rows_(rows) {}

  Napi::Promise promise() const { return promise_.Promise(); }

 protected:
  void Execute() override { found_ = find_listed(*store_, std::move(query_), *listed_, rows_); }
  void OnOK() override {
    const std::size_t count = found_.hits.size();
    auto keys = Napi::Uint16Array::New(Env(), count * 3);
    auto ids = Napi::Uint16Array::New(Env(), count);
    auto starts = Napi::Uint32Array::New(Env(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const EventHit& hit = found_.hits[i];
      keys[i * 3] = hit.service.original_network_id;
      keys[i * 3 + 1] = hit.service.transport_stream_id;
      keys[i * 3 + 2] = hit.service.service_id;
      ids[i] = hit.id;
      starts[i] = hit.start;
    }
    auto answer = Napi::Object::New(Env());
    answer.Set("total", static_cast<double>(found_.total));
    answer.Set("rows", static_cast<double>(found_.rows));
    answer.Set("keys", keys);
    answer.Set("ids", ids);
    answer.Set("starts", starts);
    promise_.Resolve(answer);
  }
  void OnError(const Napi::Error& error) override { promise_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred promise_;
  std::shared_ptr<const Store> store_;
  Query query_;
  std::shared_ptr<const ServiceList> listed_;
  std::size_t rows_;
  ListedHits found_;
};

/// (guide, query, services, rows): a promise of the hits.
Napi::Value find_listed_events(const Napi::CallbackInfo& call) {
  const auto listed = core_of<ServiceListObject>(call[2], kServiceListTag, "a list of services");
  const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(0, call[3].As<Napi::Number>().Int64Value()));
  auto* worker = new SearchWorker(call.Env(), ingest_of(call[0])->store(), query_of(call[1].As<Napi::Object>()), listed,
                                  rows);  // deletes itself
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

class EventListReaderObject : public Napi::ObjectWrap<EventListReaderObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "EventListReader",
        {InstanceAccessor<&EventListReaderObject::ended>("ended"),
         InstanceMethod<&EventListReaderObject::count>("count"), InstanceMethod<&EventListReaderObject::take>("take"),
         InstanceMethod<&EventListReaderObject::next>("next")});
  }

  /// (guide, services, template, options)
  explicit EventListReaderObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const auto services = core_of<ServiceListObject>(call[1], kServiceListTag, "a list of services");
    const auto form = core_of<EventTemplateObject>(call[2], kEventTemplateTag, "a template");
    for (const auto* segments : {&form->event, &form->missing}) {
      for (const EventTemplate::Segment& segment : *segments) {
        if (segment.field == EventField::service_text && segment.column >= services->columns()) {
          throw Napi::RangeError::New(call.Env(), "the list of services has no such column");
        }
      }
    }
    const auto options = call[3].As<Napi::Object>();
    EventListFrame frame{text_of(options, "head"), text_of(options, "separator"), text_of(options, "tail"),
                         text_of(options, "empty")};
    EventListTimes times{time_of(options, "now", 0), zone_of(options)};
    writer_ = std::make_shared<EventListWriter>(ingest_of(call[0])->store(), services, form, question_of(options),
                                                std::move(frame), std::move(times));
  }

 private:
  Napi::Value ended(const Napi::CallbackInfo& call) { return Napi::Boolean::New(call.Env(), writer_->ended()); }

  Napi::Value count(const Napi::CallbackInfo& call) {
    require_idle(call.Env());
    return Napi::Number::New(call.Env(), static_cast<double>(writer_->count()));
  }

  /// (memory: Uint8Array, bytes, microseconds): the next piece, made here and now, see made().
  Napi::Value take(const Napi::CallbackInfo& call) {
    require_idle(call.Env());
    ByteBuffer piece{memory_of(call[0])};
    writer_->write(piece, size_of(call[1]), std::chrono::microseconds(size_of(call[2])));
    return made(call.Env(), piece);
  }

  /// (memory: Uint8Array, bytes): a promise of the next piece, see made(). Nobody may touch the memory until then.
  Napi::Value next(const Napi::CallbackInfo& call) {
    require_idle(call.Env());
    auto* worker = new PieceWorker(call[0], writer_, busy_, size_of(call[1]));  // deletes itself
    const Napi::Promise promise = worker->promise();
    *busy_ = true;
    worker->Queue();
    return promise;
  }

  void require_idle(Napi::Env env) const {
    if (*busy_) throw Napi::Error::New(env, "the piece before is still being made");
  }

  static std::size_t size_of(const Napi::Value& value) {
    return static_cast<std::size_t>(std::max<std::int64_t>(1, value.As<Napi::Number>().Int64Value()));
  }

  std::shared_ptr<EventListWriter> writer_;
  /// Touched by JavaScript's thread alone; outlives this object while a worker runs.
  std::shared_ptr<bool> busy_ = std::make_shared<bool>(false);
};

}  // namespace

void register_event_list_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("ServiceList", ServiceListObject::define(env));
  exports.Set("EventTemplate", EventTemplateObject::define(env));
  exports.Set("EventListReader", EventListReaderObject::define(env));
  exports.Set("findListed", Napi::Function::New<find_listed_events>(env, "findListed"));
}

}  // namespace receiverd::epg
