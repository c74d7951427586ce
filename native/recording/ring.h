// A live service kept on the disk as far back as there is room: a thread takes the packets of one service out of a
// StreamQueue and writes them into a row of files, of which the oldest go as new ones come.
//
//   tuner thread ──► Intake ──► writer thread ──► FOLDER/1.ts  FOLDER/2.ts  FOLDER/3.ts (grows)
//                    (loses what has no room)          │
//                                                      └──► RingFeed, any number: into a Recording
//
// Every file is a segment that can be played by itself: it begins with PAT and PMT and with a picture that a decoder
// can start with. Without these copies of PAT and PMT (`head`) the segments, one after the other, are the packets of
// the service, none missing and none changed. A segment ends at the first such picture after four seconds; after ten,
// and where there is no video, at any picture or sound; and where the stream breaks off.
//
// What waits to be seen as the beginning of a segment stays in memory: the last picture, as far as it has come.
//
// The disk: when it is full, segments go until there is room; what it does not take is tried again twice a second, and
// what has no room in the queue meanwhile is lost and counted. The ring goes on as soon as the disk does.
//
// Threads. Everything but the writer's own may be called from any thread; close() waits. The disk is never waited for
// while mutex_ is held.
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
#include "recording/recorded_stream.h"

namespace receiverd::recording {

struct RingOptions {
  std::string folder;                                   ///< one that is there, with nothing else named NUMBER.ts in it
  std::uint64_t size = std::uint64_t{4} << 30;          ///< bytes on the disk, at the most
  std::uint64_t minimum_free = std::uint64_t{1} << 30;  ///< bytes that others find free on it
  std::uint64_t first_sequence = 1;
  std::size_t queue_bound = std::size_t{32} << 20;
  Disk* disk = &Disk::system();
};

struct RingSegment {
  std::uint64_t sequence = 0;
  std::uint64_t head = 0;   ///< bytes in front of the stream's own packets
  std::uint64_t bytes = 0;  ///< in the file, head and all
  std::uint64_t ticks = 0;  ///< of 90 kHz
  /// When its first packet was taken.
  std::chrono::steady_clock::time_point begin{};
  bool discontinuity = false;  ///< it does not go on where the one before ends, or has other tables
  bool closed = false;         ///< it does not grow any more
};

struct RingStatus {
  std::uint64_t first = 0;  ///< sequence of the oldest segment; that of `growing` when there is no other
  RingSegment growing;      ///< its sequence is the next one where none grows yet
  std::uint64_t bytes = 0;  ///< on the disk
  std::uint64_t packets = 0;
  std::uint64_t lost = 0;  ///< bytes that the disk did not take in time
  int error = 0;           ///< errno of what fails on the disk now; 0 = nothing
  std::size_t feeds = 0;   ///< recordings that are fed
  dvb::StreamEnd end = dvb::StreamEnd::none;
};

class RingFeed;

class Ring : private PictureSink {
 public:
  static constexpr std::chrono::milliseconds kGatherTime{500};
  static constexpr std::chrono::milliseconds kRetry{500};
  /// Ticks after which a segment may end, and has to.
  static constexpr std::uint64_t kTarget = std::uint64_t{4} * 90'000;
  static constexpr std::uint64_t kLongest = std::uint64_t{10} * 90'000;

  /// Starts the thread.
  explicit Ring(RingOptions options);
  ~Ring() override;

  std::shared_ptr<dvb::StreamQueue> open_queue() { return intake_.open_queue(); }

  RingStatus status() const;
  /// The closed segments from this sequence on.
  std::vector<RingSegment> segments(std::uint64_t from) const;

  /// Feeds the queue of a recording from this segment on, or the oldest one: up to what is there now, after which the
  /// stream ends as `stopped`; or, if it is to follow, until its reader or the ring has enough.
  void feed(std::shared_ptr<dvb::StreamQueue> queue, std::uint64_t from, bool follow);

  /// Takes nothing more, ends the thread and the feeds, and removes the files. Waits for all of them.
  void close();

 private:
  friend class RingFeed;
  using Clock = std::chrono::steady_clock;

  /// A packet with which a segment may begin.
  struct Candidate {
    std::uint64_t offset = 0;
    std::uint8_t pat_counter = 0;
    std::uint8_t pmt_counter = 0;
    std::uint64_t ticks = 0;
    Clock::time_point time{};
    bool entry = false;  // a decoder can start with it
  };

  void access_point(std::uint64_t offset, std::uint64_t pts) override;
  void structure(std::uint64_t, std::uint64_t) override {}

  bool closing() const { return closing_.load(std::memory_order_acquire); }
  void run();
  bool take_chunk();
  void take(dvb::Packet packet);
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
  std::uint64_t hold(const RingFeed& feed, std::uint64_t sequence);
  void release(const RingFeed& feed);
  std::optional<RingSegment> segment(std::uint64_t sequence) const;
  void wait_for_more(Clock::time_point until);
  /// Nothing more comes.
  bool over() const { return over_.load(std::memory_order_acquire); }

  const RingOptions options_;
  const std::uint64_t longest_bytes_;  // of a segment
  Intake intake_;

  // The writer's own.
  std::optional<RecordedStream> stream_;  // always one
  std::unique_ptr<OutputFile> file_;      // none before the first packet
  RingSegment growing_;                   // bytes: as taken
  std::uint64_t growing_ticks_ = 0;       // at its beginning
  std::vector<std::uint8_t> head_pmt_;
  std::vector<std::uint8_t> pending_;  // packets from the candidate on
  std::optional<Candidate> candidate_;
  std::uint64_t position_ = 0;  // bytes taken of all streams
  std::uint8_t pat_counter_ = 0;
  std::uint8_t pmt_counter_ = 0;
  bool broken_ = true;              // another stream begins
  std::uint64_t broken_ticks_ = 0;  // at the end of the one before
  std::uint64_t cached_from_ = 0;
  std::uint64_t lost_before_ = 0;  // by the files before this one
  int error_ = 0;
  Clock::time_point gathered_since_{};
  Clock::time_point published_at_{};

  mutable std::mutex mutex_;
  std::condition_variable grown_;                   // told when there is more to feed
  std::deque<RingSegment> closed_;                  // guarded by mutex_; their sequences follow each other
  std::uint64_t closed_bytes_ = 0;                  // guarded by mutex_
  RingStatus status_;                               // guarded by mutex_
  std::map<const RingFeed*, std::uint64_t> holds_;  // guarded by mutex_: from this segment on all are needed
  std::vector<std::unique_ptr<RingFeed>> feeds_;    // guarded by mutex_

  std::atomic<bool> closing_{false};
  std::atomic<bool> over_{false};  // the thread has ended
  std::mutex control_mutex_;       // held by close(), one at a time
  std::thread thread_;             // guarded by control_mutex_
};

}  // namespace receiverd::recording
