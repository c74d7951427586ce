// Files of any size in bounded memory: reading at any place, and writing so that a power cut leaves either the old file
// or the new one. Used on worker threads; nothing here is for JavaScript's.
//
// Files are read, not mapped: one that somebody else cuts short while it is read is an error here and not a signal.
//
// Thread safety: none; one object per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::storage {

/// Bytes that can be read at any place.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `into` from `offset` on; false when so many bytes are not there or cannot be read.
  virtual bool read(std::uint64_t offset, std::span<std::uint8_t> into) const = 0;
};

/// Bytes in memory, not owned.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(wire::Bytes bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) const override;

 private:
  wire::Bytes bytes_;
};

/// A file, open for reading as long as the object lives.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  /// Why it could not be opened (errno); 0 when it was.
  int error() const { return error_; }
  /// Its size when it was opened.
  std::uint64_t size() const override { return size_; }
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) const override;

 private:
  int file_ = -1;
  int error_ = 0;
  std::uint64_t size_ = 0;
};

/// Reads a source from one place on, through a buffer of 64 KiB. A read that does not fit fails this one and all that
/// follow, and position() stays where it was.
class SequentialReader {
 public:
  static constexpr std::size_t kBuffer = 64 << 10;

  SequentialReader(const ByteSource& source, std::uint64_t offset) : source_(source), position_(offset) {}

  bool ok() const { return ok_; }
  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return position_ < source_.size() ? source_.size() - position_ : 0; }
  /// The next `length` bytes, at most kBuffer, valid until the next call; empty when they are not there.
  wire::Bytes take(std::size_t length);

 private:
  const ByteSource& source_;
  std::uint64_t position_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  bool ok_ = true;
};

/// A new file that takes the place of `path` with commit(), or is gone: written as `PATH.writing` (the suffix Enigma2
/// uses), synced, renamed. After a failure further calls do nothing; error() says why. One writer a path at a time.
class ReplacingFile {
 public:
  explicit ReplacingFile(std::string path);
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  /// errno of what failed first; 0 = nothing.
  int error() const { return error_; }
  /// Bytes written so far.
  std::uint64_t position() const { return flushed_ + buffer_.size(); }
  void write(wire::Bytes bytes);
  /// Writes over bytes that were written before.
  void patch(std::uint64_t position, wire::Bytes bytes);
  /// Everything so far is on the disk when it returns.
  void sync();
  /// Syncs, renames and syncs the folder. False when something failed; the old file is there then.
  bool commit();

 private:
  void flush();

  const std::string path_;
  int file_ = -1;
  int error_ = 0;
  std::uint64_t flushed_ = 0;
  std::vector<std::uint8_t> buffer_;
};

/// Bytes that are put aside on the disk until they are wanted back: a file without a name in the folder of `path`.
class SpillFile final : public ByteSource {
 public:
  explicit SpillFile(const std::string& path);
  ~SpillFile() override;
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  int error() const { return error_; }
  void write(wire::Bytes bytes);
  std::uint64_t size() const override { return flushed_ + buffer_.size(); }
  /// Everything written can be read.
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) const override;
  /// Makes what was written readable.
  void flush();

 private:
  int file_ = -1;
  int error_ = 0;
  std::uint64_t flushed_ = 0;
  std::vector<std::uint8_t> buffer_;
};

/// What an errno means, for people.
std::string error_text(int error);

}  // namespace receiverd::storage
