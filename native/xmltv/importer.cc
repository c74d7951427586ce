#include "xmltv/importer.h"

#include <algorithm>
#include <utility>

#include "epg/store/timeline.h"
#include "wire/json_writer.h"
#include "xmltv/text.h"

namespace receiverd::xmltv {
namespace {

// A reader of the store may have to wait while this many events are stored.
constexpr std::size_t kMaxBatchEvents = 128;
// Channels without a service that the report names.
constexpr std::size_t kMaxUnmatchedNamed = 100;

}  // namespace

Importer::Importer(std::shared_ptr<epg::Store> store, XmltvOptions options, wire::UnixSeconds not_before, Ranks ranks)
    : XmltvReader(std::move(options)),
      store_(std::move(store)),
      not_before_(not_before),
      import_(store_->begin_import()),
      ranks_(std::move(ranks)) {}

void Importer::feed(wire::Bytes piece) {
  counters_.bytes += piece.size();
  input_.clear();
  read_ = 0;
  supported_ = decoder_.decode(piece, input_) && supported_;
}

void Importer::finish() {
  input_.clear();
  read_ = 0;
  supported_ = decoder_.finish(input_) && supported_;
  last_ = true;
}

Importer::State Importer::advance() {
  if (state_ == State::failed || state_ == State::done) return state_;
  if (!supported_) return fail({"the encoding '" + decoder_.encoding() + "' is not supported", 1, 1});
  if (waiting_) {
    const std::size_t index = channel_index(waiting_->channel);
    if (index != kNoChannel && channels_[index].state == Asked::asked) return state_ = State::asks;
    Programme programme = std::move(*waiting_);
    waiting_.reset();
    if (index != kNoChannel) take(index, programme);
  }
  read_ += xml_.read(std::string_view(input_).substr(read_));
  if (xml_.failed()) return fail(xml_.error());
  if (waiting_) return state_ = State::asks;
  if (!last_) {
    flush_all();
    return state_ = State::more;
  }
  if (!xml_.finish()) return fail(xml_.error());
  if (!questions_.empty()) return state_ = State::asks;
  close_open_programmes();
  flush_all();
  store_->settle();
  return state_ = State::done;
}

Importer::State Importer::fail(XmlError error) {
  error_ = std::move(error);
  close_open_programmes();
  flush_all();
  return state_ = State::failed;
}

void Importer::answer(std::vector<std::vector<epg::DvbTriplet>> services) {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    ChannelRecord& channel = channels_[asked_[i]];
    channel.state = Asked::answered;
    if (i < services.size()) channel.services = std::move(services[i]);
    if (!std::exchange(channel.counted, true)) ++answered_;
    if (!channel.services.empty()) ++matched_;
    if (channel.services.size() > kMaxServicesPerChannel) channel.services.resize(kMaxServicesPerChannel);
  }
  asked_.clear();
  questions_.clear();
}

std::size_t Importer::channel_index(std::string_view id) {
  if (current_ != kNoChannel && channels_[current_].id == id) return current_;
  std::string key(id);
  if (const auto known = by_id_.find(key); known != by_id_.end()) return current_ = known->second;
  if (channels_.size() >= kMaxChannels) return kNoChannel;
  current_ = channels_.size();
  channels_.emplace_back().id = key;
  by_id_.emplace(std::move(key), current_);
  return current_;
}

XmlNext Importer::channel(Channel& channel) {
  const std::size_t index = channel_index(channel.id);
  if (index == kNoChannel) return XmlNext::proceed;
  ChannelRecord& known = channels_[index];
  const bool asked_without_names = known.state == Asked::answered && known.services.empty() && known.name.empty();
  if (known.state != Asked::not_yet && !asked_without_names) return XmlNext::proceed;
  if (!channel.names.empty()) known.name = channel.names.front();
  ask(index, std::move(channel.names), std::move(channel.icon));
  return XmlNext::proceed;
}

void Importer::ask(std::size_t index, std::vector<std::string> names, std::string icon) {
  channels_[index].state = Asked::asked;
  asked_.push_back(index);
  questions_.push_back({channels_[index].id, std::move(names), std::move(icon)});
}

XmlNext Importer::programme(Programme& programme) {
  const std::size_t index = channel_index(programme.channel);
  if (index == kNoChannel) {
    ++counters_.unmatched;
    return XmlNext::proceed;
  }
  ChannelRecord& known = channels_[index];
  if (known.state == Asked::answered) {
    take(index, programme);
    return XmlNext::proceed;
  }
  if (known.state == Asked::not_yet) ask(index, {});
  waiting_ = std::move(programme);
  programme = {};
  return XmlNext::pause;
}

void Importer::take(std::size_t index, Programme& programme) {
  ChannelRecord& channel = channels_[index];
  ++channel.programmes;
  if (channel.services.empty()) {
    ++counters_.unmatched;
    return;
  }
  if (channel.open) {
    const wire::UnixSeconds gap = programme.event.start - channel.open->event.start;
    channel.open->event.duration =
        gap > 0 && gap <= kMaxGapSeconds ? static_cast<std::uint32_t>(gap) : channel.open->length;
    put(index, channel.open->event);
    channel.open.reset();
  }
  if (programme.event.duration == 0) {
    channel.open = std::move(programme);
    programme = {};
  } else {
    put(index, programme.event);
  }
}

void Importer::put(std::size_t index, epg::Event& event) {
  const wire::UnixSeconds duration = event.duration != 0 ? event.duration : epg::kAssumedDurationSeconds;
  if (event.start + duration <= not_before_) {
    ++counters_.ended;
    return;
  }
  ChannelRecord& channel = channels_[index];
  if (channel.batch.empty()) filled_.push_back(index);
  channel.batch.push_back(std::move(event));
  event = {};
  ++counters_.imported;
  if (channel.batch.size() >= kMaxBatchEvents) flush(channel);
}

void Importer::close_open_programmes() {
  for (std::size_t index = 0; index < channels_.size(); ++index) {
    ChannelRecord& channel = channels_[index];
    if (!channel.open) continue;
    channel.open->event.duration = channel.open->length;
    put(index, channel.open->event);
    channel.open.reset();
  }
}

void Importer::flush(ChannelRecord& channel) {
  for (const epg::DvbTriplet& service : channel.services) {
    const auto own = ranks_.of.find(service);
    const int rank = own == ranks_.of.end() ? ranks_.usual : own->second;
    if (!store_->import_events(service, channel.batch, epg::EventIds::assigned, import_, rank)) ++counters_.refused;
  }
  channel.batch.clear();
}

void Importer::flush_all() {
  for (const std::size_t index : filled_) {
    ChannelRecord& channel = channels_[index];
    if (!channel.batch.empty()) flush(channel);
    // An empty batch keeps some kilobytes, which adds up over thousands of channels.
    channel.batch.shrink_to_fit();
  }
  filled_.clear();
}

std::string Importer::report() const {
  constexpr std::string_view kStates[] = {"more", "asks", "done", "failed"};
  const XmltvCounters& read = read_counters();
  wire::JsonWriter json;
  json.begin_object().member("state", kStates[static_cast<std::size_t>(state_)]);
  json.member("bytes", counters_.bytes).member("programmes", read.programmes).member("imported", counters_.imported);
  json.member("ended", counters_.ended).member("malformed", read.malformed).member("refused", counters_.refused);
  json.member("cutTexts", read.cut_texts).member("brokenTexts", read.broken_texts);
  json.member("unknownEntities", xml_.unknown_entities());
  json.member("programmesWithoutService", counters_.unmatched);
  json.key("channels").begin_object();
  json.member("matched", matched()).member("unmatched", unmatched()).end_object();
  if (state_ == State::asks) {
    json.key("asked").begin_array();
    for (const Question& question : questions_) {
      json.begin_object().member("id", std::string_view(question.id)).key("names").begin_array();
      for (const std::string& name : question.names) json.value(std::string_view(name));
      json.end_array();
      if (!question.icon.empty()) json.member("icon", std::string_view(question.icon));
      json.end_object();
    }
    json.end_array();
  }
  if (state_ == State::failed) {
    // A name from the document may be truncated or invalid UTF-8.
    std::string what = error_.what;
    tidy(what, Whitespace::folded);
    json.key("error").begin_object().member("what", std::string_view(what));
    json.member("line", error_.line).member("column", error_.column).end_object();
  }
  if (state_ == State::failed || state_ == State::done) write_unmatched(json);
  return json.end_object().take();
}

void Importer::write_unmatched(wire::JsonWriter& json) const {
  std::vector<const ChannelRecord*> unmatched;
  for (const ChannelRecord& channel : channels_) {
    if (channel.state == Asked::answered && channel.services.empty()) unmatched.push_back(&channel);
  }
  std::ranges::stable_sort(unmatched, std::ranges::greater(), &ChannelRecord::programmes);
  if (unmatched.size() > kMaxUnmatchedNamed) unmatched.resize(kMaxUnmatchedNamed);
  json.key("unmatched").begin_array();
  for (const ChannelRecord* const channel : unmatched) {
    json.begin_object().member("id", std::string_view(channel->id)).member("name", std::string_view(channel->name));
    json.member("programmes", channel->programmes).end_object();
  }
  json.end_array();
}

}  // namespace receiverd::xmltv
