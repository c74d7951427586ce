// VideoFormatFinder for JavaScript. Only src/dvb/video-format.ts calls it, and it checks the arguments.

#include "dvb/si/video_format_binding.h"

#include <cstdint>

#include "dvb/si/video_format.h"

namespace receiverd::dvb {

namespace {

class VideoFormatFinderObject : public Napi::ObjectWrap<VideoFormatFinderObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "VideoFormatFinder", {InstanceMethod<&VideoFormatFinderObject::feed>("feed")});
  }

  /// (PID, stream_type of the PMT)
  explicit VideoFormatFinderObject(const Napi::CallbackInfo& call)
      : ObjectWrap(call),
        finder_(static_cast<std::uint16_t>(call[0].As<Napi::Number>().Uint32Value()),
                video_codec(static_cast<std::uint8_t>(call[1].As<Napi::Number>().Uint32Value()))) {}

 private:
  /// (packets) -> the format, or null until it is known.
  Napi::Value feed(const Napi::CallbackInfo& call) {
    const auto packets = call[0].As<Napi::Buffer<std::uint8_t>>();
    if (!finder_.feed({packets.Data(), packets.Length()})) return call.Env().Null();
    Napi::Object format = Napi::Object::New(call.Env());
    format.Set("width", finder_.format()->width);
    format.Set("height", finder_.format()->height);
    format.Set("ratio", finder_.format()->ratio);
    return format;
  }

  VideoFormatFinder finder_;
};

}  // namespace

void register_video_format_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("VideoFormatFinder", VideoFormatFinderObject::define(env));
}

}  // namespace receiverd::dvb
