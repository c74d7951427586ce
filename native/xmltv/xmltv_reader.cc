#include "xmltv/xmltv_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "xmltv/text.h"
#include "xmltv/values.h"

namespace receiverd::xmltv {
namespace {

constexpr std::size_t kMaxRatings = 8;

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

/// The elements of <credits> (xmltv.dtd), in the order of their lines. Those who adapt a work are among its writers.
constexpr std::array<std::string_view, XmltvReader::kCreditLines> kCreditKinds = {
    "director", "actor", "writer", "producer", "composer", "editor", "presenter", "commentator", "guest"};
constexpr std::string_view kAdapter = "adapter";
constexpr std::string_view kWriter = "writer";

constexpr epg::Language code(std::string_view letters) {
  return static_cast<epg::Language>(letters[0] << 16 | letters[1] << 8 | letters[2]);
}

struct CreditLabels {
  epg::Language language;
  std::array<std::string_view, kCreditKinds.size()> labels;
};
/// Labels in the languages of the web page; all other languages use the first, English.
constexpr CreditLabels kCreditLabels[] = {
    {code("eng"), {"Director", "Cast", "Writer", "Producer", "Music", "Editor", "Presenter", "Commentator", "Guests"}},
    {code("deu"),
     {"Regie", "Darsteller", "Buch", "Produktion", "Musik", "Schnitt", "Moderation", "Kommentar", "Gäste"}},
    {code("fra"),
     {"Réalisation", "Avec", "Scénario", "Production", "Musique", "Montage", "Présentation", "Commentaire", "Invités"}},
    {code("spa"),
     {"Dirección", "Reparto", "Guion", "Producción", "Música", "Montaje", "Presentación", "Comentarios", "Invitados"}},
    {code("ita"),
     {"Regia", "Interpreti", "Sceneggiatura", "Produzione", "Musica", "Montaggio", "Conduzione", "Commento", "Ospiti"}},
    {code("nld"),
     {"Regie", "Met", "Scenario", "Productie", "Muziek", "Montage", "Presentatie", "Commentaar", "Gasten"}},
    {code("pol"),
     {"Reżyseria", "Obsada", "Scenariusz", "Produkcja", "Muzyka", "Montaż", "Prowadzenie", "Komentarz", "Goście"}},
};

const CreditLabels& labels_for(epg::Language language) {
  const auto* const found = std::ranges::find(kCreditLabels, language, &CreditLabels::language);
  return found == std::end(kCreditLabels) ? kCreditLabels[0] : *found;
}

/// Whether a text is the http or https address of a picture: printable ASCII only (RFC 3986), so it needs no tidy().
bool is_address(std::string_view text) {
  constexpr std::size_t kMaxAddressBytes = 255;
  return (text.starts_with("http://") || text.starts_with("https://")) && text.size() <= kMaxAddressBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

/// Appends a part, after a separator unless it is the first.
void join(std::string& text, std::string_view separator, std::string_view part) {
  if (part.empty()) return;
  if (!text.empty()) text += separator;
  text += part;
}

}  // namespace

/// An element of <channel> or <programme> that is read: the attribute that is needed, and the function that takes its
/// text.
struct XmltvReader::Field {
  Inside inside;
  std::string_view element;
  std::string_view attribute;
  /// What it contains: a text, a <value> with the text, or persons, which are taken one by one.
  enum class Holds : std::uint8_t { text, value, persons } holds = Holds::text;
  void (XmltvReader::*take)() = nullptr;
};

const XmltvReader::Field XmltvReader::kFields[] = {
    {Inside::programme, "title", "lang", Field::Holds::text, &XmltvReader::take_title},
    {Inside::programme, "desc", "lang", Field::Holds::text, &XmltvReader::take_desc},
    {Inside::programme, "sub-title", "lang", Field::Holds::text, &XmltvReader::take_sub_title},
    {Inside::programme, "category", {}, Field::Holds::text, &XmltvReader::take_category},
    {Inside::programme, "rating", "system", Field::Holds::value, &XmltvReader::take_rating},
    {Inside::programme, "episode-num", "system", Field::Holds::text, &XmltvReader::take_episode},
    {Inside::programme, "length", "units", Field::Holds::text, &XmltvReader::take_length},
    {Inside::programme, "date", {}, Field::Holds::text, &XmltvReader::take_date},
    {Inside::programme, "icon", "src", Field::Holds::text, &XmltvReader::take_icon},
    {Inside::programme, "star-rating", "system", Field::Holds::value, &XmltvReader::take_star_rating},
    {Inside::programme, "credits", {}, Field::Holds::persons},
    {Inside::channel, "display-name", {}, Field::Holds::text, &XmltvReader::take_display_name},
    {Inside::channel, "icon", "src", Field::Holds::text, &XmltvReader::take_logo},
};

XmltvReader::XmltvReader(XmltvOptions options) : options_(std::move(options)) {
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
      channel_.icon.clear();
    }
  } else if (depth_ == 3) {
    const auto* const found = std::ranges::find_if(
        kFields, [&](const Field& field) { return field.inside == inside_ && field.element == name; });
    field_ = found == std::end(kFields) ? nullptr : found;
    if (field_ != nullptr) attribute_.assign(attributes.get(field_->attribute));
    text_.clear();
  } else if (depth_ == 4 && field_ != nullptr) {
    const bool is_person = field_->holds == Field::Holds::persons;
    if (is_person) attribute_.assign(attributes.get("role"));
    if (is_person || (field_->holds == Field::Holds::value && name == "value")) text_.clear();
  }
  return XmlNext::proceed;
}

void XmltvReader::start_programme(const XmlAttributes& attributes) {
  inside_ = Inside::programme;
  ++counters_.programmes;
  programme_.event.clear_content();
  programme_.event.start = 0;
  programme_.event.duration = 0;
  programme_.length = 0;
  programme_.channel.assign(id_of(attributes.get("channel")));
  episode_.clear();
  year_.clear();
  star_rating_.clear();
  for (std::string& names : credits_) names.clear();
  title_rank_ = sub_title_rank_ = desc_rank_ = kNoRank;
  const auto start = parse_time(attributes.get("start"));
  times_known_ = start.has_value() && !programme_.channel.empty();
  if (!times_known_) return;
  programme_.event.start = *start;
  // An end before the start has a wrong day, so it counts as missing.
  const auto stop = parse_time(attributes.get("stop"));
  if (!stop || *stop <= *start) return;
  programme_.event.duration =
      static_cast<std::uint32_t>(std::min<wire::UnixSeconds>(*stop - *start, kMaxDurationSeconds));
  share_slot(attributes.get("clumpidx"));
}

/// Gives a programme its part of a shared slot: `1/3` is the second of three programmes (xmltv.dtd), with equal parts.
void XmltvReader::share_slot(std::string_view clump) {
  unsigned number = 0;
  unsigned count = 0;
  const char* const end = clump.data() + clump.size();
  const auto [slash, fault] = std::from_chars(clump.data(), end, number);
  if (fault != std::errc{} || slash == end || *slash != '/') return;
  if (std::from_chars(slash + 1, end, count).ec != std::errc{} || number >= count) return;
  const std::uint64_t duration = programme_.event.duration;
  const std::uint64_t from = duration * number / count;
  programme_.event.start += static_cast<wire::UnixSeconds>(from);
  programme_.event.duration = static_cast<std::uint32_t>(duration * (number + 1ULL) / count - from);
}

std::string_view XmltvReader::id_of(std::string_view value) {
  id_.assign(value);
  tidy(id_, Whitespace::folded);
  cut(id_, kMaxIdBytes);
  return id_;
}

void XmltvReader::text(std::string_view piece) {
  if (field_ == nullptr) return;
  // The elements of a person are links and pictures, which are not kept.
  if (depth_ > 4 && field_->holds == Field::Holds::persons) return;
  // A character that crosses the limit is collected whole, so that cut() can remove it whole.
  constexpr std::size_t kMaxCollectedBytes = kMaxTextBytes + 4;
  text_.append(piece.substr(0, kMaxCollectedBytes - text_.size()));
}

XmlNext XmltvReader::end_element(std::string_view name) {
  const std::size_t depth = depth_--;
  if (depth == 4 && field_ != nullptr && field_->holds == Field::Holds::persons) take_credit(name);
  if (depth == 3 && field_ != nullptr) {
    if (cut(text_, kMaxTextBytes)) ++counters_.cut_texts;
    const Field& field = *std::exchange(field_, nullptr);
    if (field.take != nullptr) (this->*field.take)();
  }
  if (depth != 2) return XmlNext::proceed;
  switch (std::exchange(inside_, Inside::nothing)) {
    case Inside::channel:
      return channel_.id.empty() ? XmlNext::proceed : channel(channel_);
    case Inside::programme:
      return finish_programme();
    case Inside::nothing:
      break;
  }
  return XmlNext::proceed;
}

/// False if there is no text.
bool XmltvReader::tidy_text(Whitespace whitespace) {
  if (tidy(text_, whitespace)) ++counters_.broken_texts;
  return !text_.empty();
}

void XmltvReader::take_text(std::string& into, int& rank, Whitespace whitespace) {
  const epg::Language language = language_of(attribute_);
  const bool is_title = &into == &programme_.event.title;
  // Ranked by the preferences, then by whether it is the title's language.
  const auto& preferred = options_.languages;
  const auto place = std::find(preferred.begin(), preferred.end(), language) - preferred.begin();
  const int here = static_cast<int>(place) * 2 + (is_title || language == programme_.event.language ? 0 : 1);
  if (here >= rank || !tidy_text(whitespace)) return;
  rank = here;
  std::swap(into, text_);
  // The language of an event is that of its title, or of the first text if the title has none.
  if (is_title || programme_.event.language == 0) programme_.event.language = language;
}

void XmltvReader::take_title() { take_text(programme_.event.title, title_rank_, Whitespace::folded); }

void XmltvReader::take_sub_title() { take_text(programme_.event.short_text, sub_title_rank_, Whitespace::folded); }

void XmltvReader::take_desc() { take_text(programme_.event.extended_text, desc_rank_, Whitespace::line_ends); }

void XmltvReader::take_display_name() {
  if (!tidy_text(Whitespace::folded) || channel_.names.size() == kMaxNames) return;
  cut(text_, kMaxNameBytes);
  channel_.names.push_back(text_);
}

void XmltvReader::take_category() {
  if (tidy_text(Whitespace::folded)) options_.categories.append(text_, programme_.event.genres);
}

void XmltvReader::take_rating() {
  if (!tidy_text(Whitespace::folded) || programme_.event.parental.size() == kMaxRatings) return;
  if (const auto rating = rating_of(attribute_, text_)) programme_.event.parental.push_back(*rating);
}

void XmltvReader::take_length() {
  tidy_text(Whitespace::folded);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
  const std::uint32_t unit = attribute_ == "hours" ? 3600 : attribute_ == "seconds" ? 1 : 60;
  if (error == std::errc{} && number <= kMaxDurationSeconds / unit) programme_.length = number * unit;
}

void XmltvReader::take_episode() {
  if (!tidy_text(Whitespace::folded)) return;
  if (attribute_ == "xmltv_ns") {
    // The broadcaster's own on-screen form is preferred.
    if (episode_.empty()) episode_ = readable_episode(text_);
  } else if (attribute_ == "onscreen" || attribute_.empty()) {
    episode_ = text_;
  }
}

void XmltvReader::take_date() {
  // YYYY, YYYYMM or YYYYMMDD: the year in which it was made.
  const bool is_year =
      tidy_text(Whitespace::folded) && text_.size() >= 4 &&
      std::all_of(text_.begin(), text_.begin() + 4, [](char digit) { return digit >= '0' && digit <= '9'; });
  if (is_year) year_.assign(text_, 0, 4);
}

void XmltvReader::take_icon() {
  if (programme_.event.picture.empty() && is_address(attribute_)) programme_.event.picture = attribute_;
}

void XmltvReader::take_logo() {
  if (channel_.icon.empty() && is_address(attribute_)) channel_.icon = attribute_;
}

void XmltvReader::take_star_rating() {
  if (!tidy_text(Whitespace::folded) || !star_rating_.empty()) return;
  star_rating_ = attribute_;
  tidy(star_rating_, Whitespace::folded);
  join(star_rating_, " ", text_);
  cut(star_rating_, kMaxNameBytes);
}

void XmltvReader::take_credit(std::string_view kind) {
  const auto* const found = std::ranges::find(kCreditKinds, kind == kAdapter ? kWriter : kind);
  if (found == kCreditKinds.end() || !tidy_text(Whitespace::folded)) return;
  tidy(attribute_, Whitespace::folded);
  if (!attribute_.empty()) text_ += " (" + attribute_ + ")";
  std::string& names = credits_[static_cast<std::size_t>(found - kCreditKinds.begin())];
  if (names.size() + text_.size() <= kMaxCreditsBytes) join(names, ", ", text_);
}

void XmltvReader::add_facts() {
  epg::Event& event = programme_.event;
  std::string facts;
  if (event.short_text != episode_) join(facts, " · ", episode_);
  join(facts, " · ", year_);
  join(facts, " · ", star_rating_);
  join(event.extended_text, "\n", facts);
  const CreditLabels& in = labels_for(event.language);
  for (std::size_t kind = 0; kind < credits_.size(); ++kind) {
    if (!credits_[kind].empty()) join(event.extended_text, "\n", std::string(in.labels[kind]) + ": " + credits_[kind]);
  }
  if (cut(event.extended_text, kMaxTextBytes)) ++counters_.cut_texts;
}

XmlNext XmltvReader::finish_programme() {
  if (!times_known_) {
    ++counters_.malformed;
    return XmlNext::proceed;
  }
  if (programme_.event.short_text.empty()) programme_.event.short_text = episode_;
  add_facts();
  return programme(programme_);
}

}  // namespace receiverd::xmltv
