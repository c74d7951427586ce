// A file that one program at a time holds, with a short note in it for those who find it held.
//
// The kernel keeps the lock (an open file description lock of Linux, flock() where the kernel has none) and lets go of
// it when the holder ends, however that happens: a lock is never left over. The file stays, because to remove it while
// somebody else opens it would give two programs two locks of one name. Locks on network file systems are as good as
// those are.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace receiverd::storage {

class FileLock {
 public:
  enum class State {
    held,    ///< by the caller now
    busy,    ///< somebody else holds it
    failed,  ///< the file cannot be opened or locked: `why`
  };
  struct Taken;

  /// Takes the lock on `path`, which is made if needed, without waiting. Also refused to a second taker in one process.
  static Taken take(const std::string& path);

  /// The note of the one who holds `path`: `held` while the lock is held. Never takes the lock, so that a look does not
  /// get in the way of somebody who starts. A missing file is not held. The note may be empty, at most kLongestNote.
  struct Holder {
    bool held = false;
    std::string note;
  };
  static Holder holder(const std::string& path);

  static constexpr std::size_t kLongestNote = 4096;

  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  /// Empties the note and lets go.
  ~FileLock();

  /// Replaces the note. False when it cannot be written (disk full): the lock is held all the same.
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
