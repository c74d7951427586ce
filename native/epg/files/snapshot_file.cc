#include "epg/files/snapshot_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

namespace receiverd::epg {
namespace {

constexpr std::array<std::uint8_t, kSnapshotPage> kZeros{};

/// How much to write to the file's buffer at a time.
constexpr std::size_t kPiece = std::size_t{64} << 10;

std::uint64_t page_up(std::uint64_t offset) { return (offset + kSnapshotPage - 1) / kSnapshotPage * kSnapshotPage; }

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
  crc = wire::crc32(wire::Bytes(kZeros).first(kSnapshotPage - sizeof header), crc);
  return wire::crc32(bytes_of(table), crc);
}

SnapshotWriteFault fault_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return SnapshotWriteFault::disk_full;
    case EROFS:
      return SnapshotWriteFault::read_only;
    case EACCES:
    case EPERM:
      return SnapshotWriteFault::not_permitted;
    default:
      return SnapshotWriteFault::failed;
  }
}

}  // namespace

// ---- Writing

SnapshotWriter::SnapshotWriter(std::string path, const SnapshotContent& content, wire::UnixSeconds created)
    : file_(std::make_unique<storage::ReplacingFile>(std::move(path))) {
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
      table_.size() == kMostSnapshotSections) {
    fail(EINVAL);
  }
  if (!ok()) return;
  std::copy(name.begin(), name.end(), entry.name.begin());
  entry.element_bytes = element_bytes;
  entry.offset = file_->position();
  table_.push_back(entry);
  block_ = wire::kCrcStart;
  block_size_ = 0;
  section_ = wire::kCrcStart;
}

void SnapshotWriter::append(wire::Bytes bytes) {
  if (table_.empty()) fail(EINVAL);
  if (!ok()) return;
  for (wire::Bytes left = bytes; !left.empty();) {
    const std::size_t size = std::min({left.size(), kSnapshotBlock - block_size_, kPiece});
    block_ = wire::crc32(left.first(size), block_);
    block_size_ += size;
    file_->write(left.first(size));
    left = left.subspan(size);
    if (block_size_ == kSnapshotBlock) close_block();
  }
}

void SnapshotWriter::close_block() {
  section_ = wire::crc32(bytes_of(block_), section_);
  block_ = wire::kCrcStart;
  block_size_ = 0;
}

void SnapshotWriter::end_section() {
  if (table_.empty() || !ok()) return;
  if (block_size_ > 0) close_block();
  SnapshotEntry& entry = table_.back();
  entry.bytes = file_->position() - entry.offset;
  entry.checksum = section_;
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
  if (failed == 0) return {SnapshotWriteFault::none, {}, header_.file_bytes};
  return {fault_of(failed), storage::error_text(failed), 0};
}

// ---- Reading

namespace {

using Opened = SnapshotFile::Opened;

Opened refused(SnapshotFault fault, std::string why) { return {nullptr, fault, std::move(why)}; }

class File {
 public:
  explicit File(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)), error_(file_ < 0 ? errno : 0) {}
  ~File() {
    if (file_ >= 0) ::close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int get() const { return file_; }
  int error() const { return error_; }

  /// False if it cannot be read or is shorter.
  bool read(std::span<std::uint8_t> into, std::uint64_t offset) {
    while (!into.empty()) {
      const ssize_t size = ::pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) {
        error_ = size < 0 ? errno : 0;
        return false;
      }
      into = into.subspan(static_cast<std::size_t>(size));
      offset += static_cast<std::uint64_t>(size);
    }
    return true;
  }

  /// The fault to report after a failed read.
  Opened unreadable() const {
    return error_ != 0 ? refused(SnapshotFault::unreadable, storage::error_text(error_))
                       : refused(SnapshotFault::damaged, "it is truncated");
  }

 private:
  int file_;
  int error_;
};

template <typename Record>
std::span<std::uint8_t> room_of(Record& record) {
  return {reinterpret_cast<std::uint8_t*>(&record), sizeof record};
}

/// Empty if header and table describe a complete file of this size, otherwise what is wrong.
std::string examine(const SnapshotHeader& header, const std::vector<SnapshotEntry>& table) {
  std::uint64_t expected = kSnapshotPage;
  std::vector<std::string_view> names;
  for (const SnapshotEntry& entry : table) {
    const std::string_view name = name_of(entry);
    if (name.empty() || std::any_of(entry.name.begin() + static_cast<std::ptrdiff_t>(name.size()), entry.name.end(),
                                    [](char byte) { return byte != '\0'; })) {
      return "a section has an invalid name";
    }
    if (entry.offset != expected || entry.offset > header.table_offset ||
        entry.bytes > header.table_offset - entry.offset) {
      return "a section is in the wrong place";
    }
    if (entry.element_bytes == 0 || entry.bytes % entry.element_bytes != 0 || entry.reserved != 0) {
      return "a section does not have a whole number of elements";
    }
    expected = page_up(entry.offset + entry.bytes);
    names.push_back(name);
  }
  if (expected != header.table_offset) return "the table is in the wrong place";
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return "two sections have the same name";
  return {};
}

/// Checks every byte of the sections and between them. Uses two threads: the file may be large, and the box slow.
bool intact(std::span<const std::uint8_t> file, const SnapshotHeader& header, const std::vector<SnapshotEntry>& table) {
  struct Block {
    std::size_t offset;
    std::size_t size;
  };
  std::vector<Block> blocks;
  for (const SnapshotEntry& entry : table) {
    for (std::uint64_t at = 0; at < entry.bytes; at += kSnapshotBlock) {
      blocks.push_back({static_cast<std::size_t>(entry.offset + at),
                        static_cast<std::size_t>(std::min<std::uint64_t>(kSnapshotBlock, entry.bytes - at))});
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
    for (std::uint64_t at = 0; at < entry.bytes; at += kSnapshotBlock)
      section = wire::crc32(bytes_of(*block++), section);
    if (section != entry.checksum) return false;
    const std::uint64_t end = i + 1 < table.size() ? table[i + 1].offset : header.table_offset;
    const auto gap = file.subspan(static_cast<std::size_t>(entry.offset + entry.bytes),
                                  static_cast<std::size_t>(end - entry.offset - entry.bytes));
    if (std::any_of(gap.begin(), gap.end(), [](std::uint8_t byte) { return byte != 0; })) return false;
  }
  return true;
}

}  // namespace

void SnapshotFile::FreePages::operator()(std::uint8_t* pages) const { std::free(pages); }

SnapshotFile::Opened SnapshotFile::open(const std::string& path, const SnapshotContent& content, Access access) {
  File file(path);
  if (file.get() < 0) {
    return refused(file.error() == ENOENT ? SnapshotFault::missing : SnapshotFault::unreadable,
                   storage::error_text(file.error()));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return refused(SnapshotFault::unreadable, storage::error_text(errno));
  if (!S_ISREG(status.st_mode)) return refused(SnapshotFault::not_a_snapshot, "it is not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < kSnapshotPage) {
    return refused(size == 0 ? SnapshotFault::damaged : SnapshotFault::not_a_snapshot, "it is too short");
  }
  if (size > std::numeric_limits<std::size_t>::max() / 2) return refused(SnapshotFault::unreadable, "it is too large");

  struct Page {
    SnapshotHeader header;
    std::array<std::uint8_t, kSnapshotPage - sizeof(SnapshotHeader)> rest;
  } page;
  static_assert(sizeof page == kSnapshotPage);
  if (!file.read(room_of(page), 0)) return file.unreadable();
  const SnapshotHeader& header = page.header;
  if (header.magic != SnapshotHeader::kMagic)
    return refused(SnapshotFault::not_a_snapshot, "its first bytes are wrong");
  if (header.byte_order != SnapshotHeader::kByteOrder) {
    // The constant reversed, as a machine of the other byte order writes it.
    const bool swapped = header.byte_order == 0x0D0C0B0A;
    return refused(swapped ? SnapshotFault::other_machine : SnapshotFault::damaged, "its byte order is different");
  }
  if (header.format != SnapshotHeader::kFormat) {
    return refused(SnapshotFault::other_version, "its format is " + std::to_string(header.format));
  }
  if (header.file_bytes != size) {
    return refused(SnapshotFault::damaged,
                   "it has " + std::to_string(size) + " bytes instead of " + std::to_string(header.file_bytes));
  }
  if (header.sections > kMostSnapshotSections || header.table_offset > size ||
      size - header.table_offset != header.sections * sizeof(SnapshotEntry)) {
    return refused(SnapshotFault::damaged, "it has no table");
  }
  std::vector<SnapshotEntry> table(header.sections);
  if (!file.read({reinterpret_cast<std::uint8_t*>(table.data()), table.size() * sizeof(SnapshotEntry)},
                 header.table_offset)) {
    return file.unreadable();
  }
  if (header_checksum(header, table) != header.checksum ||
      !std::equal(page.rest.begin(), page.rest.end(), kZeros.begin())) {
    return refused(SnapshotFault::damaged, "the checksum of its header is wrong");
  }
  if (header.content.kind != content.kind || header.content.version != content.version) {
    return refused(SnapshotFault::other_version, "its content has version " + std::to_string(header.content.version));
  }
  if (std::string why = examine(header, table); !why.empty()) return refused(SnapshotFault::damaged, std::move(why));

  std::shared_ptr<SnapshotFile> snapshot(new SnapshotFile);
  const auto length = static_cast<std::size_t>(size);
  if (access == Access::map) snapshot->mapping_ = storage::FileMapping::map(file.get(), length);
  if (snapshot->mapping_ != nullptr) {
    snapshot->bytes_ = snapshot->mapping_->bytes();
    ::madvise(snapshot->bytes_.data(), length, MADV_WILLNEED);
  } else {
    snapshot->copy_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(kSnapshotPage, page_up(length))));
    if (snapshot->copy_ == nullptr) return refused(SnapshotFault::unreadable, storage::error_text(ENOMEM));
    snapshot->bytes_ = {snapshot->copy_.get(), length};
    if (!file.read(snapshot->bytes_, 0)) return file.unreadable();
  }
  const bool whole = intact(snapshot->bytes_, header, table);
  if (snapshot->lost()) return refused(SnapshotFault::unreadable, storage::error_text(EIO));
  if (!whole) return refused(SnapshotFault::damaged, "a checksum is wrong");

  snapshot->created_ = header.created;
  for (const SnapshotEntry& entry : table) {
    snapshot->sections_.push_back(
        {std::string(name_of(entry)), entry.element_bytes,
         snapshot->bytes_.subspan(static_cast<std::size_t>(entry.offset), static_cast<std::size_t>(entry.bytes))});
  }
  return {std::move(snapshot), SnapshotFault::none, {}};
}

const SnapshotSection* SnapshotFile::find(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const SnapshotSection& section) { return section.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

}  // namespace receiverd::epg
