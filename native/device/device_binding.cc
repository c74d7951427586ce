#include "device/device_binding.h"

#include <memory>
#include <string>
#include <utility>

#include "device/key_device.h"

namespace receiverd::device {
namespace {

/// `new KeyDevice(path, name)`: creates the keyboard or throws.
class KeyDeviceObject : public Napi::ObjectWrap<KeyDeviceObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "KeyDevice",
        {InstanceMethod<&KeyDeviceObject::send>("send"), InstanceMethod<&KeyDeviceObject::close>("close")});
  }

  explicit KeyDeviceObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    if (!call[0].IsString() || !call[1].IsString()) {
      throw Napi::TypeError::New(call.Env(), "path and name are required");
    }
    KeyDevice::Opened opened =
        KeyDevice::open(call[0].As<Napi::String>().Utf8Value(), call[1].As<Napi::String>().Utf8Value());
    if (opened.device == nullptr) throw Napi::Error::New(call.Env(), opened.why);
    device_ = std::move(opened.device);
  }

 private:
  /// `send(code, stroke)`: 0 released, 1 pressed, 2 repeated. Never blocks: the kernel's queue accepts it or not.
  Napi::Value send(const Napi::CallbackInfo& call) {
    if (!call[0].IsNumber() || !call[1].IsNumber()) {
      throw Napi::TypeError::New(call.Env(), "code and stroke are required");
    }
    const std::int64_t code = call[0].As<Napi::Number>().Int64Value();
    const std::int32_t stroke = call[1].As<Napi::Number>().Int32Value();
    const bool known = code >= 0 && code <= KEY_MAX && stroke >= 0 && stroke <= 2;
    return Napi::Boolean::New(call.Env(), known && device_ != nullptr &&
                                              device_->send(static_cast<unsigned>(code), static_cast<Stroke>(stroke)));
  }

  void close(const Napi::CallbackInfo& /*call*/) { device_.reset(); }

  std::unique_ptr<KeyDevice> device_;
};

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) { exports.Set("KeyDevice", KeyDeviceObject::define(env)); }

}  // namespace receiverd::device
