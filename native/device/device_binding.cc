// The virtual keyboard and systemd notifications for JavaScript. Only src/device/keys.ts and
// src/commands/service-manager.ts call this, and they check the arguments.

#include "device/device_binding.h"

#include <memory>
#include <utility>

#include "device/key_device.h"
#include "device/service_manager.h"
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
    if (opened.device == nullptr) throw Napi::Error::New(call.Env(), opened.error);
    device_ = std::move(opened.device);
  }

 private:
  /// `send(code, stroke)`: 0 released, 1 pressed, 2 repeated. Returns false if it was not accepted. Never blocks.
  Napi::Value send(const Napi::CallbackInfo& call) {
    const std::uint32_t code = call[0].As<Napi::Number>().Uint32Value();
    const auto stroke = static_cast<Stroke>(call[1].As<Napi::Number>().Int32Value());
    return Napi::Boolean::New(call.Env(), device_ != nullptr && device_->send(code, stroke));
  }

  void close(const Napi::CallbackInfo& /*call*/) { device_.reset(); }

  std::unique_ptr<KeyDevice> device_;
};

/// `notify(socket, message)`: returns 0, or the errno.
Napi::Value notify_manager(const Napi::CallbackInfo& call) {
  return Napi::Number::New(call.Env(), notify(text_of(call[0]), text_of(call[1])));
}

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("KeyDevice", KeyDeviceObject::define(env));
  exports.Set("notify", Napi::Function::New<notify_manager>(env, "notify"));
}

}  // namespace receiverd::device
