#include "epg/index/text_pool.h"

#include <algorithm>
#include <cstring>

#include "epg/text/fold.h"

namespace receiverd::epg {
namespace {

std::string_view cut(std::string_view text) {
  if (text.size() <= TextPool::kMaxTextBytes) return text;
  std::size_t end = TextPool::kMaxTextBytes;
  while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// With fewer bytes of text, packing would save too little.
constexpr std::size_t kMinTrainingBytes = 512 * 1024;
// Bytes of text that are moved while readers wait.
constexpr std::size_t kMaxMovedBytes = 32 * 1024;

}  // namespace

TextPool::TextPool(bool packs) : packs_(packs) {
  slots_.push_back({});
  open_chunk();
}

void TextPool::make_room(std::size_t texts) {
  if (!table_made_) make_table();
  table_.make_room(texts, [this](TextId id) { return hash_of_id(id); });
}

void TextPool::stage(std::string_view text, Staged& staged) {
  text = cut(text);
  staged.text = text;
  staged.id = 0;
  if (text.empty()) return;
  if (!table_made_) make_table();
  staged.hash = text_hash(text);
  staged.id = table_.find(staged.hash, [&](TextId id) { return has_text(id, text); });
  if (staged.id == 0) stored(text, staged.packed);
}

TextId TextPool::add(const Staged& staged, bool& added) {
  added = false;
  if (staged.id != 0 || staged.text.empty()) return staged.id;
  // The same new text may have been staged twice.
  const TextId known = table_.find(staged.hash, [&](TextId id) { return has_text(id, staged.text); });
  if (known != 0) return known;
  const TextId id = take_number(free_ids_, slots_);
  slots_[id] = {append(codec_ == kPlain ? staged.text : std::string_view(staged.packed)), 0};
  table_.insert(id, staged.hash, [this](TextId other) { return hash_of_id(other); });
  ++living_;
  text_bytes_ += staged.text.size();
  added = true;
  return id;
}

std::string_view TextPool::folded_text(TextId id, std::string& buffer) const {
  buffer.clear();
  if (!living(id)) return buffer;
  const Chunk& chunk = chunks_[slots_[id].place >> kChunkBits];
  const std::string_view stored = entry_bytes(slots_[id].place);
  if (chunk.codec == kPlain) {
    fold(stored, buffer);
  } else {
    codecs_[chunk.codec]->decode_folded(stored, buffer);
  }
  return buffer;
}

void TextPool::release(TextId id) {
  if (!table_made_) make_table();
  const std::string_view dead = text(id, buffer_);
  text_bytes_ -= dead.size();
  table_.erase(id, text_hash(dead), [this](TextId other) { return hash_of_id(other); });
  const std::uint32_t place = slots_[id].place;
  chunks_[place >> kChunkBits].dead += static_cast<std::uint32_t>(entry_bytes(place).size() + kEntryHead);
  --living_;
  slots_[id] = {};
}

std::size_t TextPool::memory_bytes() const {
  std::size_t bytes = (chunks_.size() - free_chunks_.size()) * kChunkSize + chunks_.capacity() * sizeof(Chunk) +
                      slots_.memory_bytes() + free_ids_.capacity() * sizeof(TextId) + table_.memory_bytes();
  for (const auto& codec : codecs_) bytes += codec == nullptr ? 0 : codec->memory_bytes();
  return bytes;
}

bool TextPool::learning_due(bool soon) const {
  if (!packs_ || text_bytes_ < kMinTrainingBytes) return false;
  return soon ? text_bytes_ > learnt_from_ + learnt_from_ / 4 : text_bytes_ > learnt_from_ * 2;
}

void TextPool::learn() {
  std::vector<std::string> texts;
  const std::size_t apart = std::max<std::size_t>(1, text_bytes_ / TextCodec::kMaxSampleBytes);
  std::size_t met = 0;
  for (TextId id = 1; id < slots_.size(); ++id) {
    if (living(id) && met++ % apart == 0) texts.emplace_back(text(id, buffer_));
  }
  const std::vector<std::string_view> sample(texts.begin(), texts.end());
  codec_ = codec_ == 0 ? 1 : 0;
  codecs_[codec_] = std::make_unique<const TextCodec>(TextCodec::train(sample));
  learnt_from_ = text_bytes_;
}

// Plans to empty the chunks that are more than half dead or packed with an older codec.
TextPool::Moves TextPool::plan_moves() const {
  Moves moves;
  std::vector<bool> leaving(chunks_.size());
  for (std::uint32_t number = 0; number < chunks_.size(); ++number) {
    const Chunk& chunk = chunks_[number];
    if (number == current_ || chunk.bytes == nullptr) continue;
    if (chunk.dead * 2 <= chunk.used && chunk.codec == codec_) continue;
    leaving[number] = true;
    moves.chunks.push_back(number);
  }
  if (moves.chunks.empty()) return moves;
  for (TextId id = 1; id < slots_.size(); ++id) {
    if (living(id) && leaving[slots_[id].place >> kChunkBits]) moves.ids.push_back(id);
  }
  return moves;
}

bool TextPool::stage_moves(Moves& moves) {
  moves.staged.clear();
  for (std::size_t bytes = 0; moves.done < moves.ids.size() && bytes < kMaxMovedBytes; ++moves.done) {
    const TextId id = moves.ids[moves.done];
    std::string packed;
    std::string moving(stored(text(id, buffer_), packed));
    bytes += moving.size();
    moves.staged.emplace_back(id, std::move(moving));
  }
  return !moves.staged.empty();
}

void TextPool::move(Moves& moves) {
  for (const auto& [id, moving] : moves.staged) slots_[id].place = append(moving);
}

void TextPool::finish(const Moves& moves) {
  for (const std::uint32_t number : moves.chunks) {
    chunks_[number] = {};
    free_chunks_.push_back(number);
  }
  if (packs_ && codec_ != kPlain) codecs_[1 - codec_].reset();
}

std::uint32_t TextPool::hash_of_id(TextId id) { return text_hash(text(id, buffer_)); }

// Even a text that does not shrink takes at most kMaxTextBytes * 2 bytes, which fits the length in an entry's head.
std::string_view TextPool::stored(std::string_view text, std::string& packed) const {
  if (codec_ == kPlain) return text;
  packed.clear();
  codecs_[codec_]->encode(text, packed);
  return packed;
}

std::uint32_t TextPool::append(std::string_view stored) {
  if (chunks_[current_].used + kEntryHead + stored.size() > kChunkSize) open_chunk();
  Chunk& chunk = chunks_[current_];
  const std::uint32_t place = current_ << kChunkBits | chunk.used;
  char* entry = chunk.bytes + chunk.used;
  const auto length = static_cast<std::uint16_t>(stored.size());
  std::memcpy(entry, &length, sizeof(length));
  std::memcpy(entry + kEntryHead, stored.data(), stored.size());
  chunk.used += static_cast<std::uint32_t>(kEntryHead + stored.size());
  return place;
}

void TextPool::open_chunk() {
  current_ = take_number(free_chunks_, chunks_);
  Chunk& chunk = chunks_[current_];
  chunk.owned = std::make_unique_for_overwrite<char[]>(kChunkSize);
  chunk.bytes = chunk.owned.get();
  chunk.used = chunk.dead = 0;
  chunk.codec = codec_;
}

void TextPool::make_table() {
  table_made_ = true;
  const auto hash = [this](TextId id) { return hash_of_id(id); };
  table_.make_room(living_, hash);
  for (TextId id = 1; id < slots_.size(); ++id) {
    if (living(id)) table_.insert(id, hash(id), hash);
  }
}

}  // namespace receiverd::epg
