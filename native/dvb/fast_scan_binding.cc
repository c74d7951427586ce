// FastScan for JavaScript. Only src/scan/fast-scan.ts calls it, and it checks the arguments.

#include "dvb/fast_scan_binding.h"

#include <cstdint>
#include <memory>
#include <string>

#include "dvb/multiplex/fast_scan.h"
#include "dvb/tuner_json.h"

namespace receiverd::dvb {

namespace {

class FastScanObject : public Napi::ObjectWrap<FastScanObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "FastScan", {InstanceMethod<&FastScanObject::feed>("feed")});
  }

  /// (PID)
  explicit FastScanObject(const Napi::CallbackInfo& call)
      : ObjectWrap(call), scan_(static_cast<std::uint16_t>(call[0].As<Napi::Number>().Uint32Value())) {}

 private:
  /// (packets) -> the list as JSON, or null until it is complete.
  Napi::Value feed(const Napi::CallbackInfo& call) {
    const auto packets = call[0].As<Napi::Buffer<std::uint8_t>>();
    if (!scan_.feed({packets.Data(), packets.Length()})) return call.Env().Null();
    const auto result = std::make_shared<const MultiplexSnapshot>(scan_.result());
    const std::string json = multiplex_json({result->generation, result, {}});
    return Napi::Buffer<char>::Copy(call.Env(), json.data(), json.size());
  }

  FastScan scan_;
};

}  // namespace

void register_fast_scan_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("FastScan", FastScanObject::define(env));
}

}  // namespace receiverd::dvb
