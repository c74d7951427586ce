// A live service stored on the disk as far back as there is room. A thread takes the packets of one service from a
// StreamQueue and writes them into a series of files; the oldest are removed as new ones are added.
//
//   tuner thread ──► Intake ──► writer thread ──► FOLDER/1.ts  FOLDER/2.ts  FOLDER/3.ts (grows)
//                    (drops when full)               │
//                                                      └──► a Feed, any number: into a Recording
//
// Every file is a segment that can be played by itself: it starts with PAT and PMT and with a picture at which a
// decoder can start. Without these copies of PAT and PMT (`head`), the segments together contain the packets of the
// service, complete and unchanged. A segment ends at the first such picture after its `target`. After `longest`, and
// where there is no video, it ends at any picture or audio packet. It also ends where the stream breaks off.
//
// Packets that may turn out to start a segment are held in memory: the last picture, as far as received.
//
// With `part`, a ring serves players that do not wait for whole segments. Each PES packet is then in one piece
// (pes_order.h), and segments are divided into parts, each of whole pictures and frames of sound, which are in the file
// as soon as they are complete.
//
// If the disk is full, segments are removed until there is room. Failed writes are retried twice a second; packets that
// do not fit into the queue in the meantime are lost and counted. The ring continues as soon as the disk does.
//
// Threads. Everything except the writer's members may be used from any thread; close() waits. mutex_ is not held while
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
  std::string folder;                                   ///< an existing one, containing no other files named NUMBER.ts
  std::uint64_t size = std::uint64_t{4} << 30;          ///< maximum bytes on the disk
  std::uint64_t minimum_free = std::uint64_t{1} << 30;  ///< bytes kept free on it for others
  std::uint64_t first_sequence = 1;
  std::uint64_t target = std::uint64_t{4} * 90'000;    ///< ticks after which a segment may end
  std::uint64_t longest = std::uint64_t{10} * 90'000;  ///< ticks after which it must end
  std::uint64_t part = 0;  ///< ticks after which a part of a segment ends; 0 = there are no parts
  std::size_t queue_bound = std::size_t{32} << 20;
  /// Buffered packets are written after this time at the latest.
  std::chrono::milliseconds gather_time{500};
  Disk* disk = &Disk::system();
};

struct RingPart {
  std::uint64_t end = 0;    ///< offset in the file of the segment; it begins where the one before ends
  std::uint64_t ticks = 0;  ///< of 90 kHz
};

struct RingSegment {
  std::uint64_t sequence = 0;
  std::uint64_t head = 0;   ///< bytes before the stream's own packets
  std::uint64_t bytes = 0;  ///< in the file, including the head
  std::uint64_t ticks = 0;  ///< of 90 kHz
  /// The time at which its first packet was taken.
  std::chrono::steady_clock::time_point begin{};
  bool discontinuity = false;   ///< it does not continue the previous segment, or has other tables
  bool closed = false;          ///< it does not grow any more
  bool entry = false;           ///< a decoder can start with it, not only with a later picture in it
  std::vector<RingPart> parts;  ///< those complete
};

struct RingStatus {
  std::uint64_t first = 0;  ///< sequence of the oldest segment; that of `growing` if there is no other
  RingSegment growing;      ///< its sequence is the next one if none is growing yet
  std::uint64_t bytes = 0;  ///< on the disk
  std::uint64_t packets = 0;
  std::uint64_t lost = 0;  ///< bytes that the disk did not accept in time
  int error = 0;           ///< errno of the current disk failure; 0 = none
  std::size_t feeds = 0;   ///< number of recordings being fed
  dvb::StreamEnd end = dvb::StreamEnd::none;
};

class Ring : private PictureSink {
 public:
  static constexpr std::chrono::milliseconds kRetry{500};

  /// Starts the thread.
  explicit Ring(RingOptions options);
  ~Ring() override;

  std::shared_ptr<dvb::StreamQueue> open_queue() { return intake_.open_queue(); }
  /// As of Recording.
  std::shared_ptr<dvb::StreamQueue> join_queue() { return intake_.join_queue(); }
  Join::State join_state() const { return intake_.join_state(); }

  RingStatus status() const;
  /// The closed segments from this sequence on.
  std::vector<RingSegment> segments(std::uint64_t from) const;

  /// Feeds the queue of a recording from this segment on, or from the oldest one. Without `follow` the feed goes up to
  /// the present end, after which the stream ends as `stopped`. Otherwise it continues until its reader or the ring
  /// ends.
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
  void order(dvb::Packet packet);
  void take(dvb::Packet packet);
  void take_ordered();
  void divide(std::uint64_t dts);
  void consider();
  bool settle();
  bool begin_segment(const Candidate& at, bool with_tables);
  void end_segment(std::uint64_t ticks);
  bool append(wire::Bytes packets);
  bool write_out();
  bool write_out_all();
  void keep_up();
  void make_room();
  bool drop_oldest();
  void let_cache_go();
  void publish(bool now = false);
  std::string path_of(std::uint64_t sequence) const;

  // For feeds.
  std::uint64_t hold(const Feed& feed, std::uint64_t sequence);
  void release(const Feed& feed);
  std::optional<RingSegment> segment(std::uint64_t sequence) const;
  void wait_for_more(Clock::time_point until);
  /// Nothing more will be written.
  bool over() const { return over_.load(std::memory_order_acquire); }

  const RingOptions options_;
  const std::uint64_t longest_bytes_;  // of a segment
  Intake intake_;

  // Used only by the writer.
  std::optional<RecordedStream> stream_;     // always one
  std::unique_ptr<OutputFile> file_;         // none before the first packet
  RingSegment growing_;                      // bytes: including those not yet written
  std::uint64_t growing_ticks_ = 0;          // at its start
  std::optional<std::uint64_t> part_begin_;  // DTS; none before the first one of a stream
  PesOrder order_;
  std::vector<std::uint8_t> ordered_;  // packets on their way out of it
  std::vector<std::uint8_t> head_pmt_;
  std::vector<std::uint8_t> pending_;  // packets from the candidate on
  std::optional<Candidate> candidate_;
  std::uint64_t position_ = 0;  // bytes taken of all streams
  std::uint8_t pat_counter_ = 0;
  std::uint8_t pmt_counter_ = 0;
  bool broken_ = true;              // another stream starts
  std::uint64_t broken_ticks_ = 0;  // at the end of the previous one
  std::uint64_t lost_before_ = 0;   // in the files before this one
  int error_ = 0;
  Clock::time_point published_at_{};

  mutable std::mutex mutex_;
  std::condition_variable grown_;               // notified when there is more to feed
  std::deque<RingSegment> closed_;              // guarded by mutex_; their sequences follow each other
  std::uint64_t closed_bytes_ = 0;              // guarded by mutex_
  RingStatus status_;                           // guarded by mutex_
  std::map<const Feed*, std::uint64_t> holds_;  // guarded by mutex_: each needs all segments from this one on
  std::vector<std::unique_ptr<Feed>> feeds_;    // guarded by mutex_

  std::atomic<bool> closing_{false};
  std::atomic<bool> over_{false};  // the thread has ended
  std::mutex control_mutex_;       // held by close(), one caller at a time
  std::thread thread_;             // guarded by control_mutex_
};

}  // namespace receiverd::recording
