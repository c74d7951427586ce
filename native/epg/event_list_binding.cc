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
constexpr napi_type_tag kFrameTag = {0x1f4c7a0bd6e84a35ULL, 0x93b8e2d05c6f4178ULL};
constexpr napi_type_tag kZoneTag = {0x7d92b3e4085f4c61ULL, 0xb1a6c84f2e07d95aULL};

template <typename Value>
Value named(const Napi::Env& env, const std::string& name,
            std::initializer_list<std::pair<std::string_view, Value>> names) {
  for (const auto& [known, value] : names) {
    if (known == name) return value;
  }
  throw Napi::TypeError::New(env, "unknown name '" + name + "'");
}

/// A JavaScript object that holds an immutable object of the core, which several readers may share.
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

  /// (keys: Uint16Array of three numbers per service, guide: Uint8Array of 1 or 0, texts: string[], columns: number),
  /// or
  /// (lists: ServiceList[]) to concatenate them
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
      throw Napi::RangeError::New(call.Env(), "each service requires three numbers and all its texts");
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

class EventTemplateObject : public Holder<EventTemplateObject, EventForm> {
 public:
  static Napi::Function define(Napi::Env env) { return DefineClass(env, "EventTemplate", {}); }

  /// (form: 'xml' | 'json' | 'cleanedJson', event: segments, missing: segments, genres: 256 texts). Segments alternate
  /// between literals and fields, starting and ending with a literal. A field is a name, or a column number.
  explicit EventTemplateObject(const Napi::CallbackInfo& call) : Holder(call) {
    EventTemplate made;
    made.form = named<Escape>(call.Env(), text_of(call[0]),
                              {{"xml", Escape::xml}, {"json", Escape::json}, {"cleanedJson", Escape::cleaned_json}});
    made.event = segments_of(call[1].As<Napi::Array>());
    made.missing = segments_of(call[2].As<Napi::Array>());
    const auto genres = call[3].As<Napi::Array>();
    for (std::uint32_t i = 0; i < made.genres.size(); ++i) made.genres[i] = text_of(genres.Get(i));
    core_ = std::make_shared<const EventForm>(std::move(made));
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

/// The core object held by a JavaScript object. Throws a JavaScript TypeError if `value` is anything else.
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

class FrameObject : public Holder<FrameObject, EventListFrame> {
 public:
  static Napi::Function define(Napi::Env env) { return DefineClass(env, "EventListFrame", {}); }

  /// (head, separator, tail, empty)
  explicit FrameObject(const Napi::CallbackInfo& call) : Holder(call) {
    core_ = std::make_shared<const EventListFrame>(
        EventListFrame{text_of(call[0]), text_of(call[1]), text_of(call[2]), text_of(call[3])});
    call.This().As<Napi::Object>().TypeTag(&kFrameTag);
  }
};

class ZoneObject : public Holder<ZoneObject, LocalTimes> {
 public:
  static Napi::Function define(Napi::Env env) { return DefineClass(env, "LocalTimes", {}); }

  /// (pairs: Float64Array): the times of changes and the offsets from then on; empty: UTC
  explicit ZoneObject(const Napi::CallbackInfo& call) : Holder(call) {
    std::vector<LocalTimes::Change> changes;
    const auto pairs = call[0].As<Napi::Float64Array>();
    for (std::size_t i = 0; i + 1 < pairs.ElementLength(); i += 2) {
      changes.push_back({static_cast<wire::UnixSeconds>(pairs[i]), static_cast<std::int32_t>(pairs[i + 1])});
    }
    core_ = std::make_shared<const LocalTimes>(std::move(changes));
    call.This().As<Napi::Object>().TypeTag(&kZoneTag);
  }
};

std::vector<EventHit> hits_of(const Napi::Object& given) {
  std::vector<EventHit> hits;
  const auto keys = given.Get("keys").As<Napi::Uint16Array>();
  const auto ids = given.Get("ids").As<Napi::Uint16Array>();
  const auto starts = given.Get("starts").As<Napi::Uint32Array>();
  if (keys.ElementLength() != ids.ElementLength() * 3 || starts.ElementLength() != ids.ElementLength()) {
    throw Napi::RangeError::New(given.Env(), "a hit consists of a service, an id and a start");
  }
  hits.reserve(ids.ElementLength());
  for (std::size_t i = 0; i < ids.ElementLength(); ++i) {
    EventHit& hit = hits.emplace_back();
    hit.service = {keys[i * 3], keys[i * 3 + 1], keys[i * 3 + 2]};
    hit.id = ids[i];
    hit.start = starts[i];
  }
  return hits;
}

/// The numbers of a list query, by their place in a Float64Array: one call instead of one per property of an object.
/// numbersOf() of src/epg/event-list.ts uses the same order.
struct QuestionNumbers {
  enum Place : std::size_t { asked, from, until, end_inclusive, id, limit, first_service, service_count, now, places };

  explicit QuestionNumbers(const Napi::Value& value) : array(value.As<Napi::Float64Array>()) {
    if (array.ElementLength() != places)
      throw Napi::RangeError::New(value.Env(), "wrong number of values for a list query");
  }

  /// NaN: not given. Numbers outside the safe integers are clamped to them.
  std::int64_t at(Place place, std::int64_t otherwise) const {
    constexpr double kLargest = 9'007'199'254'740'991;
    const double number = array[place];
    return number != number ? otherwise : static_cast<std::int64_t>(std::clamp(number, -kLargest, kLargest));
  }

  std::size_t size_at(Place place, std::size_t otherwise) const {
    const double number = array[place];
    return number != number ? otherwise : static_cast<std::size_t>(std::max<std::int64_t>(0, at(place, 0)));
  }

  Napi::Float64Array array;
};

/// `found`: the hits of a search, or the query to run, depending on `asked`.
EventListQuestion question_of(const QuestionNumbers& numbers, const Napi::Value& found) {
  using enum QuestionNumbers::Place;
  EventListQuestion question;
  const std::int64_t what = numbers.at(asked, -1);
  if (what < 0 || what > static_cast<std::int64_t>(EventsAsked::search)) {
    throw Napi::RangeError::New(found.Env(), "unknown kind of list query");
  }
  question.asked = static_cast<EventsAsked>(what);
  question.from = numbers.at(from, question.from);
  question.until = numbers.at(until, question.until);
  question.end_inclusive = numbers.at(end_inclusive, 0) != 0;
  question.id = static_cast<std::uint16_t>(numbers.at(id, 0));
  question.limit = numbers.size_at(limit, question.limit);
  question.first_service = numbers.size_at(first_service, 0);
  question.service_count = numbers.size_at(service_count, question.service_count);
  if (question.asked == EventsAsked::hits) question.hits = hits_of(found.As<Napi::Object>());
  if (question.asked == EventsAsked::search) question.query = query_of(found.As<Napi::Object>());
  return question;
}

/// The common arguments of every list: (guide, services, template, frame, zone or undefined, numbers, found or
/// undefined).
constexpr std::size_t kListArguments = 7;

std::shared_ptr<EventListWriter> writer_of(const Napi::CallbackInfo& call) {
  const auto services = core_of<ServiceListObject>(call[1], kServiceListTag, "a list of services");
  const auto form = core_of<EventTemplateObject>(call[2], kEventTemplateTag, "a template");
  if (form->columns() > services->columns()) {
    throw Napi::RangeError::New(call.Env(), "the list of services has no such column");
  }
  const auto frame = core_of<FrameObject>(call[3], kFrameTag, "a frame");
  static const auto utc = std::make_shared<const LocalTimes>(std::vector<LocalTimes::Change>{});
  const auto zone = call[4].IsUndefined() ? utc : core_of<ZoneObject>(call[4], kZoneTag, "a zone");
  const QuestionNumbers numbers(call[5]);
  return std::make_shared<EventListWriter>(ingest_of(call[0])->store(), services, form, question_of(numbers, call[6]),
                                           *frame, EventListTimes{numbers.at(QuestionNumbers::now, 0), zone});
}

std::span<char> memory_of(const Napi::Value& value) {
  auto array = value.As<Napi::Uint8Array>();
  return {reinterpret_cast<char*>(array.Data()), array.ByteLength()};
}

/// The number of bytes written to the lent memory, or a Buffer with all of them if that was too small.
Napi::Value made(Napi::Env env, const ByteBuffer& bytes) {
  if (!bytes.outgrown()) return Napi::Number::New(env, static_cast<double>(bytes.size()));
  return Napi::Buffer<char>::Copy(env, bytes.bytes().data(), bytes.size());
}

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

/// Writes the next piece on a worker thread.
class PieceWorker : public Napi::AsyncWorker {
 public:
  /// `busy` is reset when the work is done.
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
    promise_.Resolve(answer());
  }
  void OnError(const Napi::Error& error) override {
    *busy_ = false;
    promise_.Reject(error.Value());
  }

  virtual Napi::Value answer() { return made(Env(), piece_); }

  const std::shared_ptr<EventListWriter>& writer() const { return writer_; }
  const ByteBuffer& piece() const { return piece_; }

 private:
  Napi::Promise::Deferred promise_;
  std::shared_ptr<EventListWriter> writer_;
  std::shared_ptr<bool> busy_;
  std::size_t bytes_;
  Napi::ObjectReference memory_;  // keeps the memory alive
  ByteBuffer piece_;
};

std::size_t size_of(const Napi::Value& value) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, value.As<Napi::Number>().Int64Value()));
}

/// The rest of a list that did not fit into its first piece.
class EventListReaderObject : public Napi::ObjectWrap<EventListReaderObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "EventListReader",
        {InstanceAccessor<&EventListReaderObject::ended>("ended"), InstanceMethod<&EventListReaderObject::take>("take"),
         InstanceMethod<&EventListReaderObject::next>("next")});
  }

  /// Only constructed internally: (writer: External)
  explicit EventListReaderObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    if (!call[0].IsExternal()) throw Napi::TypeError::New(call.Env(), "use beginEvents to start a list");
    writer_ = *call[0].As<Napi::External<std::shared_ptr<EventListWriter>>>().Data();
  }

 private:
  Napi::Value ended(const Napi::CallbackInfo& call) { return Napi::Boolean::New(call.Env(), writer_->ended()); }

  /// (memory: Uint8Array, bytes, microseconds): writes the next piece synchronously, see made().
  Napi::Value take(const Napi::CallbackInfo& call) {
    require_idle(call.Env());
    ByteBuffer piece{memory_of(call[0])};
    writer_->write(piece, size_of(call[1]), std::chrono::microseconds(size_of(call[2])));
    return made(call.Env(), piece);
  }

  /// (memory: Uint8Array, bytes): a promise of the next piece, see made(). The memory must not be touched until then.
  Napi::Value next(const Napi::CallbackInfo& call) {
    require_idle(call.Env());
    auto* worker = new PieceWorker(call[0], writer_, busy_, size_of(call[1]));  // deletes itself
    const Napi::Promise promise = worker->promise();
    *busy_ = true;
    worker->Queue();
    return promise;
  }

  void require_idle(Napi::Env env) const {
    if (*busy_) throw Napi::Error::New(env, "the previous piece is not finished");
  }

  std::shared_ptr<EventListWriter> writer_;
  /// Accessed only by JavaScript's thread; outlives this object while a worker runs.
  std::shared_ptr<bool> busy_ = std::make_shared<bool>(false);
};

/// What this binding stores per environment.
struct Constructors {
  Napi::FunctionReference reader;
};

/// The first piece, see made(), if the list ends with it; otherwise {piece, rest: EventListReader}. Most lists are one
/// piece, and an object that the garbage collector has to finalise costs as much as twenty events.
Napi::Value begun(Napi::Env env, const std::shared_ptr<EventListWriter>& writer, const ByteBuffer& piece) {
  if (writer->ended()) return made(env, piece);
  auto begun = Napi::Object::New(env);
  begun.Set("piece", made(env, piece));
  auto held = writer;
  begun.Set("rest", env.GetInstanceData<Constructors>()->reader.New(
                        {Napi::External<std::shared_ptr<EventListWriter>>::New(env, &held)}));
  return begun;
}

class FirstPieceWorker : public PieceWorker {
 public:
  using PieceWorker::PieceWorker;

 protected:
  Napi::Value answer() override { return begun(Env(), writer(), piece()); }
};

/// (..., memory: Uint8Array, bytes, microseconds): the beginning of a list, see begun().
Napi::Value begin_events(const Napi::CallbackInfo& call) {
  const auto writer = writer_of(call);
  ByteBuffer piece{memory_of(call[kListArguments])};
  writer->write(piece, size_of(call[kListArguments + 1]), std::chrono::microseconds(size_of(call[kListArguments + 2])));
  return begun(call.Env(), writer, piece);
}

/// (..., memory: Uint8Array, bytes): a promise of the same, from a worker. The memory must not be touched until then.
Napi::Value begin_events_on_worker(const Napi::CallbackInfo& call) {
  auto* worker = new FirstPieceWorker(call[kListArguments], writer_of(call), std::make_shared<bool>(true),
                                      size_of(call[kListArguments + 1]));  // deletes itself
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

/// (...): how many events the list will have if nothing changes.
Napi::Value count_events(const Napi::CallbackInfo& call) {
  return Napi::Number::New(call.Env(), static_cast<double>(writer_of(call)->count()));
}

}  // namespace

void register_event_list_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("ServiceList", ServiceListObject::define(env));
  exports.Set("EventTemplate", EventTemplateObject::define(env));
  exports.Set("EventListFrame", FrameObject::define(env));
  exports.Set("LocalTimes", ZoneObject::define(env));
  exports.Set("beginEvents", Napi::Function::New<begin_events>(env, "beginEvents"));
  exports.Set("beginEventsOnWorker", Napi::Function::New<begin_events_on_worker>(env, "beginEventsOnWorker"));
  exports.Set("countEvents", Napi::Function::New<count_events>(env, "countEvents"));
  exports.Set("findListed", Napi::Function::New<find_listed_events>(env, "findListed"));
  env.SetInstanceData(new Constructors{Napi::Persistent(EventListReaderObject::define(env))});
}

}  // namespace receiverd::epg
