// The file that keeps a guide across restarts: named columns of numbers and bytes, copied from memory without
// conversion.
//
//   0        header (SnapshotHeader), zeros up to 4096
//   4096     the sections, each at the next multiple of 4096 after the one before, zeros in between
//   then     the table: one SnapshotEntry per section, in the order of the sections; then the file ends
//
// Everything has a checksum: the header page and the table share one, each section has its own in its entry. The gaps
// must be zero. So every changed bit of the file is detected. Numbers are in the byte order of the machine: a machine
// with another byte order refuses the file and starts with an empty guide. docs/snapshot-format.md has
// the details.
//
// The writer fills a temporary file and writes the header last. Once everything is on the disk, rename() replaces
// the old file. So an incomplete file never gets the name of the snapshot, and would be detected if it did.
//
// Thread safety: a SnapshotWriter belongs to one thread. A SnapshotFile is immutable. Its bytes may be written to (copy
// on write, storage/file_mapping.h), under whatever lock the owner of the columns uses.
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
#include "wire/crc32.h"
#include "wire/time.h"

namespace receiverd::epg {

/// The kind of content and its version. Files of another kind or version are not read.
struct SnapshotContent {
  std::array<char, 8> kind{};
  std::uint32_t version = 0;
};

inline constexpr std::size_t kSnapshotPageBytes = 4096;
/// The checksum of a section is the CRC_32 over the CRC_32s of its blocks of this size (the last may be shorter), so
/// that several threads can check it.
inline constexpr std::size_t kSnapshotBlockBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxSnapshotSections = 1024;

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
  std::uint64_t checksum = 0;  ///< CRC_32 of the first page, with zero here, and of the table
};
static_assert(sizeof(SnapshotHeader) == 64);

struct SnapshotEntry {
  std::array<char, 16> name{};  ///< padded with zeros
  std::uint32_t element_bytes = 0;
  std::uint32_t reserved = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(SnapshotEntry) == 48);

struct SnapshotWritten {
  std::string why;  ///< the system's error text; empty on success
  std::uint64_t file_bytes = 0;

  bool ok() const { return why.empty(); }
};

/// Writes one file. After the first error, further calls do nothing, and finish() reports it.
class SnapshotWriter {
 public:
  /// Opens a temporary file, which is removed unless finish() succeeds.
  SnapshotWriter(const std::string& path, const SnapshotContent& content, wire::UnixSeconds created);
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  /// Ends the current section and begins a new one. `name`: 1 to 16 bytes, unique; `element_bytes` >= 1.
  void begin_section(std::string_view name, std::uint32_t element_bytes);
  /// Writes to the page cache. Does not wait for the disk, unless the system has too many dirty pages.
  void append(wire::Bytes bytes);
  template <typename Elements>
  void append(const Elements& elements) {
    static_assert(std::is_trivially_copyable_v<typename Elements::value_type>);
    const auto bytes = std::as_bytes(std::span(elements));
    append(wire::Bytes(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  }
  template <typename Elements>
  void section(std::string_view name, const Elements& elements) {
    begin_section(name, sizeof(typename Elements::value_type));
    append(elements);
  }

  /// False after an error.
  bool ok() const { return error() == 0; }
  /// Writes the table and the header, waits for the disk and moves the file into place. Call once.
  SnapshotWritten finish();

 private:
  int error() const;
  void end_section();
  void pad();
  void fail(int error);
  void close_block();

  std::unique_ptr<storage::ReplacingFile> file_;  // until finish()
  int error_ = 0;                                 // errno of errors outside file_
  SnapshotHeader header_;
  std::vector<SnapshotEntry> table_;
  std::uint32_t block_checksum_ = wire::kCrcStart;
  std::size_t block_size_ = 0;
  std::uint32_t section_checksum_ = wire::kCrcStart;
};

enum class SnapshotFault : std::uint8_t {
  none,
  missing,         ///< there is no file
  unreadable,      ///< the system cannot read it: `why`
  not_a_snapshot,  ///< some other file
  other_machine,   ///< another byte order
  other_version,   ///< a format or content version unknown to this program
  damaged,         ///< incomplete, too long, wrong checksum, or inconsistent content
  does_not_fit,    ///< more than the limits of this program allow
  outdated,        ///< the guide has changed since
};

/// What is wrong with a file. Thrown where the first problem is found.
struct SnapshotError {
  SnapshotFault fault;
  std::string why;
};

/// Throws SnapshotFault::damaged unless `holds`.
inline void require(bool holds, const char* why) {
  if (!holds) throw SnapshotError{SnapshotFault::damaged, why};
}

/// One column.
struct SnapshotSection {
  std::string name;
  std::uint32_t element_bytes = 0;
  std::span<std::uint8_t> bytes;
};

class SnapshotFile {
 public:
  enum class Access : std::uint8_t {
    map,   ///< as pages of the file, or as `read` where that is impossible
    read,  ///< as a copy in memory
  };

  /// Opens and checks a whole file. Reads it once, on two threads if there are two cores. Throws SnapshotError.
  static std::shared_ptr<SnapshotFile> open(const std::string& path, const SnapshotContent& content,
                                            Access access = Access::map);

  wire::UnixSeconds created() const { return created_; }
  std::span<const SnapshotSection> sections() const { return sections_; }
  /// Null if there is no section of that name.
  const SnapshotSection* find(std::string_view name) const;
  /// The elements of a section. Returns nothing if no section has that name and elements of this size. Sections begin
  /// at multiples of 4096 from the start of the bytes, which have the alignment of operator new.
  template <typename Element>
  std::optional<std::span<Element>> column(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<Element> && alignof(Element) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    const SnapshotSection* const section = find(name);
    if (section == nullptr || section->element_bytes != sizeof(Element)) return std::nullopt;
    return std::span<Element>(reinterpret_cast<Element*>(section->bytes.data()),
                              section->bytes.size() / sizeof(Element));
  }
  /// True if a page could no longer be read and is now zero. The content must then be discarded.
  bool lost() const { return mapping_ != nullptr && mapping_->lost(); }
  /// For tests.
  bool mapped() const { return mapping_ != nullptr; }

 private:
  SnapshotFile() = default;

  std::unique_ptr<storage::FileMapping> mapping_;
  std::unique_ptr<std::uint8_t[]> copy_;
  std::span<std::uint8_t> bytes_;
  std::vector<SnapshotSection> sections_;
  wire::UnixSeconds created_ = 0;
};

}  // namespace receiverd::epg
