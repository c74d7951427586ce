#include "storage/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

namespace receiverd::storage {
namespace {

constexpr std::size_t kWriteBufferBytes = 256 << 10;

/// False on an error, or with errno 0 if there are fewer bytes.
bool read_all(int file, std::uint64_t offset, std::span<std::uint8_t> into) {
  while (!into.empty()) {
    const ssize_t count = ::pread(file, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = 0;
    if (count <= 0) return false;
    offset += static_cast<std::uint64_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

/// errno of the failure; 0 if everything was written.
int write_all(int file, std::uint64_t offset, wire::Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return EIO;
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

}  // namespace

FileSource::FileSource(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (file_ < 0 || ::fstat(file_, &status) != 0) {
    error_ = errno;
  } else if (!S_ISREG(status.st_mode)) {  // a pipe would never end
    error_ = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  } else {
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
}

FileSource::~FileSource() {
  if (file_ >= 0) ::close(file_);
}

bool FileSource::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  return error_ == 0 && read_all(file_, offset, into);
}

wire::Bytes SequentialReader::take(std::size_t length) {
  if (!ok_ || length > kBufferBytes || length > left()) {
    ok_ = false;
    return {};
  }
  if (buffer_.size() - used_ < length) {
    const std::size_t kept = buffer_.size() - used_;
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(used_), buffer_.end(), buffer_.begin());
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kBufferBytes, left()));
    buffer_.resize(size);
    used_ = 0;
    if (!source_.read(position_ + kept, std::span(buffer_).subspan(kept))) {
      ok_ = false;
      return {};
    }
  }
  const wire::Bytes taken(buffer_.data() + used_, length);
  used_ += length;
  position_ += length;
  return taken;
}

BufferedFile::BufferedFile(int file) : file_(file) {
  if (file_ < 0) error_ = errno;
  buffer_.reserve(kWriteBufferBytes);
}

BufferedFile::~BufferedFile() {
  if (file_ >= 0) ::close(file_);
}

void BufferedFile::write(wire::Bytes bytes) {
  if (buffer_.size() + bytes.size() > kWriteBufferBytes) flush();
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void BufferedFile::patch(std::uint64_t position, wire::Bytes bytes) {
  if (position < flushed_) flush();  // it may straddle the file and the buffer
  if (position >= flushed_) {
    std::copy(bytes.begin(), bytes.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(position - flushed_));
  } else if (error_ == 0) {
    error_ = write_all(file_, position, bytes);
  }
}

void BufferedFile::flush() {
  if (error_ == 0) error_ = write_all(file_, flushed_, buffer_);
  flushed_ += buffer_.size();
  buffer_.clear();
}

TemporaryFile create_temporary(const std::string& beside, unsigned mode) {
  TemporaryFile made;
  std::array<unsigned char, 8> random{};
  if (::getentropy(random.data(), random.size()) != 0) return made;
  static constexpr std::string_view kDigits = "0123456789abcdef";
  made.path = folder_of(beside) + "/.";
  for (const unsigned char byte : random) (made.path += kDigits[byte >> 4]) += kDigits[byte & 15];
  made.path += ".writing";
  made.file = ::open(made.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  return made;
}

ReplacingFile::ReplacingFile(const std::string& path, TemporaryFile temporary)
    : BufferedFile(temporary.file), path_(path), temporary_(std::move(temporary.path)) {}

ReplacingFile::~ReplacingFile() {
  if (file_ >= 0) ::unlink(temporary_.c_str());
}

void ReplacingFile::sync() {
  flush();
  if (error_ == 0 && ::fsync(file_) != 0) error_ = errno;
}

bool ReplacingFile::commit() {
  sync();
  if (error_ != 0) return false;
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    error_ = errno;
    ::unlink(temporary_.c_str());
    return false;
  }
  // Some file systems cannot sync a folder; the file itself is already on the disk.
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return true;
}

SpillFile::SpillFile(const TemporaryFile& temporary) : BufferedFile(temporary.file) {
  if (file_ >= 0) ::unlink(temporary.path.c_str());
}

bool SpillFile::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  return error_ == 0 && read_all(file_, offset, into);
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace receiverd::storage
