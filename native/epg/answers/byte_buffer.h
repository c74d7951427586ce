// A growing byte buffer whose memory is not cleared first: given, or its own.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace receiverd::epg {

class ByteBuffer {
 public:
  /// Writes into `given` as long as the bytes fit, then into memory of its own.
  explicit ByteBuffer(std::span<char> given = {}) : bytes_(given.data()), capacity_(given.size()) {}

  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {bytes_, size_}; }
  /// Where the next bytes go, with room for at least `count`. Report the end of the written bytes with end_at().
  char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return bytes_ + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_); }

  void append(std::string_view text) {
    char* const at = room(text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    size_ += text.size();
  }

  void append(std::int64_t number) {
    constexpr std::size_t kLongest = 20;
    char* const at = room(kLongest);
    end_at(std::to_chars(at, at + kLongest, number).ptr);
  }

 private:
  void grow(std::size_t count) {
    const std::size_t capacity = std::max(size_ + count, capacity_ + capacity_ / 2);
    auto own = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(own.get(), bytes_, size_);
    own_ = std::move(own);
    bytes_ = own_.get();
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> own_;
  char* bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace receiverd::epg
