// Stores a live service on the disk, as far back as there is room. A thread takes the packets of one service from a
// StreamQueue and writes them to a series of files; the oldest files are removed as new ones are added.
//
//   tuner thread ──► Intake ──► writer thread ──► FOLDER/1.ts  FOLDER/2.ts  FOLDER/3.ts (grows)
//                    (drops when full)               │
//                                                      └──► any number of Feeds, each into a Recording
//
// Every file is a segment that can be played by itself: it starts with PAT and PMT and with a picture at which a
// decoder can start. Without these copies of PAT and PMT (`head`), the segments together contain the packets of the
// service, complete and unchanged. A segment ends at the first such picture after `min_segment_ticks`; if there
// is none within `max_segment_ticks`, at the next picture or audio PES packet. Without video, each of the latter counts
// as one. It also ends where the stream is interrupted.
//
// Packets that may start a segment are held in memory: the last picture, as far as received.
//
// `part_ticks` is for players that do not wait for whole segments. The packets of each PES packet are then contiguous
// (pes_order.h), and segments are divided into parts of whole pictures and audio frames. A part is written as soon as
// it is complete.
//
// If the disk is full, segments are removed until there is room. Failed writes are retried twice a second; packets that
// do not fit into the queue in the meantime are lost and counted. The ring continues as soon as the disk does.
//
// Threads. Public functions may be called from any thread; only close() waits for the disk. mutex_ is not held while
// waiting for the disk.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "recording/intake.h"
#include "recording/output_file.h"
#include "recording/pes_order.h"
#include "recording/recorded_stream.h"

namespace receiverd::recording {

struct RingOptions {
  std::string folder;                                     ///< exists, and has no other files named NUMBER.ts
  std::uint64_t max_bytes = std::uint64_t{4} << 30;       ///< of all segments
  std::uint64_t min_free_bytes = std::uint64_t{1} << 30;  ///< to leave free on the disk
  std::uint64_t first_sequence = 1;
  std::uint64_t min_segment_ticks = std::uint64_t{4} * 90'000;   ///< 90 kHz ticks after which a segment may end
  std::uint64_t max_segment_ticks = std::uint64_t{10} * 90'000;  ///< 90 kHz ticks after which it must end
  std::uint64_t part_ticks = 0;  ///< 90 kHz ticks after which a part of a segment ends; 0: no parts
  std::size_t max_queue_bytes = std::size_t{32} << 20;
  /// Longest time that packets stay in the buffer.
  std::chrono::milliseconds gather_time{500};
  Disk* disk = &Disk::system();
};

struct RingPart {
  std::uint64_t end = 0;    ///< offset in the segment's file; the part starts at the end of the previous part
  std::uint64_t ticks = 0;  ///< duration in 90 kHz ticks
};

struct RingSegment {
  std::uint64_t sequence = 0;
  std::uint64_t head = 0;   ///< bytes of the copied PAT and PMT at the start
  std::uint64_t bytes = 0;  ///< in the file, including the head
  std::uint64_t ticks = 0;  ///< duration in 90 kHz ticks
  /// The time at which its first packet was received.
  std::chrono::steady_clock::time_point begin{};
  bool discontinuity = false;   ///< it does not continue the previous segment, or has other tables
  bool closed = false;          ///< it is complete
  bool entry = false;           ///< a decoder can start with its first picture
  std::vector<RingPart> parts;  ///< the complete parts
};

struct RingStatus {
  std::uint64_t first = 0;  ///< sequence of the oldest segment, which may be `growing`
  RingSegment growing;      ///< the segment being written; empty, with the next sequence, if it has not started
  std::uint64_t bytes = 0;  ///< on the disk
  std::uint64_t packets = 0;
  std::uint64_t lost = 0;  ///< bytes that the disk did not accept in time
  int error = 0;           ///< errno of the current disk failure; 0: none
  std::size_t feeds = 0;   ///< number of recordings being fed
  dvb::StreamEnd end = dvb::StreamEnd::none;
};

class Ring : private PictureSink {
 public:
  static constexpr std::chrono::milliseconds kRetryInterval{500};

  /// Starts the thread.
  explicit Ring(RingOptions options);
  ~Ring() override;

  std::shared_ptr<dvb::StreamQueue> open_queue() { return intake_.open_queue(); }
  /// See Recording::join_queue() and join_state().
  std::shared_ptr<dvb::StreamQueue> join_queue() { return intake_.join_queue(); }
  Join::State join_state() const { return intake_.join_state(); }

  RingStatus status() const;
  /// The complete segments from sequence `from` on.
  std::vector<RingSegment> segments(std::uint64_t from) const;

  /// Feeds the queue of a recording with the segments from sequence `from` on, or from the oldest one if that is newer.
  /// Without `follow`, the feed ends at the current end of the ring, with StreamEnd::stopped. Otherwise it continues
  /// until its reader or the ring ends.
  void feed(std::shared_ptr<dvb::StreamQueue> queue, std::uint64_t from, bool follow);

  /// Stops taking packets, ends the thread and the feeds, and removes the files. Waits for all of them.
  void close();

 private:
  class Feed;
  using Clock = std::chrono::steady_clock;

  /// A packet at which a segment may start.
  struct Candidate {
    std::uint64_t offset = 0;
    std::uint8_t pat_counter = 0;
    std::uint8_t pmt_counter = 0;
    std::uint64_t ticks = 0;
    Clock::time_point time{};
    bool entry = false;  // a decoder can start with it
    std::optional<std::uint64_t> dts{};
  };

  void access_point(std::uint64_t offset, std::uint64_t pts) override;
  void structure(std::uint64_t, std::uint64_t) override {}

  bool closing() const { return closing_.load(std::memory_order_acquire); }
  void run();
  bool take_chunk();
  void reorder(dvb::Packet packet);
  void take(dvb::Packet packet);
  void take_ordered();
  void end_part_if_due(std::uint64_t dts);
  void end_segment_if_due();
  bool append_pending();
  bool begin_segment(const Candidate& at, bool with_tables);
  void end_segment(std::uint64_t ticks);
  bool append(wire::Bytes packets);
  bool write_out();
  bool write_out_all();
  void do_due_work();
  void make_room();
  bool drop_oldest();
  void drop_from_page_cache();
  void publish(bool now = false);
  std::string path_of(std::uint64_t sequence) const;

  // Called by feeds.
  std::uint64_t hold_segments(const Feed& feed, std::uint64_t sequence);
  void release_segments(const Feed& feed);
  std::optional<RingSegment> segment(std::uint64_t sequence) const;
  void wait_for_more(Clock::time_point until);
  /// Whether nothing more will be written.
  bool has_ended() const { return thread_ended_.load(std::memory_order_acquire); }

  const RingOptions options_;
  const std::uint64_t max_segment_bytes_;
  Intake intake_;

  // Used only by the writer.
  std::optional<RecordedStream> stream_;     // never empty; replaced for each stream
  std::unique_ptr<OutputFile> file_;         // null before the first packet
  RingSegment growing_;                      // its `bytes` include those not yet written
  std::uint64_t growing_ticks_ = 0;          // stream_->ticks() at its start
  std::optional<std::uint64_t> part_begin_;  // DTS; empty before the first DTS of a stream
  PesOrder order_;
  std::vector<std::uint8_t> ordered_;  // packets that order_ has released
  std::vector<std::uint8_t> head_pmt_;
  std::vector<std::uint8_t> pending_;  // packets from candidate_ on
  std::optional<Candidate> candidate_;
  std::uint64_t position_ = 0;  // bytes received of all streams
  std::uint8_t pat_counter_ = 0;
  std::uint8_t pmt_counter_ = 0;
  bool stream_starts_ = true;                // the next packet starts a new stream
  std::uint64_t previous_stream_ticks_ = 0;  // stream_->ticks() at the end of the previous stream
  std::uint64_t lost_before_ = 0;            // bytes lost in earlier files
  int error_ = 0;
  Clock::time_point published_at_{};

  mutable std::mutex mutex_;
  std::condition_variable grown_;               // notified when there is more data for feeds
  std::deque<RingSegment> closed_;              // guarded by mutex_; sequences are consecutive
  std::uint64_t closed_bytes_ = 0;              // guarded by mutex_
  RingStatus status_;                           // guarded by mutex_
  std::map<const Feed*, std::uint64_t> holds_;  // guarded by mutex_; first sequence that each feed needs
  std::vector<std::unique_ptr<Feed>> feeds_;    // guarded by mutex_

  std::atomic<bool> closing_{false};
  std::atomic<bool> thread_ended_{false};  // the thread has ended
  std::mutex control_mutex_;               // held by close(), one caller at a time
  std::thread thread_;                     // guarded by control_mutex_
};

}  // namespace receiverd::recording
