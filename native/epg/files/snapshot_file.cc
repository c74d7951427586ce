#include "epg/files/snapshot_file.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

namespace receiverd::epg {
namespace {

constexpr std::array<std::uint8_t, kSnapshotPageBytes> kZeros{};

/// Bytes that are written to the file's buffer at a time.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

std::uint64_t page_up(std::uint64_t offset) {
  return (offset + kSnapshotPageBytes - 1) / kSnapshotPageBytes * kSnapshotPageBytes;
}

template <typename Record>
wire::Bytes bytes_of(const Record& record) {
  return {reinterpret_cast<const std::uint8_t*>(&record), sizeof record};
}

template <typename Record>
wire::Bytes bytes_of(const std::vector<Record>& records) {
  return {reinterpret_cast<const std::uint8_t*>(records.data()), records.size() * sizeof(Record)};
}

std::string_view name_of(const SnapshotEntry& entry) {
  const auto end = std::find(entry.name.begin(), entry.name.end(), '\0');
  return {entry.name.data(), static_cast<std::size_t>(end - entry.name.begin())};
}

std::uint64_t header_checksum(SnapshotHeader header, const std::vector<SnapshotEntry>& table) {
  header.checksum = 0;
  std::uint32_t crc = wire::crc32(bytes_of(header));
  crc = wire::crc32(wire::Bytes(kZeros).first(kSnapshotPageBytes - sizeof header), crc);
  return wire::crc32(bytes_of(table), crc);
}

}  // namespace

// ---- Writing

SnapshotWriter::SnapshotWriter(const std::string& path, const SnapshotContent& content, wire::UnixSeconds created)
    : file_(std::make_unique<storage::ReplacingFile>(path)) {
  header_.magic = SnapshotHeader::kMagic;
  header_.byte_order = SnapshotHeader::kByteOrder;
  header_.format = SnapshotHeader::kFormat;
  header_.content = content;
  header_.created = created;
  // Until the header is written the file begins with zeros, so that it cannot be taken for a snapshot.
  file_->write(kZeros);
}

int SnapshotWriter::error() const { return error_ != 0 ? error_ : file_->error(); }

void SnapshotWriter::fail(int error) {
  if (ok()) error_ = error;
}

void SnapshotWriter::pad() {
  const std::uint64_t position = file_->position();
  file_->write(wire::Bytes(kZeros).first(static_cast<std::size_t>(page_up(position) - position)));
}

void SnapshotWriter::begin_section(std::string_view name, std::uint32_t element_bytes) {
  end_section();
  SnapshotEntry entry;
  const bool known =
      std::any_of(table_.begin(), table_.end(), [&](const auto& other) { return name_of(other) == name; });
  if (name.empty() || name.size() > entry.name.size() || known || element_bytes == 0 ||
      table_.size() == kMaxSnapshotSections) {
    fail(EINVAL);
  }
  if (!ok()) return;
  std::copy(name.begin(), name.end(), entry.name.begin());
  entry.element_bytes = element_bytes;
  entry.offset = file_->position();
  table_.push_back(entry);
  block_checksum_ = wire::kCrcStart;
  block_size_ = 0;
  section_checksum_ = wire::kCrcStart;
}

void SnapshotWriter::append(wire::Bytes bytes) {
  if (table_.empty()) fail(EINVAL);
  if (!ok()) return;
  for (wire::Bytes left = bytes; !left.empty();) {
    const std::size_t size = std::min({left.size(), kSnapshotBlockBytes - block_size_, kPieceBytes});
    block_checksum_ = wire::crc32(left.first(size), block_checksum_);
    block_size_ += size;
    file_->write(left.first(size));
    left = left.subspan(size);
    if (block_size_ == kSnapshotBlockBytes) close_block();
  }
}

void SnapshotWriter::close_block() {
  section_checksum_ = wire::crc32(bytes_of(block_checksum_), section_checksum_);
  block_checksum_ = wire::kCrcStart;
  block_size_ = 0;
}

void SnapshotWriter::end_section() {
  if (table_.empty() || !ok()) return;
  if (block_size_ > 0) close_block();
  SnapshotEntry& entry = table_.back();
  entry.bytes = file_->position() - entry.offset;
  entry.checksum = section_checksum_;
  if (entry.bytes % entry.element_bytes != 0) fail(EINVAL);
  pad();
}

SnapshotWritten SnapshotWriter::finish() {
  end_section();
  header_.table_offset = file_->position();
  file_->write(bytes_of(table_));
  header_.sections = static_cast<std::uint32_t>(table_.size());
  header_.file_bytes = file_->position();
  header_.checksum = header_checksum(header_, table_);
  file_->patch(0, bytes_of(header_));
  if (ok()) file_->commit();
  const int failed = error();
  file_.reset();
  if (failed == 0) return {{}, header_.file_bytes};
  return {storage::error_text(failed), 0};
}

// ---- Reading

namespace {

[[noreturn]] void refuse(SnapshotFault fault, std::string why) { throw SnapshotError{fault, std::move(why)}; }

void read(const storage::FileSource& file, std::uint64_t offset, std::span<std::uint8_t> into) {
  if (file.read(offset, into)) return;
  require(errno != 0, "it is truncated");
  refuse(SnapshotFault::unreadable, storage::error_text(errno));
}

template <typename Record>
std::span<std::uint8_t> room_of(Record& record) {
  return {reinterpret_cast<std::uint8_t*>(&record), sizeof record};
}

/// Checks that header and table describe a complete file.
void examine(const SnapshotHeader& header, const std::vector<SnapshotEntry>& table) {
  std::uint64_t expected = kSnapshotPageBytes;
  std::vector<std::string_view> names;
  for (const SnapshotEntry& entry : table) {
    const std::string_view name = name_of(entry);
    const auto padding = std::span(entry.name).subspan(name.size());
    require(!name.empty() && std::ranges::all_of(padding, [](char byte) { return byte == '\0'; }),
            "a section has an invalid name");
    require(entry.offset == expected && entry.offset <= header.table_offset &&
                entry.bytes <= header.table_offset - entry.offset,
            "a section is in the wrong place");
    require(entry.element_bytes != 0 && entry.bytes % entry.element_bytes == 0 && entry.reserved == 0,
            "a section does not have a whole number of elements");
    expected = page_up(entry.offset + entry.bytes);
    names.push_back(name);
  }
  require(expected == header.table_offset, "the table is in the wrong place");
  std::ranges::sort(names);
  require(std::ranges::adjacent_find(names) == names.end(), "two sections have the same name");
}

/// Checks every byte of the sections and between them. Uses two threads: the file may be large, and the box slow.
bool intact(std::span<const std::uint8_t> file, const SnapshotHeader& header, const std::vector<SnapshotEntry>& table) {
  struct Block {
    std::size_t offset;
    std::size_t size;
  };
  std::vector<Block> blocks;
  for (const SnapshotEntry& entry : table) {
    for (std::uint64_t at = 0; at < entry.bytes; at += kSnapshotBlockBytes) {
      blocks.push_back({static_cast<std::size_t>(entry.offset + at),
                        static_cast<std::size_t>(std::min<std::uint64_t>(kSnapshotBlockBytes, entry.bytes - at))});
    }
  }
  std::vector<std::uint32_t> checksums(blocks.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < blocks.size();) {
      checksums[i] = wire::crc32(file.subspan(blocks[i].offset, blocks[i].size));
    }
  };
  std::thread second;
  if (blocks.size() >= 4 && std::thread::hardware_concurrency() > 1) {
    try {
      second = std::thread(work);
    } catch (const std::system_error&) {
      // No second thread available: one thread does all the work.
    }
  }
  work();
  if (second.joinable()) second.join();

  auto block = checksums.begin();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const SnapshotEntry& entry = table[i];
    std::uint32_t section = wire::kCrcStart;
    for (std::uint64_t at = 0; at < entry.bytes; at += kSnapshotBlockBytes)
      section = wire::crc32(bytes_of(*block++), section);
    if (section != entry.checksum) return false;
    const std::uint64_t end = i + 1 < table.size() ? table[i + 1].offset : header.table_offset;
    const auto gap = file.subspan(static_cast<std::size_t>(entry.offset + entry.bytes),
                                  static_cast<std::size_t>(end - entry.offset - entry.bytes));
    if (std::ranges::any_of(gap, [](std::uint8_t byte) { return byte != 0; })) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<SnapshotFile> SnapshotFile::open(const std::string& path, const SnapshotContent& content,
                                                 Access access) {
  const storage::FileSource file(path);
  if (file.error() == EISDIR || file.error() == EINVAL) {
    refuse(SnapshotFault::not_a_snapshot, "it is not a regular file");
  }
  if (file.error() != 0) {
    refuse(file.error() == ENOENT ? SnapshotFault::missing : SnapshotFault::unreadable,
           storage::error_text(file.error()));
  }
  const std::uint64_t size = file.size();
  if (size < kSnapshotPageBytes) {
    refuse(size == 0 ? SnapshotFault::damaged : SnapshotFault::not_a_snapshot, "it is too short");
  }
  if (size > std::numeric_limits<std::size_t>::max() / 2) refuse(SnapshotFault::unreadable, "it is too large");

  struct Page {
    SnapshotHeader header;
    std::array<std::uint8_t, kSnapshotPageBytes - sizeof(SnapshotHeader)> rest;
  } page;
  static_assert(sizeof page == kSnapshotPageBytes);
  read(file, 0, room_of(page));
  const SnapshotHeader& header = page.header;
  if (header.magic != SnapshotHeader::kMagic) refuse(SnapshotFault::not_a_snapshot, "its first bytes are wrong");
  if (header.byte_order != SnapshotHeader::kByteOrder) {
    // The constant reversed, as a machine of the other byte order writes it.
    const bool swapped = header.byte_order == 0x0D0C0B0A;
    refuse(swapped ? SnapshotFault::other_machine : SnapshotFault::damaged, "its byte order is different");
  }
  if (header.format != SnapshotHeader::kFormat) {
    refuse(SnapshotFault::other_version, "its format is " + std::to_string(header.format));
  }
  if (header.file_bytes != size) {
    refuse(SnapshotFault::damaged,
           "it has " + std::to_string(size) + " bytes instead of " + std::to_string(header.file_bytes));
  }
  require(header.sections <= kMaxSnapshotSections && header.table_offset <= size &&
              size - header.table_offset == header.sections * sizeof(SnapshotEntry),
          "it has no table");
  std::vector<SnapshotEntry> table(header.sections);
  read(file, header.table_offset,
       {reinterpret_cast<std::uint8_t*>(table.data()), table.size() * sizeof(SnapshotEntry)});
  require(header_checksum(header, table) == header.checksum &&
              std::equal(page.rest.begin(), page.rest.end(), kZeros.begin()),
          "the checksum of its header is wrong");
  if (header.content.kind != content.kind || header.content.version != content.version) {
    refuse(SnapshotFault::other_version, "its content has version " + std::to_string(header.content.version));
  }
  examine(header, table);

  std::shared_ptr<SnapshotFile> snapshot(new SnapshotFile);
  const auto length = static_cast<std::size_t>(size);
  if (access == Access::map) snapshot->mapping_ = storage::FileMapping::map(file.descriptor(), length);
  if (snapshot->mapping_ != nullptr) {
    snapshot->bytes_ = snapshot->mapping_->bytes();
    ::madvise(snapshot->bytes_.data(), length, MADV_WILLNEED);
  } else {
    snapshot->copy_ = std::make_unique_for_overwrite<std::uint8_t[]>(length);
    snapshot->bytes_ = {snapshot->copy_.get(), length};
    read(file, 0, snapshot->bytes_);
  }
  const bool whole = intact(snapshot->bytes_, header, table);
  if (snapshot->lost()) refuse(SnapshotFault::unreadable, storage::error_text(EIO));
  require(whole, "a checksum is wrong");

  snapshot->created_ = header.created;
  for (const SnapshotEntry& entry : table) {
    snapshot->sections_.push_back(
        {std::string(name_of(entry)), entry.element_bytes,
         snapshot->bytes_.subspan(static_cast<std::size_t>(entry.offset), static_cast<std::size_t>(entry.bytes))});
  }
  return snapshot;
}

const SnapshotSection* SnapshotFile::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &SnapshotSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

}  // namespace receiverd::epg
