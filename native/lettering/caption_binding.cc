// Captions for JavaScript, drawn off its thread. Only src/dvb/caption.ts calls this, and it checks the arguments.

#include "lettering/caption_binding.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lettering/caption.h"

namespace receiverd::lettering {

namespace {

class CaptionWorker : public Napi::AsyncWorker {
 public:
  CaptionWorker(Napi::Env env, int width, int height, std::string heading, std::string text)
      : AsyncWorker(env, "receiverd.caption"),
        promise_(Napi::Promise::Deferred::New(env)),
        width_(width),
        height_(height),
        heading_(std::move(heading)),
        text_(std::move(text)) {}

  Napi::Promise promise() const { return promise_.Promise(); }

 private:
  void Execute() override { rows_ = caption(width_, height_, heading_, text_); }
  void OnOK() override { promise_.Resolve(Napi::Buffer<std::uint8_t>::Copy(Env(), rows_.data(), rows_.size())); }
  void OnError(const Napi::Error& error) override { promise_.Reject(error.Value()); }

  const Napi::Promise::Deferred promise_;
  const int width_;
  const int height_;
  const std::string heading_;
  const std::string text_;
  std::vector<std::uint8_t> rows_;
};

/// (width, height, heading, text)
Napi::Value caption_of(const Napi::CallbackInfo& call) {
  auto* const worker =
      new CaptionWorker(call.Env(), call[0].As<Napi::Number>().Int32Value(), call[1].As<Napi::Number>().Int32Value(),
                        call[2].As<Napi::String>().Utf8Value(), call[3].As<Napi::String>().Utf8Value());
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("caption", Napi::Function::New(env, caption_of, "caption"));
}

}  // namespace receiverd::lettering
