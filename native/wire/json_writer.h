// Writes JSON text (RFC 8259) into one string. The writer adds the commas; the caller balances braces and brackets.
// No library is used: those available also parse, and build a tree of values before they write it (nlohmann/json has
// 24,000 lines).
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace receiverd::wire {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  /// The name of the object's next member.
  JsonWriter& key(std::string_view name) {
    separate();
    text(name);
    json_ += ':';
    separator_due_ = false;
    return *this;
  }

  template <std::integral Number>
  requires(!std::same_as<Number, bool>) JsonWriter& value(Number number) {
    separate();
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    json_.append(digits.data(), end);
    return *this;
  }
  template <std::same_as<bool> Boolean>
  JsonWriter& value(Boolean yes) {
    separate();
    json_ += yes ? "true" : "false";
    return *this;
  }
  /// `utf8` must be valid UTF-8.
  JsonWriter& value(std::string_view utf8) {
    separate();
    text(utf8);
    return *this;
  }
  JsonWriter& null() {
    separate();
    json_ += "null";
    return *this;
  }

  template <typename Value>
  JsonWriter& member(std::string_view name, const Value& of) {
    return key(name).value(of);
  }

  std::string take() { return std::move(json_); }

 private:
  JsonWriter& open(char bracket) {
    separate();
    json_ += bracket;
    separator_due_ = false;
    return *this;
  }
  JsonWriter& close(char bracket) {
    json_ += bracket;
    separator_due_ = true;
    return *this;
  }
  void separate() {
    if (separator_due_) json_ += ',';
    separator_due_ = true;
  }
  void text(std::string_view utf8) {
    constexpr std::string_view kHex = "0123456789abcdef";
    json_ += '"';
    for (const char c : utf8) {
      if (c == '"' || c == '\\') {
        json_ += '\\';
        json_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        json_ += "\\u00";
        json_ += kHex[static_cast<unsigned char>(c) >> 4];
        json_ += kHex[static_cast<unsigned char>(c) & 0xF];
      } else {
        json_ += c;
      }
    }
    json_ += '"';
  }

  std::string json_;
  bool separator_due_ = false;
};

}  // namespace receiverd::wire
