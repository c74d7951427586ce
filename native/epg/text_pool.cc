#include "epg/text_pool.h"

#include <cstring>
#include <functional>

namespace receiverd::epg {
namespace {

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

TextPool::TextPool() {
  slots_.push_back({});
  open_chunk();
}

void TextPool::make_room(std::size_t texts) {
  if (!table_made_) make_table();
  table_.make_room(texts, [this](TextId id) { return hash_of(text(id)); });
}

TextPool::Staged TextPool::stage(std::string_view text) {
  text = cut(text);
  if (text.empty()) return {};
  if (!table_made_) make_table();
  const std::uint32_t hash = hash_of(text);
  return {text, hash, table_.find(hash, [&](TextId id) { return this->text(id) == text; })};
}

TextId TextPool::add(const Staged& staged, bool& added) {
  added = false;
  if (staged.id != 0 || staged.text.empty()) return staged.id;
  // The same new text may have been staged twice.
  const TextId known = table_.find(staged.hash, [&](TextId id) { return text(id) == staged.text; });
  if (known != 0) return known;
  TextId id = 0;
  if (free_ids_.empty()) {
    id = static_cast<TextId>(slots_.size());
    slots_.push_back({});
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  slots_[id] = {append(staged.text), 0};
  table_.insert(id, staged.hash, [this](TextId other) { return hash_of(text(other)); });
  ++living_;
  text_bytes_ += staged.text.size();
  added = true;
  return id;
}

void TextPool::kill(TextId id) {
  if (!table_made_) make_table();
  const std::string_view dead = text(id);
  table_.erase(id, hash_of(dead), [this](TextId other) { return hash_of(text(other)); });
  chunks_[slots_[id].place >> kChunkBits].dead += static_cast<std::uint32_t>(dead.size() + kEntryHead);
  text_bytes_ -= dead.size();
  --living_;
  slots_[id] = {};
}

std::size_t TextPool::memory_bytes() const {
  return (chunks_.size() - free_chunks_.size()) * kChunkSize + chunks_.capacity() * sizeof(Chunk) +
         slots_.memory_bytes() + free_ids_.capacity() * sizeof(TextId) + table_.memory_bytes();
}

TextPool::Compaction TextPool::plan_compaction() const {
  Compaction plan;
  std::vector<bool> sparse(chunks_.size());
  for (std::uint32_t number = 0; number < chunks_.size(); ++number) {
    const Chunk& chunk = chunks_[number];
    if (number == current_ || chunk.bytes == nullptr || chunk.dead * 2 <= chunk.used) continue;
    sparse[number] = true;
    plan.chunks.push_back(number);
  }
  if (plan.chunks.empty()) return plan;
  for (TextId id = 1; id < slots_.size(); ++id) {
    if (living(id) && sparse[slots_[id].place >> kChunkBits]) plan.ids.push_back(id);
  }
  return plan;
}

std::size_t TextPool::move_texts(const Compaction& plan, std::size_t at) {
  for (std::size_t moved = 0; at < plan.ids.size() && moved < kChunkSize / 2; ++at) {
    const std::string_view moving = text(plan.ids[at]);
    moved += moving.size();
    slots_[plan.ids[at]].place = append(moving);
  }
  return at;
}

void TextPool::finish(const Compaction& plan) {
  for (const std::uint32_t number : plan.chunks) {
    chunks_[number] = {};
    free_chunks_.push_back(number);
  }
}

std::uint32_t TextPool::append(std::string_view text) {
  if (chunks_[current_].used + kEntryHead + text.size() > kChunkSize) open_chunk();
  Chunk& chunk = chunks_[current_];
  const std::uint32_t place = current_ << kChunkBits | chunk.used;
  char* entry = chunk.bytes + chunk.used;
  const auto length = static_cast<std::uint16_t>(text.size());
  std::memcpy(entry, &length, sizeof(length));
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
  Chunk& chunk = chunks_[current_];
  chunk.owned = std::make_unique_for_overwrite<char[]>(kChunkSize);
  chunk.bytes = chunk.owned.get();
  chunk.used = chunk.dead = 0;
}

void TextPool::make_table() {
  table_made_ = true;
  const auto hash = [this](TextId id) { return hash_of(text(id)); };
  table_.make_room(living_, hash);
  for (TextId id = 1; id < slots_.size(); ++id) {
    if (living(id)) table_.insert(id, hash(id), hash);
  }
}

}  // namespace receiverd::epg
