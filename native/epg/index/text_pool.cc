#include "epg/index/text_pool.h"

#include <algorithm>
#include <cstring>

#include "epg/text/fold.h"

namespace receiverd::epg {
namespace {

template <typename Word>
std::uint64_t load(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// All of at most eight bytes, some of them twice.
std::uint64_t load_short(std::string_view text) {
  const char* const at = text.data();
  const std::size_t size = text.size();
  if (size >= 4) return load<std::uint32_t>(at) << 32 | load<std::uint32_t>(at + size - 4);
  if (size == 0) return 0;
  return load<std::uint8_t>(at) << 16 | load<std::uint8_t>(at + size / 2) << 8 | load<std::uint8_t>(at + size - 1);
}

// Only for use while the program runs, since it depends on the byte order.
std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = text.size() * kOdd;
  const auto take = [&](std::uint64_t word) {
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (text.size() <= kWord) {
    take(load_short(text));
  } else {
    const char* const last = text.data() + text.size() - kWord;
    for (const char* at = text.data(); at < last; at += kWord) take(load<std::uint64_t>(at));
    take(load<std::uint64_t>(last));
  }
  return static_cast<std::uint32_t>((hash * kOdd) >> 32);
}

std::string_view cut(std::string_view text) {
  if (text.size() <= TextPool::kLongestText) return text;
  std::size_t end = TextPool::kLongestText;
  while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// With fewer bytes of text, a codec is not worthwhile.
constexpr std::size_t kWorthLearning = 512 * 1024;
// Bytes of text moved while readers wait.
constexpr std::size_t kMovedAtOnce = 32 * 1024;

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
  staged.hash = hash_of(text);
  staged.id = table_.find(staged.hash, [&](TextId id) { return is(id, text); });
  if (staged.id == 0) stored(text, staged.packed);
}

TextId TextPool::add(const Staged& staged, bool& added) {
  added = false;
  if (staged.id != 0 || staged.text.empty()) return staged.id;
  // The same new text may have been staged twice.
  const TextId known = table_.find(staged.hash, [&](TextId id) { return is(id, staged.text); });
  if (known != 0) return known;
  TextId id = 0;
  if (free_ids_.empty()) {
    id = static_cast<TextId>(slots_.size());
    slots_.push_back({});
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
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

void TextPool::kill(TextId id) {
  if (!table_made_) make_table();
  const std::string_view dead = text(id, buffer_);
  text_bytes_ -= dead.size();
  table_.erase(id, hash_of(dead), [this](TextId other) { return hash_of_id(other); });
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

bool TextPool::learning_due(bool anyway) const {
  if (!packs_ || text_bytes_ < kWorthLearning) return false;
  return anyway ? text_bytes_ > learnt_from_ + learnt_from_ / 4 : text_bytes_ > learnt_from_ * 2;
}

void TextPool::learn() {
  std::vector<std::string> texts;
  const std::size_t apart = std::max<std::size_t>(1, text_bytes_ / TextCodec::kSampleBytes);
  std::size_t met = 0;
  for (TextId id = 1; id < slots_.size(); ++id) {
    if (living(id) && met++ % apart == 0) texts.emplace_back(text(id, buffer_));
  }
  const std::vector<std::string_view> sample(texts.begin(), texts.end());
  codec_ = codec_ == 0 ? 1 : 0;
  codecs_[codec_] = std::make_unique<const TextCodec>(TextCodec::train(sample));
  learnt_from_ = text_bytes_;
}

// Frees ids at the end that nothing names any more.
void TextPool::trim() {
  std::sort(free_ids_.begin(), free_ids_.end());
  std::size_t end = slots_.size();
  while (!free_ids_.empty() && free_ids_.back() + 1 == end) {
    free_ids_.pop_back();
    --end;
  }
  slots_.truncate(end);
  // The lowest ids are reused first, so that the end can become free.
  std::reverse(free_ids_.begin(), free_ids_.end());
  free_ids_.shrink_to_fit();
}

// Plans to empty chunks less than half of which is alive, and chunks packed with an older codec.
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
  for (std::size_t bytes = 0; moves.done < moves.ids.size() && bytes < kMovedAtOnce; ++moves.done) {
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

std::uint32_t TextPool::hash_of_id(TextId id) { return hash_of(text(id, buffer_)); }

// Even a text that does not shrink takes at most kLongestText * 2 bytes, which fits the length in an entry's head.
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
