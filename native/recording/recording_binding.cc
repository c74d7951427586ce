// Recording for JavaScript. Only src/recordings calls it, and it checks the arguments.

#include "recording/recording_binding.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "dvb/dvb_binding.h"
#include "dvb/tuner.h"
#include "recording/recording.h"

namespace receiverd::recording {

namespace {

SyncPolicy policy_of(std::string_view text) {
  if (text == "never") return SyncPolicy::never;
  return text == "always" ? SyncPolicy::always : SyncPolicy::interval;
}

constexpr napi_type_tag kRecordingTag = {0x3d7bb0a94c1e4f85ULL, 0xa6210c5e97d84b13ULL};

class RecordingObject : public Napi::ObjectWrap<RecordingObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Recording",
        {InstanceMethod<&RecordingObject::open_stream>("openStream"), InstanceMethod<&RecordingObject::stop>("stop"),
         InstanceMethod<&RecordingObject::status>("status")});
  }

  /// ({ path, queueBound, sync, syncInterval })
  explicit RecordingObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    call.This().As<Napi::Object>().TypeTag(&kRecordingTag);
    const auto given = call[0].As<Napi::Object>();
    RecordingOptions options;
    options.path = given.Get("path").As<Napi::String>().Utf8Value();
    options.queue_bound = static_cast<std::size_t>(given.Get("queueBound").As<Napi::Number>().Int64Value());
    options.sync = policy_of(given.Get("sync").As<Napi::String>().Utf8Value());
    options.sync_interval = std::chrono::seconds(given.Get("syncInterval").As<Napi::Number>().Int64Value());
    recording_ = std::make_shared<Recording>(std::move(options));
  }

  Recording& recording() { return *recording_; }

 private:
  /// Joins the thread off the JavaScript thread.
  class StopWorker : public Napi::AsyncWorker {
   public:
    StopWorker(Napi::Env env, std::shared_ptr<Recording> recording)
        : AsyncWorker(env, "receiverd.recording.stop"),
          recording_(std::move(recording)),
          promise_(Napi::Promise::Deferred::New(env)) {}
    Napi::Promise promise() const { return promise_.Promise(); }

    void Execute() override { recording_->stop(); }
    void OnOK() override { promise_.Resolve(Env().Undefined()); }

   private:
    const std::shared_ptr<Recording> recording_;
    Napi::Promise::Deferred promise_;
  };

  /// (tuner, service id, keep ECMs)
  void open_stream(const Napi::CallbackInfo& call) {
    dvb::tuner_of(call[0]).open_stream(static_cast<std::uint16_t>(call[1].As<Napi::Number>().Uint32Value()),
                                       call[2].As<Napi::Boolean>().Value(), recording_->open_queue());
  }

  Napi::Value stop(const Napi::CallbackInfo& call) {
    auto* const worker = new StopWorker(call.Env(), recording_);
    const Napi::Promise promise = worker->promise();
    worker->Queue();
    return promise;
  }

  Napi::Value status(const Napi::CallbackInfo& call) {
    const Napi::Env env = call.Env();
    const RecordingStatus now = recording_->status();
    Napi::Object status = Napi::Object::New(env);
    status.Set("bytes", number(env, now.bytes));
    status.Set("waiting", number(env, now.waiting));
    status.Set("ticks", number(env, now.ticks));
    status.Set("packets", number(env, now.packets));
    status.Set("continuityErrors", number(env, now.continuity_errors));
    status.Set("scrambled", number(env, now.scrambled));
    status.Set("lost", number(env, now.lost));
    status.Set("error", Napi::Number::New(env, now.error));
    status.Set("deleted", now.deleted);
    status.Set("end", now.end == dvb::StreamEnd::none ? env.Null() : Napi::String::New(env, dvb::end_text(now.end)));
    if (now.present) {
      Napi::Object present = Napi::Object::New(env);
      present.Set("id", static_cast<double>(now.present->id));
      present.Set("ticks", number(env, now.present->ticks));
      status.Set("present", present);
    }
    return status;
  }

  std::shared_ptr<Recording> recording_;
};

}  // namespace

Recording& recording_of(const Napi::Value& value) {
  if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&kRecordingTag)) {
    throw Napi::TypeError::New(value.Env(), "not a recording");
  }
  return RecordingObject::Unwrap(value.As<Napi::Object>())->recording();
}

void register_binding(Napi::Env env, Napi::Object exports) { exports.Set("Recording", RecordingObject::define(env)); }

}  // namespace receiverd::recording
