#include "xmltv/importer.h"

#include <algorithm>
#include <utility>

#include "epg/store/timeline.h"

namespace receiverd::xmltv {
namespace {

// The most events that a reader of the store may have to wait for.
constexpr std::size_t kBatch = 128;

}  // namespace

Importer::Importer(std::shared_ptr<epg::Store> store, XmltvOptions options, wire::UnixSeconds not_before)
    : store_(std::move(store)),
      not_before_(not_before),
      import_(store_->begin_import()),
      reader_(std::move(options), *this),
      xml_(reader_) {}

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

void Importer::answer(std::vector<std::vector<epg::ServiceKey>> services) {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    Known& channel = channels_[asked_[i]];
    channel.state = Asked::answered;
    if (i < services.size()) channel.services = std::move(services[i]);
    if (!std::exchange(channel.counted, true)) ++answered_;
    if (!channel.services.empty()) ++matched_;
    if (channel.services.size() > kMostServices) channel.services.resize(kMostServices);
  }
  asked_.clear();
  questions_.clear();
}

std::size_t Importer::channel_index(std::string_view id) {
  if (current_ != kNoChannel && channels_[current_].id == id) return current_;
  std::string key(id);
  if (const auto known = by_id_.find(key); known != by_id_.end()) return current_ = known->second;
  if (channels_.size() >= kMostChannels) return kNoChannel;
  current_ = channels_.size();
  channels_.emplace_back().id = key;
  by_id_.emplace(std::move(key), current_);
  return current_;
}

XmlNext Importer::channel(Channel& channel) {
  const std::size_t index = channel_index(channel.id);
  if (index == kNoChannel) return XmlNext::proceed;
  Known& known = channels_[index];
  const bool asked_without_names = known.state == Asked::answered && known.services.empty() && known.name.empty();
  if (known.state != Asked::not_yet && !asked_without_names) return XmlNext::proceed;
  if (!channel.names.empty()) known.name = channel.names.front();
  ask(index, std::move(channel.names));
  return XmlNext::proceed;
}

void Importer::ask(std::size_t index, std::vector<std::string> names) {
  channels_[index].state = Asked::asked;
  asked_.push_back(index);
  questions_.push_back({channels_[index].id, std::move(names)});
}

XmlNext Importer::programme(Programme& programme) {
  const std::size_t index = channel_index(programme.channel);
  if (index == kNoChannel) {
    ++counters_.unmatched;
    return XmlNext::proceed;
  }
  Known& known = channels_[index];
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
  Known& channel = channels_[index];
  ++channel.programmes;
  if (channel.services.empty()) {
    ++counters_.unmatched;
    return;
  }
  if (channel.open) {
    const wire::UnixSeconds gap = programme.event.start - channel.open->event.start;
    channel.open->event.duration =
        gap > 0 && gap <= kLongestGap ? static_cast<std::uint32_t>(gap) : channel.open->length;
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
  const wire::UnixSeconds duration = event.duration != 0 ? event.duration : epg::kUnknownDuration;
  if (event.start + duration <= not_before_) {
    ++counters_.ended;
    return;
  }
  Known& channel = channels_[index];
  if (channel.batch.empty()) filled_.push_back(index);
  channel.batch.push_back(std::move(event));
  event = {};
  ++counters_.imported;
  if (channel.batch.size() >= kBatch) flush(channel);
}

void Importer::close_open_programmes() {
  for (std::size_t index = 0; index < channels_.size(); ++index) {
    Known& channel = channels_[index];
    if (!channel.open) continue;
    channel.open->event.duration = channel.open->length;
    put(index, channel.open->event);
    channel.open.reset();
  }
}

void Importer::flush(Known& channel) {
  for (const epg::ServiceKey& service : channel.services) {
    if (!store_->import_events(service, channel.batch, epg::EventIds::assigned, import_)) ++counters_.refused;
  }
  channel.batch.clear();
}

void Importer::flush_all() {
  for (const std::size_t index : filled_) {
    Known& channel = channels_[index];
    if (!channel.batch.empty()) flush(channel);
    // An empty batch keeps some kilobytes, which adds up over thousands of channels.
    channel.batch.shrink_to_fit();
  }
  filled_.clear();
}

}  // namespace receiverd::xmltv
