#include <string>
#include <string_view>

#include "m3u/playlist.h"
#include "node/bindings.h"
#include "node/values.h"

namespace receiverd::m3u {
namespace {

using node::buffer_of;
using node::text_of;

Napi::Value channels(const Napi::CallbackInfo& call) {
  const auto packed = call[4].As<Napi::Buffer<char>>();
  if (packed.Length() > kMaxPackedBytes) {
    auto refused = Napi::Promise::Deferred::New(call.Env());
    refused.Reject(Napi::RangeError::New(call.Env(), "too many channels for one playlist").Value());
    return refused.Promise();
  }
  // The packed list stays in JavaScript's memory. Nobody changes it meanwhile: the facade builds it for this call.
  return node::run(
      call.Env(),
      [streams = text_of(call[0]), web = text_of(call[1]), query = text_of(call[2]), ticket = text_of(call[3]),
       list = std::string_view(packed.Data(), packed.Length())] {
        return channel_list(list, {streams, web, query, ticket});
      },
      packed);
}

Napi::Value stream_list(const Napi::CallbackInfo& call) {
  const std::string streams = text_of(call[0]);
  const std::string query = text_of(call[1]);
  const std::string ticket = text_of(call[2]);
  return buffer_of(call.Env(), stream(text_of(call[3]), text_of(call[4]), {streams, {}, query, ticket}));
}

Napi::Value recording_list(const Napi::CallbackInfo& call) {
  const std::string web = text_of(call[0]);
  const std::string ticket = text_of(call[1]);
  const std::string path = text_of(call[2]);
  const std::string title = text_of(call[3]);
  const std::string reference = text_of(call[5]);
  const auto seconds = call[4].As<Napi::Number>().Int64Value();
  return buffer_of(call.Env(), recording({path, title, seconds, reference}, {{}, web, {}, ticket}));
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
