// A lock file that one process at a time can hold. The holder can leave a short note for processes that find it locked.
//
// The kernel holds the lock (a Linux open file description lock, or flock() where the kernel has none) and releases it
// when the holder ends, even by a crash, so there are no stale locks. The file itself stays: removing it while another
// process opens it would let two processes hold two locks of the same name. Locks on network file systems are as
// reliable as those systems. npm's proper-lockfile creates a folder instead, which remains after kill -9 until it
// expires.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace receiverd::storage {

class FileLock {
 public:
  enum class State {
    held,    ///< now held by the caller
    busy,    ///< held by someone else
    failed,  ///< the file cannot be opened or locked: `why`
  };
  struct Result;

  /// Takes the lock on `path` without waiting, creating the file if needed. A second attempt in the same process is
  /// also refused.
  static Result take(const std::string& path);

  /// Whether `path` is locked, and the holder's note. Never takes the lock itself, so it cannot make a starting process
  /// fail. A missing file is not locked. The note may be empty; it has at most kMaxNoteBytes.
  struct Holder {
    bool held = false;
    std::string note;
  };
  static Holder holder(const std::string& path);

  static constexpr std::size_t kMaxNoteBytes = 4096;

  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  /// Clears the note and releases the lock.
  ~FileLock();

  /// Replaces the note. False if it cannot be written (disk full); the lock is still held.
  bool write_note(std::string_view note) const;

 private:
  explicit FileLock(int file) : file_(file) {}

  int file_;
};

struct FileLock::Result {
  State state = State::failed;
  std::unique_ptr<FileLock> lock;  ///< when held
  std::string why;                 ///< when failed
};

}  // namespace receiverd::storage
