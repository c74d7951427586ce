#include "recording/recording.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace receiverd::recording {

Recording::Recording(RecordingOptions options)
    : options_(std::move(options)),
      file_(options_.path, *options_.disk),
      access_points_(options_.path + ".ap"),
      structure_(options_.path + ".sc"),
      stream_(*this),
      intake_(options_.max_queue_bytes),
      thread_([this] { run(); }) {}

Recording::~Recording() { stop(); }

std::shared_ptr<dvb::StreamQueue> Recording::open_queue() {
  auto queue = intake_.open_queue();
  const std::lock_guard lock(mutex_);
  status_.end = dvb::StreamEnd::none;
  return queue;
}

void Recording::stop() {
  const std::lock_guard control(control_mutex_);
  if (!thread_.joinable()) return;
  stopping_.store(true, std::memory_order_release);
  intake_.wake();
  thread_.join();
}

RecordingStatus Recording::status() const {
  const std::uint64_t waiting = intake_.waiting();
  const std::uint64_t lost = intake_.lost();
  const std::lock_guard lock(mutex_);
  RecordingStatus status = status_;
  status.waiting = std::max(status.waiting, waiting);
  status.lost += lost;
  return status;
}

void Recording::run() {
  for (;;) {
    const bool stopping = stopping_.load(std::memory_order_acquire);
    if (stopping && !input_closed_) {
      input_closed_ = true;
      intake_.close_input();
    }
    if (!given_up_ && take_chunk()) continue;
    if (stopping) break;
    do_due_work();
    intake_.wait(Clock::now() + kGatherTime / 2);
  }
  finish();
}

void Recording::finish() {
  discarded_ += intake_.waiting();
  intake_.close();
  if (!write_out()) {
    discarded_ += file_.position() - file_.written();
  } else if (intake_.last_end() != dvb::StreamEnd::ended) {
    const std::uint64_t end = stream_.incomplete_picture(file_.position()).value_or(file_.position());
    file_.truncate(end);
    access_points_.truncate(end);
    structure_.truncate(end);
  }
  sync();
  access_points_.flush(file_.written());
  structure_.flush(file_.written());
  published_at_ = {};
  publish();
}

/// Takes one chunk of the stream, or switches to the next stream. Returns false if there is no data.
bool Recording::take_chunk() {
  dvb::Chunk chunk;
  switch (intake_.take(chunk)) {
    case Intake::Taken::chunk:
      write({chunk.bytes.get(), chunk.size});
      return true;
    case Intake::Taken::ended:
      stream_.mark_interrupted();
      return true;
    case Intake::Taken::nothing:
      break;
  }
  return false;
}

/// Puts packets into the buffer. If it is full, waits until it has been written.
void Recording::write(wire::Bytes packets) {
  while (!packets.empty()) {
    if (file_.full() && !write_out()) {
      given_up_ = stopping_.load(std::memory_order_acquire);
      if (given_up_) {
        discarded_ += packets.size();
        return;
      }
      publish();
      intake_.wait(Clock::now() + kRetryInterval);
      continue;
    }
    const std::uint64_t offset = file_.position();
    const wire::Bytes rest = file_.append(packets);
    stream_.take(packets.first(packets.size() - rest.size()), offset);
    packets = rest;
  }
  do_due_work();
}

/// Does the work that is due: writes the buffer, syncs, publishes the status.
void Recording::do_due_work() {
  const auto now = Clock::now();
  if (file_.needs_flush(now - kGatherTime)) write_out();
  if (options_.sync == SyncPolicy::interval && now - synced_at_ >= options_.sync_interval) sync();
  publish();
}

bool Recording::write_out() {
  const bool written = file_.flush();
  if (written && options_.sync == SyncPolicy::always && file_.synced() != file_.written()) sync();
  const std::uint64_t safe = options_.sync == SyncPolicy::never ? file_.written() : file_.synced();
  access_points_.flush(safe);
  structure_.flush(safe);
  return written;
}

void Recording::sync() {
  synced_at_ = Clock::now();
  if (options_.sync == SyncPolicy::never || file_.synced() == file_.written() || !file_.sync()) return;
  access_points_.flush(file_.synced());
  structure_.flush(file_.synced());
}

void Recording::publish() {
  const auto now = Clock::now();
  if (now - published_at_ < kPublishInterval) return;
  published_at_ = now;
  RecordingStatus status;
  status.bytes = file_.written();
  status.waiting = file_.position() - file_.written() + intake_.waiting();
  status.ticks = stream_.ticks();
  const dvb::PidStatistics totals = stream_.totals();
  status.packets = totals.packets;
  status.continuity_errors = totals.continuity_errors;
  status.scrambled = totals.scrambled;
  status.lost = file_.lost() + discarded_;
  status.error = file_.error();
  status.deleted = file_.is_deleted();
  status.present = stream_.present();
  // Under the lock, so that a stream opened meanwhile does not appear to have ended.
  const std::lock_guard lock(mutex_);
  status.end = intake_.end();
  status_ = status;
}

}  // namespace receiverd::recording
