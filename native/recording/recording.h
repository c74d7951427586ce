// A recording on its way from a tuner to the disk: a thread that takes the packets of one service out of a StreamQueue
// and writes them, with what belongs beside them.
//
//   tuner thread ──► StreamQueue ──► writer thread ─┬► RecordedStream   pictures, time, present event
//                    (loses what has no room)       ├► OutputFile       PATH
//                                                   └► SideFile, twice  PATH.ap, PATH.sc
//
// The tuner never waits for the disk: while the disk does not take anything, packets wait in the queue, and what has no
// room there is lost and counted. The recording goes on as soon as the disk does. A stream that has ended can be
// followed by another one, of the same service, in the same file.
//
// Threads. Everything but the writer's own may be called from any thread; only stop() waits for the disk. No other lock
// is taken under mutex_ but that of the intake, and the disk is never waited for while one is held.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "dvb/stream_queue.h"
#include "recording/intake.h"
#include "recording/output_file.h"
#include "recording/recorded_stream.h"
#include "recording/side_file.h"

namespace receiverd::recording {

/// When the disk has to have what was written.
enum class SyncPolicy : std::uint8_t {
  never,     ///< as the system pleases
  interval,  ///< every few seconds
  always     ///< after each piece
};

struct RecordingOptions {
  std::string path;  ///< of a file that is there and empty
  std::size_t queue_bound = std::size_t{32} << 20;
  SyncPolicy sync = SyncPolicy::interval;
  std::chrono::seconds sync_interval{5};
  Disk* disk = &Disk::system();
};

struct RecordingStatus {
  std::uint64_t bytes = 0;    ///< in the file
  std::uint64_t waiting = 0;  ///< bytes taken from the tuner that are not in the file yet
  std::uint64_t ticks = 0;    ///< of 90 kHz that are recorded
  std::uint64_t packets = 0;
  std::uint64_t continuity_errors = 0;
  std::uint64_t scrambled = 0;  ///< packets
  std::uint64_t lost = 0;       ///< bytes that the disk did not take in time, or has lost
  int error = 0;                ///< errno of what fails on the disk now; 0 = nothing
  bool deleted = false;         ///< the file has no name any more
  std::optional<PresentEvent> present;
  /// Why the last stream has ended; none while one is open or none was opened.
  dvb::StreamEnd end = dvb::StreamEnd::none;
};

class Recording : private PictureSink {
 public:
  /// Packets in the buffer are written after this time at the latest.
  static constexpr std::chrono::milliseconds kGatherTime{500};
  /// Between two tries of a disk that fails.
  static constexpr std::chrono::milliseconds kRetry{500};

  /// Starts the thread.
  explicit Recording(RecordingOptions options);
  ~Recording() override;

  /// The queue for another stream of the service; what was open before is over.
  std::shared_ptr<dvb::StreamQueue> open_queue();

  /// Writes what has come until now, as far as the disk takes it, and ends the thread. Waits for both. A stream that
  /// goes on is recorded without the picture and the sound that are there only in part; where no pictures have come for
  /// a while, everything stays that is there.
  void stop();

  /// What waits and is lost is of this moment, also while the disk holds the writer up; the rest at most a second old.
  RecordingStatus status() const;

 private:
  using Clock = std::chrono::steady_clock;

  void access_point(std::uint64_t offset, std::uint64_t pts) override { access_points_.add(offset, pts); }
  void structure(std::uint64_t offset, std::uint64_t data) override { structure_.add(offset, data); }

  void run();
  bool take_chunk();
  void write(wire::Bytes packets);
  bool write_out();
  void keep_up();
  void sync();
  void publish();
  void finish();

  const RecordingOptions options_;

  // The writer's own.
  OutputFile file_;
  SideFile access_points_;
  SideFile structure_;
  RecordedStream stream_;
  bool cut_ = false;       // nothing new is taken any more
  bool given_up_ = false;  // nor written
  Clock::time_point gathered_since_{};
  Clock::time_point synced_at_ = Clock::now();
  Clock::time_point published_at_{};

  Intake intake_;

  mutable std::mutex mutex_;
  RecordingStatus status_;  // guarded by mutex_; without what the queues have lost

  std::atomic<bool> stopping_{false};
  std::mutex control_mutex_;  // held by stop(), one at a time
  std::thread thread_;        // guarded by control_mutex_
};

}  // namespace receiverd::recording
