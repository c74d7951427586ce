// A growing byte buffer whose memory is not cleared first.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace receiverd::epg {

class ByteBuffer {
 public:
  /// `capacity`: bytes allocated at once.
  explicit ByteBuffer(std::size_t capacity = 0) { grow(capacity); }

  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {bytes_.get(), size_}; }
  /// Where the next bytes go, with room for at least `count`. Report the end of the written bytes with end_at().
  char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return bytes_.get() + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

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
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace receiverd::epg
