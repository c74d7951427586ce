#include "epg/eit/eit_decoder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "epg/arib/arib_descriptors.h"
#include "epg/arib/arib_text.h"
#include "wire/descriptors.h"

namespace receiverd::epg {
namespace {

using wire::Bytes;
using wire::Cursor;

constexpr std::size_t kHeaderSize = 14;
constexpr std::size_t kEventHeaderSize = 12;
constexpr std::size_t kCrcSize = 4;
constexpr std::size_t kMaxEntries = 32;  // of genres, ratings, components and CRIDs per event, each

namespace tag {
constexpr std::uint8_t kShortEvent = 0x4D;
constexpr std::uint8_t kExtendedEvent = 0x4E;
constexpr std::uint8_t kComponent = 0x50;
constexpr std::uint8_t kContent = 0x54;
constexpr std::uint8_t kParentalRating = 0x55;
constexpr std::uint8_t kContentIdentifier = 0x76;
}  // namespace tag

void one_line(std::string& text) {
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) text[at] = ' ';
  if (text.starts_with(' ')) text.erase(0, text.find_first_not_of(' '));
}

/// The length of a final ellipsis: three dots, a colon and two dots, or the ellipsis character; 0 = none.
std::size_t ellipsis_at_end(const std::string& text) {
  if (text.ends_with("...") || text.ends_with(":..")) return 3;
  return text.ends_with("…") ? std::string_view("…").size() : 0;
}

std::size_t ellipsis_at_start(const std::string& text) {
  if (text.starts_with("...")) return 3;
  return text.starts_with("…") ? std::string_view("…").size() : 0;
}

/// The id of an event with event_id 0, which some broadcasters give to all events: day of the month and minute of the
/// day, as in Enigma2.
std::uint16_t substitute_id(wire::UnixSeconds start) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(start / 86400))};
  return static_cast<std::uint16_t>(static_cast<unsigned>(date.day()) << 11 | start % 86400 / 60);
}

}  // namespace

bool EitDecoder::ExtendedPart::read(Bytes body) {
  Cursor cursor(body);
  number = cursor.u8() >> 4;
  const Bytes code = cursor.take(3);
  language = code.empty() ? 0 : language_of(code);
  items = cursor.take(cursor.u8());
  text = cursor.take(cursor.u8());
  return cursor.ok();
}

EitDecoder::EitDecoder(EitOptions options) : options_(std::move(options)) {}

EitSection* EitDecoder::decode(Bytes bytes, const SiRules& rules) {
  ++counters_.sections;
  section_.rules = rules;
  Cursor cursor(bytes);
  section_.table_id = cursor.u8();
  const std::uint16_t length = cursor.u16();
  section_.service.service_id = cursor.u16();
  const std::uint8_t version = cursor.u8();
  section_.section_number = cursor.u8();
  section_.last_section_number = cursor.u8();
  section_.service.transport_stream_id = cursor.u16();
  section_.service.original_network_id = cursor.u16();
  section_.segment_last_section_number = cursor.u8();
  section_.last_table_id = cursor.u8();
  section_.only_long_texts = rules.arib && !section_.present_following() && (section_.table_id & 0x08) != 0;
  section_.version = version >> 1 & 0x1F;
  section_.events.clear();
  const std::size_t size = (length & 0xFFFU) + 3U;
  const bool eit = section_.table_id >= 0x4E && section_.table_id <= 0x6F && (length & 0x8000U) != 0;
  if (!cursor.ok() || !eit || size > bytes.size() || size < kHeaderSize + kCrcSize ||
      section_.section_number > section_.last_section_number) {
    ++counters_.malformed_sections;
    return nullptr;
  }
  if ((version & 1) == 0) return nullptr;  // not yet applicable; will be sent again as current

  section_.crc = Cursor(bytes.subspan(size - kCrcSize, kCrcSize)).u32();
  coded_.clear();
  Cursor loop(bytes.subspan(kHeaderSize, size - kHeaderSize - kCrcSize));
  while (loop.left() > 0) {
    const Bytes head = loop.take(kEventHeaderSize);
    const Bytes descriptors =
        head.empty() ? Bytes{} : loop.take(static_cast<std::size_t>(head[10] & 0x0F) << 8 | head[11]);
    if (!loop.ok()) {
      ++counters_.malformed_events;
      break;
    }
    coded_.push_back({head, descriptors});
  }
  decode_coded(coded_);
  return &section_;
}

std::span<const Event> EitDecoder::decode_events(const DvbTriplet& service, std::span<const CodedEvent> events) {
  section_.service = service;
  section_.rules = {};
  section_.only_long_texts = false;
  section_.events.clear();
  decode_coded(events);
  return section_.events;
}

void EitDecoder::decode_coded(std::span<const CodedEvent> events) {
  collect_evidence(events);
  for (const CodedEvent& coded : events) {
    if (decode_event(coded, section_.events.add())) {
      ++counters_.events;
    } else {
      section_.events.pop_back();
    }
  }
}

void EitDecoder::collect_evidence(std::span<const CodedEvent> events) {
  evidence_.clear();
  for (const CodedEvent& event : events) {
    wire::DescriptorLoop descriptors(event.descriptors);
    for (wire::Descriptor descriptor; descriptors.next(descriptor);) {
      if (descriptor.tag == tag::kShortEvent && descriptor.body.size() >= 5) {
        Cursor cursor(descriptor.body);
        const Language language = language_of(cursor.take(3));
        add_evidence(language, cursor.take(cursor.u8()));
        add_evidence(language, cursor.take(cursor.u8()));
      } else if (ExtendedPart part; descriptor.tag == tag::kExtendedEvent && part.read(descriptor.body)) {
        add_evidence(part.language, part.text);
        Cursor items(part.items);
        while (items.left() > 0) add_evidence(part.language, items.take(items.u8()));
      }
    }
  }
}

void EitDecoder::add_evidence(Language language, Bytes text) {
  for (LanguageEvidence& entry : evidence_) {
    if (entry.language == language) return entry.evidence.add(text);
  }
  const TextAssumption known = assumption(language);
  evidence_.push_back({language, known, TableEvidence(known)});
  evidence_.back().evidence.add(text);
}

TextAssumption EitDecoder::assumption(Language language) const {
  for (const LanguageEvidence& entry : evidence_) {
    if (entry.language != language) continue;
    TextAssumption assumption = entry.assumption;
    if (entry.evidence.decided()) assumption.table = assumption.alternative = entry.evidence.table();
    return assumption;
  }
  if (section_.rules.arib) return arib_text_assumption(section_.rules);
  const DvbTriplet& service = section_.service;
  TextAssumption assumption =
      options_.defaults->assumption(language, service.original_network_id, service.transport_stream_id);
  assumption.huffman = options_.huffman.get();
  return assumption;
}

void EitDecoder::read_text(Bytes bytes, Language language, std::string& text) {
  text.clear();
  if (!bytes.empty()) decode_dvb_text({&bytes, 1}, assumption(language), &counters_.text, text);
}

bool EitDecoder::decode_event(const CodedEvent& coded, Event& event) {
  Cursor cursor(coded.head);
  event.id = cursor.u16();
  const std::uint64_t start = cursor.u40();
  const std::uint32_t duration = cursor.u24();
  const std::uint8_t flags = cursor.u8();
  if (start == 0xFFFFFFFFFFULL) {
    ++counters_.undefined_starts;
    return false;
  }
  const auto begins = wire::mjd_time(start);
  const auto lasts = duration == 0xFFFFFF ? std::optional<std::uint32_t>{0} : wire::bcd_seconds(duration);
  if (!begins || *begins < std::max(section_.rules.zone_seconds, 0) || !lasts) {
    ++counters_.malformed_events;
    return false;
  }
  event.start = *begins - section_.rules.zone_seconds;
  event.duration = *lasts;
  event.running_status = flags >> 5;
  event.free_ca = (flags & 0x10) != 0;
  if (event.id == 0) event.id = substitute_id(event.start);
  event.clear_content();
  event.has_separate_text = section_.rules.arib && !section_.present_following();
  decode_descriptors(coded.descriptors, event);
  return true;
}

Language EitDecoder::choose_language(Bytes descriptors, std::uint8_t wanted_tag) const {
  const auto& wanted = options_.languages;
  std::size_t best = wanted.size() + 1;  // index in `wanted`; wanted.size() = none of them
  Language chosen = 0;
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; best != 0 && loop.next(descriptor);) {
    const std::size_t at = wanted_tag == tag::kExtendedEvent ? 1 : 0;
    if (descriptor.tag != wanted_tag || descriptor.body.size() < at + 3) continue;
    const Language sent = language_of(descriptor.body.subspan(at, 3));
    const std::size_t place = place_among(wanted, sent);
    if (place >= best) continue;
    best = place;
    chosen = sent;
  }
  return chosen;
}

void EitDecoder::decode_descriptors(Bytes descriptors, Event& event) {
  event.language = choose_language(descriptors, tag::kShortEvent);
  bool has_short = false;
  bool has_extended = false;
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    Cursor cursor(descriptor.body);
    switch (descriptor.tag) {
      case tag::kShortEvent: {
        const Bytes code = cursor.take(3);
        const Bytes title = cursor.take(cursor.u8());
        const Bytes short_text = cursor.take(cursor.u8());
        if (code.empty()) break;
        const Language language = language_of(code);
        // In epg.dat, title and text are in separate descriptors.
        const bool continued = has_short && title.empty() && event.short_text.empty();
        if (language != event.language || (has_short && !continued)) break;
        if (!has_short) read_text(title, language, event.title);
        has_short = true;
        read_text(short_text, language, event.short_text);
        break;
      }
      case tag::kExtendedEvent:
        has_extended = true;
        break;
      case tag::kComponent: {
        Component component;
        component.stream_content = cursor.u8() & 0x0F;
        component.type = cursor.u8();
        component.tag = cursor.u8();
        const Bytes code = cursor.take(3);
        if (!cursor.ok() || event.components.size() == kMaxEntries) break;
        component.language = language_of(code);
        if (section_.rules.arib) to_dvb_component(component);
        read_text(cursor.rest(), component.language, component.text);
        event.components.push_back(std::move(component));
        break;
      }
      case tag::kContent:
        while (cursor.left() >= 2 && event.genres.size() < kMaxEntries) {
          std::uint8_t nibbles = cursor.u8();
          const std::uint8_t user = cursor.u8();
          if (section_.rules.arib) nibbles = dvb_genre(nibbles, section_.rules);
          if (nibbles != 0 || !section_.rules.arib) event.genres.push_back({nibbles, user});
        }
        break;
      case tag::kParentalRating:
        while (cursor.left() >= 4 && event.parental.size() < kMaxEntries) {
          const Bytes country = cursor.take(3);
          ParentalRating rating;
          for (std::size_t i = 0; i < 3; ++i) {
            rating.country[i] = country[i] >= 0x20 && country[i] < 0x7F ? static_cast<char>(country[i]) : ' ';
          }
          rating.rating = cursor.u8();
          if (section_.rules.latin) rating.rating = dvb_rating(rating.rating);
          if (section_.rules.latin && rating.rating == 0) continue;
          event.parental.push_back(rating);
        }
        break;
      case tag::kContentIdentifier:
        // TS 102 323 §12.1: location 0 has the CRID itself, location 1 a reference into another table.
        while (cursor.left() >= 1) {
          const std::uint8_t head = cursor.u8();
          if ((head & 3) == 1) {
            cursor.skip(2);
          } else if ((head & 3) == 0) {
            const Bytes crid = cursor.take(cursor.u8());
            std::uint8_t type = head >> 2;
            if (type >= 0x31 && type <= 0x33) type = static_cast<std::uint8_t>(type - 0x30);
            TextAssumption ascii{.table = CharacterTable::utf8, .alternative = CharacterTable::utf8};
            std::string characters = decode_dvb_text(crid, ascii, &counters_.text);
            if (!characters.empty() && event.crids.size() < kMaxEntries) {
              event.crids.push_back({type, std::move(characters)});
            }
          } else {
            break;  // reserved: its length is unknown
          }
        }
        break;
      default:
        if (section_.rules.arib && !decode_arib(descriptor.tag, descriptor.body, event)) cursor.skip(1 + cursor.left());
        break;
    }
    if (!cursor.ok()) ++counters_.malformed_descriptors;
  }
  if (!loop.ok()) ++counters_.malformed_descriptors;

  if (has_extended) decode_extended(descriptors, event.language, event);
  one_line(event.title);
  if (options_.join_split_titles && !section_.rules.arib) join_split_title(event.title, event.short_text);
}

/// False if the descriptor is malformed.
bool EitDecoder::decode_arib(std::uint8_t tag, Bytes body, Event& event) {
  switch (tag) {
    case arib_tag::kAudioComponent: {
      Bytes text;
      auto component = read_audio_component(body, text);
      if (!component) return false;
      read_text(text, component->language, component->text);
      if (event.components.size() < kMaxEntries) event.components.push_back(std::move(*component));
      return true;
    }
    case arib_tag::kSeries:
      return event.crids.size() + 2 > kMaxEntries || read_series(body, section_.service, event.crids);
    case arib_tag::kEventGroup:
      return read_event_group(body, section_.service, event.id, event.crids);
    default:
      return true;
  }
}

void EitDecoder::decode_extended(Bytes descriptors, Language wanted, Event& event) {
  std::vector<ExtendedPart>& parts = parts_;
  parts.clear();
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag != tag::kExtendedEvent) continue;
    if (ExtendedPart part; part.read(descriptor.body)) {
      parts.push_back(part);
    } else {
      ++counters_.malformed_descriptors;
    }
  }
  const auto in = [&parts](Language language) {
    return std::any_of(parts.begin(), parts.end(), [&](const ExtendedPart& part) { return part.language == language; });
  };
  const Language language = in(wanted) ? wanted : choose_language(descriptors, tag::kExtendedEvent);
  std::erase_if(parts, [&](const ExtendedPart& part) { return part.language != language; });
  const auto earlier = [](const ExtendedPart& a, const ExtendedPart& b) { return a.number < b.number; };
  if (!std::is_sorted(parts.begin(), parts.end(), earlier)) std::stable_sort(parts.begin(), parts.end(), earlier);
  const auto same_number = [](const ExtendedPart& a, const ExtendedPart& b) { return a.number == b.number; };
  parts.erase(std::unique(parts.begin(), parts.end(), same_number), parts.end());
  if (event.language == 0) event.language = language;

  // Collects text and items. An item without a description continues the previous item, even across parts.
  const TextAssumption assumed = assumption(language);
  std::vector<Bytes>& texts = part_texts_;
  texts.clear();
  std::vector<std::pair<std::vector<Bytes>, std::vector<Bytes>>> items;
  for (const ExtendedPart& part : parts) {
    texts.push_back(part.text);
    Cursor cursor(part.items);
    while (cursor.left() > 0) {
      const Bytes description = cursor.take(cursor.u8());
      const Bytes item = cursor.take(cursor.u8());
      if (!cursor.ok()) {
        ++counters_.malformed_descriptors;
        break;
      }
      if (!description.empty() || items.empty()) items.emplace_back().first.push_back(description);
      items.back().second.push_back(item);
    }
  }
  decode_dvb_text(texts, assumed, &counters_.text, event.extended_text);
  for (const auto& [description, item] : items) {
    const std::string name = decode_dvb_text(description, assumed, &counters_.text);
    const std::string value = decode_dvb_text(item, assumed, &counters_.text);
    if (name.empty() && value.empty()) continue;
    if (!event.extended_text.empty()) event.extended_text += '\n';
    event.extended_text += name;
    if (!name.empty() && !value.empty()) event.extended_text += name.ends_with(':') ? " " : ": ";
    event.extended_text += value;
  }
}

bool join_split_title(std::string& title, std::string& text) {
  if (title.size() <= 5 || text.size() <= 5) return false;
  const std::size_t title_dots = ellipsis_at_end(title);
  const std::size_t text_dots = ellipsis_at_start(text);
  if (title_dots == 0 || text_dots == 0) return false;
  constexpr std::size_t kMinRestBytes = 3;
  const std::size_t begin = std::min(text.find_first_not_of(' ', text_dots), text.size());
  const std::size_t end = text.find_first_of(".:!?", begin);
  if (end == text.npos || end - begin < kMinRestBytes) return false;
  const std::size_t rest = std::min(text.find_first_not_of(' ', end + 1), text.size());
  if (text.size() - rest < kMinRestBytes) return false;
  title.erase(title.size() - title_dots);
  title.erase(title.find_last_not_of(' ') + 1);
  title += ' ';
  const bool mark = text[end] == '!' || text[end] == '?';
  title.append(text, begin, end - begin + (mark ? 1 : 0));
  text.erase(0, rest);
  return true;
}

}  // namespace receiverd::epg
