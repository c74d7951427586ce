// Recordings and the ring for JavaScript. Only src/recordings and src/timeshift call them, and they check the
// arguments.

#include "recording/recording_binding.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dvb/dvb_binding.h"
#include "dvb/packets/packet_reader.h"
#include "dvb/tuner.h"
#include "node/values.h"
#include "recording/file_index.h"
#include "recording/recording.h"
#include "recording/ring.h"

namespace receiverd::recording {

namespace {

using node::number_of;

SyncPolicy policy_of(std::string_view text) {
  if (text == "never") return SyncPolicy::never;
  return text == "always" ? SyncPolicy::always : SyncPolicy::interval;
}

std::uint64_t integer(const Napi::Value& value) {
  return static_cast<std::uint64_t>(value.As<Napi::Number>().Int64Value());
}

/// (tuner, service id, keep ECMs)
void open_stream_into(std::shared_ptr<dvb::StreamQueue> queue, const Napi::CallbackInfo& call) {
  dvb::tuner_of(call[0]).open_stream(static_cast<std::uint16_t>(call[1].As<Napi::Number>().Uint32Value()),
                                     call[2].As<Napi::Boolean>().Value(), std::move(queue));
}

Napi::Value text_of(Napi::Env env, Join::State state) {
  switch (state) {
    case Join::State::none:
      break;
    case Join::State::pending:
      return Napi::String::New(env, "pending");
    case Join::State::joined:
      return Napi::String::New(env, "joined");
    case Join::State::failed:
      return Napi::String::New(env, "failed");
  }
  return env.Null();
}

constexpr napi_type_tag kRecordingTag = {0x3d7bb0a94c1e4f85ULL, 0xa6210c5e97d84b13ULL};

class RecordingObject : public Napi::ObjectWrap<RecordingObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Recording",
        {InstanceMethod<&RecordingObject::open_stream>("openStream"),
         InstanceMethod<&RecordingObject::join_stream>("joinStream"), InstanceMethod<&RecordingObject::join>("join"),
         InstanceMethod<&RecordingObject::stop>("stop"), InstanceMethod<&RecordingObject::status>("status")});
  }

  /// ({ path, maxQueueBytes, sync, syncIntervalSeconds })
  explicit RecordingObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    call.This().As<Napi::Object>().TypeTag(&kRecordingTag);
    const auto given = call[0].As<Napi::Object>();
    RecordingOptions options;
    options.path = given.Get("path").As<Napi::String>().Utf8Value();
    options.max_queue_bytes = static_cast<std::size_t>(integer(given.Get("maxQueueBytes")));
    options.sync = policy_of(given.Get("sync").As<Napi::String>().Utf8Value());
    options.sync_interval = std::chrono::seconds(given.Get("syncIntervalSeconds").As<Napi::Number>().Int64Value());
    recording_ = std::make_shared<Recording>(std::move(options));
  }

  Recording& recording() { return *recording_; }

 private:
  void open_stream(const Napi::CallbackInfo& call) { open_stream_into(recording_->open_queue(), call); }
  void join_stream(const Napi::CallbackInfo& call) { open_stream_into(recording_->join_queue(), call); }
  Napi::Value join(const Napi::CallbackInfo& call) { return text_of(call.Env(), recording_->join_state()); }

  /// Joins the thread off the JavaScript thread.
  Napi::Value stop(const Napi::CallbackInfo& call) {
    return node::run(call.Env(), [recording = recording_] { recording->stop(); });
  }

  Napi::Value status(const Napi::CallbackInfo& call) {
    const Napi::Env env = call.Env();
    const RecordingStatus now = recording_->status();
    Napi::Object status = Napi::Object::New(env);
    status.Set("bytes", number_of(env, now.bytes));
    status.Set("waiting", number_of(env, now.waiting));
    status.Set("ticks", number_of(env, now.ticks));
    status.Set("packets", number_of(env, now.packets));
    status.Set("continuityErrors", number_of(env, now.continuity_errors));
    status.Set("scrambled", number_of(env, now.scrambled));
    status.Set("lost", number_of(env, now.lost));
    status.Set("error", Napi::Number::New(env, now.error));
    status.Set("deleted", now.deleted);
    status.Set("end", now.end == dvb::StreamEnd::none ? env.Null() : Napi::String::New(env, dvb::end_text(now.end)));
    if (now.present) {
      Napi::Object present = Napi::Object::New(env);
      present.Set("id", static_cast<double>(now.present->id));
      present.Set("ticks", number_of(env, now.present->ticks));
      status.Set("present", present);
    }
    return status;
  }

  std::shared_ptr<Recording> recording_;
};

class FileIndexObject : public Napi::ObjectWrap<FileIndexObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "FileIndex",
        {InstanceMethod<&FileIndexObject::step>("step"), InstanceMethod<&FileIndexObject::entries>("entries"),
         InstanceMethod<&FileIndexObject::close>("close")});
  }

  explicit FileIndexObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {}

 private:
  /// (file descriptor)
  Napi::Value step(const Napi::CallbackInfo& call) {
    const int file = call[0].As<Napi::Number>().Int32Value();
    const auto work = [index = open_index(call.Env()), file] { return static_cast<std::uint64_t>(index->step(file)); };
    return node::run(call.Env(), work, {}, busy_);
  }

  Napi::Value entries(const Napi::CallbackInfo& call) {
    node::require_idle(call.Env(), busy_);
    const auto index = open_index(call.Env());
    return Napi::Buffer<std::uint8_t>::Copy(call.Env(), index->entries().data(), index->entries().size());
  }

  /// Frees the memory, which the garbage collector does not know of.
  void close(const Napi::CallbackInfo&) { index_.reset(); }

  std::shared_ptr<FileIndex> open_index(Napi::Env env) const {
    if (index_ == nullptr) throw Napi::Error::New(env, "the index is closed");
    return index_;
  }

  std::shared_ptr<FileIndex> index_ = std::make_shared<FileIndex>();
  const node::Busy busy_ = std::make_shared<bool>(false);
};

Napi::Object object_of(Napi::Env env, const RingSegment& segment) {
  using Seconds = std::chrono::duration<double>;
  Napi::Object object = Napi::Object::New(env);
  object.Set("sequence", number_of(env, segment.sequence));
  object.Set("head", number_of(env, segment.head));
  object.Set("bytes", number_of(env, segment.bytes));
  object.Set("ticks", number_of(env, segment.ticks));
  object.Set("ageSeconds", segment.begin == std::chrono::steady_clock::time_point{}
                               ? 0.0
                               : Seconds(std::chrono::steady_clock::now() - segment.begin).count());
  object.Set("discontinuity", segment.discontinuity);
  object.Set("entry", segment.entry);
  Napi::Array parts = Napi::Array::New(env, segment.parts.size());
  for (std::uint32_t i = 0; i < segment.parts.size(); ++i) {
    Napi::Object part = Napi::Object::New(env);
    part.Set("end", number_of(env, segment.parts[i].end));
    part.Set("ticks", number_of(env, segment.parts[i].ticks));
    parts.Set(i, part);
  }
  object.Set("parts", parts);
  return object;
}

class RingObject : public Napi::ObjectWrap<RingObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Ring",
        {InstanceMethod<&RingObject::open_stream>("openStream"), InstanceMethod<&RingObject::join_stream>("joinStream"),
         InstanceMethod<&RingObject::join>("join"), InstanceMethod<&RingObject::write>("write"),
         InstanceMethod<&RingObject::status>("status"), InstanceMethod<&RingObject::segments>("segments"),
         InstanceMethod<&RingObject::feed>("feed"), InstanceMethod<&RingObject::close>("close")});
  }

  /// ({ folder, maxBytes, minFreeBytes, firstSequence, minSegmentMs, maxSegmentMs, partMs, maxQueueBytes })
  explicit RingObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const auto given = call[0].As<Napi::Object>();
    RingOptions options;
    options.folder = given.Get("folder").As<Napi::String>().Utf8Value();
    options.max_bytes = integer(given.Get("maxBytes"));
    options.min_free_bytes = integer(given.Get("minFreeBytes"));
    options.first_sequence = integer(given.Get("firstSequence"));
    options.min_segment_ticks = integer(given.Get("minSegmentMs")) * 90;
    options.max_segment_ticks = integer(given.Get("maxSegmentMs")) * 90;
    options.part_ticks = integer(given.Get("partMs")) * 90;
    options.max_queue_bytes = static_cast<std::size_t>(integer(given.Get("maxQueueBytes")));
    ring_ = std::make_shared<Ring>(std::move(options));
  }

 private:
  void open_stream(const Napi::CallbackInfo& call) { open_stream_into(ring_->open_queue(), call); }
  void join_stream(const Napi::CallbackInfo& call) { open_stream_into(ring_->join_queue(), call); }
  Napi::Value join(const Napi::CallbackInfo& call) { return text_of(call.Env(), ring_->join_state()); }

  /// (bytes): the next bytes of a transport stream that does not come from a tuner.
  void write(const Napi::CallbackInfo& call) {
    const auto bytes = call[0].As<Napi::Buffer<std::uint8_t>>();
    const auto now = std::chrono::steady_clock::now();
    if (!written_) written_ = ring_->open_queue();
    reader_.feed({bytes.Data(), bytes.Length()});
    for (wire::Bytes packets; !(packets = reader_.next()).empty();) written_->append(packets, now);
    written_->flush(now);
  }

  Napi::Value status(const Napi::CallbackInfo& call) {
    const Napi::Env env = call.Env();
    const RingStatus now = ring_->status();
    Napi::Object status = Napi::Object::New(env);
    status.Set("first", number_of(env, now.first));
    status.Set("growing", object_of(env, now.growing));
    status.Set("bytes", number_of(env, now.bytes));
    status.Set("packets", number_of(env, now.packets));
    status.Set("lost", number_of(env, now.lost));
    status.Set("error", Napi::Number::New(env, now.error));
    status.Set("feeds", static_cast<double>(now.feeds));
    status.Set("end", now.end == dvb::StreamEnd::none ? env.Null() : Napi::String::New(env, dvb::end_text(now.end)));
    return status;
  }

  /// (from sequence)
  Napi::Value segments(const Napi::CallbackInfo& call) {
    const Napi::Env env = call.Env();
    const std::vector<RingSegment> segments = ring_->segments(integer(call[0]));
    Napi::Array list = Napi::Array::New(env, segments.size());
    for (std::uint32_t i = 0; i < segments.size(); ++i) list.Set(i, object_of(env, segments[i]));
    return list;
  }

  /// (recording, from sequence, follow)
  void feed(const Napi::CallbackInfo& call) {
    ring_->feed(node::unwrapped<RecordingObject>(call[0], kRecordingTag, "a recording").recording().open_queue(),
                integer(call[1]), call[2].As<Napi::Boolean>().Value());
  }

  /// Joins the threads off the JavaScript thread.
  Napi::Value close(const Napi::CallbackInfo& call) {
    return node::run(call.Env(), [ring = ring_] { ring->close(); });
  }

  std::shared_ptr<Ring> ring_;
  dvb::PacketReader reader_;
  std::shared_ptr<dvb::StreamQueue> written_;  // null before the first write()
};

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("Recording", RecordingObject::define(env));
  exports.Set("FileIndex", FileIndexObject::define(env));
  exports.Set("Ring", RingObject::define(env));
}

}  // namespace receiverd::recording
