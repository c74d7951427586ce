// Helpers for all bindings: conversion between JavaScript and C++ values, and promises for work on worker threads.
#pragma once

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace receiverd::node {

inline std::string text_of(const Napi::Value& value) { return value.As<Napi::String>().Utf8Value(); }

inline std::vector<std::string> texts_of(const Napi::Value& value) {
  const auto array = value.As<Napi::Array>();
  std::vector<std::string> texts(array.Length());
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    const Napi::HandleScope scope(value.Env());
    texts[i] = text_of(array.Get(i));
  }
  return texts;
}

/// Exact for values below 2^53, which counts of bytes and packets do not reach.
inline Napi::Number number_of(Napi::Env env, std::uint64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}

/// Sets `number` if the object has that field; a number outside its type's range becomes the nearest.
template <typename Number>
void take_number(const Napi::Object& object, const char* field, Number& number) {
  const Napi::Value given = object.Get(field);
  if (!given.IsNumber()) return;
  using Limits = std::numeric_limits<Number>;
  constexpr auto kMaxInt64 = std::numeric_limits<std::int64_t>::max();
  constexpr bool kWide = static_cast<std::uint64_t>(Limits::max()) >= static_cast<std::uint64_t>(kMaxInt64);
  constexpr std::int64_t kMax = kWide ? kMaxInt64 : static_cast<std::int64_t>(Limits::max());
  constexpr auto kMin = static_cast<std::int64_t>(Limits::min());
  number = static_cast<Number>(std::clamp(given.As<Napi::Number>().Int64Value(), kMin, kMax));
}

/// The value that `given` names. Throws a JavaScript TypeError for an unknown name; its message
/// begins with `what`, the name of the field.
template <typename Value>
Value named(const Napi::Value& given, const char* what,
            std::initializer_list<std::pair<std::string_view, Value>> names) {
  const std::string text = given.ToString().Utf8Value();
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  throw Napi::TypeError::New(given.Env(), std::string(what) + " cannot be '" + text + "'");
}

/// The Buffer takes over the text's memory instead of copying it, where the runtime allows that.
inline Napi::Buffer<char> buffer_of(Napi::Env env, std::string text) {
  auto* const owned = new std::string(std::move(text));
  return Napi::Buffer<char>::NewOrCopy(
      env, owned->data(), owned->size(), [](Napi::Env, char*, std::string* mine) { delete mine; }, owned);
}

/// The C++ object of a JavaScript object that has this tag. Throws a JavaScript TypeError if `value` is anything else.
template <typename Object>
Object& unwrapped(const Napi::Value& value, const napi_type_tag& tag, const char* what) {
  if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&tag)) {
    throw Napi::TypeError::New(value.Env(), std::string("not ") + what);
  }
  return *Object::Unwrap(value.As<Napi::Object>());
}

/// True while a worker uses an object that allows one call at a time. Used by JavaScript's thread only.
using Busy = std::shared_ptr<bool>;

inline void require_idle(Napi::Env env, const Busy& busy) {
  if (*busy) throw Napi::Error::New(env, "the previous step has not finished");
}

/// Creates the promise's value on JavaScript's thread from what the worker has prepared. `held` is the argument of
/// run().
using MadeValue = std::function<Napi::Value(Napi::Env env, const Napi::Value& held)>;

/// Runs `work` on a worker thread; its result settles a promise.
template <typename Result>
class Worker : public Napi::AsyncWorker {
 public:
  Worker(Napi::Env env, std::function<Result()> work, const Napi::Value& held, Busy busy)
      : AsyncWorker(env, "receiverd"),
        promise_(Napi::Promise::Deferred::New(env)),
        work_(std::move(work)),
        busy_(std::move(busy)) {
    if (held.IsObject()) held_ = Napi::Persistent(held.As<Napi::Object>());
    if (busy_ != nullptr) *busy_ = true;
  }

  Napi::Promise promise() const { return promise_.Promise(); }

 protected:
  void Execute() override {
    if constexpr (std::is_void_v<Result>) {
      work_();
    } else {
      result_ = work_();
    }
  }
  void OnOK() override {
    if (busy_ != nullptr) *busy_ = false;
    if constexpr (std::is_void_v<Result>) {
      promise_.Resolve(Env().Undefined());
    } else if constexpr (std::is_same_v<Result, std::string>) {
      promise_.Resolve(buffer_of(Env(), std::move(result_)));
    } else if constexpr (std::is_same_v<Result, MadeValue>) {
      promise_.Resolve(result_(Env(), held_.Value()));
    } else {
      promise_.Resolve(number_of(Env(), result_));
    }
  }
  void OnError(const Napi::Error& error) override {
    if (busy_ != nullptr) *busy_ = false;
    promise_.Reject(error.Value());
  }

 private:
  Napi::Promise::Deferred promise_;
  std::function<Result()> work_;
  Napi::ObjectReference held_;
  Busy busy_;
  std::conditional_t<std::is_void_v<Result>, char, Result> result_{};
};

/// Runs `work` on a worker thread. The promise resolves to what it returns: a string as a Buffer, a number, the value
/// that a MadeValue creates, or undefined for void. `held` is not garbage-collected before `work` has finished. `busy`
/// is true while it runs; throws a JavaScript Error if it already is.
template <typename Work>
Napi::Promise run(Napi::Env env, Work work, const Napi::Value& held = {}, Busy busy = nullptr) {
  if (busy != nullptr) require_idle(env, busy);
  auto* const worker = new Worker<decltype(work())>(env, std::move(work), held, std::move(busy));  // deletes itself
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

}  // namespace receiverd::node
