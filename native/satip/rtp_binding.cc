// Streams to SAT>IP clients for JavaScript. Only src/dvb calls these functions, and it checks the arguments.

#include <napi.h>

#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "dvb/dvb_binding.h"
#include "node/bindings.h"
#include "node/values.h"
#include "satip/rtp_sender.h"

namespace receiverd::satip {

namespace {

using Clock = std::chrono::steady_clock;
using node::text_of;

Napi::Buffer<std::uint8_t> buffer_of(Napi::Env env, std::vector<std::uint8_t> bytes) {
  auto* const owned = new std::vector<std::uint8_t>(std::move(bytes));
  return Napi::Buffer<std::uint8_t>::NewOrCopy(
      env, owned->data(), owned->size(), [](Napi::Env, std::uint8_t*, std::vector<std::uint8_t>* mine) { delete mine; },
      owned);
}

class RtpSenderObject : public Napi::ObjectWrap<RtpSenderObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "RtpSender",
        {InstanceMethod<&RtpSenderObject::port>("port"), InstanceMethod<&RtpSenderObject::sequence>("sequence"),
         InstanceMethod<&RtpSenderObject::open>("open"), InstanceMethod<&RtpSenderObject::change>("change"),
         InstanceMethod<&RtpSenderObject::pause>("pause"), InstanceMethod<&RtpSenderObject::describe>("describe"),
         InstanceMethod<&RtpSenderObject::close>("close")});
  }

  /// (local address, remote address, port of RTP, port of RTCP, framing)
  explicit RtpSenderObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const auto address = [&](std::size_t host, const Napi::Value& port) {
      const std::string text = text_of(call[host]);
      const auto number = port.IsNumber() ? port.As<Napi::Number>().Uint32Value() : 0;
      const auto found = rtp::address_of(text, static_cast<std::uint16_t>(number));
      if (!found) throw Napi::Error::New(call.Env(), "'" + text + "' is not an address");
      return *found;
    };
    try {
      const std::string name = call[4].IsString() ? text_of(call[4]) : std::string();
      const Framing framing = name == "filled-rtp"   ? Framing::filled_rtp
                              : name == "filled-udp" ? Framing::filled_udp
                                                     : Framing::rtp;
      sender_ = std::make_shared<RtpSender>(address(0, {}), address(1, call[2]), address(1, call[3]), framing);
    } catch (const std::system_error& error) {
      throw Napi::Error::New(call.Env(), error.what());
    }
    port_ = sender_->port();
  }

 private:
  Napi::Value port(const Napi::CallbackInfo& call) { return Napi::Number::New(call.Env(), port_); }
  Napi::Value sequence(const Napi::CallbackInfo& call) {
    return Napi::Number::New(call.Env(), sender_ == nullptr ? 0 : sender_->sequence());
  }

  /// (tuner, PIDs)
  void open(const Napi::CallbackInfo& call) {
    if (sender_ != nullptr) dvb::tuner_of(call[0]).read_pids(sender_->open_queue(), dvb::pids_of(call[1]));
  }
  /// (tuner, PIDs)
  void change(const Napi::CallbackInfo& call) {
    const auto queue = sender_ == nullptr ? nullptr : sender_->queue();
    if (queue != nullptr) dvb::tuner_of(call[0]).read_pids(queue, dvb::pids_of(call[1]));
  }
  void pause(const Napi::CallbackInfo& /*call*/) {
    if (sender_ != nullptr) sender_->close_queue();
  }
  void describe(const Napi::CallbackInfo& call) {
    if (sender_ != nullptr) sender_->describe(text_of(call[0]));
  }

  /// Joins the thread off the JavaScript thread.
  Napi::Value close(const Napi::CallbackInfo& call) {
    return node::run(call.Env(), [sender = std::move(sender_)]() mutable { sender.reset(); });
  }

  std::shared_ptr<RtpSender> sender_;  // null once closed
  std::uint16_t port_ = 0;
};

class RtpFramesObject : public Napi::ObjectWrap<RtpFramesObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "RtpFrames",
        {InstanceMethod<&RtpFramesObject::packets>("packets"), InstanceMethod<&RtpFramesObject::report>("report"),
         InstanceMethod<&RtpFramesObject::sequence>("sequence")});
  }

  /// (channel)
  explicit RtpFramesObject(const Napi::CallbackInfo& call)
      : ObjectWrap(call), channel_(static_cast<std::uint8_t>(call[0].As<Napi::Number>().Uint32Value())) {}

 private:
  Napi::Value packets(const Napi::CallbackInfo& call) {
    const auto chunk = call[0].As<Napi::Buffer<std::uint8_t>>();
    return buffer_of(call.Env(), stream_.frames(channel_, {chunk.Data(), chunk.Length()}, Clock::now()));
  }
  Napi::Value report(const Napi::CallbackInfo& call) {
    const auto report = stream_.report(text_of(call[0]), Clock::now(), std::chrono::system_clock::now());
    return buffer_of(call.Env(), RtpStream::frame(static_cast<std::uint8_t>(channel_ + 1), report));
  }
  Napi::Value sequence(const Napi::CallbackInfo& call) { return Napi::Number::New(call.Env(), stream_.sequence()); }

  const std::uint8_t channel_;
  RtpStream stream_;
};

}  // namespace

void register_rtp_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("RtpSender", RtpSenderObject::define(env));
  exports.Set("RtpFrames", RtpFramesObject::define(env));
}

}  // namespace receiverd::satip
