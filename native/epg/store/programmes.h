// Programmes: the content of events. Each distinct programme is stored once, however often and on however many services
// it is shown. 200,000 real events are 97,000 programmes with 40,000 titles and 85,000 long texts.
//
//   titles, short texts, long texts, details     one TextPool each, the long texts packed. The first three have a
//                                                WordIndex of tokens, and titles, which are searched most, also one of
//                                                grams
//   programme   32 bytes: its four texts, its events, when the first begins, and the next programme with the same
//               title, short and long text
//   title       TitleShowings for each: number of visible events, and start of the first; most searches need no more
//
// A search goes from a word to texts, from a text to its programmes (the value stored with a text in its pool is its
// first programme), and from a programme to its events in order of start: up to eight as a chain through the events,
// more as an array.
//
// A programme without events is dead. It stays in the chains of its texts until sweep(), and is revived if it is
// announced again before then.
//
// Thread safety: one writer at a time; the store's lock keeps it apart from readers. index/text_pool.h explains
// [prepare].
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event/event.h"
#include "epg/event/event_record.h"
#include "epg/index/column.h"
#include "epg/index/id_table.h"
#include "epg/index/text_pool.h"
#include "epg/index/word_index.h"

namespace receiverd::epg {

/// The searchable texts of a programme.
enum class TextKind : std::uint8_t { title, short_text, long_text };
inline constexpr std::size_t kTextKinds = 3;

/// A start in steps of 512 seconds, which fits 23 bits. That is precise enough for a search to preselect
/// candidates for the earliest events.
using CoarseStart = std::uint32_t;
inline constexpr CoarseStart kNoStart = 0x7FFFFF;
inline CoarseStart coarse(std::uint32_t start) { return start >> 9U; }
/// The first second of a step.
inline std::uint32_t earliest(CoarseStart start) { return start << 9U; }

struct Programme {
  static constexpr std::uint32_t kMany = 0xFF;

  TextId title : 24 = 0;
  std::uint32_t events : 8 = 0;  ///< their number, or kMany if they are in an array
  TextId short_text : 24 = 0;
  std::uint32_t some_shadowed : 1 = 0;  ///< 1: not all of its events are visible
  std::uint32_t begins_high : 7 = 0;    ///< begins(), in three parts
  TextId long_text : 24 = 0;
  std::uint32_t begins_middle : 8 = 0;
  TextId details : 24 = 0;  ///< language and packed details
  std::uint32_t begins_low : 8 = 0;
  std::array<ProgrammeId, kTextKinds> next{};  ///< by TextKind; 0 = none
  std::uint32_t first = kNoEvent;  ///< EventSlot, or number of the array; in a free programme, the next free programme

  TextId text(TextKind kind) const {
    return kind == TextKind::title ? title : kind == TextKind::short_text ? short_text : long_text;
  }
  /// When the first of its events begins, shadowed or not. kNoStart without events.
  CoarseStart begins() const { return begins_high << 16U | begins_middle << 8U | begins_low; }
  void set_begins(CoarseStart start) {
    begins_high = start >> 16U & 0x7F;
    begins_middle = start >> 8U & 0xFF;
    begins_low = start & 0xFF;
  }
};

static_assert(sizeof(Programme) == 32);

/// Summary of all events with one title.
struct TitleShowings {
  std::uint32_t events = 0;            ///< visible ones
  CoarseStart begins : 23 = kNoStart;  ///< no event begins earlier
  /// 1: the first event may begin later than `begins`. maintain() corrects this from time to time.
  std::uint32_t begins_stale : 1 = 0;
};

class Programmes {
 public:
  explicit Programmes(Column<EventRecord>& events);

  /// An event's texts, staged for insertion.
  struct Staged {
    std::array<TextPool::Staged, kTextKinds> texts;
    std::array<std::string, kTextKinds> folded;  ///< of the new ones
    TextPool::Staged details;
    std::string packed;
  };
  /// [prepare] Reserves room for `events` more events in memory that no reader can see.
  void make_room(std::size_t events);
  /// [prepare] `event` has to live until its texts are added; `staged` may be reused.
  void stage(const Event& event, Staged& staged);

  /// The programme with these texts, which are added if they are new. 0 if there are too many.
  ProgrammeId find_or_add(Staged& staged) { return find_or_add(staged, staged_long_text(staged)); }
  /// Like find_or_add(staged), but with another long text.
  ProgrammeId find_or_add(Staged& staged, TextId long_text);
  /// The programme that equals `programme` except for its long text, which is the staged one.
  ProgrammeId with_long_text(ProgrammeId programme, Staged& staged);

  const Programme& operator[](ProgrammeId id) const { return programmes_[id]; }
  /// Ids are below end(); some of them may be dead.
  ProgrammeId end() const { return static_cast<ProgrammeId>(programmes_.size()); }

  /// Calls `visit(id, programme)` for all programmes, including dead ones, in order of id.
  template <typename Visit>
  void each(Visit visit) const {
    ProgrammeId id = 0;
    programmes_.each_chunk([&](std::span<const Programme> chunk) {
      for (const Programme& programme : chunk) {
        if (id != 0) visit(id, programme);
        ++id;
      }
    });
  }
  /// REQUIRES: a live title.
  const TitleShowings& showings(TextId title) const { return titles_[title]; }

  const TextPool& texts(TextKind kind) const { return texts_[static_cast<std::size_t>(kind)]; }
  /// The index that is fastest for this kind of match.
  const WordIndex& index(TextKind kind, TextMatch match) const {
    const bool of_characters = match == TextMatch::contains || match == TextMatch::prefix ||
                               match == TextMatch::suffix || match == TextMatch::exact;
    return kind == TextKind::title && of_characters ? title_grams_ : words_[static_cast<std::size_t>(kind)];
  }
  const TextPool& details() const { return details_; }
  /// For reading many programmes: first prefetch each programme, later the places of its texts, then the texts.
  RECEIVERD_PREFETCHES void prefetch(ProgrammeId id) const { programmes_.prefetch(id); }
  RECEIVERD_PREFETCHES void prefetch_places(ProgrammeId id) const {
    for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
      texts_[kind].prefetch_place(programmes_[id].text(static_cast<TextKind>(kind)));
    }
  }
  RECEIVERD_PREFETCHES void prefetch_texts(ProgrammeId id) const {
    for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
      texts_[kind].prefetch_text(programmes_[id].text(static_cast<TextKind>(kind)));
    }
  }
  Language language(TextId details) const;
  /// For unpack_details().
  std::string_view packed_details(TextId details) const;

  /// Programmes with this text, including dead ones.
  template <typename Visit>
  void each_with(TextKind kind, TextId text, Visit visit) const {
    for (ProgrammeId id = texts(kind).value(text); id != 0; id = programmes_[id].next[static_cast<std::size_t>(kind)]) {
      visit(id);
    }
  }

  /// Like each_with(), but for many texts and in no particular order: `visit(programme, index of the text)`.
  template <typename Visit>
  void each_with_any(TextKind kind, std::span<const TextId> texts, Visit visit) const {
    constexpr std::size_t kPrefetchDistance = kInterleavedChains;
    const TextPool& pool = this->texts(kind);
    struct Chain {
      ProgrammeId at = 0;
      std::size_t text = 0;
      explicit operator bool() const { return at != 0; }
    };
    std::size_t begun = 0;
    for (std::size_t i = 0; i < std::min(kPrefetchDistance, texts.size()); ++i) pool.prefetch_place(texts[i]);
    walk_interleaved(
        [&]() -> Chain {
          for (; begun < texts.size(); ++begun) {
            if (begun + kPrefetchDistance < texts.size()) pool.prefetch_place(texts[begun + kPrefetchDistance]);
            if (const ProgrammeId first = pool.value(texts[begun]); first != 0) return {first, begun++};
          }
          return {};
        },
        [&](Chain chain) { programmes_.prefetch(chain.at); },
        [&](Chain chain) -> Chain {
          visit(chain.at, chain.text);
          return {programmes_[chain.at].next[static_cast<std::size_t>(kind)], chain.text};
        });
  }

  /// Number of the programme's events, including shadowed ones.
  std::size_t event_count(ProgrammeId id) const {
    const Programme& programme = programmes_[id];
    return programme.events == Programme::kMany ? arrays_[programme.first].size() : programme.events;
  }
  /// The programme's events in order of start, including shadowed ones, until `visit(slot)` returns false.
  template <typename Visit>
  void each_event(ProgrammeId id, Visit visit) const {
    const Programme& programme = programmes_[id];
    if (programme.events == Programme::kMany) {
      for (const EventSlot slot : arrays_[programme.first]) {
        if (!visit(slot)) return;
      }
      return;
    }
    EventSlot slot = programme.first;
    for (std::uint32_t left = programme.events; left != 0; --left, slot = events_[slot].next) {
      if (!visit(slot)) return;
    }
  }

  /// Like each_event(), but for many programmes and in no particular order: `visit(index of the programme, slot)`. If
  /// it returns false, the other events of that programme are skipped.
  template <typename Visit>
  void each_event_of(std::span<const ProgrammeId> programmes, Visit visit) const {
    struct Chain {
      std::size_t index = 0;
      EventSlot slot = kNoEvent;
      std::uint32_t left = 0;
      explicit operator bool() const { return left != 0; }
    };
    std::size_t begun = 0;
    walk_interleaved(
        [&]() -> Chain {
          for (; begun < programmes.size(); ++begun) {
            const std::size_t ahead = begun + 1 + kInterleavedChains;
            if (ahead < programmes.size()) prefetch(programmes[ahead]);
            const Programme& programme = programmes_[programmes[begun]];
            if (programme.events == Programme::kMany) {
              each_event(programmes[begun], [&](EventSlot slot) { return visit(begun, slot); });
            } else if (programme.events != 0) {
              return {begun++, programme.first, programme.events};
            }
          }
          return {};
        },
        [&](Chain chain) { events_.prefetch(chain.slot); },
        [&](Chain chain) -> Chain {
          if (!visit(chain.index, chain.slot)) return {};
          return {chain.index, events_[chain.slot].next, chain.left - 1};
        });
  }

  /// Adds an event to its programme. The event's programme and start must be set, and must not change until detach().
  void attach(EventSlot slot);
  void detach(EventSlot slot);
  void set_shadowed(EventSlot slot, bool shadowed);

  /// Dead programmes, and the chains of texts in which they still are.
  struct Sweep {
    std::vector<ProgrammeId> dead;
    std::array<std::vector<TextId>, kTextKinds> chains;
    std::size_t done = 0;
    bool empty() const { return dead.empty(); }
  };
  /// [prepare] Collects the dead programmes if there are many, or with `all` in any case.
  Sweep plan_sweep(bool all);
  /// Removes some of the dead programmes and their unused texts. Returns false when none are left.
  bool sweep(Sweep& plan);

  /// Runs the maintenance due in pools and indices. `locked(work)` must run `work()` while no reader reads. With
  /// `everything`, all texts are put into segments of the index and as much memory as possible is freed.
  template <typename Locked>
  void maintain(bool everything, Locked locked) {
    if (everything || stale_titles_.size() >= kMaxStaleTitles) refresh_stale_titles(locked);
    for (std::size_t kind = 0; kind < kTextKinds; ++kind) {
      each_index(static_cast<TextKind>(kind), [&](WordIndex& index) {
        while (auto due = index.maintenance(everything)) {
          due->run();
          locked([&] { index.install(std::move(*due)); });
        }
      });
      recycle_forgotten(static_cast<TextKind>(kind));
      if (texts_[kind].learning_due(false)) texts_[kind].compact(false, locked);
    }
  }
  template <typename Locked>
  void compact(Locked locked) {
    locked([this] {
      trim_free(free_, programmes_);
      dead_.shrink_to_fit();
    });
    for (TextPool& pool : texts_) pool.compact(true, locked);
    details_.compact(true, locked);
  }

  /// Number of distinct texts, including details, and their bytes.
  std::size_t distinct_texts() const;
  std::size_t text_bytes() const;
  std::size_t memory_bytes() const;
  /// Removes everything.
  void clear();
  /// True when no further programme or text fits: their numbers have 24 bits.
  bool full() const;

 private:
  friend class GuideWriter;
  friend class GuideReader;
  static constexpr std::uint32_t kMaxChainLength = 8;

  static constexpr std::size_t kMaxStaleTitles = 256;

  // Walks many chains at once. The links of a chain are scattered in memory; while one is being loaded, links of the
  // other chains are visited. `begin()` returns the next chain, or an empty one at the end. `ask(chain)` prefetches its
  // first link. `pass(chain)` visits that link and returns the rest of the chain.
  static constexpr std::size_t kInterleavedChains = 16;
  template <typename Begin, typename Ask, typename Pass>
  static void walk_interleaved(Begin begin, Ask ask, Pass pass) {
    std::array<decltype(begin()), kInterleavedChains> chains{};
    std::size_t open = 0;
    for (; open < kInterleavedChains; ++open) {
      chains[open] = begin();
      if (!chains[open]) break;
      ask(chains[open]);
    }
    while (open != 0) {
      for (std::size_t i = 0; i < open; ++i) {
        chains[i] = pass(chains[i]);
        if (!chains[i]) chains[i] = begin();
        // The last chain takes the place of a finished one.
        if (!chains[i]) chains[i] = chains[--open];
        if (i < open) ask(chains[i]);
      }
    }
  }

  using TitleBegins = std::vector<std::pair<TextId, CoarseStart>>;
  /// Finds the first event of titles whose first event is gone.
  template <typename Locked>
  void refresh_stale_titles(Locked locked) {
    while (!stale_titles_.empty()) {
      const TitleBegins now = earliest_of_stale_titles();
      locked([&] { set(now); });
    }
  }
  TitleBegins earliest_of_stale_titles();
  void set(const TitleBegins& titles);
  void set_begins(Programme& programme);

  template <typename Visit>
  void each_index(TextKind kind, Visit visit) {
    visit(words_[static_cast<std::size_t>(kind)]);
    if (kind == TextKind::title) visit(title_grams_);
  }
  void recycle_forgotten(TextKind kind);

  TextPool& pool(TextKind kind) { return texts_[static_cast<std::size_t>(kind)]; }
  TextId staged_text(Staged& staged, TextKind kind);
  TextId staged_long_text(Staged& staged) { return staged_text(staged, TextKind::long_text); }
  ProgrammeId intern(const Programme& wanted);
  void make_table();
  void drop_revived(std::vector<ProgrammeId>& dead) const;
  void free_programme(ProgrammeId id);
  std::vector<EventSlot> slots_of(const Programme& programme) const;
  void put(Programme& programme, const std::vector<EventSlot>& slots);

  Column<EventRecord>& events_;
  std::array<TextPool, kTextKinds> texts_{TextPool(), TextPool(), TextPool(true)};
  // Searches inside titles use the grams.
  std::array<WordIndex, kTextKinds> words_{WordIndex(IndexedWords::whole_tokens), WordIndex(), WordIndex()};
  WordIndex title_grams_{IndexedWords::grams};
  IdSet half_forgotten_;  // titles that only one of the two indices has forgotten
  TextPool details_;      // value: number of programmes that use them
  Column<Programme> programmes_;
  Column<TitleShowings> titles_;  // by title
  std::vector<TextId> stale_titles_;
  std::vector<ProgrammeId> free_;
  std::vector<ProgrammeId> dead_;  // may have been revived
  IdTable table_;
  bool table_made_ = true;
  std::vector<std::vector<EventSlot>> arrays_;
  std::vector<std::uint32_t> free_arrays_;
};

}  // namespace receiverd::epg
