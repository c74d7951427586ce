#include "dvb/tuner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <span>
#include <utility>

#include "dvb/multiplex/service_filter.h"
#include "epg/ingest/ingest.h"

namespace receiverd::dvb {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadSize = 256 * kPacketSize;
constexpr std::chrono::milliseconds kPublishInterval{50};
constexpr std::chrono::seconds kGuideInterval{1};
constexpr std::chrono::milliseconds kReaderPoll{2};
/// EN 300 468 §5.1.3, table 1.
constexpr std::uint16_t kLastTablePid = 0x1f;
/// Time until a source that cannot be tuned must deliver data: files may be on slow disks.
constexpr std::chrono::seconds kUntunableSourceTimeout{10};
/// Time for a front end to wake up and load its firmware.
constexpr std::chrono::seconds kDriverTimeout{20};

}  // namespace

// The state of the tuner thread from one start() to the next, or to its end.
class Tuner::Session : private MultiplexObserver {
 public:
  Session(Tuner& tuner, std::uint64_t tuning, std::uint64_t generation_base, std::optional<TuningOrder> order)
      : tuner_(tuner),
        tuning_(tuning),
        generation_base_(generation_base),
        order_(std::move(order)),
        multiplex_(demux_, *this),
        keeps_beginning_(tuner.options_.keeps_beginning) {}

  ~Session() override { finish(StreamEnd::failed); }

  /// Runs until the source ends or the tuner is stopped or retuned.
  StreamEnd run(Source& source);
  /// Ends all streams; the first reason is kept.
  void finish(StreamEnd reason);

 private:
  void multiplex_changed(const std::shared_ptr<const MultiplexSnapshot>& snapshot) override;
  void broadcast_time(const BroadcastTime& time) override;
  void eit_section(wire::Bytes section, const epg::SiRules& rules) override;
  void psip_section(wire::Bytes section, const epg::PsipOrigin& origin) override;

  void feed(wire::Bytes bytes);
  void keep_beginning(wire::Bytes packets);
  void tick(Source& source);
  void update_reception(Source& source, bool data);
  std::chrono::milliseconds lock_timeout() const;
  std::chrono::milliseconds step_time() const;
  void update_wanted_pids(Source& source);
  void open_streams();
  void wait_for_readers();
  void publish_guide();
  void publish_statistics(const Source& source);

  Tuner& tuner_;
  const std::uint64_t tuning_;
  const std::uint64_t generation_base_;
  const std::optional<TuningOrder> order_;
  SteadyTime now_ = Clock::now();
  Reception reception_{now_};
  PacketReader reader_;
  Demux demux_;
  Multiplex multiplex_;
  std::vector<std::unique_ptr<ServiceFilter>> filters_;
  PidReaders pid_readers_;
  bool keeps_beginning_ = false;
  std::vector<std::uint8_t> beginning_;  // packets before the first reader

  std::uint64_t bytes_ = 0;
  std::uint64_t bit_rate_ = 0;
  SteadyTime rate_since_ = now_;
  std::uint64_t rate_bytes_ = 0;
  SteadyTime published_at_ = now_;
  SteadyTime statistics_at_ = now_ - kSnapshotInterval;
  SteadyTime guide_notified_ = now_ - kGuideInterval;
  bool guide_fed_ = false;
  std::pair<std::uint64_t, std::uint64_t> wanted_revision_{};
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(kReadSize);
};

StreamEnd Tuner::Session::run(Source& source) {
  StreamEnd end = StreamEnd::none;
  update_wanted_pids(source);
  if (order_) source.tune(*order_, {});
  while (end == StreamEnd::none) {
    const ReadResult result = source.read(buffer_);
    now_ = Clock::now();
    if (tuner_.opened_any_.load(std::memory_order_acquire)) open_streams();
    if (result.state == ReadResult::State::data) feed({buffer_.data(), std::min(result.size, buffer_.size())});
    if (result.state == ReadResult::State::ended) end = StreamEnd::ended;
    if (result.state == ReadResult::State::failed) end = StreamEnd::failed;
    update_reception(source, result.state == ReadResult::State::data);
    tick(source);
    if (tuner_.options_.wait_for_readers) wait_for_readers();
    if (tuner_.stopping_.load(std::memory_order_acquire) || tuner_.retune_.load(std::memory_order_acquire)) {
      end = StreamEnd::stopped;
    }
  }
  multiplex_.publish();
  publish_statistics(source);
  return end;
}

void Tuner::Session::feed(wire::Bytes bytes) {
  bytes_ += bytes.size();
  reader_.feed(bytes);
  for (wire::Bytes packets; !(packets = reader_.next()).empty();) {
    if (!pid_readers_.empty()) pid_readers_.feed(packets, now_);
    if (filters_.empty()) {
      demux_.feed(packets);
      if (keeps_beginning_) keep_beginning(packets);
      continue;
    }
    // One packet at a time, so that tables take effect at their place among the packets.
    for (; packets.size() >= kPacketSize; packets = packets.subspan(kPacketSize)) {
      demux_.feed(packets.first(kPacketSize));
      for (const auto& filter : filters_) filter->packet(Packet(packets.data()));
    }
  }
}

/// Keeps packets for the first reader. If there are too many, nothing is kept: it then begins at the next access point.
void Tuner::Session::keep_beginning(wire::Bytes packets) {
  beginning_.insert(beginning_.end(), packets.begin(), packets.end());
  if (beginning_.size() <= kMaxBeginningBytes) return;
  keeps_beginning_ = false;
  beginning_ = {};
}

/// Tracks the signal: retunes the source when it is lost, and posts an event when the state changes.
void Tuner::Session::update_reception(Source& source, bool data) {
  const Reception::State before = reception_.state();
  const bool tuned = source.tuned();
  const auto attempt = reception_.step(now_, {.tuned = tuned,
                                              .locked = source.signal().locked,
                                              .data = data,
                                              .error = source.tuning_error(),
                                              .variants = source.variants(),
                                              .timeout = tuned ? lock_timeout() : kDriverTimeout + step_time()});
  if (attempt && order_) source.tune(*order_, *attempt);
  if (reception_.state() == before) return;
  {
    const std::lock_guard lock(tuner_.mutex_);
    if (tuner_.tuning_ != tuning_) return;
    tuner_.reception_state_ = reception_.state();
    tuner_.reception_reason_ = reception_.reason();
    tuner_.reception_since_ = reception_.since();
  }
  tuner_.post([](TunerEvents& events) { events.reception = true; });
}

std::chrono::milliseconds Tuner::Session::lock_timeout() const {
  return order_ ? order_->lock_timeout : kUntunableSourceTimeout;
}

std::chrono::milliseconds Tuner::Session::step_time() const {
  std::chrono::milliseconds sum{0};
  if (!order_) return sum;
  for (const SatelliteStep& step : order_->all_steps) {
    if (const auto* wait = std::get_if<Wait>(&step)) sum += wait->time;
  }
  return sum;
}

/// Tells the source which PIDs are needed, if they have changed.
void Tuner::Session::update_wanted_pids(Source& source) {
  std::pair<std::uint64_t, std::uint64_t> revision = {demux_.wanted_revision(), pid_readers_.revision()};
  for (const auto& filter : filters_) revision.second += filter->routes_revision();
  if (revision == wanted_revision_) return;
  wanted_revision_ = revision;
  std::vector<std::uint16_t> pids;
  PidSet known;
  const auto add = [&](std::span<const std::uint16_t> more) {
    for (const std::uint16_t pid : more) {
      if (!known[pid]) pids.push_back(pid);
      known.set(pid);
    }
  };
  std::vector<std::uint16_t> tables = demux_.wanted_pids();
  std::ranges::sort(tables);
  add({tables.begin(), std::ranges::upper_bound(tables, kLastTablePid)});
  for (const auto& filter : filters_) add(filter->pids());
  if (!pid_readers_.empty()) {
    const PidSet read = pid_readers_.pids();
    for (std::size_t pid = 0; pid < read.size(); ++pid) {
      const auto one = static_cast<std::uint16_t>(pid);
      if (read[pid]) add({&one, 1});
    }
  }
  add(tables);
  source.set_wanted_pids(pids);
}

void Tuner::Session::tick(Source& source) {
  update_wanted_pids(source);
  for (const std::uint16_t pid : source.take_resumed_pids()) demux_.restart(pid);
  pid_readers_.tick(now_);
  for (const auto& filter : filters_) filter->tick(now_);
  std::erase_if(filters_, [](const auto& filter) { return !filter->has_readers(); });
  if (source.has_repeated()) multiplex_.mark_exhausted();
  if (now_ - published_at_ >= kPublishInterval) {
    published_at_ = now_;
    multiplex_.publish();
  }
  if (guide_fed_ && now_ - guide_notified_ >= kGuideInterval) {
    guide_fed_ = false;
    guide_notified_ = now_;
    publish_guide();
    tuner_.post([](TunerEvents& events) { events.guide = true; });
  }
  if (now_ - rate_since_ >= std::chrono::seconds(1)) {
    const double seconds = std::chrono::duration<double>(now_ - rate_since_).count();
    bit_rate_ = static_cast<std::uint64_t>(static_cast<double>(bytes_ - rate_bytes_) * 8 / seconds);
    rate_since_ = now_;
    rate_bytes_ = bytes_;
  }
  if (now_ - statistics_at_ >= kSnapshotInterval) publish_statistics(source);
}

void Tuner::Session::open_streams() {
  for (OpenStream& opened : tuner_.take_opened(tuning_)) {
    if (opened.pids) {
      pid_readers_.set(std::move(opened.queue), *opened.pids);
      continue;
    }
    auto filter = std::ranges::find_if(
        filters_, [&](const auto& one) { return one->service_id() == opened.service_id && one->ecm() == opened.ecm; });
    if (filter == filters_.end()) {
      filters_.push_back(
          std::make_unique<ServiceFilter>(demux_, opened.service_id, opened.ecm, tuner_.options_.follows_only_program));
      filter = filters_.end() - 1;
      multiplex_.visit_psi(opened.service_id,
                           [&](wire::Bytes section, std::uint16_t pid) { (*filter)->prime(section, pid); });
    }
    (*filter)->add_reader(std::move(opened.queue), now_);
    keeps_beginning_ = false;
    for (std::size_t at = 0; at < beginning_.size(); at += kPacketSize) (*filter)->packet(Packet(&beginning_[at]));
    beginning_ = {};
  }
}

/// Waits while a reader's queue is half full. Gives up on readers that take nothing for `Options::reader_timeout`.
void Tuner::Session::wait_for_readers() {
  const auto waiting_for = [&] {
    return pid_readers_.reader_half_full() ||
           std::ranges::any_of(filters_, [](const auto& filter) { return filter->reader_half_full(); });
  };
  const auto delivered = [&] {
    std::uint64_t sum = pid_readers_.delivered();
    for (const auto& filter : filters_) {
      for (const auto& counters : filter->counters()) sum += counters.delivered;
    }
    return sum;
  };
  if (!waiting_for()) return;
  std::uint64_t last = delivered();
  SteadyTime last_at = Clock::now();
  while (waiting_for()) {
    if (tuner_.wait_to_stop(kReaderPoll)) return;
    now_ = Clock::now();
    pid_readers_.tick(now_);
    for (const auto& filter : filters_) filter->tick(now_);
    if (const std::uint64_t now_delivered = delivered(); now_delivered != last) {
      last = now_delivered;
      last_at = now_;
    } else if (now_ - last_at >= tuner_.options_.reader_timeout) {
      pid_readers_.drop_half_full_readers();
      for (const auto& filter : filters_) filter->drop_half_full_readers();
      return;
    }
  }
}

void Tuner::Session::publish_guide() {
  auto progress = multiplex_.guide().streams();
  const std::lock_guard lock(tuner_.mutex_);
  if (tuner_.tuning_ == tuning_) tuner_.guide_progress_ = std::move(progress);
}

void Tuner::Session::publish_statistics(const Source& source) {
  statistics_at_ = now_;
  auto statistics = std::make_shared<TunerStatistics>();
  statistics->bytes = bytes_;
  statistics->packets = reader_.counters();
  statistics->totals = demux_.totals();
  statistics->pids = demux_.statistics();
  statistics->ignored_sections = multiplex_.ignored();
  statistics->bit_rate = bit_rate_;
  statistics->overflows = source.overflows();
  statistics->network = source.network();
  for (const auto& filter : filters_) {
    for (const auto& counters : filter->counters()) statistics->streams.push_back({filter->service_id(), counters});
  }
  const SignalQuality signal = source.signal();
  const std::lock_guard lock(tuner_.mutex_);
  if (tuner_.tuning_ != tuning_) return;
  tuner_.statistics_ = std::move(statistics);
  tuner_.signal_ = signal;
}

void Tuner::Session::finish(StreamEnd reason) {
  pid_readers_.finish(reason);
  for (const auto& filter : filters_) filter->finish(reason);
  filters_.clear();
}

void Tuner::Session::multiplex_changed(const std::shared_ptr<const MultiplexSnapshot>& snapshot) {
  const std::uint64_t generation = generation_base_ + snapshot->generation;
  {
    const std::lock_guard lock(tuner_.mutex_);
    if (tuner_.tuning_ != tuning_) return;
    tuner_.multiplex_state_.generation = generation;
    tuner_.multiplex_state_.snapshot = snapshot;
  }
  tuner_.post([&](TunerEvents& events) { events.generation = generation; });
}

void Tuner::Session::broadcast_time(const BroadcastTime& time) {
  {
    const std::lock_guard lock(tuner_.mutex_);
    if (tuner_.tuning_ != tuning_) return;
    tuner_.multiplex_state_.time = time;
  }
  tuner_.post([&](TunerEvents& events) { events.time = time; });
}

void Tuner::Session::eit_section(wire::Bytes section, const epg::SiRules& rules) {
  if (tuner_.guide_ == nullptr) return;
  if (!tuner_.options_.routes_guide) {
    guide_fed_ = true;
    tuner_.guide_->eit_section(section, rules);
    return;
  }
  const auto header = read_eit_section_header(section);
  const auto route = tuner_.guide_route();
  if (!header || !header->is_actual() || !route || header->service_id() != route->service_id) return;
  guide_fed_ = true;
  tuner_.guide_->eit_section(with_triplet(section, route->target), rules);
}

void Tuner::Session::psip_section(wire::Bytes section, const epg::PsipOrigin& origin) {
  if (tuner_.guide_ == nullptr) return;
  epg::PsipOrigin routed = origin;
  if (tuner_.options_.routes_guide) {
    const auto route = tuner_.guide_route();
    if (!route || !origin.actual || origin.service.service_id != route->service_id) return;
    routed.service = route->target;
  }
  guide_fed_ = true;
  tuner_.guide_->psip_section(section, routed);
}

Tuner::Tuner(SourceFactory factory, std::shared_ptr<epg::Ingest> guide, std::function<void()> notify, Options options)
    : factory_(std::move(factory)),
      guide_(std::move(guide)),
      notify_(std::move(notify)),
      options_(options),
      statistics_(std::make_shared<TunerStatistics>()) {}

Tuner::~Tuner() { stop(); }

void Tuner::start(std::optional<TuningOrder> order) {
  const std::lock_guard control(control_mutex_);
  const bool was_running = running();
  if (was_running && !order) return;
  if (!was_running && thread_.joinable()) thread_.join();  // the previous one, which ended by itself
  {
    const std::lock_guard lock(mutex_);
    ++tuning_;
    order_ = std::move(order);
    accepts_streams_ = true;
    // A pending `readable` is kept: its reader is not notified again until it has read.
    events_ = {.readable = events_.readable};
    // Without an order it is the same multiplex, whose snapshot stays valid until there is a new one.
    if (order_) multiplex_state_ = {.generation = multiplex_state_.generation + 1, .snapshot = nullptr, .time = {}};
    multiplex_state_.time = {};
    statistics_ = std::make_shared<TunerStatistics>();
    signal_ = {};
    guide_progress_.clear();
    reception_state_ = Reception::State::tuning;
    reception_reason_.clear();
    reception_since_ = Clock::now();
    retune_.store(was_running, std::memory_order_release);
  }
  if (was_running) return;
  stopping_.store(false, std::memory_order_release);
  running_.store(true, std::memory_order_release);
  thread_ = std::thread([this] { run(); });
}

void Tuner::stop() {
  const std::lock_guard control(control_mutex_);
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_.store(true, std::memory_order_release);
  }
  stop_requested_.notify_all();
  thread_.join();
  // Drops pending events: after the next start(), the first new event must call notify_.
  take_events();
}

void Tuner::run() {
  StreamEnd reason = StreamEnd::failed;
  std::string message;
  std::vector<OpenStream> unserved;
  // No exception may leave a thread: running out of memory ends this tuner, not the process.
  try {
    const std::unique_ptr<Source> source = factory_();
    do {
      Session session = tuned_session();
      reason = session.run(*source);
      if (reason == StreamEnd::failed) message = source->error();
      session.finish(reason);
    } while (reason == StreamEnd::stopped && !stopping_.load(std::memory_order_acquire));
  } catch (const std::exception& error) {
    message = error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    accepts_streams_ = false;
    unserved.swap(opened_);
    opened_any_.store(false, std::memory_order_release);
  }
  for (const OpenStream& opened : unserved) opened.queue->finish(reason);
  running_.store(false, std::memory_order_release);
  if (reason == StreamEnd::stopped) return;
  if (reason == StreamEnd::failed && message.empty()) message = "the source failed";
  post([&](TunerEvents& events) { events.ended = message; });
}

/// A session for the newest order.
Tuner::Session Tuner::tuned_session() {
  const std::lock_guard lock(mutex_);
  retune_.store(false, std::memory_order_release);
  return Session(*this, tuning_, multiplex_state_.generation, order_);
}

std::shared_ptr<StreamQueue> Tuner::open_stream(std::uint16_t service_id, std::size_t max_queue_bytes, bool ecm) {
  auto queue = std::make_shared<StreamQueue>(max_queue_bytes, [this] { notify_readable(); });
  open_stream(service_id, ecm, queue);
  return queue;
}

void Tuner::open_stream(std::uint16_t service_id, bool ecm, std::shared_ptr<StreamQueue> queue) {
  open({service_id, ecm, std::move(queue), 0, nullptr});
}

void Tuner::read_pids(std::shared_ptr<StreamQueue> queue, const PidSet& pids) {
  open({0, false, std::move(queue), 0, std::make_unique<const PidSet>(pids)});
}

std::shared_ptr<StreamQueue> Tuner::read_pids(const PidSet& pids, std::size_t max_queue_bytes,
                                              std::chrono::milliseconds gather) {
  auto queue = std::make_shared<StreamQueue>(
      max_queue_bytes, [this] { notify_readable(); }, WhenFull::lose, StreamStart::immediately, gather);
  read_pids(queue, pids);
  return queue;
}

void Tuner::notify_readable() {
  post([](TunerEvents& events) { events.readable = true; });
}

void Tuner::open(OpenStream stream) {
  {
    const std::lock_guard lock(mutex_);
    if (accepts_streams_) {
      stream.tuning = tuning_;
      opened_.push_back(std::move(stream));
      opened_any_.store(true, std::memory_order_release);
      return;
    }
  }
  stream.queue->finish(StreamEnd::stopped);
}

/// Takes the streams opened for this tuning, and ends those of earlier tunings.
std::vector<Tuner::OpenStream> Tuner::take_opened(std::uint64_t tuning) {
  std::vector<OpenStream> opened;
  {
    const std::lock_guard lock(mutex_);
    // Streams of a later tuning stay for its session.
    const auto later =
        std::find_if(opened_.begin(), opened_.end(), [&](const auto& one) { return one.tuning > tuning; });
    opened.assign(std::make_move_iterator(opened_.begin()), std::make_move_iterator(later));
    opened_.erase(opened_.begin(), later);
    opened_any_.store(!opened_.empty(), std::memory_order_release);
  }
  std::erase_if(opened, [&](const auto& one) {
    if (one.tuning == tuning) return false;
    one.queue->finish(StreamEnd::stopped);
    return true;
  });
  return opened;
}

void Tuner::post(const std::function<void(TunerEvents&)>& change) {
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    was_empty = !events_.any();
    change(events_);
  }
  if (was_empty && notify_) notify_();
}

void Tuner::route_guide(const GuideRoute& route) {
  const std::lock_guard lock(mutex_);
  guide_route_ = route;
}

std::optional<Tuner::GuideRoute> Tuner::guide_route() const {
  const std::lock_guard lock(mutex_);
  return guide_route_;
}

TunerEvents Tuner::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

Tuner::MultiplexState Tuner::multiplex_state() const {
  const std::lock_guard lock(mutex_);
  return multiplex_state_;
}

std::shared_ptr<const TunerStatistics> Tuner::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

SignalQuality Tuner::signal() const {
  const std::lock_guard lock(mutex_);
  return signal_;
}

std::vector<GuideProgress::Stream> Tuner::guide() const {
  const std::lock_guard lock(mutex_);
  return guide_progress_;
}

Tuner::ReceptionState Tuner::reception() const {
  const std::lock_guard lock(mutex_);
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - reception_since_);
  return {reception_state_, reception_reason_, age};
}

bool Tuner::wait_to_stop(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return stop_requested_.wait_for(lock, time, [this] { return stopping_.load(std::memory_order_acquire); });
}

}  // namespace receiverd::dvb
