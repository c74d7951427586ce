// Keys for JavaScript. Only src/device/keys.ts calls this, and it checks the arguments.

#include "device/device_binding.h"

#include <memory>
#include <utility>

#include "device/key_device.h"
#include "node/values.h"

namespace receiverd::device {
namespace {

using node::text_of;

/// `new KeyDevice(path, name)`: creates the keyboard or throws.
class KeyDeviceObject : public Napi::ObjectWrap<KeyDeviceObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "KeyDevice",
        {InstanceMethod<&KeyDeviceObject::send>("send"), InstanceMethod<&KeyDeviceObject::close>("close")});
  }

  explicit KeyDeviceObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    KeyDevice::Opened opened = KeyDevice::open(text_of(call[0]), text_of(call[1]));
    if (opened.device == nullptr) throw Napi::Error::New(call.Env(), opened.why);
    device_ = std::move(opened.device);
  }

 private:
  /// `send(code, stroke)`: 0 released, 1 pressed, 2 repeated. Never blocks: the kernel's queue accepts it or not.
  Napi::Value send(const Napi::CallbackInfo& call) {
    const std::uint32_t code = call[0].As<Napi::Number>().Uint32Value();
    const auto stroke = static_cast<Stroke>(call[1].As<Napi::Number>().Int32Value());
    return Napi::Boolean::New(call.Env(), device_ != nullptr && device_->send(code, stroke));
  }

  void close(const Napi::CallbackInfo& /*call*/) { device_.reset(); }

  std::unique_ptr<KeyDevice> device_;
};

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) { exports.Set("KeyDevice", KeyDeviceObject::define(env)); }

}  // namespace receiverd::device
