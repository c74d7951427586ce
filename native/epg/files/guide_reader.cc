#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "epg/files/guide_sections.h"
#include "epg/files/guide_snapshot.h"
#include "epg/index/id_set.h"
#include "storage/freed_memory.h"
#include "wire/json_writer.h"

namespace receiverd::epg {

using namespace snapshot_parts;

namespace {

/// Makes private copies of the pages of a span. `locked(work)` must run `work()` while no other thread uses the span.
template <typename Locked>
void own_pages(std::span<const std::byte> bytes, Locked locked) {
#ifdef MADV_POPULATE_WRITE
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(bytes.data()) & (page - 1);
  // Linux 5.14 and later: needs no lock, since other threads do not notice it.
  auto* const begin = const_cast<std::byte*>(bytes.data() - before);
  if (::madvise(begin, before + bytes.size(), MADV_POPULATE_WRITE) == 0) return;
#endif
  locked([&] {
    constexpr std::size_t kMinPageBytes = 4096;
    for (std::size_t at = 0; at < bytes.size(); at += kMinPageBytes) {
      auto* const byte = const_cast<volatile std::byte*>(&bytes[at]);
      *byte = *byte;
    }
  });
}

}  // namespace

/// Builds the content of a store from a snapshot, and moves it from the file into memory later.
class GuideReader {
 public:
  explicit GuideReader(Store& store) : store_(store) {}

  void read(const std::shared_ptr<const SnapshotFile>& file) {
    file_ = file;
    const Layout layout;
    if (std::memcmp(&row<Layout>("layout"), &layout, sizeof layout) != 0) {
      throw SnapshotError{SnapshotFault::other_machine, "its records have a different layout"};
    }
    totals_ = row<Totals>("guide");
    events_ = column<EventRecord>("events");
    programmes_ = column<Programme>("programmes");
    require(!programmes_.empty() && programmes_.size() < IdTable::kIdEnd && events_.size() < kNoEvent,
            "a section has a wrong length");
    for (std::size_t number = 0; number < kTextKinds; ++number) texts_[number] = read_pool(number, number == 2);
    details_ = read_pool(kTextKinds, false);
    for (std::size_t number = 0; number < kTextKinds; ++number) {
      dead_[number] = read_index(kPoolNames[number], texts_[number], words_[number]);
    }
    read_title_grams();
    for (std::size_t number = 0; number <= kTextKinds; ++number) recycle_ids(number);
    read_events();
    read_services();
    read_arrays();
    for (std::size_t kind = 0; kind < kTextKinds; ++kind) check_texts(kind);
    check_details();
    check_programme_events();

    std::size_t text_bytes = details_.text_bytes();
    for (const TextPool& pool : texts_) text_bytes += pool.text_bytes();
    const StoreLimits& limits = store_.limits_;
    if (living_events_ > limits.max_events || numbers_.size() > limits.max_services ||
        text_bytes > limits.max_text_bytes) {
      throw SnapshotError{SnapshotFault::does_not_fit, "it exceeds the limits of the store"};
    }
    event_column_.adopt(events_, file_);
    programme_column_.adopt(programmes_, file_);
  }

  /// Replaces the store's content with what read() has built. `same`: throws unless the store still has this
  /// generation.
  void swap_in(std::optional<std::uint64_t> same) {
    Programmes& programmes = store_.programmes_;
    const std::lock_guard writers(store_.writer_);
    const std::unique_lock lock(store_.mutex_);
    if (same && *same != store_.generation()) {
      throw SnapshotError{SnapshotFault::outdated, "the guide has changed since it was written"};
    }
    if (same) keep_present_following();
    std::swap(store_.services_, made_services_);
    std::swap(store_.numbers_, numbers_);
    ++store_.service_changes_;
    std::swap(store_.free_numbers_, free_numbers_);
    std::swap(store_.records_, event_column_);
    store_.free_slot_ = totals_.free_slot;
    store_.events_ = living_events_;
    // An import may have begun since the file was written; its number must not be used twice.
    if (!same) store_.imports_ = static_cast<std::uint8_t>(totals_.imports);
    std::swap(programmes.texts_, texts_);
    std::swap(programmes.words_, words_);
    std::swap(programmes.title_grams_, title_grams_);
    std::swap(programmes.half_forgotten_, half_forgotten_);
    std::swap(programmes.details_, details_);
    std::swap(programmes.programmes_, programme_column_);
    std::swap(programmes.titles_, titles_);
    std::swap(programmes.arrays_, arrays_);
    std::swap(programmes.free_arrays_, free_arrays_);
    std::swap(programmes.free_, free_programmes_);
    programmes.dead_.clear();
    programmes.stale_titles_.clear();
    programmes.table_.clear();
    programmes.table_made_ = false;
    if (!same) store_.generation_.fetch_add(1, std::memory_order_release);
  }

  void leave_file() {
    const std::lock_guard writers(store_.writer_);
    const auto locked = [this](auto work) {
      const std::unique_lock lock(store_.mutex_);
      work();
    };
    const auto own = [&](const auto& column) {
      column.each_chunk([&](auto chunk) { own_pages(std::as_bytes(chunk), locked); });
    };
    own(store_.records_);
    own(store_.programmes_.programmes_);
    for (const TextPool& pool : store_.programmes_.texts_) own(pool.slots_);
    own(store_.programmes_.details_.slots_);
  }

  std::size_t events() const { return living_events_; }

 private:
  /// Keeps the state of present/following: sections received since the file was begun are not in it.
  void keep_present_following() {
    for (const auto& [key, number] : numbers_) {
      const auto known = store_.numbers_.find(key);
      if (known == store_.numbers_.end()) continue;
      made_services_[number]->timeline.set_present_following(store_.services_[known->second]->timeline);
    }
  }

  template <typename Element>
  std::span<Element> column(const std::string& name) const {
    const auto elements = file_->column<Element>(name);
    require(elements.has_value(), "a section is missing");
    return *elements;
  }

  template <typename Element>
  const Element& row(const std::string& name) const {
    const std::span<Element> elements = column<Element>(name);
    require(elements.size() == 1, "a section has a wrong length");
    return elements.front();
  }

  TextPool read_pool(std::size_t number, bool packs) const {
    TextPool pool(packs);
    const auto& row = this->row<PoolRow>(name_of(number, "pool"));
    const auto rows = column<ChunkRow>(name_of(number, "chunks"));
    const auto texts = column<char>(name_of(number, "texts"));
    const auto slots = column<TextPool::Slot>(name_of(number, "slots"));
    require(!slots.empty() && slots.size() <= TextPool::kMaxTexts && rows.size() < 1U << 16U,
            "a section has a wrong length");

    for (std::size_t codec = 0; codec < pool.codecs_.size(); ++codec) {
      const auto table = column<char>(name_of(number, codec == 0 ? "codec0" : "codec1"));
      if (table.empty()) continue;
      auto loaded = TextCodec::load({table.data(), table.size()});
      require(packs && loaded.has_value(), "a table of symbols is malformed");
      pool.codecs_[codec] = std::make_unique<const TextCodec>(*loaded);
    }
    const auto known = [&](std::uint32_t codec) {
      return codec == TextPool::kPlain || (codec < pool.codecs_.size() && pool.codecs_[codec] != nullptr);
    };
    require(known(row.codec), "a table of symbols is missing");

    pool.chunks_.clear();
    std::size_t next = 0;
    for (const ChunkRow& chunk : rows) {
      TextPool::Chunk made;
      if (chunk.present != 0) {
        require(next + TextPool::kChunkSize <= texts.size() && chunk.used <= TextPool::kChunkSize && known(chunk.codec),
                "texts are malformed");
        made.bytes = texts.data() + next;
        made.used = chunk.used;
        made.codec = static_cast<std::uint8_t>(chunk.codec);
        next += TextPool::kChunkSize;
      } else {
        pool.free_chunks_.push_back(static_cast<std::uint32_t>(pool.chunks_.size()));
      }
      pool.chunks_.push_back(std::move(made));
    }
    require(next == texts.size(), "a section has a wrong length");
    require(row.current < rows.size() && rows[row.current].present != 0 && rows[row.current].codec == row.codec,
            "texts are malformed");

    // Every text lies within its chunk and has a permitted length.
    std::vector<std::uint64_t> alive(rows.size());
    require(slots[0].place == TextPool::kNowhere, "texts are malformed");
    for (const TextPool::Slot& slot : slots) {
      if (slot.place == TextPool::kNowhere) {
        require(slot.value == 0, "texts are malformed");
        continue;
      }
      const std::uint32_t number_of_chunk = slot.place >> TextPool::kChunkBits;
      const std::uint32_t offset = slot.place & (TextPool::kChunkSize - 1);
      require(number_of_chunk < pool.chunks_.size(), "texts are malformed");
      const TextPool::Chunk& chunk = pool.chunks_[number_of_chunk];
      // A freed chunk has no bytes in use.
      require(offset + TextPool::kEntryHead <= chunk.used, "texts are malformed");
      const std::string_view stored = pool.entry_bytes(slot.place);
      require(stored.size() <= chunk.used - offset - TextPool::kEntryHead, "texts are malformed");
      const bool plain = chunk.codec == TextPool::kPlain;
      const std::size_t max_decoded_bytes = plain ? stored.size() : stored.size() * TextCodec::kMaxSymbolBytes;
      require(max_decoded_bytes <= TextPool::kMaxTextBytes ||
                  (!plain && pool.codecs_[chunk.codec]->decoded_size(stored) <= TextPool::kMaxTextBytes),
              "texts are malformed");
      alive[number_of_chunk] += stored.size() + TextPool::kEntryHead;
      ++pool.living_;
    }
    for (std::size_t i = 0; i < alive.size(); ++i) {
      // Overlapping entries would be counted twice.
      require(alive[i] <= pool.chunks_[i].used, "texts are malformed");
      pool.chunks_[i].dead = static_cast<std::uint32_t>(pool.chunks_[i].used - alive[i]);
    }
    pool.current_ = row.current;
    pool.codec_ = static_cast<std::uint8_t>(row.codec);
    pool.learnt_from_ = static_cast<std::size_t>(row.learnt_from);
    pool.text_bytes_ = static_cast<std::size_t>(row.text_bytes);
    pool.slots_.adopt(slots, file_);
    pool.table_made_ = false;
    pool.mapped_ = file_;
    return pool;
  }

  /// Each living text is in one segment, once; any other text in a segment is known to be dead.
  /// Returns the dead ones.
  std::vector<TextId> read_index(const std::string& name, const TextPool& pool, WordIndex& index) const {
    const auto bytes = column<std::byte>(name + ".words");
    const auto sizes = column<std::uint64_t>(name + ".word_sizes");
    const auto dead = column<TextId>(name + ".dead");
    IdSet named(pool.end());
    std::size_t living = 0;
    std::size_t begin = 0;
    std::size_t indexed = 0;
    for (const std::uint64_t size : sizes) {
      require(size <= bytes.size() - begin, "an index is malformed");
      const auto part = bytes.subspan(begin, static_cast<std::size_t>(size));
      begin += part.size();
      const auto segment = WordSegment::open(file_, part);
      require(segment != nullptr && segment->texts() <= pool.end() - indexed, "an index is malformed");
      indexed += segment->texts();
      for (const TextId id : segment->ids()) {
        require(id < pool.end() && named.add(id), "an index is malformed");
        living += pool.living(id) ? 1 : 0;
      }
      index.adopt(file_, part);
    }
    require(begin == bytes.size() && living == pool.size() && indexed - living == dead.size(), "an index is malformed");
    IdSet once(pool.end());
    for (const TextId id : dead) {
      require(id < pool.end() && named.has(id) && !pool.living(id) && once.add(id), "an index is malformed");
      index.remove(id);
    }
    return {dead.begin(), dead.end()};
  }

  void read_title_grams() {
    const std::vector<TextId> dead = read_index(kGrams, texts_[0], title_grams_);
    for (const TextId id : dead_[0]) half_forgotten_.add(id);
    for (const TextId id : dead) {
      if (half_forgotten_.erase(id)) continue;
      half_forgotten_.add(id);
      dead_[0].push_back(id);
    }
  }

  /// Recycles dead ids to which no index refers any more.
  void recycle_ids(std::size_t number) {
    TextPool& pool = number < kTextKinds ? texts_[number] : details_;
    IdSet named(pool.end());
    if (number < kTextKinds) {
      for (const TextId id : dead_[number]) named.add(id);
    }
    // The lowest ids are reused first, so that the end can become free.
    for (TextId id = pool.end() - 1; id != 0; --id) {
      if (!pool.living(id) && !named.has(id)) pool.recycle(id);
    }
  }

  void read_events() {
    for (const EventRecord& event : events_) {
      if (event.programme == 0) continue;
      require(event.programme < programmes_.size() && event.duration <= kMaxDurationSeconds, "an event is malformed");
      ++living_events_;
    }
    require(living_events_ == totals_.events, "events are missing");
    // The free slots form one chain, without duplicates.
    std::size_t left = events_.size() - living_events_;
    EventSlot slot = totals_.free_slot;
    for (; left != 0; --left, slot = events_[slot].next) {
      require(slot < events_.size() && events_[slot].programme == 0, "free events are malformed");
    }
    require(slot == kNoEvent, "free events are malformed");
  }

  /// Each living event is in the timeline of its service once, in order of time.
  void read_services() {
    const auto rows = column<ServiceRow>("services");
    const auto slots = column<EventSlot>("timelines");
    const auto tables = column<SubTableRow>("sub_tables");
    require(rows.size() <= 0xFFFF && slots.size() == living_events_, "a section has a wrong length");
    IdSet seen(events_.size());
    std::size_t next_slot = 0;
    std::size_t next_table = 0;
    for (std::size_t number = 0; number < rows.size(); ++number) {
      const ServiceRow& row = rows[number];
      if (row.used == 0) {
        made_services_.emplace_back();
        free_numbers_.push_back(static_cast<std::uint16_t>(number));
        continue;
      }
      require(row.events <= slots.size() - next_slot && row.sub_tables <= tables.size() - next_table,
              "a service is malformed");
      const auto is_id = [](std::int32_t id) { return id >= -1 && id <= 0xFFFF; };
      require(is_id(row.present) && is_id(row.following), "a service is malformed");
      const auto own = slots.subspan(next_slot, row.events);
      std::uint32_t max_duration = 0;
      std::uint32_t last = 0;
      for (const EventSlot slot : own) {
        require(slot < events_.size() && seen.add(slot), "a timeline is malformed");
        const EventRecord& event = events_[slot];
        require(event.programme != 0 && event.service == number && event.start >= last, "a timeline is malformed");
        last = event.start;
        max_duration = std::max<std::uint32_t>(max_duration, event.duration);
      }
      next_slot += own.size();

      const DvbTriplet key{row.original_network_id, row.transport_stream_id, row.service_id};
      auto service = std::make_unique<Store::Service>(key, store_.records_);
      service->timeline.assign({own.begin(), own.end()}, max_duration);
      service->announced = row.announced != 0;
      service->present = row.present;
      service->following = row.following;
      for (const SubTableRow& table : tables.subspan(next_table, row.sub_tables)) {
        require(table.table_id >= 0x50 && table.table_id <= 0x6F, "a service is malformed");
        service->sub_tables.emplace_back(table.table_id, table.run);
      }
      next_table += row.sub_tables;
      require(numbers_.emplace(key, static_cast<std::uint16_t>(number)).second, "a service appears twice");
      made_services_.push_back(std::move(service));
    }
    require(next_slot == slots.size() && next_table == tables.size(), "a section has a wrong length");
  }

  void read_arrays() {
    const auto sizes = column<std::uint32_t>("array_sizes");
    const auto slots = column<EventSlot>("arrays");
    std::size_t next = 0;
    for (const std::uint32_t size : sizes) {
      require(size <= slots.size() - next, "a list of events is malformed");
      if (size == 0) free_arrays_.push_back(static_cast<std::uint32_t>(arrays_.size()));
      const auto own = slots.subspan(next, size);
      arrays_.emplace_back(own.begin(), own.end());
      next += size;
    }
    require(next == slots.size(), "a section has a wrong length");
  }

  /// Each living programme is in the chain of its text once.
  void check_texts(std::size_t kind) {
    const TextPool& pool = texts_[kind];
    const auto text_kind = static_cast<TextKind>(kind);
    std::size_t left = 0;
    for (std::size_t id = 0; id < programmes_.size(); ++id) {
      const Programme& programme = programmes_[id];
      const TextId text = programme.text(text_kind);
      if (text == 0) continue;
      require(programme.events != 0 && text < pool.end() && pool.living(text), "programmes are malformed");
      ++left;
    }
    for (TextId text = 1; text < pool.end(); ++text) {
      if (!pool.living(text)) continue;
      ProgrammeId id = pool.value(text);
      // Chains of different texts have no common links, so only a circular chain can have more links than there are
      // programmes.
      do {
        require(left-- != 0 && id < programmes_.size() && programmes_[id].text(text_kind) == text,
                "programmes are malformed");
        id = programmes_[id].next[kind];
      } while (id != 0);
    }
    require(left == 0, "programmes are malformed");
  }

  /// The pool's value is the number of programmes that use the details.
  void check_details() {
    std::vector<std::uint32_t> users(details_.end());
    for (std::size_t id = 0; id < programmes_.size(); ++id) {
      const Programme& programme = programmes_[id];
      const TextId details = programme.details;
      require(details < users.size() && (programme.events != 0 || details == 0), "programmes are malformed");
      ++users[details];
      if (programme.events == 0 && id != 0) free_programmes_.push_back(static_cast<ProgrammeId>(id));
    }
    std::reverse(free_programmes_.begin(), free_programmes_.end());
    require(programmes_.front().events == 0, "programmes are malformed");
    for (TextId id = 1; id < details_.end(); ++id) {
      require(users[id] == (details_.living(id) ? details_.value(id) : 0) && (users[id] != 0) == details_.living(id),
              "programmes are malformed");
    }
  }

  /// Each living event is in the list of its programme once, in order of time. Also rebuilds the title summaries.
  void check_programme_events() {
    for (TextId title = 0; title < texts_[0].end(); ++title) titles_.push_back({});
    IdSet seen(events_.size());
    IdSet used(arrays_.size());
    std::size_t listed = 0;
    std::size_t arrays_used = 0;
    for (std::size_t id = 1; id < programmes_.size(); ++id) {
      const Programme& programme = programmes_[id];
      std::uint32_t last = 0;
      TitleShowings& title = titles_[programme.title];
      const auto list = [&](EventSlot slot) {
        require(slot < events_.size() && events_[slot].programme == id && events_[slot].start >= last && seen.add(slot),
                "the events of a programme are malformed");
        const EventRecord& event = events_[slot];
        require(last != 0 || coarse(event.start) == programme.begins(), "the events of a programme are malformed");
        require(event.shadowed == 0 || programme.some_shadowed != 0, "the events of a programme are malformed");
        if (event.shadowed == 0) ++title.events;
        last = event.start;
        ++listed;
      };
      if (programme.events != 0 && programme.begins() < title.begins) title.begins = programme.begins();
      if (programme.events == Programme::kMany) {
        require(programme.first < arrays_.size() && !arrays_[programme.first].empty() && used.add(programme.first),
                "the events of a programme are malformed");
        for (const EventSlot slot : arrays_[programme.first]) list(slot);
        ++arrays_used;
        continue;
      }
      require(programme.events <= Programmes::kMaxChainLength, "the events of a programme are malformed");
      EventSlot slot = programme.first;
      for (std::uint32_t left = programme.events; left != 0; --left) {
        list(slot);
        slot = events_[slot].next;
      }
    }
    require(listed == living_events_ && free_arrays_.size() + arrays_used == arrays_.size(),
            "the events of a programme are malformed");
  }

  Store& store_;
  std::shared_ptr<const SnapshotFile> file_;
  std::span<EventRecord> events_;
  std::span<Programme> programmes_;
  std::vector<std::vector<EventSlot>> arrays_;
  std::vector<std::uint32_t> free_arrays_;
  std::vector<ProgrammeId> free_programmes_;
  std::array<TextPool, kTextKinds> texts_{TextPool(), TextPool(), TextPool(true)};
  TextPool details_;
  std::array<WordIndex, kTextKinds> words_{WordIndex(IndexedWords::whole_tokens), WordIndex(), WordIndex()};
  WordIndex title_grams_{IndexedWords::grams};
  std::array<std::vector<TextId>, kTextKinds> dead_;  // ids to which an index still refers
  IdSet half_forgotten_;
  std::size_t living_events_ = 0;
  Totals totals_;

  // For swap_in(): built before other threads have to wait.
  std::vector<std::unique_ptr<Store::Service>> made_services_;
  std::map<DvbTriplet, std::uint16_t> numbers_;
  std::vector<std::uint16_t> free_numbers_;
  Column<EventRecord> event_column_;
  Column<Programme> programme_column_;
  Column<TitleShowings> titles_;
};

namespace {

GuideLoaded load(Store& store, const std::string& path, SnapshotFile::Access access,
                 std::optional<std::uint64_t> same) {
  try {
    const auto file = SnapshotFile::open(path, kContent, access);
    GuideReader reader(store);
    reader.read(file);
    // Pages past the end of a file that is being truncated read as zeros, which might have passed the checks.
    if (file->lost()) throw SnapshotError{SnapshotFault::unreadable, "it can no longer be read"};
    reader.swap_in(same);
    return {SnapshotFault::none, {}, reader.events(), file->created(), file};
  } catch (const SnapshotError& wrong) {
    return {wrong.fault, wrong.why, 0, 0, nullptr};
  } catch (const std::bad_alloc&) {
    return {SnapshotFault::unreadable, "out of memory", 0, 0, nullptr};
  }
}

}  // namespace

GuideLoaded load_guide(Store& store, const std::string& path, SnapshotFile::Access access) {
  return load(store, path, access, std::nullopt);
}

GuideLoaded move_guide(Store& store, const std::string& path, std::uint64_t generation) {
  GuideLoaded moved = load(store, path, SnapshotFile::Access::map, generation);
  storage::return_freed_memory();
  return moved;
}

void leave_file(Store& store) { GuideReader(store).leave_file(); }

std::string loaded_json(const GuideLoaded& loaded) {
  wire::JsonWriter json;
  json.begin_object();
  if (loaded.ok()) {
    json.member("events", loaded.events).member("created", loaded.created);
  } else {
    json.member("missing", loaded.fault == SnapshotFault::missing).member("problem", std::string_view(loaded.why));
  }
  json.end_object();
  return json.take();
}

}  // namespace receiverd::epg
