// Files of any size in bounded memory: reading at any position, and writing so that a power cut leaves either the old
// file or the new one. Calls wait for the disk: use worker threads, not JavaScript's thread.
//
// Files are read, not mapped, so truncating a file while it is read causes an error instead of SIGBUS.
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

/// Bytes that can be read at any position.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `into` with the bytes from `offset` on. False if there are fewer bytes, or they cannot be read.
  virtual bool read(std::uint64_t offset, std::span<std::uint8_t> into) const = 0;
};

/// A file, open for reading during the object's lifetime.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  /// errno of the failed open(); 0 if the file is open.
  int error() const { return error_; }
  /// The size when it was opened.
  std::uint64_t size() const override { return size_; }
  int descriptor() const { return file_; }
  /// After a failure, errno says why; 0 if there are fewer bytes.
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) const override;

 private:
  int file_ = -1;
  int error_ = 0;
  std::uint64_t size_ = 0;
};

/// Reads a source sequentially from a given offset, through a buffer of 64 KiB. A read past the end fails, as do all
/// later reads, and position() stays where it was.
class SequentialReader {
 public:
  static constexpr std::size_t kBufferBytes = 64 << 10;

  SequentialReader(const ByteSource& source, std::uint64_t offset) : source_(source), position_(offset) {}

  bool ok() const { return ok_; }
  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return position_ < source_.size() ? source_.size() - position_ : 0; }
  /// The next `length` bytes, at most kBufferBytes, valid until the next call. Empty if there are fewer.
  wire::Bytes take(std::size_t length);

 private:
  const ByteSource& source_;
  std::uint64_t position_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  bool ok_ = true;
};

/// An open file, written through a buffer and closed by the destructor. After a failure, further calls do nothing.
class BufferedFile {
 public:
  BufferedFile(const BufferedFile&) = delete;
  BufferedFile& operator=(const BufferedFile&) = delete;

  /// errno of the first failure; 0 = none.
  int error() const { return error_; }
  /// Bytes written so far.
  std::uint64_t position() const { return flushed_ + buffer_.size(); }
  void write(wire::Bytes bytes);
  /// Overwrites bytes already written.
  void patch(std::uint64_t position, wire::Bytes bytes);
  /// Writes the buffered bytes to the file, but does not wait for the disk.
  void flush();

 protected:
  /// `file` is the result of open().
  explicit BufferedFile(int file);
  ~BufferedFile();

  int file_;
  int error_ = 0;

 private:
  std::uint64_t flushed_ = 0;
  std::vector<std::uint8_t> buffer_;
};

/// A new file under a temporary name. `file`: the result of open().
struct TemporaryFile {
  int file = -1;
  std::string path;
};

/// Creates a file for writing and reading in the folder of `beside`. Others with access to the folder cannot guess its
/// name, and an existing file or link of that name is never opened. src/base/files.ts makes the same names, and removes
/// the files that a killed process has left.
TemporaryFile create_temporary(const std::string& beside, unsigned mode);

/// A new file that replaces `path` on commit() and is deleted otherwise: a temporary file in the same folder, synced,
/// then renamed.
class ReplacingFile : public BufferedFile {
 public:
  explicit ReplacingFile(const std::string& path) : ReplacingFile(path, create_temporary(path, 0644)) {}
  ~ReplacingFile();

  /// Flushes, and waits until the bytes are on the disk (fsync).
  void sync();
  /// Syncs, renames and syncs the folder. False if something failed; the old file is then still there.
  bool commit();

 private:
  ReplacingFile(const std::string& path, TemporaryFile temporary);

  const std::string path_;
  const std::string temporary_;
};

/// Temporary storage on the disk: an unnamed file in the folder of `path`. Only flushed bytes can be read.
class SpillFile final : public BufferedFile, public ByteSource {
 public:
  explicit SpillFile(const std::string& path) : SpillFile(create_temporary(path, 0600)) {}

  std::uint64_t size() const override { return position(); }
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) const override;

 private:
  explicit SpillFile(const TemporaryFile& temporary);
};

/// The system's description of an errno.
std::string error_text(int error);

}  // namespace receiverd::storage
