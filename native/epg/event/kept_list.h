// A vector whose clear() keeps the elements with the memory of their strings and lists, so that refilling it hardly
// allocates anything.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace receiverd::epg {

template <typename T>
class KeptList {
 public:
  KeptList() = default;
  KeptList(std::vector<T> elements) : elements_(std::move(elements)), size_(elements_.size()) {}

  /// Appends an element and returns it. It may still hold values from before clear().
  T& add() {
    if (size_ == elements_.size()) elements_.emplace_back();
    return elements_[size_++];
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return elements_.data(); }
  const T* data() const { return elements_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t index) { return elements_[index]; }
  const T& operator[](std::size_t index) const { return elements_[index]; }
  const T& front() const { return elements_.front(); }

 private:
  std::vector<T> elements_;
  std::size_t size_ = 0;
};

}  // namespace receiverd::epg
