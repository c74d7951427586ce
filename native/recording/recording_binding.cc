// Recording for JavaScript. Only src/recordings calls it, and it checks the arguments.

#include "recording/recording_binding.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "dvb/dvb_binding.h"
#include "dvb/tuner.h"
#include "node/values.h"
#include "recording/recording.h"

namespace receiverd::recording {

namespace {

using node::number_of;

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
  /// (tuner, service id, keep ECMs)
  void open_stream(const Napi::CallbackInfo& call) {
    dvb::tuner_of(call[0]).open_stream(static_cast<std::uint16_t>(call[1].As<Napi::Number>().Uint32Value()),
                                       call[2].As<Napi::Boolean>().Value(), recording_->open_queue());
  }

  /// Joins the thread off the JavaScript thread.
  Napi::Value stop(const Napi::CallbackInfo& call) {
    return node::run(call.Env(), [recording = recording_] { recording->stop(); });
  }

  Napi::Value status(const Napi::CallbackInfo& call) {
    const Napi::Env env = call.Env();
    const RecordingStatus now = recording_->status();
    Napi::Object status = Napi::Object::New(env);
    status.Set("bytes", number_of(env, now.bytes));
    status.Set("waiting", number_of(env, now.waiting));
    status.Set("ticks", number_of(env, now.ticks));
    status.Set("packets", number_of(env, now.packets));
    status.Set("continuityErrors", number_of(env, now.continuity_errors));
    status.Set("scrambled", number_of(env, now.scrambled));
    status.Set("lost", number_of(env, now.lost));
    status.Set("error", Napi::Number::New(env, now.error));
    status.Set("deleted", now.deleted);
    status.Set("end", now.end == dvb::StreamEnd::none ? env.Null() : Napi::String::New(env, dvb::end_text(now.end)));
    if (now.present) {
      Napi::Object present = Napi::Object::New(env);
      present.Set("id", static_cast<double>(now.present->id));
      present.Set("ticks", number_of(env, now.present->ticks));
      status.Set("present", present);
    }
    return status;
  }

  std::shared_ptr<Recording> recording_;
};

}  // namespace

Recording& recording_of(const Napi::Value& value) {
  return node::unwrapped<RecordingObject>(value, kRecordingTag, "a recording").recording();
}

void register_binding(Napi::Env env, Napi::Object exports) { exports.Set("Recording", RecordingObject::define(env)); }

}  // namespace receiverd::recording
