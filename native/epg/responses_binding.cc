#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "epg/epg_binding.h"
#include "epg/ingest/ingest.h"
#include "epg/responses/event_list.h"
#include "epg/search/search.h"
#include "node/values.h"

namespace receiverd::epg {
namespace {

using node::named;
using node::number_of;
using node::take_number;
using node::text_of;
using node::unwrapped;

constexpr napi_type_tag kServiceListTag = {0x2b61d9c6f3f0411eULL, 0x8c1d5a9a0e7742b8ULL};
constexpr napi_type_tag kEventTemplateTag = {0x54e0c1a84d2b4a79ULL, 0xa6d2f5170b3e9c41ULL};

/// Limits for the first piece, which is written on JavaScript's thread; workers write the others. Waking a worker and
/// being woken by it takes about fifty microseconds, in which a desktop core writes two hundred events. A slow core
/// reaches the time limit and leaves the rest to a worker.
constexpr std::size_t kMaxFirstPieceBytes = 192 * 1024;
constexpr std::chrono::microseconds kMaxFirstPieceTime{200};
/// A worker writes this in a few hundred microseconds.
constexpr std::size_t kPieceBytes = 256 * 1024;

/// A JavaScript object that owns an immutable C++ object.
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
    const std::vector<DvbTriplet> keys = services_of(given.Get("keys"));
    const auto guide = given.Get("guide").As<Napi::Uint8Array>();
    const std::vector<std::string> texts = node::texts_of(given.Get("texts"));
    const std::size_t columns = given.Get("columns").As<Napi::Number>().Uint32Value();
    if (keys.size() != guide.ElementLength() || texts.size() != keys.size() * columns) {
      throw Napi::RangeError::New(call.Env(), "each service requires three numbers and all its texts");
    }
    std::vector<std::optional<DvbTriplet>> services(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (guide[i] != 0) services[i] = keys[i];
    }
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size();
    if (bytes > kMaxTextBytes) throw Napi::RangeError::New(call.Env(), "the texts are too long");
    core = std::make_shared<const ServiceList>(std::move(services), texts, columns);
  }

 private:
  static constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;
};

class EventTemplateObject : public Holder<EventTemplateObject, EventTemplate> {
 public:
  static Napi::Function define(Napi::Env env) { return DefineClass(env, "EventTemplate", {}); }

  explicit EventTemplateObject(const Napi::CallbackInfo& call) : Holder(call, kEventTemplateTag) {
    const auto given = call[0].As<Napi::Object>();
    EventTemplate event_template;
    event_template.escape =
        named<Escape>(given.Get("escape"), "escape",
                      {{"xml", Escape::xml}, {"json", Escape::json}, {"cleanedJson", Escape::cleaned_json}});
    event_template.event = segments_of(given.Get("event").As<Napi::Array>());
    event_template.missing = segments_of(given.Get("missing").As<Napi::Array>());
    event_template.separator = text_of(given.Get("separator"));
    const auto genres = given.Get("genres").As<Napi::Array>();
    for (std::uint32_t i = 0; i < event_template.genres.size(); ++i) event_template.genres[i] = text_of(genres.Get(i));
    core = std::make_shared<const EventTemplate>(std::move(event_template));
  }

 private:
  static std::vector<EventTemplate::Segment> segments_of(const Napi::Array& given) {
    std::vector<EventTemplate::Segment> segments;
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

  static bool is_full(const EventTemplate::Segment& segment) { return segment.field != nullptr || segment.column >= 0; }

  static void set_field(EventTemplate::Segment& segment, const Napi::Value& of) {
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
  take_number(given, "skip", question.skip);
  take_number(given, "limit", question.limit);
  question.end_inclusive = given.Get("endInclusive").ToBoolean().Value();
  if (question.asked == EventsAsked::search) question.query = query_of(given.Get("query").As<Napi::Object>());
  return question;
}

Moment moment_of(const Napi::Object& given) {
  Moment moment;
  take_number(given, "now", moment.now);
  moment.zone = local_times_of(given.Get("zone"));
  return moment;
}

/// The list for the arguments (guide, services, template, question, moment).
std::unique_ptr<EventList> list_of(const Napi::CallbackInfo& call) {
  auto services = unwrapped<ServiceListObject>(call[1], kServiceListTag, "a list of services").core;
  auto event_template = unwrapped<EventTemplateObject>(call[2], kEventTemplateTag, "a template of events").core;
  if (event_template->columns() > services->columns()) {
    throw Napi::RangeError::New(call.Env(), "the list of services has no such column");
  }
  return std::make_unique<EventList>(
      ingest_of(call[0])->store(), question_of(call[3].As<Napi::Object>()),
      EventWriter(std::move(event_template), std::move(services), moment_of(call[4].As<Napi::Object>())));
}

/// A Buffer for a piece. JavaScript must not touch it while the piece is being written.
using Memory = Napi::Buffer<char>;

Memory memory_of(const Napi::Value& given) {
  if (!given.IsBuffer()) throw Napi::TypeError::New(given.Env(), "a piece needs a Buffer to be written into");
  return given.As<Memory>();
}

ByteBuffer buffer_in(const Memory& memory) { return ByteBuffer(std::span(memory.Data(), memory.Length())); }

Napi::Promise write_piece(Napi::Env env, const std::shared_ptr<EventList>& list, const Memory& memory);

/// Creates an EventPiece. Its bytes are in `memory` if they fit, otherwise in a new Buffer.
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

/// Writes the next piece of a list on a worker thread. Meanwhile nothing else may use the list. The promise resolves to
/// an EventPiece.
Napi::Promise write_piece(Napi::Env env, const std::shared_ptr<EventList>& list, const Memory& memory) {
  const auto written = std::make_shared<ByteBuffer>(buffer_in(memory));
  return node::run(
      env,
      [list, written]() -> node::MadeValue {
        list->write(*written, kPieceBytes);
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
  list->write(bytes, kMaxFirstPieceBytes, kMaxFirstPieceTime);
  return piece_of(call.Env(), std::move(list), bytes, memory);
}

Napi::Value search_listed(const Napi::CallbackInfo& call) {
  return write_piece(call.Env(), list_of(call), memory_of(call[5]));
}

Napi::Value count_events(const Napi::CallbackInfo& call) { return number_of(call.Env(), list_of(call)->count()); }

}  // namespace

void register_responses(Napi::Env env, Napi::Object exports) {
  exports.Set("ServiceList", ServiceListObject::define(env));
  exports.Set("EventTemplate", EventTemplateObject::define(env));
  exports.Set("listEvents", Napi::Function::New<list_events>(env, "listEvents"));
  exports.Set("searchEvents", Napi::Function::New<search_listed>(env, "searchEvents"));
  exports.Set("countEvents", Napi::Function::New<count_events>(env, "countEvents"));
}

}  // namespace receiverd::epg
