#include "demo/carousel.h"

#include <algorithm>

namespace receiverd::demo {

std::size_t Carousel::add_group(std::uint16_t pid, std::int64_t period, std::int64_t first_due) {
  auto channel =
      std::find_if(channels_.begin(), channels_.end(), [pid](const Channel& c) { return c.packetizer.pid() == pid; });
  if (channel == channels_.end()) channel = channels_.emplace(channels_.end(), pid);
  groups_.push_back({static_cast<std::size_t>(channel - channels_.begin()), {}, period, first_due});
  return groups_.size() - 1;
}

void Carousel::replace(std::size_t group, std::vector<dvb::Section> sections) {
  groups_[group].sections = std::move(sections);
  if (groups_[group].next >= groups_[group].sections.size()) groups_[group].next = 0;
}

void Carousel::begin_sections(std::int64_t now) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    Channel& channel = channels_[i];
    if (channel.sent < channel.packets.size()) continue;
    Group* urgent = nullptr;
    for (Group& group : groups_) {
      if (group.channel != i || group.sections.empty() || group.next_due > now) continue;
      if (urgent == nullptr || group.next_due < urgent->next_due) urgent = &group;
    }
    if (urgent == nullptr) continue;
    channel.packets.clear();
    channel.sent = 0;
    channel.packetizer.write(urgent->sections[urgent->next], channel.packets);
    channel.deadline = urgent->next_due;
    urgent->next = (urgent->next + 1) % urgent->sections.size();
    const std::int64_t step =
        std::max<std::int64_t>(1, urgent->period / static_cast<std::int64_t>(urgent->sections.size()));
    // Lost time is not made up for in a burst.
    urgent->next_due = std::max(urgent->next_due + step, now - step);
  }
}

std::int64_t Carousel::deadline(std::int64_t now) {
  begin_sections(now);
  std::int64_t earliest = kNothing;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const Channel& channel = channels_[i];
    if (channel.sent >= channel.packets.size() || channel.free_at > now || channel.deadline >= earliest) continue;
    earliest = channel.deadline;
    chosen_ = i;
  }
  return earliest;
}

std::span<const std::uint8_t> Carousel::take(std::int64_t now) {
  Channel& channel = channels_[chosen_];
  const std::span<const std::uint8_t> packet = std::span(channel.packets).subspan(channel.sent, dvb::kPacketSize);
  channel.sent += dvb::kPacketSize;
  channel.free_at = now + distance_;
  return packet;
}

void Carousel::restart(std::int64_t now) {
  for (Group& group : groups_) group.next_due = now;
  for (Channel& channel : channels_) channel.free_at = now;
}

}  // namespace receiverd::demo
