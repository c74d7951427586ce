#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "epg/eit/event_descriptor_writer.h"
#include "epg/eit/event_descriptors.h"
#include "epg/files/epg_dat.h"
#include "epg/files/epg_dat_format.h"
#include "wire/crc32.h"
#include "wire/descriptors.h"
#include "wire/time.h"

namespace receiverd::epg {
namespace {

using namespace epg_dat;
using wire::Bytes;

constexpr std::size_t kCopiedAtOnce = 256;    // events copied out under one lock of the store
constexpr std::uint16_t kScheduleSource = 2;  // which any EIT of the box may replace

/// Little-endian numbers, whatever the machine's byte order.
template <std::size_t size>
std::array<std::uint8_t, size> little_endian(std::uint64_t value) {
  std::array<std::uint8_t, size> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
  return bytes;
}

template <std::size_t size>
void put(std::vector<std::uint8_t>& out, std::uint64_t value) {
  const auto bytes = little_endian<size>(value);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// The distinct descriptors: their hashes and uses in memory, their bytes in the spill file.
class DescriptorPool {
 public:
  explicit DescriptorPool(storage::SpillFile& spill) : spill_(spill), slots_(std::size_t{1} << 12, kFree) {}

  /// Counts one more use and returns the hash. Nothing if another descriptor has this hash.
  std::optional<std::uint32_t> use(Bytes descriptor) {
    const std::uint32_t hash = wire::crc32(descriptor, kHashInitial);
    const std::uint64_t fingerprint = fingerprint_of(descriptor);
    std::uint32_t& slot = slot_of(hash);
    if (slot != kFree) {
      Entry& entry = entries_[slot];
      if (entry.fingerprint != fingerprint) return std::nullopt;
      ++entry.references;
      return hash;
    }
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({fingerprint, hash, 1});
    spill_.write(descriptor);
    if (entries_.size() * 2 > slots_.size()) grow();
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
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  /// Distinguishes descriptors with the same hash (FNV-1a).
  static std::uint64_t fingerprint_of(Bytes bytes) {
    std::uint64_t value = 0xCBF29CE484222325ULL;
    for (const std::uint8_t byte : bytes) value = (value ^ byte) * 0x100000001B3ULL;
    return value;
  }

  std::uint32_t& slot_of(std::uint32_t hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at] != kFree && entries_[slots_[at]].hash != hash) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kFree);
    for (std::size_t i = 0; i < entries_.size(); ++i) slot_of(entries_[i].hash) = static_cast<std::uint32_t>(i);
  }

  storage::SpillFile& spill_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // open addressing, a power of two
};

/// An event copied out of the store, with its own texts.
struct CopiedEvent {
  std::uint16_t id;
  wire::UnixSeconds start;
  std::uint32_t duration;
  Language language;
  std::string title;
  std::string short_text;
  std::string extended_text;
  std::string details;

  EventView view() const {
    EventView view;
    view.language = language;
    view.title = title;
    view.short_text = short_text;
    view.extended_text = extended_text;
    view.details = details;
    return view;
  }
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
    for (const ServiceKey& service : services()) {
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
  std::vector<ServiceKey> services() const {
    std::vector<ServiceKey> keys;
    const Store::Reader reader = store_.read();
    reader.each_service([&](const ServiceKey& key, const auto&) { keys.push_back(key); });
    return keys;
  }

  void write_service(const ServiceKey& service) {
    std::uint64_t count_at = 0;
    std::uint32_t count = 0;
    wire::UnixSeconds from = now_;
    std::optional<wire::UnixSeconds> last_start;
    while (copy_piece(service, from, last_start)) {
      for (const CopiedEvent& event : piece_) {
        if (wire::to_mjd_time(event.start) == 0xFFFFFFFFFFULL) {
          ++result_.left_out;
          continue;
        }
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

  /// Copies the next events of the service, from `last_start` on. False if there are none. Of events with the same
  /// start, only one is taken: Enigma2 stores one per start.
  bool copy_piece(const ServiceKey& service, wire::UnixSeconds from, std::optional<wire::UnixSeconds>& last_start) {
    piece_.clear();
    const Store::Reader reader = store_.read();
    const Timeline* const timeline = reader.find(service);
    if (timeline == nullptr) return false;
    timeline->window(from, now_ + kEpgDatAhead, [&](const EventRecord& record) {
      if (piece_.size() == kCopiedAtOnce || (last_start && record.start < *last_start)) return;
      if (last_start && record.start == *last_start) {
        if (!piece_.empty()) ++result_.left_out;
        return;
      }
      const EventView view = reader.view(service, record);
      last_start = view.start;
      piece_.push_back({view.id, view.start, view.duration, view.language, std::string(view.title),
                        std::string(view.short_text), std::string(view.extended_text), std::string(view.details)});
    });
    return !piece_.empty();
  }

  void write_event(const CopiedEvent& event) {
    EventDescriptorWriter writer;
    bool whole = write_event_descriptors(event.view(), kMostDescriptorBytes, writer);
    event_.clear();
    put<2>(event_, kScheduleSource);
    event_.push_back(0);
    const auto big_endian = [this](std::uint64_t value, int size) {
      while (size-- > 0) event_.push_back(static_cast<std::uint8_t>(value >> (8 * size)));
    };
    big_endian(event.id, 2);
    big_endian(wire::to_mjd_time(event.start), 5);
    big_endian(wire::to_bcd_seconds(event.duration), 3);
    std::size_t hashes = 0;
    wire::DescriptorLoop loop(writer.loop());
    std::size_t at = 0;
    for (wire::Descriptor descriptor; loop.next(descriptor);) {
      const Bytes whole_descriptor = Bytes(writer.loop()).subspan(at, 2 + descriptor.body.size());
      at += whole_descriptor.size();
      if (hashes == kMostHashes) {
        whole = false;
      } else if (const auto hash = pool_.use(whole_descriptor)) {
        put<4>(event_, *hash);
        ++hashes;
      } else {
        ++result_.collisions;
      }
    }
    event_[2] = static_cast<std::uint8_t>(kEventHead + hashes * kHashSize);
    file_.write(event_);
    if (!whole) ++result_.cut;
  }

  const Store& store_;
  const wire::UnixSeconds now_;
  storage::ReplacingFile file_;
  storage::SpillFile spill_;
  DescriptorPool pool_;
  EpgDatExport result_;
  std::vector<CopiedEvent> piece_;
  std::vector<std::uint8_t> event_;
};

}  // namespace

EpgDatExport export_epg_dat(const Store& store, const std::string& path, wire::UnixSeconds now) {
  return EpgDatWriter(store, path, now).write();
}

}  // namespace receiverd::epg
