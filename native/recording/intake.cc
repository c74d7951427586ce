#include "recording/intake.h"

#include <utility>

namespace receiverd::recording {

void Bell::ring() {
  {
    const std::lock_guard lock(mutex_);
    rung_ = true;
  }
  changed_.notify_one();
}

void Bell::wait(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return rung_; });
  rung_ = false;
}

std::shared_ptr<dvb::StreamQueue> Intake::open_queue() {
  auto queue = std::make_shared<dvb::StreamQueue>(
      bound_, [bell = bell_] { bell->ring(); }, dvb::WhenFull::lose);
  {
    const std::lock_guard lock(mutex_);
    opened_.push_back(queue);
  }
  bell_->ring();
  return queue;
}

Intake::Taken Intake::take(dvb::Chunk& chunk) {
  if (!queue_) {
    const std::lock_guard lock(mutex_);
    if (opened_.empty()) return Taken::nothing;
    queue_ = std::move(opened_.front());
    opened_.pop_front();
  }
  switch (queue_->read(chunk)) {
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
  last_end_ = queue_->reason();
  queue_->close();
  const std::lock_guard lock(mutex_);
  lost_before_ += queue_->counters().lost;
  queue_.reset();
  return Taken::ended;
}

void Intake::cut() {
  if (queue_) queue_->cut();
  const std::lock_guard lock(mutex_);
  for (const auto& queue : opened_) queue->cut();
}

void Intake::close() {
  if (queue_) queue_->close();
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
