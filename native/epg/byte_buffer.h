// Bytes that are written one after the other into memory that is not cleared first, and then handed over whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace receiverd::epg {

class ByteBuffer {
 public:
  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {bytes_.get(), size_}; }

  /// Where the next bytes go; there is room for `count`. Say with end_at() what was used of it.
  char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return bytes_.get() + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  /// So that it need not grow, and be copied, up to this size.
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity - size_);
  }

  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }

  /// Gives the memory away and is empty.
  std::unique_ptr<char[]> release() {
    size_ = capacity_ = 0;
    return std::move(bytes_);
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
