#include "epg/store/programmes.h"

#include <algorithm>

#include "epg/event/event_details.h"
#include "epg/text/fold.h"

namespace receiverd::epg {
namespace {

constexpr std::size_t kLanguageBytes = 3;
// Dead programmes accumulate until there are enough for a sweep.
constexpr std::size_t kMinDeadForSweep = 4096;
constexpr std::size_t kMaxChainsPerLock = 64;
constexpr std::size_t kMaxTitlesPerLock = 256;

std::uint32_t hash_of(const Programme& programme) {
  std::uint64_t hash = 0;
  for (const TextId part : {TextId{programme.title}, TextId{programme.short_text}, TextId{programme.long_text},
                            TextId{programme.details}}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return static_cast<std::uint32_t>(hash >> 16);
}

bool same_texts(const Programme& a, const Programme& b) {
  return a.title == b.title && a.short_text == b.short_text && a.long_text == b.long_text && a.details == b.details;
}

}  // namespace

Programmes::Programmes(Column<EventRecord>& events) : events_(events) {
  programmes_.push_back({});
  titles_.push_back({});
}

void Programmes::make_room(std::size_t events) {
  for (TextPool& pool : texts_) pool.make_room(events);
  details_.make_room(events);
  if (!table_made_) make_table();
  table_.make_room(events, [this](ProgrammeId id) { return hash_of(programmes_[id]); });
}

void Programmes::stage(const Event& event, Staged& staged) {
  texts_[0].stage(event.title, staged.texts[0]);
  texts_[1].stage(event.short_text, staged.texts[1]);
  texts_[2].stage(event.extended_text, staged.texts[2]);
  for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
    const TextPool::Staged& text = staged.texts[kind];
    if (text.id != 0 || text.text.empty()) continue;
    staged.folded[kind].clear();
    fold(text.text, staged.folded[kind]);
  }
  const std::array<char, kLanguageBytes> language{static_cast<char>(event.language >> 16 & 0xFF),
                                                  static_cast<char>(event.language >> 8 & 0xFF),
                                                  static_cast<char>(event.language & 0xFF)};
  staged.packed.assign(language.data(), language.size());
  pack_details(event, staged.packed);
  if (event.language == 0 && staged.packed.size() == kLanguageBytes) staged.packed.clear();
  details_.stage(staged.packed, staged.details);
}

TextId Programmes::staged_text(Staged& staged, TextKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  bool added = false;
  const TextId id = texts_[index].add(staged.texts[index], added);
  if (added) each_index(kind, [&](WordIndex& words) { words.add(id, staged.folded[index]); });
  return id;
}

ProgrammeId Programmes::find_or_add(Staged& staged, TextId long_text) {
  Programme wanted;
  wanted.title = staged_text(staged, TextKind::title);
  wanted.short_text = staged_text(staged, TextKind::short_text);
  wanted.long_text = long_text;
  bool added = false;
  staged.details.text = staged.packed;  // a short string moves with its object
  wanted.details = details_.add(staged.details, added);
  return intern(wanted);
}

ProgrammeId Programmes::with_long_text(ProgrammeId programme, Staged& staged) {
  Programme wanted = programmes_[programme];
  wanted.long_text = staged_long_text(staged);
  return intern(wanted);
}

ProgrammeId Programmes::intern(const Programme& wanted) {
  const std::uint32_t hash = hash_of(wanted);
  const ProgrammeId known = table_.find(hash, [&](ProgrammeId id) { return same_texts(programmes_[id], wanted); });
  if (known != 0) return known;

  const ProgrammeId id = take_number(free_, programmes_);
  Programme& programme = programmes_[id];
  programme = {};
  programme.title = wanted.title;
  programme.short_text = wanted.short_text;
  programme.long_text = wanted.long_text;
  programme.details = wanted.details;
  for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
    const TextId text = programme.text(static_cast<TextKind>(kind));
    if (text == 0) continue;
    programme.next[kind] = texts_[kind].value(text);
    texts_[kind].set_value(text, id);
  }
  while (titles_.size() <= programme.title) titles_.push_back({});
  if (programme.details != 0) details_.set_value(programme.details, details_.value(programme.details) + 1);
  table_.insert(id, hash, [this](ProgrammeId other) { return hash_of(programmes_[other]); });
  dead_.push_back(id);  // until it gets an event
  return id;
}

void Programmes::make_table() {
  table_made_ = true;
  const auto hash = [this](ProgrammeId id) { return hash_of(programmes_[id]); };
  table_.make_room(programmes_.size(), hash);
  for (ProgrammeId id = 1; id < programmes_.size(); ++id) {
    if (programmes_[id].events != 0) table_.insert(id, hash(id), hash);
  }
  // Dead ones may be revived until they leave.
  drop_revived(dead_);
  for (const ProgrammeId id : dead_) table_.insert(id, hash(id), hash);
}

// Keeps the programmes that are still dead, each once.
void Programmes::drop_revived(std::vector<ProgrammeId>& dead) const {
  std::sort(dead.begin(), dead.end());
  dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
  std::erase_if(dead, [this](ProgrammeId id) { return programmes_[id].events != 0; });
}

Language Programmes::language(TextId details) const {
  const std::string_view packed = details_.text(details);
  Language language = 0;
  for (std::size_t at = 0; at < std::min(kLanguageBytes, packed.size()); ++at) {
    language = language << 8 | static_cast<std::uint8_t>(packed[at]);
  }
  return language;
}

std::string_view Programmes::packed_details(TextId details) const {
  const std::string_view packed = details_.text(details);
  return packed.substr(std::min(kLanguageBytes, packed.size()));
}

std::vector<EventSlot> Programmes::slots_of(const Programme& programme) const {
  if (programme.events == Programme::kMany) return arrays_[programme.first];
  std::vector<EventSlot> slots;
  EventSlot slot = programme.first;
  for (std::uint32_t left = programme.events; left != 0; --left, slot = events_[slot].next) slots.push_back(slot);
  return slots;
}

// Stores them as a chain or an array, depending on their number.
void Programmes::put(Programme& programme, const std::vector<EventSlot>& slots) {
  if (slots.size() <= kMaxChainLength) {
    programme.events = static_cast<std::uint32_t>(slots.size());
    programme.first = slots.empty() ? kNoEvent : slots.front();
    for (std::size_t at = 0; at < slots.size(); ++at) {
      events_[slots[at]].next = at + 1 < slots.size() ? slots[at + 1] : kNoEvent;
    }
    return;
  }
  const std::uint32_t number = take_number(free_arrays_, arrays_);
  arrays_[number] = slots;
  programme.events = Programme::kMany;
  programme.first = number;
}

void Programmes::attach(EventSlot slot) {
  EventRecord& event = events_[slot];
  Programme& programme = programmes_[event.programme];
  const auto begins_earlier = [this](std::uint32_t start, EventSlot other) { return start < events_[other].start; };
  if (programme.events == Programme::kMany) {
    std::vector<EventSlot>& slots = arrays_[programme.first];
    if (slots.size() == slots.capacity()) slots.reserve(slots.size() + slots.size() / 4 + 4);
    slots.insert(std::upper_bound(slots.begin(), slots.end(), event.start, begins_earlier), slot);
  } else if (programme.events == kMaxChainLength) {
    std::vector<EventSlot> slots = slots_of(programme);
    slots.insert(std::upper_bound(slots.begin(), slots.end(), event.start, begins_earlier), slot);
    put(programme, slots);
  } else {
    EventSlot before = kNoEvent;
    EventSlot after = programme.first;
    for (std::uint32_t left = programme.events; left != 0 && events_[after].start <= event.start; --left) {
      before = after;
      after = events_[after].next;
    }
    event.next = programme.events == 0 ? kNoEvent : after;
    if (before == kNoEvent) {
      programme.first = slot;
    } else {
      events_[before].next = slot;
    }
    ++programme.events;
  }
  set_begins(programme);
  TitleShowings& title = titles_[programme.title];
  if (coarse(event.start) < title.begins) title.begins = coarse(event.start);
  if (event.shadowed != 0) {
    programme.some_shadowed = 1;
  } else {
    ++title.events;
  }
}

void Programmes::detach(EventSlot slot) {
  const EventRecord& event = events_[slot];
  const ProgrammeId id = event.programme;
  Programme& programme = programmes_[id];
  if (programme.events == Programme::kMany) {
    std::vector<EventSlot>& slots = arrays_[programme.first];
    slots.erase(std::find(slots.begin(), slots.end(), slot));
    if (slots.size() <= kMaxChainLength / 2) {
      const std::uint32_t number = programme.first;
      put(programme, std::vector<EventSlot>(std::move(slots)));
      arrays_[number] = {};
      free_arrays_.push_back(number);
    } else if (slots.size() * 2 < slots.capacity()) {
      slots.shrink_to_fit();
    }
  } else {
    EventSlot* link = &programme.first;
    while (*link != slot) link = &events_[*link].next;
    *link = event.next;
    programme.events = programme.events - 1;
    if (programme.events == 0) dead_.push_back(id);
  }
  set_begins(programme);
  TitleShowings& title = titles_[programme.title];
  if (event.shadowed == 0) --title.events;
  if (coarse(event.start) == title.begins && title.begins_stale == 0 && programme.title != 0) {
    title.begins_stale = 1;
    stale_titles_.push_back(programme.title);
  }
}

void Programmes::set_begins(Programme& programme) {
  if (programme.events == 0) return programme.set_begins(kNoStart);
  const EventSlot first = programme.events == Programme::kMany ? arrays_[programme.first].front() : programme.first;
  programme.set_begins(coarse(events_[first].start));
}

Programmes::TitleBegins Programmes::earliest_of_stale_titles() {
  TitleBegins some;
  while (!stale_titles_.empty() && some.size() < kMaxTitlesPerLock) {
    const TextId title = stale_titles_.back();
    stale_titles_.pop_back();
    CoarseStart begins = kNoStart;
    if (texts(TextKind::title).living(title)) {
      each_with(TextKind::title, title, [&](ProgrammeId id) { begins = std::min(begins, programmes_[id].begins()); });
    }
    some.emplace_back(title, begins);
  }
  return some;
}

void Programmes::set(const TitleBegins& titles) {
  for (const auto& [title, begins] : titles) {
    titles_[title].begins = begins & kNoStart;
    titles_[title].begins_stale = 0;
  }
}

void Programmes::set_shadowed(EventSlot slot, bool shadowed) {
  EventRecord& event = events_[slot];
  event.shadowed = shadowed ? 1 : 0;
  Programme& programme = programmes_[event.programme];
  programme.some_shadowed = shadowed ? 1 : 0;
  titles_[programme.title].events += shadowed ? -1U : 1U;
  if (shadowed) return;
  each_event(event.programme, [&](EventSlot other) {
    if (events_[other].shadowed != 0) programme.some_shadowed = 1;
    return programme.some_shadowed == 0;
  });
}

Programmes::Sweep Programmes::plan_sweep(bool all) {
  Sweep plan;
  if (dead_.empty() || (!all && dead_.size() < kMinDeadForSweep)) return plan;
  drop_revived(dead_);
  plan.dead.swap(dead_);
  for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
    std::vector<TextId>& chains = plan.chains[kind];
    for (const ProgrammeId id : plan.dead) chains.push_back(programmes_[id].text(static_cast<TextKind>(kind)));
    std::sort(chains.begin(), chains.end());
    chains.erase(std::unique(chains.begin(), chains.end()), chains.end());
    if (!chains.empty() && chains.front() == 0) chains.erase(chains.begin());
  }
  return plan;
}

bool Programmes::sweep(Sweep& plan) {
  std::size_t at = plan.done;
  for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
    const std::vector<TextId>& chains = plan.chains[kind];
    if (at >= chains.size()) {
      at -= chains.size();
      continue;
    }
    const std::size_t end = std::min(chains.size(), at + kMaxChainsPerLock);
    plan.done += end - at;
    for (; at < end; ++at) {
      // Relinks the living ones in order.
      ProgrammeId first = 0;
      ProgrammeId last = 0;
      each_with(static_cast<TextKind>(kind), chains[at], [&](ProgrammeId id) {
        if (programmes_[id].events == 0) return;
        (last == 0 ? first : programmes_[last].next[kind]) = id;
        last = id;
      });
      if (last != 0) programmes_[last].next[kind] = 0;
      texts_[kind].set_value(chains[at], first);
      if (first != 0) continue;
      each_index(static_cast<TextKind>(kind), [&](WordIndex& index) { index.remove(chains[at]); });
      texts_[kind].release(chains[at]);
    }
    return true;
  }
  const std::size_t end = std::min(plan.dead.size(), at + kMaxChainsPerLock);
  plan.done += end - at;
  for (; at < end; ++at) free_programme(plan.dead[at]);
  return at < plan.dead.size();
}

// Frees a dead programme that is already unlinked from its texts.
void Programmes::free_programme(ProgrammeId id) {
  Programme& programme = programmes_[id];
  // If the table has not been built yet, it will be built without it.
  if (table_made_)
    table_.erase(id, hash_of(programme), [this](ProgrammeId other) { return hash_of(programmes_[other]); });
  if (const TextId details = programme.details; details != 0) {
    const std::uint32_t left = details_.value(details) - 1;
    details_.set_value(details, left);
    if (left == 0) {
      details_.release(details);
      details_.recycle(details);
    }
  }
  programme = {};
  free_.push_back(id);
}

void Programmes::recycle_forgotten(TextKind kind) {
  TextPool& pool = this->pool(kind);
  if (kind != TextKind::title) {
    for (const TextId id : words_[static_cast<std::size_t>(kind)].take_forgotten()) pool.recycle(id);
    return;
  }
  each_index(kind, [&](WordIndex& index) {
    for (const TextId id : index.take_forgotten()) {
      if (half_forgotten_.erase(id)) {
        pool.recycle(id);
      } else {
        half_forgotten_.add(id);
      }
    }
  });
}

void Programmes::clear() {
  texts_ = {TextPool(), TextPool(), TextPool(true)};
  words_ = {WordIndex(IndexedWords::whole_tokens), WordIndex(), WordIndex()};
  title_grams_ = WordIndex(IndexedWords::grams);
  half_forgotten_ = IdSet();
  details_ = TextPool();
  programmes_.clear();
  programmes_.push_back({});
  titles_.clear();
  titles_.push_back({});
  stale_titles_.clear();
  free_.clear();
  dead_.clear();
  table_.clear();
  table_made_ = true;
  arrays_.clear();
  free_arrays_.clear();
}

bool Programmes::full() const {
  constexpr std::uint32_t kMaxUsedIds = IdTable::kIdEnd - 1024;
  return programmes_.size() > kMaxUsedIds || details_.end() > kMaxUsedIds ||
         std::any_of(texts_.begin(), texts_.end(), [](const TextPool& pool) { return pool.end() > kMaxUsedIds; });
}

std::size_t Programmes::distinct_texts() const {
  std::size_t texts = details_.size();
  for (const TextPool& pool : texts_) texts += pool.size();
  return texts;
}

std::size_t Programmes::text_bytes() const {
  std::size_t bytes = details_.text_bytes();
  for (const TextPool& pool : texts_) bytes += pool.text_bytes();
  return bytes;
}

std::size_t Programmes::memory_bytes() const {
  std::size_t bytes = details_.memory_bytes() + programmes_.memory_bytes() + titles_.memory_bytes() +
                      table_.memory_bytes() +
                      (free_.capacity() + dead_.capacity() + free_arrays_.capacity()) * sizeof(std::uint32_t) +
                      arrays_.capacity() * sizeof(std::vector<EventSlot>);
  for (const TextPool& pool : texts_) bytes += pool.memory_bytes();
  for (const WordIndex& words : words_) bytes += words.memory_bytes();
  bytes += title_grams_.memory_bytes() + half_forgotten_.memory_bytes();
  for (const auto& slots : arrays_) bytes += slots.capacity() * sizeof(EventSlot);
  return bytes;
}

}  // namespace receiverd::epg
