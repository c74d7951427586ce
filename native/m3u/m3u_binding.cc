#include "m3u/m3u_binding.h"

#include <memory>
#include <string>
#include <utility>

#include "m3u/playlist.h"

namespace receiverd::m3u {

namespace {

std::string text(const Napi::Value& value) { return value.As<Napi::String>().Utf8Value(); }

/// Hands over the text without a copy where the runtime allows it.
Napi::Buffer<char> buffer_of(Napi::Env env, std::string text) {
  auto owned = std::make_unique<std::string>(std::move(text));
  std::string* const released = owned.release();
  return Napi::Buffer<char>::NewOrCopy(
      env, released->data(), released->size(), [](Napi::Env, char*, std::string* mine) { delete mine; }, released);
}

/// Builds a channel list on a worker thread. The packed list stays in JavaScript's memory, held by a reference. Nobody
/// modifies it meanwhile, since the facade builds it for this call.
class ChannelListWorker : public Napi::AsyncWorker {
 public:
  ChannelListWorker(Napi::Env env, std::string streams, std::string web, std::string query, Napi::Buffer<char> packed)
      : AsyncWorker(env, "receiverd.m3u.channels"),
        promise_(Napi::Promise::Deferred::New(env)),
        streams_(std::move(streams)),
        web_(std::move(web)),
        query_(std::move(query)),
        held_(Napi::Persistent(packed)),
        packed_(packed.Data(), packed.Length()) {}

  Napi::Promise promise() const { return promise_.Promise(); }

  void Execute() override { list_ = channel_list(packed_, {streams_, web_, query_}); }
  void OnOK() override { promise_.Resolve(buffer_of(Env(), std::move(list_))); }
  void OnError(const Napi::Error& error) override { promise_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred promise_;
  std::string streams_;
  std::string web_;
  std::string query_;
  Napi::Reference<Napi::Buffer<char>> held_;
  std::string_view packed_;
  std::string list_;
};

Napi::Value channels(const Napi::CallbackInfo& call) {
  const auto packed = call[3].As<Napi::Buffer<char>>();
  if (packed.Length() > kMaximumPacked) {
    auto refused = Napi::Promise::Deferred::New(call.Env());
    refused.Reject(Napi::RangeError::New(call.Env(), "too many channels for one playlist").Value());
    return refused.Promise();
  }
  auto worker = std::make_unique<ChannelListWorker>(call.Env(), text(call[0]), text(call[1]), text(call[2]), packed);
  const Napi::Promise promise = worker->promise();
  worker.release()->Queue();  // deletes itself when it is done
  return promise;
}

Napi::Value stream_list(const Napi::CallbackInfo& call) {
  const std::string streams = text(call[0]);
  const std::string query = text(call[1]);
  return buffer_of(call.Env(), stream(text(call[2]), text(call[3]), {streams, {}, query}));
}

Napi::Value recording_list(const Napi::CallbackInfo& call) {
  const std::string web = text(call[0]);
  const std::string query = text(call[1]);
  const std::string path = text(call[2]);
  const std::string title = text(call[3]);
  const std::string reference = text(call[5]);
  const auto seconds = call[4].As<Napi::Number>().Int64Value();
  return buffer_of(call.Env(), recording({path, title, seconds, reference}, {{}, web, query}));
}

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) {
  Napi::Object m3u = Napi::Object::New(env);
  m3u.Set("channels", Napi::Function::New(env, channels, "channels"));
  m3u.Set("stream", Napi::Function::New(env, stream_list, "stream"));
  m3u.Set("recording", Napi::Function::New(env, recording_list, "recording"));
  exports.Set("m3u", m3u);
}

}  // namespace receiverd::m3u
