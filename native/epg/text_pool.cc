#include "epg/text_pool.h"

#include <cstring>
#include <functional>

namespace receiverd::epg {
namespace {

constexpr std::size_t kSmallestTable = 1024;

std::uint32_t hash_of(std::string_view text) {
  const std::size_t hash = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(hash ^ hash >> (sizeof(hash) * 4));
}

std::string_view cut(std::string_view text) {
  if (text.size() <= TextPool::kLongestText) return text;
  std::size_t end = TextPool::kLongestText;
  while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

TextPool::TextPool() : slots_(1), table_(kSmallestTable) { open_chunk(); }

TextId TextPool::add(std::string_view text) {
  text = cut(text);
  if (text.empty()) return 0;
  const std::uint32_t hash = hash_of(text);
  if (const TextId known = table_[find(text, hash)]; known != 0) {
    ++slots_[known].references;
    return known;
  }
  if ((living_ + 1) * 10 > table_.size() * 7) grow_table();
  TextId id = 0;
  if (free_ids_.empty()) {
    id = static_cast<TextId>(slots_.size());
    slots_.emplace_back();
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  slots_[id] = {append(id, text), 1, hash};
  table_[find(text, hash)] = id;
  ++living_;
  text_bytes_ += text.size();
  return id;
}

void TextPool::acquire(TextId id) {
  if (id != 0) ++slots_[id].references;
}

void TextPool::release(TextId id) {
  if (id == 0 || --slots_[id].references != 0) return;
  erase_from_table(id);
  const std::size_t length = text(id).size();
  chunks_[slots_[id].place >> kChunkBits].dead += static_cast<std::uint32_t>(length + kEntryHead);
  text_bytes_ -= length;
  --living_;
  free_ids_.push_back(id);
}

std::size_t TextPool::memory_bytes() const {
  return (chunks_.size() - free_chunks_.size()) * kChunkSize + chunks_.capacity() * sizeof(Chunk) +
         slots_.capacity() * sizeof(Slot) + (table_.capacity() + free_ids_.capacity()) * sizeof(TextId);
}

void TextPool::compact() {
  for (std::uint32_t number = 0; number < chunks_.size(); ++number) {
    if (number == current_ || chunks_[number].bytes == nullptr) continue;
    if (chunks_[number].dead * 2 <= chunks_[number].used) continue;
    const std::unique_ptr<char[]> bytes = std::move(chunks_[number].bytes);
    for (std::uint32_t at = 0; at < chunks_[number].used;) {
      TextId id = 0;
      std::uint16_t length = 0;
      std::memcpy(&id, bytes.get() + at, sizeof(id));
      std::memcpy(&length, bytes.get() + at + sizeof(id), sizeof(length));
      // A freed id may live on with another text elsewhere: only its place says that this is the entry.
      if (living(id) && slots_[id].place == (number << kChunkBits | at)) {
        slots_[id].place = append(id, {bytes.get() + at + kEntryHead, length});
      }
      at += static_cast<std::uint32_t>(kEntryHead + length);
    }
    chunks_[number].used = chunks_[number].dead = 0;
    free_chunks_.push_back(number);
  }
  if (living_ * 8 < table_.size() && table_.size() > kSmallestTable) grow_table();
}

std::string_view TextPool::entry_text(std::uint32_t place) const {
  const char* entry = chunks_[place >> kChunkBits].bytes.get() + (place & (kChunkSize - 1));
  std::uint16_t length = 0;
  std::memcpy(&length, entry + sizeof(TextId), sizeof(length));
  return {entry + kEntryHead, length};
}

std::uint32_t TextPool::append(TextId id, std::string_view text) {
  if (chunks_[current_].used + kEntryHead + text.size() > kChunkSize) open_chunk();
  Chunk& chunk = chunks_[current_];
  const std::uint32_t place = current_ << kChunkBits | chunk.used;
  char* entry = chunk.bytes.get() + chunk.used;
  const auto length = static_cast<std::uint16_t>(text.size());
  std::memcpy(entry, &id, sizeof(id));
  std::memcpy(entry + sizeof(id), &length, sizeof(length));
  std::memcpy(entry + kEntryHead, text.data(), text.size());
  chunk.used += static_cast<std::uint32_t>(kEntryHead + text.size());
  return place;
}

void TextPool::open_chunk() {
  if (free_chunks_.empty()) {
    current_ = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  } else {
    current_ = free_chunks_.back();
    free_chunks_.pop_back();
  }
  chunks_[current_].bytes = std::make_unique_for_overwrite<char[]>(kChunkSize);
  chunks_[current_].used = chunks_[current_].dead = 0;
}

std::size_t TextPool::find(std::string_view wanted, std::uint32_t hash) const {
  std::size_t at = home(hash);
  for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
    const TextId id = table_[at];
    if (slots_[id].hash == hash && text(id) == wanted) break;
  }
  return at;
}

// Makes the table fit the number of texts, larger or smaller.
void TextPool::grow_table() {
  std::size_t size = kSmallestTable;
  while ((living_ + 1) * 2 > size) size *= 2;
  std::vector<TextId> old(size);
  old.swap(table_);
  for (const TextId id : old) {
    if (id == 0) continue;
    std::size_t at = home(slots_[id].hash);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = id;
  }
}

// Linear probing without tombstones: entries behind the hole move up when the hole is on their way home.
void TextPool::erase_from_table(TextId id) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = home(slots_[id].hash);
  while (table_[hole] != id) hole = (hole + 1) & mask;
  for (std::size_t at = (hole + 1) & mask; table_[at] != 0; at = (at + 1) & mask) {
    const std::size_t from_home = (at - home(slots_[table_[at]].hash)) & mask;
    if (from_home >= ((at - hole) & mask)) {
      table_[hole] = table_[at];
      hole = at;
    }
  }
  table_[hole] = 0;
}

}  // namespace receiverd::epg
