#include "epg/ingest/ingest.h"

#include <bit>
#include <utility>

#include "wire/crc32.h"
#include "wire/json_writer.h"

namespace receiverd::epg {
namespace {

/// The service of a present section, of this multiplex or another.
std::optional<DvbTriplet> present_service(const SectionFingerprint& fingerprint) {
  if (fingerprint.name >> 56 > 0x4F || (fingerprint.name >> 48 & 0xFF) != 0) return std::nullopt;
  return DvbTriplet{static_cast<std::uint16_t>(fingerprint.name), static_cast<std::uint16_t>(fingerprint.name >> 16),
                    static_cast<std::uint16_t>(fingerprint.name >> 32)};
}

// Tables of PSIP (ATSC A/65 table 4.3).
constexpr std::uint8_t kRrt = 0xCA;
constexpr std::uint8_t kEtt = 0xCC;

/// SectionFingerprint::name of a section of PSIP: identified by four fields. `of`: the PID of an EIT, the event_id of
/// an ETT, the region of an RRT.
std::uint64_t psip_name(std::uint8_t table_id, std::uint8_t number, const DvbTriplet& service, std::uint16_t of) {
  return std::uint64_t{table_id} << 56 | std::uint64_t{number} << 48 | std::uint64_t{service.service_id} << 32 |
         std::uint64_t{service.transport_stream_id} << 16 | of;
}

/// Changes the CRC_32 of a fingerprint, so that a section counts as new under other rules.
std::uint32_t key_of(const SiRules& rules) {
  return rules.arib ? 1U << 31 | static_cast<std::uint32_t>(rules.zone_seconds) : 0;
}

std::size_t section_size(wire::Bytes section) { return ((section[1] & 0x0FU) << 8 | section[2]) + 3U; }

}  // namespace

std::optional<SectionFingerprint> fingerprint_of(wire::Bytes section) {
  constexpr std::size_t kMinSectionBytes = 18;
  constexpr std::size_t kMaxSectionBytes = 4096;
  if (section.size() < kMinSectionBytes) return std::nullopt;
  const std::uint8_t table_id = section[0];
  const std::size_t size = section_size(section);
  if (table_id < 0x4E || table_id > 0x6F || (section[1] & 0x80) == 0 || (section[5] & 1) == 0) return std::nullopt;
  if (size < kMinSectionBytes || size > kMaxSectionBytes || size > section.size()) return std::nullopt;
  wire::Cursor service(section.subspan(3, 2));
  wire::Cursor stream(section.subspan(8, 4));
  const std::uint64_t number = section[6];
  const std::uint64_t name =
      std::uint64_t{table_id} << 56 | number << 48 | std::uint64_t{service.u16()} << 32 | stream.u32();
  return SectionFingerprint{name, wire::Cursor(section.subspan(size - 4, 4)).u32()};
}

std::optional<SectionFingerprint> fingerprint_of(wire::Bytes section, const PsipOrigin& origin) {
  constexpr std::size_t kMinSectionBytes = 14;
  if (section.size() < kMinSectionBytes || section[0] < 0xCA || section[0] > 0xCC) return std::nullopt;
  if ((section[5] & 1) == 0 || section_size(section) != section.size()) return std::nullopt;
  std::uint16_t of = origin.pid;
  if (section[0] == kEtt) of = psip_event_id(wire::Cursor(section.subspan(11, 2)).u16() >> 2);
  if (section[0] == kRrt) of = section[4];
  const DvbTriplet& service = section[0] == kRrt ? DvbTriplet{} : origin.service;
  return SectionFingerprint{psip_name(section[0], section[6], service, of), wire::Cursor(section.last(4)).u32()};
}

bool SectionFilter::seen(const SectionFingerprint& fingerprint) const {
  if (size_ == 0) return false;
  const std::size_t at = find(fingerprint.name);
  return names_[at] == fingerprint.name && crcs_[at] == fingerprint.crc;
}

void SectionFilter::note(const SectionFingerprint& fingerprint) {
  if (size_ >= kMaxSections) clear();
  if ((size_ + 1) * 10 > names_.size() * 7) grow();
  const std::size_t at = find(fingerprint.name);
  if (names_[at] == 0) ++size_;
  names_[at] = fingerprint.name;
  crcs_[at] = fingerprint.crc;
}

void SectionFilter::forget(std::uint64_t name) {
  if (size_ == 0) return;
  // A place cannot be freed, since other names may have been put behind it. One section in four billion has this CRC.
  if (const std::size_t at = find(name); names_[at] == name) crcs_[at] = 0;
}

void SectionFilter::clear() {
  names_.clear();
  crcs_.clear();
  size_ = 0;
  shift_ = kWidth;
}

std::size_t SectionFilter::find(std::uint64_t name) const {
  // The upper bits of a product depend on all bits below them (Fibonacci hashing). The middle bits would ignore table
  // and section number, which are at the top of a name.
  std::size_t at = name * 0x9E3779B97F4A7C15ULL >> shift_;
  while (names_[at] != 0 && names_[at] != name) at = (at + 1) & (names_.size() - 1);
  return at;
}

void SectionFilter::grow() {
  const std::size_t size = names_.empty() ? 1024 : names_.size() * 2;
  std::vector<std::uint64_t> names(size);
  std::vector<std::uint32_t> crcs(size);
  names.swap(names_);
  crcs.swap(crcs_);
  shift_ = kWidth - static_cast<unsigned>(std::countr_zero(size));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == 0) continue;
    const std::size_t at = find(names[i]);
    names_[at] = names[i];
    crcs_[at] = crcs[i];
  }
}

Ingest::Ingest(std::shared_ptr<Store> store, const EitOptions& options, std::size_t queue_bytes)
    : store_(std::move(store)),
      queue_bytes_(queue_bytes),
      decoder_(options),
      psip_decoder_(options.languages),
      thread_([this] { run(); }) {}

Ingest::~Ingest() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
}

void Ingest::eit_section(wire::Bytes section, const SiRules& rules) {
  auto fingerprint = fingerprint_of(section);
  if (fingerprint) fingerprint->crc ^= key_of(rules);
  enqueue(section, fingerprint, rules);
}

void Ingest::psip_section(wire::Bytes section, const PsipOrigin& origin) {
  enqueue(section, fingerprint_of(section, origin), origin);
}

void Ingest::enqueue(wire::Bytes section, const std::optional<SectionFingerprint>& fingerprint,
                     const SectionOrigin& origin) {
  {
    std::unique_lock lock(mutex_);
    ++counters_.received;
    if (!fingerprint) {
      ++counters_.malformed;
      return;
    }
    if (filter_.seen(*fingerprint)) {
      ++counters_.repeated;
      lock.unlock();
      if (const auto service = present_service(*fingerprint)) store_->present_received(*service);
      return;
    }
    const std::size_t size = section_size(section);
    if (queue_.size() + size + (queued_origins_.size() + 1) * sizeof origin > queue_bytes_) {
      ++counters_.overflowed;
      return;
    }
    filter_.note(*fingerprint);
    queue_.insert(queue_.end(), section.begin(), section.begin() + static_cast<std::ptrdiff_t>(size));
    queued_origins_.push_back(origin);
  }
  work_.notify_one();
}

void Ingest::unchecked_section(wire::Bytes section) {
  if (fingerprint_of(section) && wire::crc32(section.first(section_size(section))) == 0)
    return eit_section(section, rules_of_eit(section));
  const std::lock_guard lock(mutex_);
  ++counters_.received;
  ++counters_.malformed;
}

void Ingest::flush() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return (queue_.empty() && !busy_) || stopping_; });
}

std::size_t Ingest::expire(wire::UnixSeconds now, wire::UnixSeconds history) {
  const std::size_t expired = store_->expire(now, history);
  const std::lock_guard lock(mutex_);
  if (expired != 0 && std::exchange(refused_, false)) filter_.clear();
  return expired;
}

std::size_t Ingest::clear() {
  flush();
  const std::size_t cleared = store_->clear();
  const std::lock_guard lock(mutex_);
  filter_.clear();
  refused_ = false;
  return cleared;
}

GuideLoaded Ingest::load(const std::string& path) {
  flush();
  return reread_carousel(load_guide(*store_, path));
}

GuideLoaded Ingest::move_into(const std::string& path, std::uint64_t generation) {
  return reread_carousel(move_guide(*store_, path, generation));
}

GuideLoaded Ingest::reread_carousel(GuideLoaded loaded) {
  if (!loaded.ok()) return loaded;
  const std::lock_guard lock(mutex_);
  filter_.clear();
  refused_ = false;
  snapshot_ = loaded.file;
  return loaded;
}

void Ingest::leave_snapshot() {
  if (!snapshot_lost()) leave_file(*store_);
}

bool Ingest::snapshot_lost() const {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const SnapshotFile> file = snapshot_.lock();
  return file != nullptr && file->lost();
}

IngestCounters Ingest::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

EitCounters Ingest::decoder_counters() const {
  const std::lock_guard lock(mutex_);
  return decoder_counters_;
}

void Ingest::run() {
  std::vector<std::uint8_t> taken;
  std::vector<SectionOrigin> origins;
  std::vector<SectionFingerprint> early;  // depend on events that are not known yet; the carousel repeats them
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return !queue_.empty() || stopping_; });
    if (stopping_) break;
    taken.clear();
    taken.swap(queue_);
    origins.clear();
    origins.swap(queued_origins_);
    busy_ = true;
    lock.unlock();

    bool refused = false;
    std::uint64_t applied = 0;
    auto origin = origins.begin();
    for (wire::Bytes left = taken; !left.empty();) {
      const std::size_t size = section_size(left);
      if (const PsipOrigin* const psip = std::get_if<PsipOrigin>(&*origin)) {
        refused = !apply_psip(left.first(size), *psip) || refused;
        ++applied;
      } else if (EitSection* section = decoder_.decode(left.first(size), std::get<SiRules>(*origin))) {
        const bool known = !section->rules.arib || store_->share(*section);
        const bool whole = store_->apply(*section);
        if (!known || (section->only_long_texts && !whole)) {
          early.push_back(*fingerprint_of(left));
        } else {
          refused = !whole || refused;
        }
        ++applied;
      }
      left = left.subspan(size);
      ++origin;
    }

    lock.lock();
    for (const SectionFingerprint& fingerprint : early) filter_.note({fingerprint.name, ~fingerprint.crc});
    early.clear();
    busy_ = false;
    refused_ = refused_ || refused;
    counters_.applied += applied;
    decoder_counters_ = decoder_.counters();
    if (queue_.empty()) idle_.notify_all();
  }
  idle_.notify_all();
}

/// False if a limit of the store kept something out.
bool Ingest::apply_psip(wire::Bytes section, const PsipOrigin& origin) {
  if (section[0] == kRrt) {
    constexpr unsigned kMaxRereads = 16;  // else a table that changes in each round has the whole guide decoded again
    if (!psip_decoder_.take_rrt(section) || rating_rereads_ == kMaxRereads) return true;
    // Ratings without words of their own are named now.
    ++rating_rereads_;
    const std::lock_guard lock(mutex_);
    filter_.clear();
    return true;
  }
  if (section[0] == kEtt) {
    const EitSection* const text = psip_decoder_.decode_ett(section, origin);
    if (text == nullptr || store_->apply(*text)) return true;
    // The event comes later; the carousel repeats its text.
    const std::lock_guard lock(mutex_);
    filter_.forget(fingerprint_of(section, origin)->name);
    return true;
  }
  const EitSection* const events = psip_decoder_.decode_eit(section, origin);
  if (events == nullptr || events->events.empty()) return true;
  const bool whole = store_->apply(*events);
  // An event may be new, so its text counts as new, too.
  const std::lock_guard lock(mutex_);
  for (const Event& event : events->events) {
    if (event.has_separate_text) filter_.forget(psip_name(kEtt, 0, origin.service, event.id));
  }
  return whole;
}

std::string statistics(const Ingest& ingest) {
  const IngestCounters sections = ingest.counters();
  const EitCounters decoder = ingest.decoder_counters();
  const Store::Reader reader = ingest.store()->read();
  const StoreCounters& store = reader.counters();
  wire::JsonWriter json;
  json.begin_object().key("services").value(reader.services()).key("events").value(reader.events());
  json.key("texts").value(reader.programmes().distinct_texts());
  json.key("textBytes").value(reader.programmes().text_bytes());
  json.key("memoryBytes").value(reader.memory_bytes()).key("generation").value(ingest.store()->generation());
  json.key("sections").begin_object().key("received").value(sections.received);
  json.key("repeated").value(sections.repeated).key("overflowed").value(sections.overflowed);
  json.key("malformed").value(sections.malformed).key("applied").value(sections.applied).end_object();
  json.key("decoder").begin_object().key("events").value(decoder.events);
  json.key("malformedEvents").value(decoder.malformed_events).key("undefinedStarts").value(decoder.undefined_starts);
  json.key("malformedDescriptors").value(decoder.malformed_descriptors);
  json.key("undefinedCharacters").value(decoder.text.undefined_characters);
  json.key("malformedTexts").value(decoder.text.malformed).key("unknownTables").value(decoder.text.unknown_tables);
  json.key("textsWithoutDecoder").value(decoder.text.no_decoder).end_object();
  json.key("store").begin_object().key("added").value(store.added).key("replaced").value(store.replaced);
  json.key("vanished").value(store.vanished).key("overlapped").value(store.overlapped);
  json.key("expired").value(store.expired).key("refused").value(store.refused).end_object();
  return json.end_object().take();
}

}  // namespace receiverd::epg
