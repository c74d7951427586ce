// The tuner and its streams for JavaScript. Only src/dvb calls these functions, and it checks the arguments.
//
// The tuner thread calls notify() when the first event arrives after a delivery. That queues one call into JavaScript,
// which takes all events gathered by then. The thread-safe function behind it exists from start() until the thread has
// been joined. It keeps Node and the tuner alive while the tuner runs, but not afterwards.

#include "dvb/dvb_binding.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "dvb/file_source.h"
#include "dvb/tuner.h"
#include "dvb/tuner_json.h"
#include "epg/epg_binding.h"
#include "epg/ingest/ingest.h"
#include "node/values.h"

namespace receiverd::dvb {

namespace {

using node::buffer_of;

constexpr napi_type_tag kTunerTag = {0x5c1f38e7a2d94b06ULL, 0x9e04d7b3186a42f1ULL};

class TunerObject : public Napi::ObjectWrap<TunerObject> {
 public:
  static Napi::Function define(Napi::Env env, const std::vector<SourceKind>& kinds) {
    return DefineClass(
        env, "Tuner",
        {InstanceMethod<&TunerObject::start>("start"), InstanceMethod<&TunerObject::stop>("stop"),
         InstanceMethod<&TunerObject::running>("running"), InstanceMethod<&TunerObject::generation>("generation"),
         InstanceMethod<&TunerObject::multiplex>("multiplex"), InstanceMethod<&TunerObject::statistics>("statistics"),
         InstanceMethod<&TunerObject::signal>("signal")},
        const_cast<std::vector<SourceKind>*>(&kinds));
  }

  /// (specification, guide or undefined)
  explicit TunerObject(const Napi::CallbackInfo& call) : ObjectWrap(call), env_(call.Env()) {
    Tuner::Options options;
    const auto& kinds = *static_cast<const std::vector<SourceKind>*>(call.Data());
    Tuner::SourceFactory factory = source_factory(call[0].As<Napi::Object>(), kinds, options);
    tuner_ = std::make_unique<Tuner>(
        std::move(factory), call[1].IsUndefined() ? nullptr : epg::ingest_of(call[1]),
        [this] { notify_.NonBlockingCall(this); }, options);
    call.This().As<Napi::Object>().TypeTag(&kTunerTag);
  }

  Tuner& tuner() { return *tuner_; }

 private:
  static void deliver(Napi::Env env, Napi::Function callback, std::nullptr_t*, TunerObject* self) {
    if (static_cast<napi_env>(env) != nullptr) self->take_events(env, callback);
  }
  using Notify = Napi::TypedThreadSafeFunction<std::nullptr_t, TunerObject, deliver>;

  /// Joins the tuner's thread off the JavaScript thread.
  class StopWorker : public Napi::AsyncWorker {
   public:
    StopWorker(Napi::Env env, TunerObject& tuner)
        : AsyncWorker(env, "receiverd.tuner.stop"), tuner_(tuner), promise_(Napi::Promise::Deferred::New(env)) {
      tuner_.Ref();
    }
    Napi::Promise promise() const { return promise_.Promise(); }

    void Execute() override { tuner_.tuner_->stop(); }
    void OnOK() override {
      tuner_.stopping_ = false;
      tuner_.release();
      promise_.Resolve(Env().Undefined());
      tuner_.Unref();
    }

   private:
    TunerObject& tuner_;
    Napi::Promise::Deferred promise_;
  };

  static Tuner::SourceFactory source_factory(const Napi::Object& specification, const std::vector<SourceKind>& kinds,
                                             Tuner::Options& options);

  /// (notify: called with each batch of events)
  void start(const Napi::CallbackInfo& call) {
    if (notifying_) return;
    notify_ = Notify::New(call.Env(), call[0].As<Napi::Function>(), "receiverd.tuner", 0, 1);
    notifying_ = true;
    Ref();
    // Hooks run in reverse order: the thread is joined before Node destroys the thread-safe function.
    napi_add_env_cleanup_hook(env_, &TunerObject::environment_ends, this);
    tuner_->start();
  }

  Napi::Value stop(const Napi::CallbackInfo& call) {
    stopping_ = true;
    auto* const worker = new StopWorker(call.Env(), *this);
    const Napi::Promise promise = worker->promise();
    worker->Queue();
    return promise;
  }

  static void environment_ends(void* self) { static_cast<TunerObject*>(self)->tuner_->stop(); }

  /// Runs after the thread was joined: nothing calls notify_ any more.
  void release() {
    if (!std::exchange(notifying_, false)) return;
    napi_remove_env_cleanup_hook(env_, &TunerObject::environment_ends, this);
    notify_.Release();
    Unref();
  }

  void take_events(Napi::Env env, Napi::Function callback) {
    const TunerEvents events = tuner_->take_events();
    if (!events.any()) return;
    if (events.ended && !stopping_) {
      tuner_->stop();  // the thread has already ended: this only joins it
      release();
    }
    Napi::Object event = Napi::Object::New(env);
    event.Set("readable", events.readable);
    event.Set("guide", events.guide);
    if (events.generation) event.Set("generation", static_cast<double>(*events.generation));
    if (events.time) event.Set("time", static_cast<double>(events.time->utc));
    if (events.ended) event.Set("ended", *events.ended);
    callback.Call({event});
  }

  Napi::Value running(const Napi::CallbackInfo& call) { return Napi::Boolean::New(call.Env(), tuner_->running()); }
  Napi::Value generation(const Napi::CallbackInfo& call) {
    return Napi::Number::New(call.Env(), static_cast<double>(tuner_->picture().generation));
  }
  Napi::Value multiplex(const Napi::CallbackInfo& call) {
    return buffer_of(call.Env(), picture_json(tuner_->picture()));
  }
  Napi::Value statistics(const Napi::CallbackInfo& call) {
    return buffer_of(call.Env(), statistics_json(*tuner_->statistics()));
  }
  Napi::Value signal(const Napi::CallbackInfo& call) {
    const SignalQuality quality = tuner_->signal();
    Napi::Object signal = Napi::Object::New(call.Env());
    signal.Set("locked", quality.locked);
    signal.Set("snr", quality.snr_decibel);
    signal.Set("snrPercent", quality.snr_percent);
    signal.Set("strengthPercent", quality.strength_percent);
    signal.Set("bitErrors", quality.bit_errors);
    return signal;
  }

  const napi_env env_;
  std::unique_ptr<Tuner> tuner_;
  Notify notify_;
  bool notifying_ = false;  // notify_ exists
  bool stopping_ = false;   // a StopWorker is running
};

Tuner::SourceFactory TunerObject::source_factory(const Napi::Object& specification,
                                                 const std::vector<SourceKind>& kinds, Tuner::Options& options) {
  const std::string wanted = specification.Get("kind").As<Napi::String>().Utf8Value();
  const auto found = std::ranges::find(kinds, wanted, &SourceKind::kind);
  if (found == kinds.end()) throw Napi::TypeError::New(specification.Env(), "no such kind of tuner: " + wanted);
  return found->factory(specification, options);
}

/// One reader's end of a StreamQueue.
class ServiceStreamObject : public Napi::ObjectWrap<ServiceStreamObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "ServiceStream",
        {InstanceMethod<&ServiceStreamObject::read>("read"), InstanceMethod<&ServiceStreamObject::close>("close"),
         InstanceMethod<&ServiceStreamObject::reason>("reason")});
  }

  /// (tuner, service id, bound in bytes, keep ECMs)
  explicit ServiceStreamObject(const Napi::CallbackInfo& call)
      : ObjectWrap(call),
        queue_(tuner_of(call[0]).open_stream(static_cast<std::uint16_t>(call[1].As<Napi::Number>().Uint32Value()),
                                             static_cast<std::size_t>(call[2].As<Napi::Number>().Int64Value()),
                                             call[3].As<Napi::Boolean>().Value())) {}
  // Ends a stream that was dropped without close().
  ~ServiceStreamObject() override { queue_->close(); }

 private:
  Napi::Value read(const Napi::CallbackInfo& call) {
    const Napi::Env env = call.Env();
    Chunk chunk;
    switch (queue_->read(chunk)) {
      case StreamQueue::Read::nothing:
        return env.Undefined();
      case StreamQueue::Read::end:
        return env.Null();
      case StreamQueue::Read::chunk:
        break;
    }
    std::uint8_t* const bytes = chunk.bytes.release();
    return Napi::Buffer<std::uint8_t>::NewOrCopy(env, bytes, chunk.size,
                                                 [](Napi::Env, std::uint8_t* mine) { delete[] mine; });
  }

  void close(const Napi::CallbackInfo&) { queue_->close(); }

  Napi::Value reason(const Napi::CallbackInfo& call) {
    const StreamEnd end = queue_->reason();
    if (end == StreamEnd::none) return call.Env().Null();
    return Napi::String::New(call.Env(), end_text(end));
  }

  const std::shared_ptr<StreamQueue> queue_;
};

}  // namespace

std::string end_text(StreamEnd end) {
  switch (end) {
    case StreamEnd::overflow:
      return "overflow";
    case StreamEnd::closed:
      return "closed";
    case StreamEnd::stopped:
      return "stopped";
    case StreamEnd::ended:
      return "ended";
    case StreamEnd::failed:
    case StreamEnd::none:
      break;
  }
  return "failed";
}

Tuner::SourceFactory file_source_factory(const Napi::Object& specification, Tuner::Options& options) {
  FileOptions file;
  file.path = specification.Get("path").As<Napi::String>().Utf8Value();
  file.loop = specification.Get("loop").As<Napi::Boolean>().Value();
  file.paced = specification.Get("paced").As<Napi::Boolean>().Value();
  options.wait_for_readers = !file.paced;
  return [file] { return std::make_unique<FileSource>(file); };
}

Tuner& tuner_of(const Napi::Value& value) { return node::unwrapped<TunerObject>(value, kTunerTag, "a tuner").tuner(); }

void register_binding(Napi::Env env, Napi::Object exports, const std::vector<SourceKind>& kinds) {
  Napi::Array names = Napi::Array::New(env);
  for (const SourceKind& kind : kinds) names[names.Length()] = kind.kind;
  exports.Set("tunerKinds", names);
  exports.Set("Tuner", TunerObject::define(env, kinds));
  exports.Set("ServiceStream", ServiceStreamObject::define(env));
}

}  // namespace receiverd::dvb
