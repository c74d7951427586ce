#include "xmltv/ratings.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace receiverd::xmltv {
namespace {

constexpr int kYoungest = 4;
constexpr int kOldest = 18;

bool capital(char c) { return c >= 'A' && c <= 'Z'; }

std::string upper(std::string_view text) {
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

// Marks that are not numbers, and the age that the organisation gives for them.
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

}  // namespace

std::optional<epg::ParentalRating> rating_of(std::string_view system, std::string_view value) {
  const std::string mark = upper(value);
  int age = 0;
  for (const auto& [known, years] : kMarks) {
    if (known == mark) age = years;
  }
  if (age == 0) age = number_in(mark);
  if (age < kYoungest) return std::nullopt;
  // The system is a country code, as in our own export.
  const bool is_country = system.size() == 3 && std::all_of(system.begin(), system.end(), capital);
  std::string name = upper(system);
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return !capital(c); }), name.end());
  epg::ParentalRating rating;
  const std::string_view known = country_of(name);
  const std::string_view country = known.empty() ? (is_country ? system : "ZZZ") : known;
  std::copy(country.begin(), country.end(), rating.country.begin());
  rating.rating = static_cast<std::uint8_t>(std::min(age, kOldest) - 3);
  return rating;
}

}  // namespace receiverd::xmltv
