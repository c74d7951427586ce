// Converts JavaScript values to guide queries and service keys. native/addon.d.ts declares them.
#pragma once

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "epg/event/query.h"

namespace receiverd::epg {

/// What a name stands for. Throws a JavaScript TypeError for any other, with what it is a name of.
template <typename Value>
Value named(const Napi::Value& given, const char* what,
            std::initializer_list<std::pair<std::string_view, Value>> names) {
  const std::string text = given.ToString().Utf8Value();
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  throw Napi::TypeError::New(given.Env(), std::string(what) + " cannot be '" + text + "'");
}

/// Sets `number` if the object has that field; a number outside its type's range, or below 0, becomes the nearest.
template <typename Number>
void take_number(const Napi::Object& object, const char* field, Number& number) {
  const Napi::Value given = object.Get(field);
  if (!given.IsNumber()) return;
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  constexpr bool kWide = std::numeric_limits<Number>::max() >= static_cast<std::uint64_t>(kLargest);
  constexpr std::int64_t kMost = kWide ? kLargest : static_cast<std::int64_t>(std::numeric_limits<Number>::max());
  number = static_cast<Number>(std::clamp<std::int64_t>(given.As<Napi::Number>().Int64Value(), 0, kMost));
}

/// Throws a JavaScript error if a field has another type than declared.
Query query_of(const Napi::Object& object);

/// Packed service keys: three 16-bit numbers each, original network, transport stream, service.
std::vector<ServiceKey> services_of(const Napi::Value& value);

ServiceKey service_of(const Napi::Value& value);

std::vector<Language> languages_of(const Napi::Value& value);

}  // namespace receiverd::epg
