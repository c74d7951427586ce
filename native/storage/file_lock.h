// A lock file that one program at a time holds, with a short note for others who find it held.
//
// The kernel holds the lock (a Linux open file description lock, or flock() where the kernel has none) and releases it
// when the holder ends, for whatever reason: a lock is never left over. The file stays. Removing it while someone else
// opens it would let two programs hold two locks of the same name. Locks on network file systems are as reliable as
// those systems. npm's proper-lockfile makes a folder instead, which stays after kill -9 until its time is over.
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
  struct Taken;

  /// Takes the lock on `path` without waiting, creating the file if needed. A second attempt in the same process is
  /// also refused.
  static Taken take(const std::string& path);

  /// Whether `path` is locked, and the holder's note. Never takes the lock, so that looking does not disturb a starting
  /// process. A missing file is not held. The note may be empty; it has at most kLongestNote bytes.
  struct Holder {
    bool held = false;
    std::string note;
  };
  static Holder holder(const std::string& path);

  static constexpr std::size_t kLongestNote = 4096;

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

struct FileLock::Taken {
  State state = State::failed;
  std::unique_ptr<FileLock> lock;  ///< when held
  std::string why;                 ///< when failed
};

}  // namespace receiverd::storage
