#include <memory>
#include <string>
#include <utility>

#include "node/bindings.h"
#include "storage/file_lock.h"

namespace receiverd::storage {
namespace {

std::string path_of(const Napi::CallbackInfo& call) {
  if (!call[0].IsString()) throw Napi::TypeError::New(call.Env(), "a path is required");
  return call[0].As<Napi::String>().Utf8Value();
}

/// `new FileLock(path)`: takes the lock or throws. `error.code` is BUSY if someone else holds it, otherwise FAILED.
class FileLockObject : public Napi::ObjectWrap<FileLockObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "FileLock",
        {InstanceMethod<&FileLockObject::write_note>("writeNote"), InstanceMethod<&FileLockObject::release>("release"),
         StaticMethod<&FileLockObject::holder>("holder")});
  }

  explicit FileLockObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    FileLock::Result taken = FileLock::take(path_of(call));
    if (taken.state != FileLock::State::held) {
      const bool busy = taken.state == FileLock::State::busy;
      Napi::Error error = Napi::Error::New(call.Env(), busy ? "is held by another process" : taken.why);
      error.Set("code", busy ? "BUSY" : "FAILED");
      throw error;
    }
    lock_ = std::move(taken.lock);
  }

 private:
  Napi::Value write_note(const Napi::CallbackInfo& call) {
    const std::string note = call[0].As<Napi::String>().Utf8Value();
    return Napi::Boolean::New(call.Env(), lock_ != nullptr && lock_->write_note(note));
  }

  void release(const Napi::CallbackInfo& /*call*/) { lock_.reset(); }

  /// The holder's note, or undefined if nobody holds it.
  static Napi::Value holder(const Napi::CallbackInfo& call) {
    const FileLock::Holder found = FileLock::holder(path_of(call));
    if (!found.held) return call.Env().Undefined();
    return Napi::String::New(call.Env(), found.note);
  }

  std::unique_ptr<FileLock> lock_;
};

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) { exports.Set("FileLock", FileLockObject::define(env)); }

}  // namespace receiverd::storage
