// A recording from a tuner to the disk: a thread that takes the packets of one service from a StreamQueue and writes
// them, with the files beside them.
//
//   tuner thread ──► StreamQueue ──► writer thread ─┬► RecordedStream   pictures, time, present event
//                    (drops when full)            ├► OutputFile       PATH
//                                                   └► SideFile, twice  PATH.ap, PATH.sc
//
// The tuner never waits for the disk. While the disk accepts nothing, packets wait in the queue; packets that do not
// fit are lost and counted. The recording continues as soon as the disk does. When a stream has ended, another one of
// the same service can follow in the same file.
//
// Threads. Everything except the writer's members may be used from any thread; only stop() waits for the disk. The only
// lock taken under mutex_ is that of the intake, and no lock is held while waiting for the disk.
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

/// When written data has to be on the disk.
enum class SyncPolicy : std::uint8_t {
  never,     ///< whenever the system writes it
  interval,  ///< every few seconds
  always     ///< after each write
};

struct RecordingOptions {
  std::string path;  ///< of a file that exists and is empty
  std::size_t queue_bound = std::size_t{32} << 20;
  SyncPolicy sync = SyncPolicy::interval;
  std::chrono::seconds sync_interval{5};
  Disk* disk = &Disk::system();
};

struct RecordingStatus {
  std::uint64_t bytes = 0;    ///< in the file
  std::uint64_t waiting = 0;  ///< bytes taken from the tuner but not yet in the file
  std::uint64_t ticks = 0;    ///< length in 90 kHz ticks
  std::uint64_t packets = 0;
  std::uint64_t continuity_errors = 0;
  std::uint64_t scrambled = 0;  ///< packets
  std::uint64_t lost = 0;       ///< bytes that the disk did not accept in time, or has lost
  int error = 0;                ///< errno of the current disk failure; 0 = none
  bool deleted = false;         ///< the file has no name any more
  std::optional<PresentEvent> present;
  /// The reason why the last stream has ended; none while one is open or none was opened.
  dvb::StreamEnd end = dvb::StreamEnd::none;
};

class Recording : private PictureSink {
 public:
  /// Packets in the buffer are written after this time at the latest.
  static constexpr std::chrono::milliseconds kGatherTime{500};
  /// Delay between two attempts on a failing disk.
  static constexpr std::chrono::milliseconds kRetry{500};

  /// Starts the thread.
  explicit Recording(RecordingOptions options);
  ~Recording() override;

  /// Returns the queue for another stream of the service; the previous stream ends.
  std::shared_ptr<dvb::StreamQueue> open_queue();
  /// Returns the queue for a stream that continues the present one without a gap, if it can: see join.h. Else the
  /// present one goes on.
  std::shared_ptr<dvb::StreamQueue> join_queue() { return intake_.join_queue(); }
  Join::State join_state() const { return intake_.join_state(); }

  /// Writes everything received until now, as far as the disk accepts it, and ends the thread. Waits for both. If the
  /// stream was still running, its incomplete last picture and audio are removed. If no pictures have arrived for a
  /// while, the last picture is kept.
  void stop();

  /// `waiting` and `lost` are current, even while the disk blocks the writer; the rest is at most a second old.
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

  // Used only by the writer.
  OutputFile file_;
  SideFile access_points_;
  SideFile structure_;
  RecordedStream stream_;
  bool cut_ = false;             // no new packets are taken
  bool given_up_ = false;        // nor written
  std::uint64_t discarded_ = 0;  // bytes, since a disk took nothing at the end
  Clock::time_point synced_at_ = Clock::now();
  Clock::time_point published_at_{};

  Intake intake_;

  mutable std::mutex mutex_;
  RecordingStatus status_;  // guarded by mutex_; without the bytes lost by the queues

  std::atomic<bool> stopping_{false};
  std::mutex control_mutex_;  // held by stop(), one caller at a time
  std::thread thread_;        // guarded by control_mutex_
};

}  // namespace receiverd::recording
