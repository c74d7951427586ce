// A recording: a thread takes the packets of one service from a StreamQueue and writes them to a file, with its side
// files.
//
//   tuner thread ──► StreamQueue ──► writer thread ─┬► RecordedStream   pictures, time, present event
//                    (drops when full)            ├► OutputFile       PATH
//                                                   └► SideFile, twice  PATH.ap, PATH.sc
//
// The tuner never waits for the disk. While the disk is stalled, packets wait in the queue; packets that do not fit are
// lost and counted. The recording continues as soon as the disk does. When a stream has ended, another stream of the
// same service can follow in the same file.
//
// Threads. Public functions may be called from any thread; only stop() waits for the disk. Lock order: mutex_, then the
// locks of the intake. No lock is held while waiting for the disk.
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

#include "dvb/packets/stream_queue.h"
#include "recording/intake.h"
#include "recording/output_file.h"
#include "recording/recorded_stream.h"
#include "recording/side_file.h"

namespace receiverd::recording {

/// When written data is synced to the disk.
enum class SyncPolicy : std::uint8_t {
  never,     ///< never: the system decides when to write it
  interval,  ///< every RecordingOptions::sync_interval
  always     ///< after each write
};

struct RecordingOptions {
  std::string path;  ///< an existing, empty file
  std::size_t max_queue_bytes = std::size_t{32} << 20;
  SyncPolicy sync = SyncPolicy::interval;
  std::chrono::seconds sync_interval{5};
  Disk* disk = &Disk::system();
};

struct RecordingStatus {
  std::uint64_t bytes = 0;    ///< in the file
  std::uint64_t waiting = 0;  ///< bytes received but not yet in the file
  std::uint64_t ticks = 0;    ///< length in 90 kHz ticks
  std::uint64_t packets = 0;
  std::uint64_t continuity_errors = 0;
  std::uint64_t scrambled = 0;  ///< packets
  std::uint64_t lost = 0;       ///< bytes that the disk did not accept in time, or has lost
  int error = 0;                ///< errno of the current disk failure; 0: none
  bool deleted = false;         ///< the file was deleted while it is open
  std::optional<PresentEvent> present;
  /// The reason why the last stream has ended; none while one is open or none was opened.
  dvb::StreamEnd end = dvb::StreamEnd::none;
};

class Recording : private PictureSink {
 public:
  /// Packets in the buffer are written after this time at the latest.
  static constexpr std::chrono::milliseconds kGatherTime{500};
  /// Delay between two attempts on a failing disk.
  static constexpr std::chrono::milliseconds kRetryInterval{500};

  /// Starts the thread.
  explicit Recording(RecordingOptions options);
  ~Recording() override;

  /// Returns the queue for another stream of the service, which follows the current one. The current stream ends.
  std::shared_ptr<dvb::StreamQueue> open_queue();
  /// Returns the queue for a stream that continues the current one without a gap, if possible: see join.h. If not, the
  /// current stream continues.
  std::shared_ptr<dvb::StreamQueue> join_queue() { return intake_.join_queue(); }
  Join::State join_state() const { return intake_.join_state(); }

  /// Writes everything received until now, as far as the disk accepts it, and ends the thread. Waits for both. If the
  /// stream is still open, its incomplete last picture and audio are removed; if no pictures have arrived for a while,
  /// the last one counts as complete.
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
  void do_due_work();
  void sync();
  void publish();
  void finish();

  const RecordingOptions options_;

  // Used only by the writer.
  OutputFile file_;
  SideFile access_points_;
  SideFile structure_;
  RecordedStream stream_;
  bool input_closed_ = false;    // no new packets are received
  bool given_up_ = false;        // stopped while the disk failed: no more packets are written
  std::uint64_t discarded_ = 0;  // bytes that could not be written before the end
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
