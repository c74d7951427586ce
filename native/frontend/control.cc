#include "frontend/control.h"

#include <linux/dvb/frontend.h>

#include <cerrno>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace receiverd::frontend {

namespace {

constexpr std::chrono::milliseconds kLockPollInterval{50};
constexpr std::chrono::milliseconds kSignalPollInterval{250};

/// The mutex of a cable, by name. Mutexes are never removed: there is one per cable of the configuration.
std::mutex& mutex_of(const std::string& cable) {
  static std::mutex guard;
  static std::map<std::string, std::mutex> cables;
  const std::lock_guard lock(guard);
  return cables[cable];
}

bool is_gone(int error) { return error == ENODEV || error == ENXIO; }

}  // namespace

/// State shared by the thread and its owner. Everything is guarded by `mutex`.
struct Control::Shared {
  Shared(System& kernel, std::string device) : system(kernel), path(std::move(device)) {}

  System& system;
  const std::string path;

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool stopping = false;
  bool ended = false;
  std::optional<std::pair<dvb::TuningOrder, dvb::Attempt>> order;  // not yet taken by the thread
  View view;
};

/// The state and the loop of the thread.
class Control::Thread {
 public:
  explicit Thread(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  void run() {
    while (wait_for_work()) {
      if (order_)
        carry_out_order();
      else
        poll_status();
    }
    if (front_end_)
      run_steps(*front_end_, end_steps_, [](auto time) { return std::this_thread::sleep_for(time), true; });
    front_end_.reset();
    const std::lock_guard lock(shared_->mutex);
    shared_->ended = true;
    shared_->changed.notify_all();
  }

 private:
  /// Waits for an order or for the next poll of the front end. Returns false when the thread must end.
  bool wait_for_work() {
    std::unique_lock lock(shared_->mutex);
    const auto has_message = [this] { return shared_->stopping || shared_->order; };
    if (!front_end_ || !tuned_) {
      shared_->changed.wait(lock, has_message);
    } else {
      shared_->changed.wait_for(lock, locked_ ? kSignalPollInterval : kLockPollInterval, has_message);
    }
    order_ = std::exchange(shared_->order, std::nullopt);
    return !shared_->stopping;
  }

  /// Waits for `time`. Returns false if an order or the end has interrupted it.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(shared_->mutex);
    return !shared_->changed.wait_for(lock, time, [this] { return shared_->stopping || shared_->order; });
  }

  void carry_out_order() {
    const auto& [order, attempt] = *order_;
    tuned_ = locked_ = false;
    end_steps_ = order.end_steps;
    if (!open()) return;
    const auto variants = variants_of(order.transponder, capabilities_.systems, capabilities_.api);
    if (variants.empty()) return report_error("the front end does not support the delivery system of this transponder");
    if (!prepare_dish(order, attempt)) return;
    if (!front_end_->tune(variants[attempt.variant % variants.size()])) return fail();
    tuned_ = true;
    publish([&](View& view) {
      view.tuned = true;
      view.variants = static_cast<unsigned>(variants.size());
    });
  }

  bool open() {
    if (front_end_) return true;
    front_end_.emplace(shared_->system, shared_->path, System::Access::write);
    dish_known_ = false;
    if (front_end_->error() == 0) {
      if (auto capabilities = front_end_->capabilities()) {
        capabilities_ = std::move(*capabilities);
        return true;
      }
    }
    fail();
    front_end_.reset();
    return false;
  }

  bool prepare_dish(const dvb::TuningOrder& order, dvb::Attempt attempt) {
    const auto& steps = dish_known_ && !attempt.all_steps ? order.changed_steps : order.all_steps;
    dish_known_ = false;
    if (!steps.empty()) {
      std::unique_lock<std::mutex> cable;
      if (!order.cable.empty()) cable = std::unique_lock(mutex_of(order.cable));
      if (!run_steps(*front_end_, steps, [this](auto time) { return wait(time); })) {
        if (is_gone(front_end_->error())) fail();
        return false;
      }
    }
    dish_known_ = true;
    return true;
  }

  void poll_status() {
    const auto status = front_end_->status();
    if (!status) return fail();
    if (status->reset) dish_known_ = false;
    const bool locked = status->locked && !status->reset;
    const dvb::SignalQuality signal = front_end_->signal(locked);
    locked_ = locked;
    publish([&](View& view) { view.signal = signal; });
  }

  void fail() {
    const bool gone = is_gone(front_end_->error());
    publish([&](View& view) {
      view.tuning_error = front_end_->reason();
      view.signal = {};
      view.gone = gone;
    });
    if (gone) front_end_.reset();
    tuned_ = false;
  }

  void report_error(std::string text) {
    publish([&](View& view) { view.tuning_error = std::move(text); });
  }

  /// Changes the view, unless a newer order is waiting: it has reset the view, and the change is about the older order.
  void publish(const std::function<void(View&)>& change) {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->order) return;
    change(shared_->view);
    shared_->changed.notify_all();
  }

  const std::shared_ptr<Shared> shared_;
  std::optional<FrontEnd> front_end_;
  Capabilities capabilities_;
  std::optional<std::pair<dvb::TuningOrder, dvb::Attempt>> order_;
  std::vector<dvb::SatelliteStep> end_steps_;
  bool dish_known_ = false;
  bool tuned_ = false;
  bool locked_ = false;
};

Control::Control(System& system, std::string path) : shared_(std::make_shared<Shared>(system, std::move(path))) {
  std::thread([shared = shared_] { Thread(shared).run(); }).detach();
}

Control::~Control() {
  std::unique_lock lock(shared_->mutex);
  shared_->stopping = true;
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, kStopTimeout, [this] { return shared_->ended; });
}

void Control::tune(const dvb::TuningOrder& order, dvb::Attempt attempt) {
  const std::lock_guard lock(shared_->mutex);
  shared_->order = {order, attempt};
  const unsigned variants = shared_->view.variants;
  shared_->view = {};
  shared_->view.variants = variants;
  shared_->changed.notify_all();
}

Control::View Control::view() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->view;
}

void Control::wait(std::chrono::milliseconds time) const {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, time);
}

bool run_steps(FrontEnd& front_end, std::span<const dvb::SatelliteStep> steps,
               const std::function<bool(std::chrono::milliseconds)>& wait) {
  const auto run = [&](const auto& step) {
    using Step = std::decay_t<decltype(step)>;
    if constexpr (std::is_same_v<Step, dvb::Wait>) return wait(step.time);
    bool done = true;
    if constexpr (std::is_same_v<Step, dvb::SetTone>) done = front_end.set_tone(step.on);
    if constexpr (std::is_same_v<Step, dvb::SetVoltage>) done = front_end.set_voltage(step.volts);
    if constexpr (std::is_same_v<Step, dvb::IncreaseVoltage>) done = front_end.increase_voltage(step.on);
    if constexpr (std::is_same_v<Step, dvb::SendBurst>) done = front_end.send_burst(step.second);
    if constexpr (std::is_same_v<Step, dvb::SendCommand>) done = front_end.send_diseqc(step.bytes);
    return done || !is_gone(front_end.error());
  };
  for (const dvb::SatelliteStep& step : steps) {
    if (!std::visit(run, step)) return false;
  }
  return true;
}

}  // namespace receiverd::frontend
