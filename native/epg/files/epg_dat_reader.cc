#include <algorithm>
#include <array>
#include <vector>

#include "epg/files/epg_dat.h"
#include "epg/files/epg_dat_format.h"
#include "wire/time.h"

namespace receiverd::epg {
namespace {

using namespace epg_dat;
using wire::Bytes;

constexpr std::size_t kServiceSize = 16;           // three numbers and the number of events
constexpr std::size_t kDescriptorHead = 10;        // hash, references, tag, length
constexpr std::size_t kMostDescriptors = 8 << 20;  // 64 MiB of index; a million events have half a million
constexpr std::size_t kImportedAtOnce = 128;       // events that the store takes at a time

/// Numbers in the byte order of the file.
class FileNumbers {
 public:
  bool big_endian = false;

  std::uint32_t operator()(Bytes bytes) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value = value << 8 | bytes[big_endian ? i : bytes.size() - 1 - i];
    }
    return value;
  }
};

/// The offsets of the descriptors, by their hash.
class DescriptorIndex {
 public:
  explicit DescriptorIndex(const storage::ByteSource& file) : file_(file) {}

  std::size_t size() const { return entries_.size(); }
  void reserve(std::size_t entries) { entries_.reserve(entries); }
  /// `offset` is that of the tag byte.
  void add(std::uint32_t hash, std::uint32_t offset) { entries_.push_back({hash, offset}); }
  void sort() { std::sort(entries_.begin(), entries_.end()); }

  /// Appends the descriptor with this hash. False if there is none or it cannot be read.
  bool append(std::uint32_t hash, std::vector<std::uint8_t>& loop) const {
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), Entry{hash, 0});
    if (found == entries_.end() || found->hash != hash) return false;
    const std::size_t before = loop.size();
    constexpr std::size_t kLongest = 257;
    // The length is not known yet, so this reads as much as the longest can have, up to the end of the file.
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(kLongest, file_.size() - found->offset));
    loop.resize(before + most);
    const bool read = file_.read(found->offset, std::span(loop).subspan(before));
    const std::size_t size = read ? std::size_t{2} + loop[before + 1] : 0;
    loop.resize(before + std::min(size, most));
    return read && size <= most;
  }

 private:
  struct Entry {
    std::uint32_t hash;
    std::uint32_t offset;
    auto operator<=>(const Entry&) const = default;
  };
  const storage::ByteSource& file_;
  std::vector<Entry> entries_;
};
static_assert(kLargestEpgDat <= 0xFFFFFFFFU, "offsets have 32 bits");

class EpgDatReader {
 public:
  explicit EpgDatReader(const storage::ByteSource& file) : file_(file), index_(file) {}

  /// Checks the whole file. Returns what is wrong with it; empty = nothing.
  std::string open() {
    if (file_.size() > kLargestEpgDat) return "is too large for a guide";
    storage::SequentialReader reader(file_, 0);
    std::string problem = read_head(reader);
    if (problem.empty()) problem = walk(reader, [](auto&&...) {});
    if (problem.empty()) problem = read_pool(reader);
    return problem;
  }

  /// visit(Visited) for each service and then for each of its events. Only after open().
  template <typename Visit>
  std::string each(Visit visit) const {
    storage::SequentialReader reader(file_, events_at_);
    return walk(reader, visit);
  }

  const FileNumbers& number() const { return number_; }
  const DescriptorIndex& index() const { return index_; }
  std::uint8_t version() const { return version_; }

  /// An item of each(): the service's key as in the file, and either nothing else (the service begins) or an event.
  struct Visited {
    std::array<std::uint32_t, 3> service;  ///< service_id, original_network_id, transport_stream_id
    Bytes head;
    Bytes hashes;
    bool is_event() const { return !head.empty(); }
  };

 private:
  static std::string damaged(const storage::SequentialReader& reader) {
    return "is cut or damaged at byte " + std::to_string(reader.position());
  }

  std::string read_head(storage::SequentialReader& reader) {
    const Bytes magic = reader.take(4);
    if (!reader.ok()) return "is not an epg.dat file";
    if (number_(magic) != kMagic) {
      number_.big_endian = true;
      if (number_(magic) != kMagic) return "is not an epg.dat file";
    }
    const Bytes bytes = reader.take(kVersionSize);
    if (!reader.ok()) return damaged(reader);
    const std::string version(bytes.begin(), bytes.end());
    if (version == kUnfinished) return "is not finished (UNFINISHED_V8)";
    if (version == kVersion7 || version == kVersion8) {
      version_ = static_cast<std::uint8_t>(version.back() - '0');
      events_at_ = reader.position();
      return {};
    }
    constexpr std::string_view kFamily = "ENIGMA_EPG_V";
    if (!version.starts_with(kFamily)) return "is not an epg.dat file";
    const char digit = version.back();
    if (digit >= '1' && digit <= '6') return version + " is a format from before 2007, which is not supported";
    return "is of an unknown version";
  }

  /// Reads a count. False if the rest of the file cannot hold that many entries.
  bool read_count(storage::SequentialReader& reader, std::size_t smallest_entry, std::uint32_t& count) const {
    const Bytes bytes = reader.take(4);
    if (!reader.ok()) return false;
    count = number_(bytes);
    return count <= reader.left() / smallest_entry;
  }

  template <typename Visit>
  std::string walk(storage::SequentialReader& reader, Visit visit) const {
    const std::size_t source_size = version_ == 7 ? 1 : 2;
    std::uint32_t services = 0;
    if (!read_count(reader, kServiceSize, services)) return damaged(reader);
    for (; services > 0; --services) {
      Visited visited;
      for (std::uint32_t& part : visited.service) part = number_(reader.take(4));
      std::uint32_t events = 0;
      if (!read_count(reader, source_size + 1 + kEventHead, events)) return damaged(reader);
      visit(visited);
      for (; events > 0; --events) {
        const Bytes origin = reader.take(source_size + 1);
        if (!reader.ok()) return damaged(reader);
        const std::size_t length = origin.back();
        if (length < kEventHead || (length - kEventHead) % kHashSize != 0) return damaged(reader);
        const Bytes event = reader.take(length);
        if (!reader.ok()) return damaged(reader);
        visited.head = event.first(kEventHead);
        visited.hashes = event.subspan(kEventHead);
        visit(visited);
      }
    }
    return {};
  }

  std::string read_pool(storage::SequentialReader& reader) {
    std::uint32_t descriptors = 0;
    if (!read_count(reader, kDescriptorHead, descriptors)) return damaged(reader);
    if (descriptors > kMostDescriptors) return "has too many descriptors for a guide";
    index_.reserve(descriptors);
    for (; descriptors > 0; --descriptors) {
      const auto offset = static_cast<std::uint32_t>(reader.position() + kDescriptorHead - 2);
      const Bytes head = reader.take(kDescriptorHead);
      if (!reader.ok()) return damaged(reader);
      const std::uint32_t hash = number_(head.first(kHashSize));
      const std::size_t length = head.back();
      reader.take(length);
      if (!reader.ok()) return damaged(reader);
      index_.add(hash, offset);
    }
    index_.sort();
    return {};
  }

  const storage::ByteSource& file_;
  FileNumbers number_;
  std::uint8_t version_ = 0;
  std::uint64_t events_at_ = 0;
  DescriptorIndex index_;
};

bool ended(Bytes head, wire::UnixSeconds from) {
  wire::Cursor cursor(head.subspan(2));
  const auto start = wire::mjd_time(cursor.u40());
  const auto duration = wire::bcd_seconds(cursor.u24()).value_or(0);
  return start && *start + (duration != 0 ? duration : kUnknownDuration) <= from;
}

/// Imports the events of one service into the store, some at a time.
class ServiceImport {
 public:
  ServiceImport(Store& store, const EitOptions& options, const EpgDatReader& reader, EpgDatImport& result)
      : store_(store), decoder_(options), reader_(reader), result_(result), import_(store.begin_import()) {}

  void begin(const std::array<std::uint32_t, 3>& numbers) {
    finish();
    valid_ = std::all_of(numbers.begin(), numbers.end(), [](std::uint32_t number) { return number <= 0xFFFF; });
    service_ = {static_cast<std::uint16_t>(numbers[1]), static_cast<std::uint16_t>(numbers[2]),
                static_cast<std::uint16_t>(numbers[0])};
    taken_ = 0;
  }

  void event(Bytes head, Bytes hashes) {
    if (!valid_) {
      ++result_.malformed;
      return;
    }
    Pending pending{bytes_.size(), 0, 0};
    bytes_.insert(bytes_.end(), head.begin(), head.end());
    pending.descriptors = bytes_.size();
    for (std::size_t at = 0; at < hashes.size(); at += kHashSize) {
      if (!reader_.index().append(reader_.number()(hashes.subspan(at, kHashSize)), bytes_)) {
        ++result_.missing_descriptors;
      }
    }
    pending.end = bytes_.size();
    pending_.push_back(pending);
    if (pending_.size() == kImportedAtOnce) import_pending();
  }

  void finish() {
    import_pending();
    if (taken_ != 0) ++result_.services;
  }

 private:
  struct Pending {
    std::size_t head;
    std::size_t descriptors;
    std::size_t end;
  };

  void import_pending() {
    if (pending_.empty()) return;
    coded_.clear();
    const Bytes bytes(bytes_);
    for (const Pending& event : pending_) {
      coded_.push_back({bytes.subspan(event.head, event.descriptors - event.head),
                        bytes.subspan(event.descriptors, event.end - event.descriptors)});
    }
    const std::span<const Event> events = decoder_.decode_events(service_, coded_);
    result_.malformed += pending_.size() - events.size();
    result_.events += events.size();
    taken_ += events.size();
    if (!store_.import_events(service_, events, EventIds::kept, import_)) result_.complete = false;
    pending_.clear();
    bytes_.clear();
  }

  Store& store_;
  EitDecoder decoder_;
  const EpgDatReader& reader_;
  EpgDatImport& result_;
  const std::uint8_t import_;
  ServiceKey service_;
  bool valid_ = false;
  std::size_t taken_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::vector<Pending> pending_;
  std::vector<CodedEvent> coded_;
};

}  // namespace

EpgDatImport import_epg_dat(Store& store, const EitOptions& options, const storage::ByteSource& file,
                            wire::UnixSeconds from) {
  EpgDatImport result;
  EpgDatReader reader(file);
  result.problem = reader.open();
  if (!result.problem.empty()) return result;
  result.version = reader.version();
  result.big_endian = reader.number().big_endian;
  result.descriptors = reader.index().size();
  ServiceImport import(store, options, reader, result);
  result.problem = reader.each([&](const EpgDatReader::Visited& visited) {
    if (!visited.is_event()) {
      import.begin(visited.service);
    } else if (ended(visited.head, from)) {
      ++result.ended;
    } else {
      import.event(visited.head, visited.hashes);
    }
  });
  import.finish();
  return result;
}

}  // namespace receiverd::epg
