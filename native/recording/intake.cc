#include "recording/intake.h"

#include <utility>

namespace receiverd::recording {

void Wakeup::notify() {
  {
    const std::lock_guard lock(mutex_);
    notified_ = true;
  }
  changed_.notify_one();
}

void Wakeup::wait(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return notified_; });
  notified_ = false;
}

std::shared_ptr<dvb::StreamQueue> Intake::new_queue(dvb::StreamStart start) const {
  return std::make_shared<dvb::StreamQueue>(
      max_queue_bytes_, [wakeup = wakeup_] { wakeup->notify(); }, dvb::WhenFull::lose, start);
}

std::shared_ptr<dvb::StreamQueue> Intake::open_queue() {
  auto queue = new_queue(dvb::StreamStart::at_random_access);
  {
    const std::lock_guard lock(mutex_);
    opened_.push_back(queue);
  }
  wakeup_->notify();
  return queue;
}

std::shared_ptr<dvb::StreamQueue> Intake::join_queue() {
  auto queue = new_queue(dvb::StreamStart::immediately);
  {
    const std::lock_guard lock(mutex_);
    if (joining_) joining_->next()->close();
    joining_ = std::make_unique<Join>(queue, std::chrono::steady_clock::now());
    join_state_ = Join::State::pending;
  }
  wakeup_->notify();
  return queue;
}

Join::State Intake::join_state() const {
  const std::lock_guard lock(mutex_);
  return join_state_;
}

Intake::Taken Intake::take(dvb::Chunk& chunk) {
  begin_join();
  if (!queue_) {
    if (join_) end_join();
    const std::lock_guard lock(mutex_);
    if (opened_.empty()) return Taken::nothing;
    queue_ = std::move(opened_.front());
    opened_.pop_front();
  }
  switch (read(chunk)) {
    case dvb::StreamQueue::Read::chunk:
      return Taken::chunk;
    case dvb::StreamQueue::Read::nothing: {
      const std::lock_guard lock(mutex_);
      if (opened_.empty()) return Taken::nothing;
      break;
    }
    case dvb::StreamQueue::Read::end:
      break;
  }
  if (join_) end_join();
  last_end_ = queue_->reason();
  queue_->close();
  const std::lock_guard lock(mutex_);
  lost_before_ += queue_->counters().lost;
  queue_.reset();
  return Taken::ended;
}

dvb::StreamQueue::Read Intake::read(dvb::Chunk& chunk) {
  if (join_) {
    const auto read = join_->read(*queue_, chunk, std::chrono::steady_clock::now());
    if (join_->state() == Join::State::pending) return read;
    end_join();
    if (read == dvb::StreamQueue::Read::chunk) return read;
  }
  return queue_->read(chunk);
}

void Intake::begin_join() {
  const std::lock_guard lock(mutex_);
  // A second join waits for the first, which ends within a few seconds.
  if (!joining_ || join_) return;
  join_ = std::exchange(joining_, nullptr);
}

/// Ends the join, successful or not, and continues with the stream that it has selected.
void Intake::end_join() {
  const auto join = std::exchange(join_, nullptr);
  const bool joined = join->state() == Join::State::joined;
  (joined ? queue_ : join->next())->close();
  const std::lock_guard lock(mutex_);
  if (joined) {
    lost_before_ += queue_->counters().lost;
    queue_ = join->next();
  }
  if (!joining_) join_state_ = joined ? Join::State::joined : Join::State::failed;
}

void Intake::close_input() {
  if (queue_) queue_->close_input();
  const std::lock_guard lock(mutex_);
  for (const auto& queue : opened_) queue->close_input();
}

void Intake::close() {
  if (join_) end_join();
  begin_join();
  if (join_) end_join();
  if (queue_) queue_->close();
  const std::lock_guard lock(mutex_);
  for (const auto& queue : opened_) queue->close();
}

std::uint64_t Intake::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_before_ + (queue_ ? queue_->counters().lost : 0);
}

std::uint64_t Intake::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_ ? queue_->counters().queued : 0;
}

dvb::StreamEnd Intake::end() const {
  const std::lock_guard lock(mutex_);
  return queue_ || !opened_.empty() ? dvb::StreamEnd::none : last_end_;
}

}  // namespace receiverd::recording
