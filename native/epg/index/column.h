// An array in chunks, for the guide's records: it has hundreds of thousands.
//
//   chunk 0: elements 0 .. n-1 | chunk 1: n .. 2n-1 | ...        n = the largest power of two that fits 64 KiB
//
// It grows by a chunk and moves nothing, so readers never wait while all records are copied, as they would for a
// std::vector. A chunk may also lie in a mapped snapshot file (private, copy on write), so that a start copies nothing.
//
// Thread safety: none; one writer, and the store's lock between it and the readers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "wire/prefetch.h"

namespace receiverd::epg {

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t kPerChunk = std::bit_floor(std::size_t{64 * 1024} / sizeof(T));

  std::size_t size() const { return size_; }

  T& operator[](std::size_t index) { return chunks_[index / kPerChunk][index % kPerChunk]; }
  const T& operator[](std::size_t index) const { return chunks_[index / kPerChunk][index % kPerChunk]; }

  RECEIVERD_PREFETCHES void prefetch(std::size_t index) const { wire::prefetch(&(*this)[index]); }

  void push_back(const T& value) {
    if (size_ % kPerChunk == 0) open_chunk();
    ++size_;
    (*this)[size_ - 1] = value;
  }

  void clear() { *this = Column(); }

  /// Removes the elements from `size` on and frees their memory. REQUIRES: size <= size().
  void truncate(std::size_t size) {
    size_ = size;
    for (const std::size_t chunks = (size + kPerChunk - 1) / kPerChunk; chunks_.size() > chunks; chunks_.pop_back()) {
      if (!owned_.empty() && owned_.back().get() == chunks_.back()) owned_.pop_back();
    }
  }

  /// Calls `visit(span)` for each chunk, in order.
  template <typename Visit>
  void each_chunk(Visit visit) const {
    for (std::size_t begin = 0; begin < size_; begin += kPerChunk) {
      visit(std::span<const T>(chunks_[begin / kPerChunk], std::min(kPerChunk, size_ - begin)));
    }
  }

  /// Replaces the content with `elements`, which lie in writable memory that `owner` keeps alive.
  void adopt(std::span<T> elements, std::shared_ptr<const void> owner) {
    clear();
    const std::size_t whole = elements.size() / kPerChunk * kPerChunk;
    for (std::size_t begin = 0; begin < whole; begin += kPerChunk) chunks_.push_back(elements.data() + begin);
    size_ = whole;
    for (const T& element : elements.subspan(whole)) push_back(element);  // the last chunk needs room to grow
    mapped_ = std::move(owner);
  }

  /// Bytes allocated, mapped chunks included.
  std::size_t memory_bytes() const { return chunks_.size() * kPerChunk * sizeof(T) + chunks_.capacity() * sizeof(T*); }

 private:
  void open_chunk() {
    owned_.push_back(std::make_unique_for_overwrite<T[]>(kPerChunk));
    chunks_.push_back(owned_.back().get());
  }

  std::vector<T*> chunks_;
  std::vector<std::unique_ptr<T[]>> owned_;
  std::shared_ptr<const void> mapped_;
  std::size_t size_ = 0;
};

/// Takes an unused number: one of `free`, or that of a new element appended to `all`.
template <typename Number, typename All>
Number take_number(std::vector<Number>& free, All& all) {
  if (free.empty()) {
    all.push_back({});
    return static_cast<Number>(all.size() - 1);
  }
  const Number number = free.back();
  free.pop_back();
  return number;
}

/// Removes free elements at the end. Sorts the other free ones so that take_number() uses the lowest first, and the end
/// can become free.
template <typename T>
void trim_free(std::vector<std::uint32_t>& free, Column<T>& all) {
  std::ranges::sort(free, std::greater());
  std::size_t end = all.size();
  auto kept = free.begin();
  for (; kept != free.end() && *kept + 1 == end; ++kept) --end;
  free.erase(free.begin(), kept);
  all.truncate(end);
  free.shrink_to_fit();
}

}  // namespace receiverd::epg
