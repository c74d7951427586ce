// A tuner: one thread that reads a source and feeds its packets to all consumers.
//
// It runs from start() to stop(), and may be tuned to another transponder meanwhile. Retuning resets everything after
// the source: tables, counters, streams.
//
//   Source ─► PacketReader ─┬► Demux ─► Multiplex (snapshot, clock)        ─► snapshots, events
//                           │        ├► epg::Ingest (the guide)
//                           │        └► tables of the service filters
//                           ├► ServiceFilter, one per service that is read ─► StreamQueue, one per reader
//                           └► PidReaders (unchanged packets)              ─► StreamQueue, one per reader
//
// Threads. start(), stop(), open_stream(), take_events() and the getters may be called from any thread. Source, demux,
// multiplex, filters and readers belong to the tuner thread. Other threads see them only as snapshots, and send
// requests as messages that the tuner thread takes between two batches of packets.
//
// Lock order, outermost first; no other lock is taken under the last two:
//   control_mutex_ start() and stop(), one at a time
//   mutex_         messages, events, snapshots
//   StreamQueue's  its queue
// `notify` and the Ingest are called on the tuner thread without any lock held.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dvb/multiplex/demux.h"
#include "dvb/multiplex/multiplex.h"
#include "dvb/packets/packet_reader.h"
#include "dvb/packets/pid_readers.h"
#include "dvb/packets/stream_queue.h"
#include "dvb/reception.h"
#include "dvb/source.h"

namespace receiverd::epg {
class Ingest;
}

namespace receiverd::dvb {

/// What has happened since the last take_events(). It holds states, not a history, so it never grows.
struct TunerEvents {
  bool readable = false;                    ///< a stream has data for a waiting reader, or has ended
  bool guide = false;                       ///< EIT sections were passed to the guide; set at most once a second
  std::optional<std::uint64_t> generation;  ///< of the newest snapshot
  std::optional<BroadcastTime> time;        ///< the newest TDT or TOT
  bool reception = false;                   ///< the signal was found or lost: see Tuner::reception()
  /// Set when the source has ended: the reason of the failure, or empty if there was none. Not set by stop().
  std::optional<std::string> ended;

  bool any() const { return readable || guide || generation || time || reception || ended; }
};

struct StreamStatistics {
  std::uint16_t service_id = 0;
  StreamQueue::Counters counters;
};

/// Counted since start(); at most kSnapshotInterval old while the tuner runs, final once it has stopped.
struct TunerStatistics {
  std::uint64_t bytes = 0;  ///< read from the source
  PacketReader::Counters packets;
  PidStatistics totals;
  std::vector<PidStatistics> pids;
  std::uint64_t ignored_sections = 0;  ///< by Multiplex
  std::uint64_t bit_rate = 0;          ///< bits per second over the last second
  std::uint64_t overflows = 0;         ///< number of times data was lost because it was not read in time
  NetworkCounters network;
  std::vector<StreamStatistics> streams;
};

class Tuner {
 public:
  /// Creates a source that starts from the beginning; called on the tuner thread, once per start().
  using SourceFactory = std::function<std::unique_ptr<Source>()>;

  struct Options {
    /// For sources faster than real time: pause the source while the queue of a reader is half full. A reader that
    /// takes nothing for `reader_timeout` meanwhile is given up.
    bool wait_for_readers = false;
    std::chrono::milliseconds reader_timeout{5000};
    /// Only the events selected by route_guide() reach the guide: the ids in the stream are not valid DVB triplets.
    bool routes_guide = false;
    /// Streams of a service continue with the only program of the PAT while it lacks the service (service_filter.h).
    bool follows_only_program = false;
    /// The first reader gets what has arrived before it: servers send an access point first, and may take ten seconds
    /// to send the next one. At most kMaxBeginningBytes.
    bool keeps_beginning = false;
  };
  /// Maps the events of one service of the multiplex to a service of the guide.
  struct GuideRoute {
    std::uint16_t service_id = 0;
    DvbTriplet target;
  };

  static constexpr std::chrono::milliseconds kSnapshotInterval{250};
  static constexpr std::size_t kMaxBeginningBytes = std::size_t{4} << 20;

  /// `guide` may be null. `notify` is called when the first event arrives after take_events(); it must not block.
  Tuner(SourceFactory factory, std::shared_ptr<epg::Ingest> guide, std::function<void()> notify, Options options);
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// Starts the thread, or retunes if it runs; retuning ends all streams with StreamEnd::stopped. Counters and tables
  /// are reset, generations continue. Sources that cannot be tuned have no order: if they run, start() has no effect.
  void start(std::optional<TuningOrder> order = std::nullopt);
  /// Ends the thread and all streams with StreamEnd::stopped. Waits for the thread, at most 100 ms if the source
  /// returns from read() in time. Has no effect if the tuner does not run.
  void stop();
  /// False before start(), after stop(), and once the source has ended.
  bool running() const { return running_.load(std::memory_order_acquire); }

  /// Opens a stream of the service, which starts now. If the tuner does not run, the stream has already ended.
  std::shared_ptr<StreamQueue> open_stream(std::uint16_t service_id, std::size_t max_queue_bytes, bool ecm);
  /// Like the overload above, but into the caller's queue. Its `readable` is called on the tuner thread.
  void open_stream(std::uint16_t service_id, bool ecm, std::shared_ptr<StreamQueue> queue);
  /// Passes the packets of these PIDs, and no others, into the caller's queue from now on. Call it again to change the
  /// PIDs. The queue ends when the tuner is retuned or stopped.
  void read_pids(std::shared_ptr<StreamQueue> queue, const PidSet& pids);
  /// Like the overload above, but into a new queue with WhenFull::lose.
  std::shared_ptr<StreamQueue> read_pids(const PidSet& pids, std::size_t max_queue_bytes,
                                         std::chrono::milliseconds gather);

  void route_guide(const GuideRoute& route);

  TunerEvents take_events();
  struct MultiplexState {
    std::uint64_t generation = 0;                       ///< 0 before the first table; continues across restarts
    std::shared_ptr<const MultiplexSnapshot> snapshot;  ///< null if generation is 0
    BroadcastTime time;
  };
  MultiplexState multiplex_state() const;
  struct ReceptionState {
    Reception::State state = Reception::State::tuning;
    std::string reason;  ///< why reception was lost the last time
    /// Time since the state began.
    std::chrono::milliseconds age{0};
  };
  /// Valid while the tuner runs.
  ReceptionState reception() const;
  /// Which parts of the guide have been received since tuning; updated with each `guide` event.
  std::vector<GuideProgress::Stream> guide() const;
  std::shared_ptr<const TunerStatistics> statistics() const;
  SignalQuality signal() const;

 private:
  class Session;
  struct OpenStream {
    std::uint16_t service_id;
    bool ecm;
    std::shared_ptr<StreamQueue> queue;
    std::uint64_t tuning;                // the value of tuning_ it belongs to
    std::unique_ptr<const PidSet> pids;  // instead of a service
  };

  void run();
  Session tuned_session();
  void open(OpenStream stream);
  void notify_readable();
  void post(const std::function<void(TunerEvents&)>& change);
  std::vector<OpenStream> take_opened(std::uint64_t tuning);
  std::optional<GuideRoute> guide_route() const;
  /// Waits for `time` or until the tuner is asked to stop; returns true in the latter case.
  bool wait_to_stop(std::chrono::milliseconds time);

  const SourceFactory factory_;
  const std::shared_ptr<epg::Ingest> guide_;
  const std::function<void()> notify_;
  const Options options_;

  std::mutex control_mutex_;
  std::thread thread_;  // guarded by control_mutex_
  std::atomic<bool> running_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> opened_any_{false};
  std::atomic<bool> retune_{false};

  mutable std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool accepts_streams_ = false;  // guarded by mutex_, like everything below
  std::uint64_t tuning_ = 0;      // increases with every start()
  std::optional<TuningOrder> order_;
  std::vector<OpenStream> opened_;
  std::optional<GuideRoute> guide_route_;
  TunerEvents events_;
  MultiplexState multiplex_state_;
  std::shared_ptr<const TunerStatistics> statistics_;
  SignalQuality signal_;
  std::vector<GuideProgress::Stream> guide_progress_;
  Reception::State reception_state_ = Reception::State::tuning;
  std::string reception_reason_;
  Reception::Time reception_since_;
};

}  // namespace receiverd::dvb
