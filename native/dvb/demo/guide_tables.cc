#include "dvb/demo/guide_tables.h"

#include <algorithm>

#include "dvb/demo/text_coding.h"
#include "dvb/descriptor_writer.h"

namespace receiverd::dvb::demo {
namespace {

constexpr std::uint8_t kExtendedEvent = 0x4E;
constexpr std::size_t kDescriptorBody = 255;
constexpr std::size_t kFixedBody = 6;  // number, language, two lengths
constexpr std::size_t kMaximumParts = 16;

/// Collects items and text into as many extended_event_descriptors as they take (§6.2.15).
class ExtendedEvent {
 public:
  ExtendedEvent(TextCoding coding, std::string_view language) : coding_(coding), language_(language) {}

  void item(const Event::Item& item) {
    const ByteVector description = code_text(coding_, item.description, 60);
    const ByteVector text = code_text(coding_, item.text, 120);
    const std::size_t size = 2 + description.size() + text.size();
    if (parts_.empty() || !parts_.back().text.empty() ||
        parts_.back().items.size() + size > kDescriptorBody - kFixedBody) {
      parts_.emplace_back();
    }
    ByteVector& items = parts_.back().items;
    items.push_back(static_cast<std::uint8_t>(description.size()));
    items.insert(items.end(), description.begin(), description.end());
    items.push_back(static_cast<std::uint8_t>(text.size()));
    items.insert(items.end(), text.begin(), text.end());
  }

  void text(std::string_view utf8) {
    if (utf8.empty()) return;
    const ByteVector selection = selection_bytes(coding_);
    for (const ByteVector& character : code_characters(coding_, utf8)) {
      const bool full = parts_.empty() || kFixedBody + parts_.back().items.size() + parts_.back().text.size() +
                                                  (parts_.back().text.empty() ? selection.size() : 0) +
                                                  character.size() >
                                              kDescriptorBody;
      if (full) parts_.emplace_back();
      ByteVector& text = parts_.back().text;
      if (text.empty()) text = selection;
      text.insert(text.end(), character.begin(), character.end());
    }
  }

  void write(DescriptorWriter& descriptors) const {
    const std::size_t count = std::min(parts_.size(), kMaximumParts);
    for (std::size_t i = 0; i < count; ++i) {
      ByteVector body{static_cast<std::uint8_t>(i << 4 | (count - 1))};
      body.insert(body.end(), language_.begin(), language_.end());
      body.push_back(static_cast<std::uint8_t>(parts_[i].items.size()));
      body.insert(body.end(), parts_[i].items.begin(), parts_[i].items.end());
      body.push_back(static_cast<std::uint8_t>(parts_[i].text.size()));
      body.insert(body.end(), parts_[i].text.begin(), parts_[i].text.end());
      descriptors.add(kExtendedEvent, body);
    }
  }

 private:
  struct Part {
    ByteVector items;
    ByteVector text;
  };

  TextCoding coding_;
  std::string_view language_;
  std::vector<Part> parts_;
};

void write_components(const LineupEntry& service, DescriptorWriter& descriptors) {
  std::uint8_t tag = 1;
  if (!service.radio()) descriptors.component(1, 3, tag++, service.language, {});  // MPEG-2 video 16:9, 25 Hz
  for (const AudioTrack& track : service.audio) {
    const std::uint8_t type = track.format.channels == 1 ? 1 : 3;  // mono or stereo
    descriptors.component(2, type, tag++, track.language, {});
  }
}

DvbTriplet triplet(const LineupEntry& service) { return {kOriginalNetworkId, kTransportStreamId, service.service_id}; }

}  // namespace

EitEvent code_event(const LineupEntry& service, const Event& event, RunningStatus status) {
  DescriptorWriter descriptors;
  const ByteVector title = code_text(service.coding, event.title, 120);
  const ByteVector subtitle = code_text(service.coding, event.subtitle, 120);
  descriptors.short_event(service.language, title, subtitle);
  ExtendedEvent extended(service.coding, service.language);
  for (const Event::Item& item : event.items) extended.item(item);
  extended.text(event.text);
  extended.write(descriptors);
  write_components(service, descriptors);
  if (event.genre != 0) descriptors.content(event.genre);
  if (event.minimum_age >= 4) {
    descriptors.parental_rating(service.country, static_cast<std::uint8_t>(event.minimum_age));
  }
  if (!event.series.empty()) descriptors.content_identifier(2, event.series);
  if (!event.programme.empty()) descriptors.content_identifier(1, event.programme);

  EitEvent coded;
  coded.event_id = event.id;
  coded.start = event.start;
  coded.duration = static_cast<std::uint32_t>(event.end - event.start);
  coded.running_status = status;
  coded.descriptors = descriptors.take();
  return coded;
}

std::vector<Section> present_following_sections(const LineupEntry& service, Schedule& schedule, std::int64_t time) {
  const Schedule::Pair& pair = schedule.at(time);
  const EitEvent present = code_event(service, pair.present, RunningStatus::running);
  const EitEvent following = code_event(service, pair.following, RunningStatus::not_running);
  return write_eit_present_following(triplet(service), true, pair.present.id & 31, &present, &following);
}

std::vector<Section> schedule_sections(const LineupEntry& service, const Schedule& schedule, std::int64_t time) {
  constexpr std::int64_t kDay = 86400;
  const std::int64_t midnight = time / kDay * kDay;
  std::vector<EitEvent> events;
  for (const Event& event : schedule.between(midnight, midnight + kGuideDays * kDay)) {
    if (event.start >= midnight) events.push_back(code_event(service, event, RunningStatus::undefined));
  }
  return write_eit_schedule(triplet(service), true, static_cast<std::uint8_t>(midnight / kDay & 31), midnight, events);
}

}  // namespace receiverd::dvb::demo
