#include "xmltv/xmltv_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "xmltv/languages.h"
#include "xmltv/ratings.h"
#include "xmltv/text.h"
#include "xmltv/times.h"

namespace receiverd::xmltv {
namespace {

constexpr std::size_t kMostRatings = 8;

// The number in `2`, ` 2 ` or `2/13`; nothing if there is none.
std::optional<int> index_of(std::string_view part) {
  while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  if (error != std::errc{} || number < 0 || number >= 1'000'000) return std::nullopt;
  return number;
}

// Converts `season.episode.part`, counted from 0, to the usual form: `S2 E5 (1)`.
std::string readable_episode(std::string_view xmltv_ns) {
  constexpr std::string_view kLetters = "SE";
  std::string out;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t dot = std::min(xmltv_ns.find('.'), xmltv_ns.size());
    const std::string_view part = xmltv_ns.substr(0, dot);
    const std::optional<int> number = index_of(part);
    if (number && i < kLetters.size()) {
      out += (out.empty() ? "" : " ") + std::string(1, kLetters[i]) + std::to_string(*number + 1);
    } else if (number &&
               (*number > 0 || (part.find('/') != std::string_view::npos && part.find("/1") != part.find('/')))) {
      out += (out.empty() ? "(" : " (") + std::to_string(*number + 1) + ")";
    }
    xmltv_ns.remove_prefix(std::min(dot + 1, xmltv_ns.size()));
  }
  return out;
}

void clear(epg::Event& event) {
  event.start = 0;
  event.duration = 0;
  event.language = 0;
  event.title.clear();
  event.short_text.clear();
  event.extended_text.clear();
  event.genres.clear();
  event.parental.clear();
}

}  // namespace

XmltvReader::XmltvReader(XmltvOptions options, XmltvHandler& handler)
    : options_(std::move(options)), handler_(handler) {
  for (epg::Language& language : options_.languages) language = epg::terminological(language);
}

std::string XmltvReader::refusal() const { return refused_ ? "this is not XMLTV: its root element is not <tv>" : ""; }

XmlNext XmltvReader::start_element(std::string_view name, const XmlAttributes& attributes) {
  ++depth_;
  if (depth_ == 1) {
    refused_ = name != "tv";
    return refused_ ? XmlNext::stop : XmlNext::proceed;
  }
  if (depth_ == 2) {
    inside_ = Inside::nothing;
    if (name == "programme") {
      start_programme(attributes);
    } else if (name == "channel") {
      inside_ = Inside::channel;
      channel_.id.assign(id_of(attributes.get("id")));
      channel_.names.clear();
    }
  } else if (depth_ == 3) {
    capture(field_of(name), attributes);
  } else if (depth_ == 4 && field_ == Field::rating && name == "value") {
    text_.clear();
  }
  return XmlNext::proceed;
}

void XmltvReader::start_programme(const XmlAttributes& attributes) {
  inside_ = Inside::programme;
  ++counters_.programmes;
  clear(programme_.event);
  programme_.length = 0;
  programme_.channel.assign(id_of(attributes.get("channel")));
  episode_.clear();
  title_rank_ = sub_title_rank_ = desc_rank_ = kUntaken;
  const auto start = parse_time(attributes.get("start"));
  times_known_ = start.has_value() && !programme_.channel.empty();
  if (!times_known_) return;
  programme_.event.start = *start;
  if (!attributes.has("stop")) return;
  const auto stop = parse_time(attributes.get("stop"));
  times_known_ = stop.has_value() && *stop >= *start;
  if (!times_known_) return;
  programme_.event.duration = static_cast<std::uint32_t>(std::min<wire::UnixSeconds>(*stop - *start, kLongestDuration));
}

std::string_view XmltvReader::id_of(std::string_view value) {
  id_.assign(value);
  tidy(id_, Whitespace::folded);
  cut(id_, kLongestId);
  return id_;
}

XmltvReader::Field XmltvReader::field_of(std::string_view name) const {
  if (inside_ == Inside::channel) return name == "display-name" ? Field::display_name : Field::none;
  if (inside_ == Inside::nothing) return Field::none;
  constexpr std::pair<std::string_view, Field> kFields[] = {
      {"title", Field::title},       {"desc", Field::desc},     {"sub-title", Field::sub_title},
      {"category", Field::category}, {"rating", Field::rating}, {"episode-num", Field::episode},
      {"length", Field::length}};
  for (const auto& [known, field] : kFields) {
    if (known == name) return field;
  }
  return Field::none;
}

void XmltvReader::capture(Field field, const XmlAttributes& attributes) {
  field_ = field;
  text_.clear();
  language_ = 0;
  switch (field) {
    case Field::title:
    case Field::sub_title:
    case Field::desc:
      language_ = language_of(attributes.get("lang"));
      break;
    case Field::episode:
    case Field::rating:
      attribute_.assign(attributes.get("system"));
      break;
    case Field::length:
      attribute_.assign(attributes.get("units"));
      break;
    case Field::none:
    case Field::display_name:
    case Field::category:
      break;
  }
}

void XmltvReader::text(std::string_view piece) {
  if (field_ == Field::none) return;
  // A character that crosses the bound is still taken whole; cutting then removes all of it.
  constexpr std::size_t kRoom = kLongestText + 4;
  text_.append(piece.substr(0, kRoom - text_.size()));
}

XmlNext XmltvReader::end_element(std::string_view) {
  const std::size_t depth = depth_--;
  if (depth == 3 && field_ != Field::none) {
    take_field();
    field_ = Field::none;
  }
  if (depth != 2) return XmlNext::proceed;
  switch (std::exchange(inside_, Inside::nothing)) {
    case Inside::channel:
      return channel_.id.empty() ? XmlNext::proceed : handler_.channel(channel_);
    case Inside::programme:
      return finish_programme();
    case Inside::nothing:
      break;
  }
  return XmlNext::proceed;
}

void XmltvReader::take_field() {
  if (cut(text_, kLongestText)) ++counters_.cut_texts;
  switch (field_) {
    case Field::title:
      take_text(programme_.event.title, title_rank_, Whitespace::folded);
      return;
    case Field::sub_title:
      take_text(programme_.event.short_text, sub_title_rank_, Whitespace::folded);
      return;
    case Field::desc:
      take_text(programme_.event.extended_text, desc_rank_, Whitespace::line_ends);
      return;
    default:
      break;
  }
  if (tidy(text_, Whitespace::folded)) ++counters_.broken_texts;
  if (text_.empty()) return;
  switch (field_) {
    case Field::display_name:
      if (channel_.names.size() < kMostNames) {
        cut(text_, kLongestName);
        channel_.names.push_back(text_);
      }
      break;
    case Field::category:
      options_.categories.append(text_, programme_.event.genres);
      break;
    case Field::rating:
      if (const auto rating = rating_of(attribute_, text_); rating && programme_.event.parental.size() < kMostRatings) {
        programme_.event.parental.push_back(*rating);
      }
      break;
    case Field::length:
      take_length();
      break;
    case Field::episode:
      take_episode();
      break;
    default:
      break;
  }
}

void XmltvReader::take_text(std::string& into, int& rank, Whitespace whitespace) {
  const bool is_title = &into == &programme_.event.title;
  // Ranked by the preferences, then by whether it is the title's language.
  const auto& preferred = options_.languages;
  const auto place = std::find(preferred.begin(), preferred.end(), language_) - preferred.begin();
  const int here = static_cast<int>(place) * 2 + (is_title || language_ == programme_.event.language ? 0 : 1);
  if (here >= rank) return;
  if (tidy(text_, whitespace)) ++counters_.broken_texts;
  if (text_.empty()) return;
  rank = here;
  std::swap(into, text_);
  // The language of an event is that of its title, or of the first text if the title has none.
  if (is_title || programme_.event.language == 0) programme_.event.language = language_;
}

void XmltvReader::take_length() {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
  const std::uint32_t unit = attribute_ == "hours" ? 3600 : attribute_ == "seconds" ? 1 : 60;
  if (error == std::errc{} && number <= kLongestDuration / unit) programme_.length = number * unit;
}

void XmltvReader::take_episode() {
  if (attribute_ == "xmltv_ns") {
    // The broadcaster's own on-screen form is preferred.
    if (episode_.empty()) episode_ = readable_episode(text_);
  } else if (attribute_ == "onscreen" || attribute_.empty()) {
    episode_ = text_;
  }
}

XmlNext XmltvReader::finish_programme() {
  if (!times_known_) {
    ++counters_.malformed;
    return XmlNext::proceed;
  }
  if (programme_.event.short_text.empty()) programme_.event.short_text = episode_;
  return handler_.programme(programme_);
}

}  // namespace receiverd::xmltv
