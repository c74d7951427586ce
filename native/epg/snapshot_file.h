// The file that keeps a guide over a restart: named columns of numbers and bytes, exactly as they lie in memory.
//
//   0        header (SnapshotHeader), zeros up to 4096
//   4096     the sections, each at the next multiple of 4096 behind the one before, zeros in between
//   behind   the table: one SnapshotEntry per section, in the order of the sections; then the file ends
//
// Everything has its checksum: the header page and the table together, each section by its entry. What lies between has
// to be zero. So every changed bit of the file is found. Numbers are in the byte order of the machine: a snapshot stays
// on the machine that wrote it, another one refuses it and builds anew. docs/snapshot-format.md has the details.
//
// The writer fills PATH.writing and puts the header in last; only then does the file take the place of the old one, by
// rename(), with everything on the disk. A torn file is never at PATH, and would be found if it were.
//
// Thread safety: a SnapshotWriter belongs to one thread. A SnapshotFile does not change; its bytes may be written to
// (copy on write, storage/file_mapping.h), under whatever lock the owner of the columns has.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/file_io.h"
#include "storage/file_mapping.h"
#include "wire/bytes.h"
#include "wire/time.h"
#include "wire/xxh64.h"

namespace receiverd::epg {

/// What the sections of a file are, and in which form. Another kind or form is not read.
struct SnapshotContent {
  std::array<char, 8> kind{};
  std::uint32_t version = 0;
};

inline constexpr std::size_t kSnapshotPage = 4096;
/// A section's checksum is XXH64 over the XXH64 of each block of this size (the last may be shorter): blocks can be
/// checked by several threads.
inline constexpr std::size_t kSnapshotBlock = std::size_t{1} << 20;
inline constexpr std::size_t kMostSnapshotSections = 1024;

struct SnapshotHeader {
  static constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'G', 'D', 'S', '\r', '\n', 0x1A, '\n'};
  static constexpr std::uint32_t kByteOrder = 0x0A0B0C0D;
  static constexpr std::uint32_t kFormat = 1;

  std::array<std::uint8_t, 8> magic{};
  std::uint32_t byte_order = 0;
  std::uint32_t format = 0;
  SnapshotContent content;
  std::uint32_t sections = 0;
  std::int64_t created = 0;  ///< Unix seconds
  std::uint64_t file_bytes = 0;
  std::uint64_t table_offset = 0;
  std::uint64_t checksum = 0;  ///< XXH64 of the first page, with zero here, and the table
};
static_assert(sizeof(SnapshotHeader) == 64);

struct SnapshotEntry {
  std::array<char, 16> name{};  ///< zeros behind
  std::uint32_t element_bytes = 0;
  std::uint32_t reserved = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(SnapshotEntry) == 48);

enum class SnapshotWriteFault : std::uint8_t {
  none,
  disk_full,      ///< no room, a quota or a limit of file sizes
  read_only,      ///< a read-only file system
  not_permitted,  ///< no right to write there
  failed,         ///< anything else: `why`
};

struct SnapshotWritten {
  SnapshotWriteFault fault = SnapshotWriteFault::none;
  std::string why;  ///< the system's words
  std::uint64_t file_bytes = 0;

  bool ok() const { return fault == SnapshotWriteFault::none; }
};

/// Writes one file. The first fault stays: what comes after it does nothing, and finish() tells it.
class SnapshotWriter {
 public:
  /// Opens PATH.writing, of which nothing is left without finish(). One writer per path at a time.
  SnapshotWriter(std::string path, const SnapshotContent& content, wire::UnixSeconds created);
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  /// Ends the section before and begins one. `name`: 1 to 16 bytes, each name once; `element_bytes` >= 1.
  void begin_section(std::string_view name, std::uint32_t element_bytes);
  /// Goes into the page cache: does not wait for the disk, unless the system has more to write than it likes.
  void append(wire::Bytes bytes);
  template <typename Element>
  void append(std::span<const Element> elements) {
    static_assert(std::is_trivially_copyable_v<Element>);
    append(wire::Bytes(reinterpret_cast<const std::uint8_t*>(elements.data()), elements.size_bytes()));
  }
  template <typename Element>
  void section(std::string_view name, std::span<const Element> elements) {
    begin_section(name, sizeof(Element));
    append(elements);
  }

  /// False once something has gone wrong.
  bool ok() const { return error() == 0; }
  /// Writes table and header, waits for the disk and puts the file at its place. Once.
  SnapshotWritten finish();

 private:
  int error() const;
  void end_section();
  void pad();
  void fail(int error);
  void close_block();

  std::unique_ptr<storage::ReplacingFile> file_;  // until finish()
  int error_ = 0;                                 // of our own
  SnapshotHeader header_;
  std::vector<SnapshotEntry> table_;
  wire::Xxh64 block_;
  std::size_t block_size_ = 0;
  wire::Xxh64 section_;
};

enum class SnapshotFault : std::uint8_t {
  none,
  missing,         ///< there is no file
  unreadable,      ///< the system refuses to give it: `why`
  not_a_snapshot,  ///< some other file
  other_machine,   ///< another byte order
  other_version,   ///< a format or content that this program does not know
  damaged,         ///< torn, too short or too long, a bit is wrong, or its content makes no sense
  does_not_fit,    ///< more than the bounds of this program allow
};

/// One column.
struct SnapshotSection {
  std::string name;
  std::uint32_t element_bytes = 0;
  std::span<std::uint8_t> bytes;
};

class SnapshotFile {
 public:
  enum class Access : std::uint8_t {
    map,   ///< as pages of the file; where that is impossible, as read
    read,  ///< as a copy in memory
  };
  struct Opened;

  /// Opens and checks a whole file. Reads it once, on two threads where there are two cores.
  static Opened open(const std::string& path, const SnapshotContent& content, Access access = Access::map);

  wire::UnixSeconds created() const { return created_; }
  std::size_t file_bytes() const { return bytes_.size(); }
  std::span<const SnapshotSection> sections() const { return sections_; }
  /// Null when there is no section of that name.
  const SnapshotSection* find(std::string_view name) const;
  /// The elements of a section; nothing when there is none of that name with elements of this size. Sections begin at
  /// multiples of 4096, so any alignment holds.
  template <typename Element>
  std::optional<std::span<Element>> column(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<Element> && alignof(Element) <= kSnapshotPage);
    const SnapshotSection* const section = find(name);
    if (section == nullptr || section->element_bytes != sizeof(Element)) return std::nullopt;
    return std::span<Element>(reinterpret_cast<Element*>(section->bytes.data()),
                              section->bytes.size() / sizeof(Element));
  }
  /// A page could not be read any more and is zero now: the content is worth nothing from here on.
  bool lost() const { return mapping_ != nullptr && mapping_->lost(); }
  bool mapped() const { return mapping_ != nullptr; }

 private:
  SnapshotFile() = default;

  struct FreePages {
    void operator()(std::uint8_t* pages) const;
  };

  std::unique_ptr<storage::FileMapping> mapping_;
  std::unique_ptr<std::uint8_t[], FreePages> copy_;
  std::span<std::uint8_t> bytes_;
  std::vector<SnapshotSection> sections_;
  wire::UnixSeconds created_ = 0;
};

struct SnapshotFile::Opened {
  std::shared_ptr<SnapshotFile> file;  ///< null on a fault
  SnapshotFault fault = SnapshotFault::none;
  std::string why;
};

/// Section checksum as it stands in the table.
std::uint64_t snapshot_checksum(wire::Bytes section);

}  // namespace receiverd::epg
