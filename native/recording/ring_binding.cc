// The ring for JavaScript. Only src/timeshift calls it, and it checks the arguments.

#include "recording/ring_binding.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dvb/dvb_binding.h"
#include "dvb/tuner.h"
#include "node/values.h"
#include "recording/recording_binding.h"
#include "recording/ring.h"

namespace receiverd::recording {

namespace {

using node::number_of;

std::uint64_t integer(const Napi::Value& value) {
  return static_cast<std::uint64_t>(value.As<Napi::Number>().Int64Value());
}

Napi::Object object_of(Napi::Env env, const RingSegment& segment) {
  using Seconds = std::chrono::duration<double>;
  Napi::Object object = Napi::Object::New(env);
  object.Set("sequence", number_of(env, segment.sequence));
  object.Set("head", number_of(env, segment.head));
  object.Set("bytes", number_of(env, segment.bytes));
  object.Set("ticks", number_of(env, segment.ticks));
  object.Set("age", segment.begin == std::chrono::steady_clock::time_point{}
                        ? 0.0
                        : Seconds(std::chrono::steady_clock::now() - segment.begin).count());
  object.Set("discontinuity", segment.discontinuity);
  return object;
}

class RingObject : public Napi::ObjectWrap<RingObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Ring",
        {InstanceMethod<&RingObject::open_stream>("openStream"), InstanceMethod<&RingObject::status>("status"),
         InstanceMethod<&RingObject::segments>("segments"), InstanceMethod<&RingObject::feed>("feed"),
         InstanceMethod<&RingObject::close>("close")});
  }

  /// ({ folder, size, minimumFree, firstSequence, queueBound })
  explicit RingObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const auto given = call[0].As<Napi::Object>();
    RingOptions options;
    options.folder = given.Get("folder").As<Napi::String>().Utf8Value();
    options.size = integer(given.Get("size"));
    options.minimum_free = integer(given.Get("minimumFree"));
    options.first_sequence = integer(given.Get("firstSequence"));
    options.queue_bound = static_cast<std::size_t>(integer(given.Get("queueBound")));
    ring_ = std::make_shared<Ring>(std::move(options));
  }

 private:
  /// (tuner, service id, keep ECMs)
  void open_stream(const Napi::CallbackInfo& call) {
    dvb::tuner_of(call[0]).open_stream(static_cast<std::uint16_t>(call[1].As<Napi::Number>().Uint32Value()),
                                       call[2].As<Napi::Boolean>().Value(), ring_->open_queue());
  }

  Napi::Value status(const Napi::CallbackInfo& call) {
    const Napi::Env env = call.Env();
    const RingStatus now = ring_->status();
    Napi::Object status = Napi::Object::New(env);
    status.Set("first", number_of(env, now.first));
    status.Set("growing", object_of(env, now.growing));
    status.Set("bytes", number_of(env, now.bytes));
    status.Set("packets", number_of(env, now.packets));
    status.Set("lost", number_of(env, now.lost));
    status.Set("error", Napi::Number::New(env, now.error));
    status.Set("feeds", static_cast<double>(now.feeds));
    status.Set("end", now.end == dvb::StreamEnd::none ? env.Null() : Napi::String::New(env, dvb::end_text(now.end)));
    return status;
  }

  /// (from sequence)
  Napi::Value segments(const Napi::CallbackInfo& call) {
    const Napi::Env env = call.Env();
    const std::vector<RingSegment> segments = ring_->segments(integer(call[0]));
    Napi::Array list = Napi::Array::New(env, segments.size());
    for (std::uint32_t i = 0; i < segments.size(); ++i) list.Set(i, object_of(env, segments[i]));
    return list;
  }

  /// (recording, from sequence, follow)
  void feed(const Napi::CallbackInfo& call) {
    ring_->feed(recording_of(call[0]).open_queue(), integer(call[1]), call[2].As<Napi::Boolean>().Value());
  }

  /// Joins the threads off the JavaScript thread.
  Napi::Value close(const Napi::CallbackInfo& call) {
    return node::run(call.Env(), [ring = ring_] { ring->close(); });
  }

  std::shared_ptr<Ring> ring_;
};

}  // namespace

void register_ring_binding(Napi::Env env, Napi::Object exports) { exports.Set("Ring", RingObject::define(env)); }

}  // namespace receiverd::recording
