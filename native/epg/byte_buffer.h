// A growing byte buffer whose memory is not cleared first. It starts in memory lent by the caller and moves to its own
// when that is too small.
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
  /// Starts in `lent`, which has to outlive this object.
  explicit ByteBuffer(std::span<char> lent) : bytes_(lent.data()), capacity_(lent.size()) {}

  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {bytes_, size_}; }
  /// True if the bytes did not fit into the lent memory: all of them are in the buffer's own memory.
  bool outgrown() const { return owned_ != nullptr; }

  /// Where the next bytes go, with room for at least `count`. Report the end of the written bytes with end_at().
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
