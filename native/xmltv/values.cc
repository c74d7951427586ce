#include "xmltv/values.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "wire/bytes.h"

namespace receiverd::xmltv {
namespace {

constexpr wire::UnixSeconds kDay = 86400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int two_digits(std::string_view text) { return (text[0] - '0') * 10 + (text[1] - '0'); }

// The offset from UTC in seconds, positive to the east.
std::optional<int> zone_of(std::string_view zone) {
  if (zone.empty()) return 0;
  if (zone.front() == '+' || zone.front() == '-') {
    const int sign = zone.front() == '-' ? -1 : 1;
    zone.remove_prefix(1);
    std::array<char, 4> digits = {'0', '0', '0', '0'};
    std::size_t count = 0;
    for (std::size_t i = 0; i < zone.size(); ++i) {
      if (zone[i] == ':' && count == 2 && i + 1 < zone.size()) continue;
      if (!is_digit(zone[i]) || count == digits.size()) return std::nullopt;
      digits[count++] = zone[i];
    }
    if (count != 2 && count != 4) return std::nullopt;
    const std::string_view all(digits.data(), digits.size());
    const int minutes = two_digits(all.substr(2));
    if (minutes > 59) return std::nullopt;
    return sign * (two_digits(all) * 3600 + minutes * 60);
  }
  constexpr std::pair<std::string_view, int> kNames[] = {{"Z", 0},    {"UTC", 0},  {"UT", 0},  {"GMT", 0},  {"WET", 0},
                                                         {"BST", 1},  {"WEST", 1}, {"CET", 1}, {"CEST", 2}, {"MET", 1},
                                                         {"MEST", 2}, {"EET", 2},  {"EEST", 3}};
  for (const auto& [name, hours] : kNames) {
    if (name == zone) return hours * 3600;
  }
  return std::nullopt;
}

void append_digits(std::string& out, int number, int digits) {
  const std::size_t begin = out.size();
  out.append(static_cast<std::size_t>(digits), '0');
  for (int i = digits - 1; i >= 0; --i, number /= 10) {
    out[begin + static_cast<std::size_t>(i)] = static_cast<char>('0' + number % 10);
  }
}

// ISO 639-1 and the terminological code of ISO 639-2 of each language: two and three letters.
constexpr std::string_view kLanguages =
    "aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bhbih bibis bmbam "
    "bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe "
    "elell eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj "
    "gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl "
    "itita iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor "
    "kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa "
    "mtmlt mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs "
    "papan pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag sisin skslk "
    "slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl "
    "tntsn toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid "
    "yoyor zazha zhzho zuzul ";
constexpr std::size_t kEntryLength = 6;
static_assert(kLanguages.size() % kEntryLength == 0);

constexpr int kMinAge = 4;
constexpr int kMaxAge = 18;

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

std::string to_upper(std::string_view text) {
  std::string out(text.substr(0, 32));
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return out;
}

// ISO 3166 country codes, by the name of the system.
constexpr std::pair<std::string_view, std::string_view> kCountries[] = {
    {"FSK", "DEU"},  {"FSF", "DEU"},  {"USK", "DEU"},  {"MPAA", "USA"},  {"VCHIP", "USA"},      {"TVPG", "USA"},
    {"BBFC", "GBR"}, {"CSA", "FRA"},  {"CNC", "FRA"},  {"NICAM", "NLD"}, {"KIJKWIJZER", "NLD"}, {"JMK", "AUT"},
    {"ICAA", "ESP"}, {"IFCO", "IRL"}, {"OFLC", "AUS"}, {"ACB", "AUS"},   {"OFLCNZ", "NZL"},     {"KRRIT", "POL"}};

// Ratings that are not plain ages, and the age that the organisation assigns to each.
constexpr std::pair<std::string_view, int> kMarks[] = {
    {"PG-13", 13}, {"R", 17},   {"NC-17", 18}, {"X", 18}, {"XXX", 18}, {"TV-Y7", 7},  {"TV-14", 14},
    {"TV-MA", 17}, {"12A", 12}, {"R18", 18},   {"M", 15}, {"MA", 15},  {"MA15+", 15}, {"R18+", 18}};

// The only number in the text; 0 if there is none or more than one.
int number_in(std::string_view text) {
  int number = 0;
  bool ended = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] < '0' || text[at] > '9') {
      ended = number != 0;
    } else if (ended || number > 99) {
      return 0;
    } else {
      number = number * 10 + (text[at] - '0');
    }
  }
  return number;
}

std::string_view country_of(std::string_view system) {
  for (const auto& [name, country] : kCountries) {
    if (name == system) return country;
  }
  return {};
}

// Returns `YYYY-MM-DDThh:mm:ss.fff` (ISO 8601), with `T` or a blank, as `YYYYMMDDhhmmss`; any other text as it is.
std::string without_separators(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  for (std::size_t at = 0; at < kForm.size(); ++at) {
    const char letter = at < text.size() ? text[at] : '\0';
    const bool fits = kForm[at] == '0' ? is_digit(letter) : letter == kForm[at] || (kForm[at] == 'T' && letter == ' ');
    if (!fits) return std::string(text);
  }
  std::string digits;
  for (std::size_t at = 0; at < kForm.size(); ++at) {
    if (kForm[at] == '0') digits += text[at];
  }
  text.remove_prefix(kForm.size());
  if (text.starts_with('.')) text.remove_prefix(std::min(text.find_first_not_of("0123456789", 1), text.size()));
  return digits + std::string(text);
}

}  // namespace

std::optional<wire::UnixSeconds> parse_time(std::string_view written) {
  while (!written.empty() && written.front() == ' ') written.remove_prefix(1);
  while (!written.empty() && written.back() == ' ') written.remove_suffix(1);
  const std::string compact = without_separators(written);
  const std::string_view text = compact;
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  if (count < 4 || count > 14 || count % 2 != 0) return std::nullopt;
  // year, month, day, hour, minute, second
  std::array<int, 6> parts = {0, 1, 1, 0, 0, 0};
  parts[0] = two_digits(text) * 100 + two_digits(text.substr(2));
  for (std::size_t i = 1; 2 + 2 * i < count; ++i) parts[i] = two_digits(text.substr(2 + 2 * i));
  const auto [year, month, day, hour, minute, second] = parts;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  std::string_view zone = text.substr(count);
  while (!zone.empty() && zone.front() == ' ') zone.remove_prefix(1);
  const std::optional<int> offset = zone_of(zone);
  if (!offset) return std::nullopt;
  const wire::UnixSeconds days = std::chrono::sys_days(date).time_since_epoch().count();
  const wire::UnixSeconds time = days * kDay + hour * 3600 + minute * 60 + second - *offset;
  return time < 0 || time > 0xFFFFFFFF ? std::nullopt : std::optional(time);
}

void append_time(std::string& out, wire::UnixSeconds time) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(time / kDay))};
  const int second = static_cast<int>(time % kDay);
  append_digits(out, static_cast<int>(date.year()), 4);
  append_digits(out, static_cast<int>(static_cast<unsigned>(date.month())), 2);
  append_digits(out, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  append_digits(out, second / 3600, 2);
  append_digits(out, second / 60 % 60, 2);
  append_digits(out, second % 60, 2);
  out += " +0000";
}

epg::Language language_of(std::string_view lang) {
  std::string code(lang.substr(0, lang.find_first_of("-_")));
  if (code.size() == 3) return epg::terminological(epg::language_of(wire::bytes_of(code)));
  if (code.size() != 2) return 0;
  for (char& letter : code) letter = static_cast<char>(letter | 0x20);
  for (std::size_t at = 0; at < kLanguages.size(); at += kEntryLength) {
    if (kLanguages.substr(at, 2) == code) return epg::language_of(wire::bytes_of(kLanguages.substr(at + 2, 3)));
  }
  return 0;
}

std::string lang_of(epg::Language language) {
  const std::string wanted = epg::language_text(epg::terminological(language));
  for (std::size_t at = 0; at < kLanguages.size(); at += kEntryLength) {
    if (kLanguages.substr(at + 2, 3) == wanted) return std::string(kLanguages.substr(at, 2));
  }
  return epg::language_text(language);
}

std::optional<epg::ParentalRating> rating_of(std::string_view system, std::string_view value) {
  const std::string mark = to_upper(value);
  int age = 0;
  for (const auto& [known, years] : kMarks) {
    if (known == mark) age = years;
  }
  if (age == 0) age = number_in(mark);
  if (age < kMinAge) return std::nullopt;
  // The system is a country code, as in our own export.
  const bool is_country = system.size() == 3 && std::all_of(system.begin(), system.end(), is_capital);
  std::string name = to_upper(system);
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return !is_capital(c); }), name.end());
  epg::ParentalRating rating;
  const std::string_view known = country_of(name);
  const std::string_view country = known.empty() ? (is_country ? system : "ZZZ") : known;
  std::copy(country.begin(), country.end(), rating.country.begin());
  rating.rating = static_cast<std::uint8_t>(std::min(age, kMaxAge) - 3);
  return rating;
}

}  // namespace receiverd::xmltv
