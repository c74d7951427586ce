// Bytes that are written one after the other into memory that is not cleared first: into memory that is lent for them,
// and into its own when that is too small.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace receiverd::epg {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  /// Begins in `lent`, which has to stay as long as this.
  explicit ByteBuffer(std::span<char> lent) : bytes_(lent.data()), capacity_(lent.size()) {}

  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {bytes_, size_}; }
  /// The bytes did not fit into what was lent: all of them are in memory of its own.
  bool outgrown() const { return owned_ != nullptr; }

  /// Where the next bytes go; there is room for `count`. Say with end_at() what was used of it.
  char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return bytes_ + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_); }

  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }

 private:
  void grow(std::size_t count) {
    const std::size_t capacity = std::max(size_ + count, capacity_ + capacity_ / 2);
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(bytes.get(), bytes_, size_);
    owned_ = std::move(bytes);
    bytes_ = owned_.get();
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> owned_;
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace receiverd::epg
