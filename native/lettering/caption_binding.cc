// Captions for JavaScript, drawn on a worker thread. Only src/dvb/caption.ts calls this, and it checks the arguments.

#include <string>

#include "lettering/caption.h"
#include "node/bindings.h"
#include "node/values.h"

namespace receiverd::lettering {
namespace {

using node::text_of;

/// (width, height, heading, text)
Napi::Value caption_of(const Napi::CallbackInfo& call) {
  const int width = call[0].As<Napi::Number>().Int32Value();
  const int height = call[1].As<Napi::Number>().Int32Value();
  return node::run(call.Env(), [width, height, heading = text_of(call[2]), text = text_of(call[3])] {
    return caption(width, height, heading, text);
  });
}

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("caption", Napi::Function::New(env, caption_of, "caption"));
}

}  // namespace receiverd::lettering
