#include "epg/atsc/psip_decoder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "epg/atsc/ac3_audio.h"
#include "epg/atsc/genres.h"
#include "epg/atsc/multiple_string.h"
#include "wire/descriptors.h"

namespace receiverd::epg {
namespace {

using wire::Bytes;
using wire::Cursor;

constexpr std::size_t kPsipHeaderSize = 8;
constexpr std::size_t kPsipCrcSize = 4;
constexpr std::size_t kMaxDetails = 32;  // of genres, ratings and components per event, each

namespace psip_table {
constexpr std::uint8_t kRrt = 0xCA;
constexpr std::uint8_t kEit = 0xCB;
constexpr std::uint8_t kEtt = 0xCC;
}  // namespace psip_table

namespace psip_tag {
constexpr std::uint8_t kAc3Audio = 0x81;
constexpr std::uint8_t kCaptionService = 0x86;
constexpr std::uint8_t kContentAdvisory = 0x87;
constexpr std::uint8_t kGenre = 0xAB;
constexpr std::uint8_t kEac3Audio = 0xCC;
}  // namespace psip_tag

/// A cursor behind the protocol_version of a section with this table_id, up to its CRC_32. It has failed if the section
/// is shorter than it says, or of another protocol_version.
Cursor body_of_psip(Bytes section, std::uint8_t table_id) {
  Cursor cursor(section);
  const bool matches = cursor.u8() == table_id;
  const std::size_t size = (cursor.u16() & 0x0FFFU) + 3U;
  if (!matches || size > section.size() || size < kPsipHeaderSize + 1 + kPsipCrcSize || section[kPsipHeaderSize] != 0) {
    cursor.skip(section.size());
    return cursor;
  }
  return Cursor(section.subspan(kPsipHeaderSize + 1, size - kPsipHeaderSize - 1 - kPsipCrcSize));
}

/// Countries of rating regions (A/65 §6.4, table 6.11), as parental_rating_descriptor has them.
std::string_view country_of(std::uint8_t region) {
  constexpr std::array<std::string_view, 6> kCountries = {"   ", "USA", "CAN", "TWN", "KOR", "USA"};
  return kCountries[region < kCountries.size() ? region : 0];
}

/// caption_service_descriptor (§6.9.2). As components they are subtitles for the hard of hearing (EN 300 468 table 26).
void read_captions(Cursor cursor, Event& event) {
  constexpr std::uint8_t kSubtitles = 0x03;
  constexpr std::uint8_t kHardOfHearing = 0x20;
  for (std::uint8_t left = cursor.u8() & 0x1F; left > 0; --left) {
    const Bytes code = cursor.take(3);
    const bool digital = (cursor.u8() & 0x80) != 0;
    cursor.skip(2);
    if (!cursor.ok()) return;
    Component component{kSubtitles, kHardOfHearing, 0, language_of(code), digital ? "CEA-708" : "CEA-608"};
    auto& all = event.components;
    if (all.size() < kMaxDetails && std::ranges::find(all, component) == all.end()) all.push_back(std::move(component));
  }
}

void add_audio(std::optional<Ac3Audio> audio, Event& event) {
  constexpr std::uint8_t kAc3 = 0x04;
  if (!audio || event.components.size() == kMaxDetails) return;
  event.components.push_back({kAc3, audio->component_type, 0, audio->language, std::move(audio->text)});
}

void read_genres(Cursor cursor, Event& event) {
  for (std::uint8_t left = cursor.u8() & 0x1F; left > 0 && cursor.left() > 0; --left) {
    const std::uint8_t code = cursor.u8();
    const std::uint8_t nibbles = genre_of_psip(code);
    if (nibbles != 0 && event.genres.size() < kMaxDetails) event.genres.push_back({nibbles, code});
  }
}

}  // namespace

const EitSection* PsipDecoder::decode_eit(Bytes bytes, const PsipOrigin& origin) {
  constexpr wire::UnixSeconds kSegment = 3 * 3600;
  constexpr wire::UnixSeconds kTable = 32 * kSegment;
  constexpr std::uint8_t kSections = 8;  // of a segment
  Cursor cursor = body_of_psip(bytes, psip_table::kEit);
  std::uint8_t left = cursor.u8();
  if (!cursor.ok()) {
    ++counters_.malformed_sections;
    return nullptr;
  }
  section_.events.clear();
  wire::UnixSeconds last = 0;
  for (; left > 0; --left) {
    Event& event = section_.events.add();
    if (decode_event(cursor, origin, event)) {
      ++counters_.events;
      last = std::max(last, event.start);
      continue;
    }
    section_.events.pop_back();
    ++counters_.malformed_events;
    if (!cursor.ok()) break;
  }
  // The segment in which the last event starts: EIT-k says what is on up to its end.
  const std::uint8_t number = std::min<std::uint8_t>(bytes[6], kSections - 1);
  const std::uint8_t last_number = bytes[7];
  const auto first = static_cast<std::uint8_t>(last % kTable / kSegment * kSections);
  section_.service = origin.service;
  section_.only_long_texts = false;
  section_.table_id = static_cast<std::uint8_t>((origin.actual ? 0x50 : 0x60) | (last / kTable & 0xF));
  section_.version = last / kTable >> 4 & 0x1F;
  section_.section_number = first + number;
  section_.last_section_number = 0xFF;
  // A segment of more sections than DVB allows is never taken for complete.
  section_.segment_last_section_number = last_number < kSections ? first + last_number : 0;
  section_.last_table_id = section_.table_id;
  return &section_;
}

bool PsipDecoder::decode_event(Cursor& cursor, const PsipOrigin& origin, Event& event) {
  constexpr wire::UnixSeconds kGpsEpoch = 315'964'800;  // 1980-01-06
  event.id = psip_event_id(cursor.u16());
  event.start = kGpsEpoch + cursor.u32() - origin.gps_utc_offset;
  const std::uint32_t duration = cursor.u24();
  event.duration = duration & 0xFFFFF;
  event.has_separate_text = (duration & 0x300000) != 0;  // ETM_location
  event.running_status = 0;
  event.free_ca = false;
  const Bytes title = cursor.take(cursor.u8());
  const Bytes descriptors = cursor.take(cursor.u16() & 0x0FFF);
  if (!cursor.ok()) return false;
  event.clear_content();
  event.title = decode_multiple_string(title, languages_, &event.language);
  std::ranges::replace(event.title, '\n', ' ');
  decode_descriptors(descriptors, event);
  return event.start <= 0xFFFFFFFF;
}

void PsipDecoder::decode_descriptors(Bytes descriptors, Event& event) {
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    const Cursor cursor(descriptor.body);
    switch (descriptor.tag) {
      case psip_tag::kAc3Audio:
        add_audio(read_ac3_audio(descriptor.body), event);
        break;
      case psip_tag::kEac3Audio:
        add_audio(read_eac3_audio(descriptor.body), event);
        break;
      case psip_tag::kCaptionService:
        read_captions(cursor, event);
        break;
      case psip_tag::kContentAdvisory:
        decode_advisory(cursor, event);
        break;
      case psip_tag::kGenre:
        read_genres(cursor, event);
        break;
      default:
        break;
    }
  }
}

/// content_advisory_descriptor (§6.9.3). A region's words are those of the descriptor, else those of the RRT. If they
/// are in several languages, as of the United States and Canada, those in the preferred one are kept.
void PsipDecoder::decode_advisory(Cursor cursor, Event& event) const {
  constexpr std::size_t kMaxBytes = 255;  // the store keeps no more
  std::size_t best = languages_.size();   // the place of the language of the words so far
  for (std::uint8_t regions = cursor.u8() & 0x3F; regions > 0; --regions) {
    const std::uint8_t region = cursor.u8();
    std::string named;
    for (std::uint8_t dimensions = cursor.u8(); dimensions > 0; --dimensions) {
      const std::uint8_t dimension = cursor.u8();
      const auto found = ratings_.find({region, dimension, static_cast<std::uint8_t>(cursor.u8() & 0xF)});
      if (found == ratings_.end() || found->second.empty()) continue;
      if (named.size() + found->second.size() >= kMaxBytes) continue;
      if (!named.empty()) named += ' ';
      named += found->second;
    }
    Language language = 0;
    std::string words = decode_multiple_string(cursor.take(cursor.u8()), languages_, &language);
    if (!cursor.ok()) return;
    const std::size_t place = words.empty() ? 0 : place_among(languages_, language);
    if (words.empty()) words = std::move(named);
    if (words.empty()) continue;
    const std::uint8_t age = age_of_rating(words);
    if (age > 3 && event.parental.size() < kMaxDetails) {
      ParentalRating rating;
      std::ranges::copy(country_of(region), rating.country.begin());
      rating.rating = age - 3;
      event.parental.push_back(rating);
    }
    if (place < best) event.rating.clear();
    if (place > best || event.rating.size() + words.size() + 2 > kMaxBytes) continue;
    best = place;
    if (!event.rating.empty()) event.rating += ", ";
    event.rating += words;
  }
}

const EitSection* PsipDecoder::decode_ett(Bytes section, const PsipOrigin& origin) {
  constexpr std::uint32_t kOfEvent = 2;
  Cursor cursor = body_of_psip(section, psip_table::kEtt);
  const std::uint32_t id = cursor.u32();
  if (!cursor.ok() || (id & 3) != kOfEvent) return nullptr;
  section_.service = origin.service;
  section_.table_id = section[0];
  section_.only_long_texts = true;
  section_.events.clear();
  Event& event = section_.events.add();
  event.id = psip_event_id(id >> 2);
  event.clear_content();
  event.extended_text = decode_multiple_string(cursor.rest(), languages_);
  return &section_;
}

bool PsipDecoder::take_rrt(Bytes section) {
  Cursor cursor = body_of_psip(section, psip_table::kRrt);
  if (!cursor.ok()) return false;
  const std::uint8_t region = section[4];
  bool changed = false;
  cursor.skip(cursor.u8());  // name of the region
  const std::uint8_t dimensions = cursor.u8();
  for (std::uint8_t dimension = 0; dimension < dimensions; ++dimension) {
    cursor.skip(cursor.u8());  // name of the dimension
    const std::uint8_t values = cursor.u8() & 0xF;
    for (std::uint8_t value = 0; value < values; ++value) {
      std::string name = decode_multiple_string(cursor.take(cursor.u8()), languages_);
      cursor.skip(cursor.u8());  // the name in full
      if (!cursor.ok()) return changed;
      if (ratings_.size() >= kMaxRatings) return changed;
      std::string& known = ratings_[{region, dimension, value}];
      if (known == name) continue;
      known = std::move(name);
      changed = true;
    }
  }
  return changed;
}

std::uint8_t age_of_rating(std::string_view words) {
  constexpr std::string_view kDigits = "0123456789";
  const auto is_word = [&](std::string_view word) {
    return words == word || (words.starts_with(word) && (words[word.size()] == ' ' || words[word.size()] == '-'));
  };
  if (is_word("TV-MA") || is_word("R")) return 17;
  if (is_word("X")) return 18;
  const std::size_t begin = words.find_first_of(kDigits);
  if (begin == words.npos) return 0;
  const std::size_t end = std::min(words.find_first_not_of(kDigits, begin), words.size());
  if (end - begin > 2) return 0;
  int age = 0;
  for (const char digit : words.substr(begin, end - begin)) age = age * 10 + (digit - '0');
  return age <= 21 ? static_cast<std::uint8_t>(std::min(age, 18)) : 0;
}

}  // namespace receiverd::epg
