// The tuner and its streams for JavaScript. Only src/dvb calls these functions, and it checks the arguments.
//
// The tuner thread calls notify() when the first event arrives after a delivery. That queues one call into JavaScript,
// which takes all events gathered by then. The thread-safe function behind it exists from start() until the thread has
// been joined. It keeps Node and the tuner alive while the tuner runs, but not afterwards.

#include "dvb/dvb_binding.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "dvb/file_source.h"
#include "dvb/tuner.h"
#include "dvb/tuner_json.h"
#include "epg/epg_binding.h"
#include "epg/ingest/ingest.h"
#include "node/values.h"

namespace receiverd::dvb {

namespace {

using node::buffer_of;
using node::take_number;

constexpr int kPipeSize = 256 << 10;
constexpr napi_type_tag kTunerTag = {0x5c1f38e7a2d94b06ULL, 0x9e04d7b3186a42f1ULL};

Transponder transponder_of(const Napi::Object& given) {
  Transponder transponder;
  transponder.kind = node::named<Transponder::Kind>(given.Get("kind"), "kind",
                                                    {{"satellite", Transponder::Kind::satellite},
                                                     {"terrestrial", Transponder::Kind::terrestrial},
                                                     {"cable", Transponder::Kind::cable},
                                                     {"atsc", Transponder::Kind::atsc}});
  take_number(given, "frequency", transponder.frequency);
  take_number(given, "symbolRate", transponder.symbol_rate);
  take_number(given, "inversion", transponder.inversion);
  take_number(given, "system", transponder.system);
  take_number(given, "modulation", transponder.modulation);
  take_number(given, "fec", transponder.fec);
  take_number(given, "rollOff", transponder.roll_off);
  take_number(given, "pilot", transponder.pilot);
  take_number(given, "streamId", transponder.stream_id);
  take_number(given, "plsCode", transponder.pls_code);
  take_number(given, "plsMode", transponder.pls_mode);
  take_number(given, "bandwidth", transponder.bandwidth);
  take_number(given, "codeRateHigh", transponder.code_rate_high);
  take_number(given, "codeRateLow", transponder.code_rate_low);
  take_number(given, "constellation", transponder.constellation);
  take_number(given, "transmissionMode", transponder.transmission_mode);
  take_number(given, "guardInterval", transponder.guard_interval);
  take_number(given, "hierarchy", transponder.hierarchy);
  take_number(given, "plpId", transponder.plp_id);
  return transponder;
}

SatelliteStep step_of(const Napi::Object& given) {
  const Napi::Value command = given.Get("command");
  if (command.IsTypedArray()) {
    const auto bytes = command.As<Napi::Uint8Array>();
    return SendCommand{{bytes.Data(), bytes.Data() + bytes.ElementLength()}};
  }
  if (given.Has("tone")) return SetTone{given.Get("tone").ToBoolean().Value()};
  if (given.Has("moreVoltage")) return IncreaseVoltage{given.Get("moreVoltage").ToBoolean().Value()};
  if (given.Has("burst")) return SendBurst{node::text_of(given.Get("burst")) == "b"};
  if (given.Has("voltage")) {
    SetVoltage voltage;
    take_number(given, "voltage", voltage.volts);
    return voltage;
  }
  std::uint32_t time = 0;
  take_number(given, "waitMs", time);
  return Wait{std::chrono::milliseconds(time)};
}

std::vector<SatelliteStep> steps_of(const Napi::Value& given) {
  std::vector<SatelliteStep> steps;
  const auto list = given.As<Napi::Array>();
  for (std::uint32_t i = 0; i < list.Length(); ++i) steps.push_back(step_of(list.Get(i).As<Napi::Object>()));
  return steps;
}

TuningOrder order_of(const Napi::Object& given) {
  TuningOrder order;
  order.transponder = transponder_of(given.Get("transponder").As<Napi::Object>());
  order.all_steps = steps_of(given.Get("allSteps"));
  order.changed_steps = steps_of(given.Get("changedSteps"));
  order.end_steps = steps_of(given.Get("endSteps"));
  order.cable = node::text_of(given.Get("cable"));
  if (given.Has("server")) order.server = node::text_of(given.Get("server"));
  if (given.Has("queries")) order.queries = node::texts_of(given.Get("queries"));
  std::uint32_t lock_timeout_ms = 0;
  take_number(given, "lockTimeoutMs", lock_timeout_ms);
  order.lock_timeout = std::chrono::milliseconds(lock_timeout_ms);
  return order;
}

class TunerObject : public Napi::ObjectWrap<TunerObject> {
 public:
  static Napi::Function define(Napi::Env env, const std::vector<SourceKind>& kinds) {
    return DefineClass(
        env, "Tuner",
        {InstanceMethod<&TunerObject::start>("start"), InstanceMethod<&TunerObject::stop>("stop"),
         InstanceMethod<&TunerObject::running>("running"), InstanceMethod<&TunerObject::generation>("generation"),
         InstanceMethod<&TunerObject::multiplex>("multiplex"), InstanceMethod<&TunerObject::statistics>("statistics"),
         InstanceMethod<&TunerObject::signal>("signal"), InstanceMethod<&TunerObject::reception>("reception"),
         InstanceMethod<&TunerObject::guide>("guide"), InstanceMethod<&TunerObject::route_guide>("routeGuide")},
        const_cast<std::vector<SourceKind>*>(&kinds));
  }

  /// (specification, guide or undefined)
  explicit TunerObject(const Napi::CallbackInfo& call) : ObjectWrap(call), env_(call.Env()) {
    Tuner::Options options;
    const auto& kinds = *static_cast<const std::vector<SourceKind>*>(call.Data());
    Tuner::SourceFactory factory = source_factory(call[0].As<Napi::Object>(), kinds, options);
    tuner_ = std::make_unique<Tuner>(
        std::move(factory), call[1].IsUndefined() ? nullptr : epg::ingest_of(call[1]),
        [this] { notify_.NonBlockingCall(this); }, options);
    call.This().As<Napi::Object>().TypeTag(&kTunerTag);
  }

  Tuner& tuner() { return *tuner_; }

 private:
  static void deliver(Napi::Env env, Napi::Function callback, std::nullptr_t*, TunerObject* self) {
    if (static_cast<napi_env>(env) != nullptr) self->take_events(env, callback);
  }
  using Notify = Napi::TypedThreadSafeFunction<std::nullptr_t, TunerObject, deliver>;

  /// Joins the tuner's thread off the JavaScript thread.
  class StopWorker : public Napi::AsyncWorker {
   public:
    StopWorker(Napi::Env env, TunerObject& tuner)
        : AsyncWorker(env, "receiverd.tuner.stop"), tuner_(tuner), promise_(Napi::Promise::Deferred::New(env)) {
      tuner_.Ref();
    }
    Napi::Promise promise() const { return promise_.Promise(); }

    void Execute() override { tuner_.tuner_->stop(); }
    void OnOK() override {
      tuner_.stopping_ = false;
      tuner_.release();
      promise_.Resolve(Env().Undefined());
      tuner_.Unref();
    }

   private:
    TunerObject& tuner_;
    Napi::Promise::Deferred promise_;
  };

  static Tuner::SourceFactory source_factory(const Napi::Object& specification, const std::vector<SourceKind>& kinds,
                                             Tuner::Options& options);

  /// (notify: called with each batch of events; order or undefined)
  void start(const Napi::CallbackInfo& call) {
    std::optional<TuningOrder> order;
    if (call[1].IsObject()) order = order_of(call[1].As<Napi::Object>());
    if (!notifying_) start_notifying(call);
    tuner_->start(std::move(order));
  }

  void start_notifying(const Napi::CallbackInfo& call) {
    notify_ = Notify::New(call.Env(), call[0].As<Napi::Function>(), "receiverd.tuner", 0, 1);
    notifying_ = true;
    Ref();
    // Hooks run in reverse order: the thread is joined before Node destroys the thread-safe function.
    napi_add_env_cleanup_hook(env_, &TunerObject::environment_ends, this);
  }

  Napi::Value stop(const Napi::CallbackInfo& call) {
    stopping_ = true;
    auto* const worker = new StopWorker(call.Env(), *this);
    const Napi::Promise promise = worker->promise();
    worker->Queue();
    return promise;
  }

  static void environment_ends(void* self) { static_cast<TunerObject*>(self)->tuner_->stop(); }

  /// Runs after the thread was joined: nothing calls notify_ any more.
  void release() {
    if (!std::exchange(notifying_, false)) return;
    napi_remove_env_cleanup_hook(env_, &TunerObject::environment_ends, this);
    notify_.Release();
    Unref();
  }

  void take_events(Napi::Env env, Napi::Function callback) {
    const TunerEvents events = tuner_->take_events();
    if (!events.any()) return;
    if (events.ended && !stopping_) {
      tuner_->stop();  // the thread has already ended: this only joins it
      release();
    }
    Napi::Object event = Napi::Object::New(env);
    event.Set("readable", events.readable);
    event.Set("guide", events.guide);
    if (events.generation) event.Set("generation", static_cast<double>(*events.generation));
    if (events.time) event.Set("time", static_cast<double>(events.time->utc));
    event.Set("reception", events.reception);
    if (events.ended) event.Set("ended", *events.ended);
    callback.Call({event});
  }

  Napi::Value running(const Napi::CallbackInfo& call) { return Napi::Boolean::New(call.Env(), tuner_->running()); }
  Napi::Value generation(const Napi::CallbackInfo& call) {
    return Napi::Number::New(call.Env(), static_cast<double>(tuner_->multiplex_state().generation));
  }
  Napi::Value multiplex(const Napi::CallbackInfo& call) {
    return buffer_of(call.Env(), multiplex_json(tuner_->multiplex_state()));
  }
  Napi::Value guide(const Napi::CallbackInfo& call) { return buffer_of(call.Env(), guide_json(tuner_->guide())); }
  /// (service id, the triplet's three numbers)
  void route_guide(const Napi::CallbackInfo& call) {
    const auto number = [&](std::size_t at) {
      return static_cast<std::uint16_t>(call[at].As<Napi::Number>().Uint32Value());
    };
    tuner_->route_guide({.service_id = number(0), .target = {number(1), number(2), number(3)}});
  }
  Napi::Value statistics(const Napi::CallbackInfo& call) {
    return buffer_of(call.Env(), statistics_json(*tuner_->statistics()));
  }
  Napi::Value signal(const Napi::CallbackInfo& call) {
    const SignalQuality quality = tuner_->signal();
    Napi::Object signal = Napi::Object::New(call.Env());
    const auto set_known = [&](const char* name, const auto& value) {
      if (value) signal.Set(name, static_cast<double>(*value));
    };
    signal.Set("locked", quality.locked);
    set_known("snr", quality.snr_decibel);
    set_known("strength", quality.strength_decibel);
    signal.Set("snrPercent", quality.snr_percent);
    signal.Set("strengthPercent", quality.strength_percent);
    set_known("bitErrors", quality.bit_errors);
    set_known("bitErrorRate", quality.bit_error_rate);
    set_known("badBlocks", quality.bad_blocks);
    return signal;
  }
  Napi::Value reception(const Napi::CallbackInfo& call) {
    static constexpr std::array kNames = {"tuning", "locked", "lost", "retuning"};
    const Tuner::ReceptionState state = tuner_->reception();
    Napi::Object reception = Napi::Object::New(call.Env());
    reception.Set("state", kNames.at(static_cast<std::size_t>(state.state)));
    reception.Set("reason", state.reason);
    reception.Set("ageSeconds", static_cast<double>(state.age.count()) / 1000);
    return reception;
  }

  const napi_env env_;
  std::unique_ptr<Tuner> tuner_;
  Notify notify_;
  bool notifying_ = false;  // notify_ exists
  bool stopping_ = false;   // a StopWorker is running
};

Tuner::SourceFactory TunerObject::source_factory(const Napi::Object& specification,
                                                 const std::vector<SourceKind>& kinds, Tuner::Options& options) {
  const std::string wanted = specification.Get("kind").As<Napi::String>().Utf8Value();
  const auto found = std::ranges::find(kinds, wanted, &SourceKind::kind);
  if (found == kinds.end()) throw Napi::TypeError::New(specification.Env(), "no such kind of tuner: " + wanted);
  return found->factory(specification, options);
}

Napi::Value read_from(Napi::Env env, StreamQueue& queue) {
  Chunk chunk;
  switch (queue.read(chunk)) {
    case StreamQueue::Read::nothing:
      return env.Undefined();
    case StreamQueue::Read::end:
      return env.Null();
    case StreamQueue::Read::chunk:
      break;
  }
  std::uint8_t* const bytes = chunk.bytes.release();
  return Napi::Buffer<std::uint8_t>::NewOrCopy(env, bytes, chunk.size,
                                               [](Napi::Env, std::uint8_t* mine) { delete[] mine; });
}

Napi::Value reason_of(Napi::Env env, const StreamQueue& queue) {
  const StreamEnd end = queue.reason();
  if (end == StreamEnd::none) return env.Null();
  return Napi::String::New(env, end_text(end));
}

/// One reader's end of a StreamQueue.
class ServiceStreamObject : public Napi::ObjectWrap<ServiceStreamObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "ServiceStream",
        {InstanceMethod<&ServiceStreamObject::read>("read"), InstanceMethod<&ServiceStreamObject::close>("close"),
         InstanceMethod<&ServiceStreamObject::reason>("reason")});
  }

  /// (tuner, service id, max. bytes in the queue, keep ECMs)
  explicit ServiceStreamObject(const Napi::CallbackInfo& call)
      : ObjectWrap(call),
        queue_(tuner_of(call[0]).open_stream(static_cast<std::uint16_t>(call[1].As<Napi::Number>().Uint32Value()),
                                             static_cast<std::size_t>(call[2].As<Napi::Number>().Int64Value()),
                                             call[3].As<Napi::Boolean>().Value())) {}
  // Ends a stream that was dropped without close().
  ~ServiceStreamObject() override { queue_->close(); }

 private:
  Napi::Value read(const Napi::CallbackInfo& call) { return read_from(call.Env(), *queue_); }
  void close(const Napi::CallbackInfo&) { queue_->close(); }
  Napi::Value reason(const Napi::CallbackInfo& call) { return reason_of(call.Env(), *queue_); }

  const std::shared_ptr<StreamQueue> queue_;
};

/// Like ServiceStreamObject, but for a set of PIDs.
class PidStreamObject : public Napi::ObjectWrap<PidStreamObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "PidStream",
        {InstanceMethod<&PidStreamObject::read>("read"), InstanceMethod<&PidStreamObject::close>("close"),
         InstanceMethod<&PidStreamObject::reason>("reason"), InstanceMethod<&PidStreamObject::change>("change")});
  }

  /// (tuner, PIDs, max. bytes in the queue, milliseconds for which packets are gathered)
  explicit PidStreamObject(const Napi::CallbackInfo& call)
      : ObjectWrap(call),
        queue_(tuner_of(call[0]).read_pids(pids_of(call[1]),
                                           static_cast<std::size_t>(call[2].As<Napi::Number>().Int64Value()),
                                           std::chrono::milliseconds(call[3].As<Napi::Number>().Int64Value()))) {}
  ~PidStreamObject() override { queue_->close(); }

 private:
  Napi::Value read(const Napi::CallbackInfo& call) { return read_from(call.Env(), *queue_); }
  void close(const Napi::CallbackInfo&) { queue_->close(); }
  Napi::Value reason(const Napi::CallbackInfo& call) { return reason_of(call.Env(), *queue_); }
  /// (tuner, PIDs)
  void change(const Napi::CallbackInfo& call) { tuner_of(call[0]).read_pids(queue_, pids_of(call[1])); }

  const std::shared_ptr<StreamQueue> queue_;
};

/// Opens a pipe and returns the descriptors of its ends: [reader, writer]. @throws Error
Napi::Value open_pipe(const Napi::CallbackInfo& call) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Napi::Error::New(call.Env(), std::generic_category().message(errno));
  }
  // A quarter of a second at 8 Mbit/s; when it is full, the sender waits. If the kernel refuses, it has 64 KiB.
  fcntl(ends[1], F_SETPIPE_SZ, kPipeSize);
  Napi::Array both = Napi::Array::New(call.Env(), ends.size());
  for (std::uint32_t i = 0; i < ends.size(); ++i) both.Set(i, ends.at(i));
  return both;
}

}  // namespace

std::string end_text(StreamEnd end) {
  switch (end) {
    case StreamEnd::overflow:
      return "overflow";
    case StreamEnd::closed:
      return "closed";
    case StreamEnd::stopped:
      return "stopped";
    case StreamEnd::ended:
      return "ended";
    case StreamEnd::failed:
    case StreamEnd::none:
      break;
  }
  return "failed";
}

Tuner::SourceFactory file_source_factory(const Napi::Object& specification, Tuner::Options& options) {
  FileOptions file;
  file.path = specification.Get("path").As<Napi::String>().Utf8Value();
  file.loop = specification.Get("loop").As<Napi::Boolean>().Value();
  file.paced = specification.Get("paced").As<Napi::Boolean>().Value();
  options.wait_for_readers = !file.paced;
  return [file] { return std::make_unique<FileSource>(file); };
}

Tuner::SourceFactory pipe_source_factory(const Napi::Object& specification, Tuner::Options& options) {
  int descriptor = -1;
  take_number(specification, "descriptor", descriptor);
  const FileOptions file{.path = "/proc/self/fd/" + std::to_string(descriptor), .loop = false, .paced = true};
  options.routes_guide = true;
  options.follows_only_program = true;
  options.keeps_beginning = true;
  return [file] { return std::make_unique<FileSource>(file); };
}

Tuner& tuner_of(const Napi::Value& value) { return node::unwrapped<TunerObject>(value, kTunerTag, "a tuner").tuner(); }

PidSet pids_of(const Napi::Value& value) {
  if (!value.IsTypedArray()) return ~PidSet();
  PidSet pids;
  const auto given = value.As<Napi::Uint16Array>();
  for (std::size_t i = 0; i < given.ElementLength(); ++i) pids.set(given[i] % kPidCount);
  return pids;
}

void register_binding(Napi::Env env, Napi::Object exports, const std::vector<SourceKind>& kinds) {
  Napi::Array names = Napi::Array::New(env);
  for (const SourceKind& kind : kinds) names[names.Length()] = kind.kind;
  exports.Set("tunerKinds", names);
  exports.Set("Tuner", TunerObject::define(env, kinds));
  exports.Set("ServiceStream", ServiceStreamObject::define(env));
  exports.Set("PidStream", PidStreamObject::define(env));
  exports.Set("openPipe", Napi::Function::New<open_pipe>(env, "openPipe"));
}

}  // namespace receiverd::dvb
