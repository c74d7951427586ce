#include "epg/files/epg_dat.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "epg/eit/event_descriptors.h"
#include "epg/index/id_table.h"
#include "wire/crc32.h"
#include "wire/descriptors.h"
#include "wire/json_writer.h"
#include "wire/time.h"

namespace receiverd::epg {
namespace {

using wire::Bytes;

constexpr std::uint32_t kMagic = 0x98765432;
constexpr std::size_t kVersionSize = 13;
constexpr std::string_view kVersion7 = "ENIGMA_EPG_V7";
constexpr std::string_view kVersion8 = "ENIGMA_EPG_V8";
constexpr std::string_view kUnfinished = "UNFINISHED_V8";
constexpr std::string_view kPrivateMark = "PRIVATE_EPG";
constexpr std::size_t kEventHead = 10;  // event_id, start, duration
constexpr std::size_t kHashSize = 4;
constexpr std::size_t kMaxDescriptors = 8 << 20;  // 64 MiB of index on import; a million events have half a million

// ---- Reading

constexpr std::size_t kServiceSize = 16;         // three numbers and the number of events
constexpr std::size_t kDescriptorHead = 10;      // hash, references, tag, length
constexpr std::size_t kImportBatchEvents = 128;  // events that the store takes at a time

/// Why a file is refused. Thrown where the first problem is found.
struct Refused {
  std::string why;
};

class EpgDatReader {
 public:
  /// Checks the whole file.
  explicit EpgDatReader(const storage::ByteSource& file) : file_(file) {
    if (file_.size() > kMaxEpgDatBytes) throw Refused{"is too large for a guide"};
    storage::SequentialReader reader(file_, 0);
    read_head(reader);
    struct {
      void begin(const std::array<std::uint32_t, 3>&) {}
      void event(Bytes, Bytes) {}
    } nobody;
    walk(reader, nobody);
    read_pool(reader);
  }

  /// Calls begin(service_id, original_network_id, transport_stream_id) for each service, and event(head, hashes) for
  /// each of its events.
  template <typename Visitor>
  void each(Visitor& visitor) const {
    storage::SequentialReader reader(file_, events_at_);
    walk(reader, visitor);
  }

  std::uint8_t version() const { return version_; }
  bool big_endian() const { return big_endian_; }
  std::size_t descriptors() const { return index_.size(); }

  /// A number in the byte order of the file.
  std::uint32_t number(Bytes bytes) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value = value << 8 | bytes[big_endian_ ? i : bytes.size() - 1 - i];
    }
    return value;
  }

  /// Appends the descriptor with this hash. False if there is none or it cannot be read.
  bool append_descriptor(std::uint32_t hash, std::vector<std::uint8_t>& loop) const {
    const auto found = std::lower_bound(index_.begin(), index_.end(), Entry{hash, 0});
    if (found == index_.end() || found->hash != hash) return false;
    const std::size_t before = loop.size();
    constexpr std::size_t kMaxDescriptorBytes = 257;
    // The length is not known yet, so this reads the maximum, or up to the end of the file.
    const auto readable =
        static_cast<std::size_t>(std::min<std::uint64_t>(kMaxDescriptorBytes, file_.size() - found->offset));
    loop.resize(before + readable);
    const bool read = file_.read(found->offset, std::span(loop).subspan(before));
    const std::size_t size = read ? std::size_t{2} + loop[before + 1] : 0;
    loop.resize(before + std::min(size, readable));
    return read && size <= readable;
  }

 private:
  struct Entry {
    std::uint32_t hash;
    std::uint32_t offset;  ///< of the tag byte
    auto operator<=>(const Entry&) const = default;
  };
  static_assert(kMaxEpgDatBytes <= 0xFFFFFFFFU, "offsets have 32 bits");

  [[noreturn]] static void damaged(const storage::SequentialReader& reader) {
    throw Refused{"is cut or damaged at byte " + std::to_string(reader.position())};
  }

  static Bytes take(storage::SequentialReader& reader, std::size_t size) {
    const Bytes bytes = reader.take(size);
    if (!reader.ok()) damaged(reader);
    return bytes;
  }

  void read_head(storage::SequentialReader& reader) {
    const Bytes magic = reader.take(4);
    if (number(magic) != kMagic) big_endian_ = true;
    if (number(magic) != kMagic) throw Refused{"is not an epg.dat file"};
    const std::string version(wire::text_of(take(reader, kVersionSize)));
    if (version == kUnfinished) throw Refused{"is not finished (UNFINISHED_V8)"};
    const char digit = version.back();
    if (version == kVersion7 || version == kVersion8) {
      version_ = static_cast<std::uint8_t>(digit - '0');
      events_at_ = reader.position();
    } else if (!version.starts_with("ENIGMA_EPG_V")) {
      throw Refused{"is not an epg.dat file"};
    } else if (digit >= '1' && digit <= '6') {
      throw Refused{version + " is a format from before 2007, which is not supported"};
    } else {
      throw Refused{"is of an unknown version"};
    }
  }

  /// Reads a number of entries. Throws if the rest of the file cannot hold as many.
  std::uint32_t read_count(storage::SequentialReader& reader, std::size_t min_entry_bytes) const {
    const std::uint32_t count = number(take(reader, 4));
    if (count > reader.left() / min_entry_bytes) damaged(reader);
    return count;
  }

  template <typename Visitor>
  void walk(storage::SequentialReader& reader, Visitor& visitor) const {
    const std::size_t origin_size = version_ == 7 ? 2 : 3;  // source and length
    for (std::uint32_t services = read_count(reader, kServiceSize); services > 0; --services) {
      std::array<std::uint32_t, 3> service;
      for (std::uint32_t& part : service) part = number(take(reader, 4));
      std::uint32_t events = read_count(reader, origin_size + kEventHead);
      visitor.begin(service);
      for (; events > 0; --events) {
        const std::size_t length = take(reader, origin_size).back();
        if (length < kEventHead || (length - kEventHead) % kHashSize != 0) damaged(reader);
        const Bytes event = take(reader, length);
        visitor.event(event.first(kEventHead), event.subspan(kEventHead));
      }
    }
  }

  void read_pool(storage::SequentialReader& reader) {
    std::uint32_t descriptors = read_count(reader, kDescriptorHead);
    if (descriptors > kMaxDescriptors) throw Refused{"has too many descriptors for a guide"};
    index_.reserve(descriptors);
    for (; descriptors > 0; --descriptors) {
      const auto offset = static_cast<std::uint32_t>(reader.position() + kDescriptorHead - 2);
      const Bytes head = take(reader, kDescriptorHead);
      index_.push_back({number(head.first(kHashSize)), offset});
      take(reader, head.back());
    }
    std::sort(index_.begin(), index_.end());
  }

  const storage::ByteSource& file_;
  bool big_endian_ = false;
  std::uint8_t version_ = 0;
  std::uint64_t events_at_ = 0;
  std::vector<Entry> index_;
};

bool ended(Bytes head, wire::UnixSeconds from) {
  wire::Cursor cursor(head.subspan(2));
  const auto start = wire::mjd_time(cursor.u40());
  const auto duration = wire::bcd_seconds(cursor.u24()).value_or(0);
  return start && *start + (duration != 0 ? duration : kAssumedDurationSeconds) <= from;
}

/// Imports events into the store in batches, service by service.
class ServiceImport {
 public:
  ServiceImport(Store& store, const EitOptions& options, const EpgDatReader& reader, wire::UnixSeconds from,
                EpgDatImport& result)
      : store_(store),
        decoder_(options),
        reader_(reader),
        from_(from),
        result_(result),
        import_(store.begin_import()) {}

  void begin(const std::array<std::uint32_t, 3>& numbers) {
    finish();
    valid_ = std::all_of(numbers.begin(), numbers.end(), [](std::uint32_t number) { return number <= 0xFFFF; });
    service_ = {static_cast<std::uint16_t>(numbers[1]), static_cast<std::uint16_t>(numbers[2]),
                static_cast<std::uint16_t>(numbers[0])};
    taken_ = 0;
  }

  void event(Bytes head, Bytes hashes) {
    if (ended(head, from_)) {
      ++result_.ended;
      return;
    }
    if (!valid_) {
      ++result_.malformed;
      return;
    }
    begins_.push_back(bytes_.size());
    bytes_.insert(bytes_.end(), head.begin(), head.end());
    for (std::size_t at = 0; at < hashes.size(); at += kHashSize) {
      const bool found = reader_.append_descriptor(reader_.number(hashes.subspan(at, kHashSize)), bytes_);
      if (!found) ++result_.missing_descriptors;
    }
    if (begins_.size() == kImportBatchEvents) import_pending();
  }

  void finish() {
    import_pending();
    if (taken_ != 0) ++result_.services;
  }

 private:
  void import_pending() {
    if (begins_.empty()) return;
    coded_.clear();
    for (std::size_t i = 0; i < begins_.size(); ++i) {
      const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : bytes_.size();
      const Bytes event = Bytes(bytes_).subspan(begins_[i], end - begins_[i]);
      coded_.push_back({event.first(kEventHead), event.subspan(kEventHead)});
    }
    const std::span<const Event> events = decoder_.decode_events(service_, coded_);
    result_.malformed += coded_.size() - events.size();
    result_.events += events.size();
    taken_ += events.size();
    if (!store_.import_events(service_, events, EventIds::kept, import_)) result_.complete = false;
    begins_.clear();
    bytes_.clear();
  }

  Store& store_;
  EitDecoder decoder_;
  const EpgDatReader& reader_;
  const wire::UnixSeconds from_;
  EpgDatImport& result_;
  const std::uint8_t import_;
  DvbTriplet service_;
  bool valid_ = false;
  std::size_t taken_ = 0;
  std::vector<std::uint8_t> bytes_;  // the events waiting, back to back
  std::vector<std::size_t> begins_;
  std::vector<CodedEvent> coded_;
};

// ---- Writing

constexpr std::size_t kMaxHashes = (255 - kEventHead) / kHashSize;  // the length is one byte
// The limit of descriptors_loop_length in the event that Enigma2 builds from them.
constexpr std::size_t kMaxEventDescriptorBytes = 4095;
constexpr std::size_t kExportBatchEvents = 128;  // events encoded under one lock of the store
constexpr std::uint16_t kScheduleSource = 2;     // which any EIT of the box may replace

/// Little-endian numbers, whatever the machine's byte order.
template <std::size_t size>
std::array<std::uint8_t, size> little_endian(std::uint64_t value) {
  std::array<std::uint8_t, size> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
  return bytes;
}

/// The distinct descriptors: their hashes and uses in memory, their bytes in the spill file.
class DescriptorPool {
 public:
  explicit DescriptorPool(storage::SpillFile& spill) : spill_(spill) {}

  /// Counts one more use and returns the hash. Nothing if another descriptor has this hash, or there are too many.
  std::optional<std::uint32_t> use(Bytes descriptor) {
    const std::uint32_t hash = wire::crc32(descriptor, 0);
    const std::uint64_t fingerprint = fingerprint_of(descriptor);
    const auto hash_of = [this](std::uint32_t id) { return entries_[id - 1].hash; };
    if (const std::uint32_t id = table_.find(hash, [&](std::uint32_t other) { return hash_of(other) == hash; })) {
      Entry& entry = entries_[id - 1];
      if (entry.fingerprint != fingerprint) return std::nullopt;
      ++entry.references;
      return hash;
    }
    if (entries_.size() == kMaxDescriptors) return std::nullopt;
    entries_.push_back({fingerprint, hash, 1});
    table_.insert(static_cast<std::uint32_t>(entries_.size()), hash, hash_of);
    spill_.write(descriptor);
    return hash;
  }

  std::size_t size() const { return entries_.size(); }

  /// Writes the number of descriptors, and each with its hash and uses, in order of first use. False if the spill file
  /// cannot be read back.
  bool write(storage::ReplacingFile& file) {
    spill_.flush();
    file.write(little_endian<4>(entries_.size()));
    storage::SequentialReader reader(spill_, 0);
    for (const Entry& entry : entries_) {
      const Bytes head = reader.take(2);
      if (!reader.ok()) return false;
      const std::array<std::uint8_t, 2> tag_and_length{head[0], head[1]};
      file.write(little_endian<4>(entry.hash));
      file.write(little_endian<4>(entry.references));
      file.write(tag_and_length);
      file.write(reader.take(tag_and_length[1]));
      if (!reader.ok()) return false;
    }
    return true;
  }

 private:
  struct Entry {
    std::uint64_t fingerprint;
    std::uint32_t hash;
    std::uint32_t references;
  };
  static_assert(kMaxDescriptors < IdTable::kIdEnd);

  /// Distinguishes descriptors with the same hash (FNV-1a).
  static std::uint64_t fingerprint_of(Bytes bytes) {
    std::uint64_t value = 0xCBF29CE484222325ULL;
    for (const std::uint8_t byte : bytes) value = (value ^ byte) * 0x100000001B3ULL;
    return value;
  }

  storage::SpillFile& spill_;
  std::vector<Entry> entries_;
  IdTable table_;  // the places of entries_ + 1, by hash
};

class EpgDatWriter {
 public:
  EpgDatWriter(const Store& store, const std::string& path, wire::UnixSeconds now)
      : store_(store), now_(now), file_(path), spill_(path), pool_(spill_) {}

  EpgDatExport write() {
    file_.write(little_endian<4>(kMagic));
    const std::uint64_t version_at = file_.position();
    file_.write(wire::bytes_of(kUnfinished));
    const std::uint64_t services_at = file_.position();
    file_.write(little_endian<4>(0));
    for (const DvbTriplet& service : services()) {
      if (file_.error() != 0 || spill_.error() != 0) break;
      write_service(service);
    }
    file_.patch(services_at, little_endian<4>(result_.services));
    const bool pool_written = pool_.write(file_);
    result_.descriptors = pool_.size();
    file_.write(wire::bytes_of(kPrivateMark));
    file_.write(little_endian<4>(0));
    result_.bytes = file_.position();
    // Only a file that is completely on the disk is marked as finished.
    file_.sync();
    file_.patch(version_at, wire::bytes_of(kVersion8));
    if (file_.error() == 0 && spill_.error() == 0 && pool_written && file_.commit()) return result_;
    const int error = spill_.error() != 0 ? spill_.error() : file_.error();
    EpgDatExport failed;
    failed.problem = error != 0 ? storage::error_text(error) : "the descriptors could not be read back";
    return failed;
  }

 private:
  /// An event, encoded.
  struct Encoded {
    DescriptorBytes head;
    DescriptorBytes descriptors;
    bool whole;
  };

  std::vector<DvbTriplet> services() const {
    std::vector<DvbTriplet> keys;
    const Store::Reader reader = store_.read();
    reader.each_service([&](const DvbTriplet& key, const auto&) { keys.push_back(key); });
    return keys;
  }

  void write_service(const DvbTriplet& service) {
    std::uint64_t count_at = 0;
    std::uint32_t count = 0;
    wire::UnixSeconds from = now_;
    std::optional<wire::UnixSeconds> last_start;
    while (encode_piece(service, from, last_start)) {
      for (const Encoded& event : piece_) {
        if (count == 0) {
          file_.write(little_endian<4>(service.service_id));
          file_.write(little_endian<4>(service.original_network_id));
          file_.write(little_endian<4>(service.transport_stream_id));
          count_at = file_.position();
          file_.write(little_endian<4>(0));
        }
        ++count;
        write_event(event);
      }
      from = *last_start + 1;
    }
    if (count == 0) return;
    file_.patch(count_at, little_endian<4>(count));
    ++result_.services;
    result_.events += count;
  }

  /// Encodes the next events of the service, from `last_start` on. False if there are none. Of events with the same
  /// start, only one is taken: Enigma2 stores one per start.
  bool encode_piece(const DvbTriplet& service, wire::UnixSeconds from, std::optional<wire::UnixSeconds>& last_start) {
    piece_.clear();
    bool found = false;
    const Store::Reader reader = store_.read();
    const Timeline* const timeline = reader.find(service);
    if (timeline == nullptr) return false;
    timeline->window(from, now_ + kEpgDatHorizonSeconds, [&](const EventRecord& record) {
      if (piece_.size() == kExportBatchEvents || (last_start && record.start < *last_start)) return;
      if (last_start && record.start == *last_start) {
        if (found) ++result_.left_out;
        return;
      }
      found = true;
      last_start = record.start;
      const EventView event = reader.view(record);
      Encoded encoded{event_head(event), {}, true};
      if (encoded.head.empty()) {
        ++result_.left_out;
        return;
      }
      encoded.whole = write_event_descriptors(event, kMaxEventDescriptorBytes, encoded.descriptors);
      piece_.push_back(std::move(encoded));
    });
    return found;
  }

  void write_event(const Encoded& event) {
    bool whole = event.whole;
    hashes_.clear();
    wire::DescriptorLoop loop(event.descriptors);
    std::size_t at = 0;
    for (wire::Descriptor descriptor; loop.next(descriptor);) {
      const Bytes whole_descriptor = Bytes(event.descriptors).subspan(at, 2 + descriptor.body.size());
      at += whole_descriptor.size();
      if (hashes_.size() == kMaxHashes * kHashSize) {
        whole = false;
      } else if (const auto hash = pool_.use(whole_descriptor)) {
        const auto bytes = little_endian<kHashSize>(*hash);
        hashes_.insert(hashes_.end(), bytes.begin(), bytes.end());
      } else {
        ++result_.collisions;
      }
    }
    file_.write(little_endian<2>(kScheduleSource));
    file_.write(little_endian<1>(kEventHead + hashes_.size()));
    file_.write(event.head);
    file_.write(hashes_);
    if (!whole) ++result_.cut;
  }

  const Store& store_;
  const wire::UnixSeconds now_;
  storage::ReplacingFile file_;
  storage::SpillFile spill_;
  DescriptorPool pool_;
  EpgDatExport result_;
  std::vector<Encoded> piece_;
  std::vector<std::uint8_t> hashes_;
};

std::string problem_json(std::string_view problem) {
  wire::JsonWriter json;
  json.begin_object().member("problem", problem).end_object();
  return json.take();
}

}  // namespace

EpgDatImport import_epg_dat(Store& store, const EitOptions& options, const storage::ByteSource& file,
                            wire::UnixSeconds from) {
  EpgDatImport result;
  try {
    const EpgDatReader reader(file);
    result.version = reader.version();
    result.big_endian = reader.big_endian();
    result.descriptors = reader.descriptors();
    ServiceImport import(store, options, reader, from, result);
    reader.each(import);
    import.finish();
  } catch (const Refused& refused) {
    result.problem = refused.why;
  }
  return result;
}

EpgDatExport export_epg_dat(const Store& store, const std::string& path, wire::UnixSeconds now) {
  return EpgDatWriter(store, path, now).write();
}

std::string import_epg_dat_file(Store& store, const EitOptions& options, const std::string& path,
                                wire::UnixSeconds from) {
  const storage::FileSource file(path);
  if (file.error() != 0) return problem_json(storage::error_text(file.error()));
  const EpgDatImport result = import_epg_dat(store, options, file, from);
  if (!result.problem.empty()) return problem_json(result.problem);
  wire::JsonWriter json;
  json.begin_object()
      .member("version", result.version)
      .member("byteOrder", std::string_view(result.big_endian ? "big" : "little"))
      .member("services", result.services)
      .member("events", result.events)
      .member("descriptors", result.descriptors)
      .member("ended", result.ended)
      .member("malformed", result.malformed)
      .member("missingDescriptors", result.missing_descriptors)
      .member("complete", result.complete)
      .end_object();
  return json.take();
}

std::string export_epg_dat_file(const Store& store, const std::string& path, wire::UnixSeconds now) {
  const EpgDatExport result = export_epg_dat(store, path, now);
  if (!result.problem.empty()) return problem_json(result.problem);
  wire::JsonWriter json;
  json.begin_object()
      .member("services", result.services)
      .member("events", result.events)
      .member("descriptors", result.descriptors)
      .member("bytes", result.bytes)
      .member("leftOut", result.left_out)
      .member("cut", result.cut)
      .member("collisions", result.collisions)
      .end_object();
  return json.take();
}

}  // namespace receiverd::epg
