#include "xmltv/times.h"

#include <array>
#include <utility>

namespace receiverd::xmltv {
namespace {

constexpr wire::UnixSeconds kDay = 86400;
constexpr wire::UnixSeconds kLatest = 0xFFFFFFFF;

// Days from 1970-01-01 to a date in the Gregorian calendar. Years begin in March here, so that a leap day is the last.
constexpr wire::UnixSeconds days_of(int year, int month, int day) {
  const int shifted = month <= 2 ? year - 1 : year;
  const int era = shifted / 400;
  const int year_of_era = shifted - era * 400;
  const int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return static_cast<wire::UnixSeconds>(era) * 146097 + day_of_era - 719468;
}
static_assert(days_of(1970, 1, 1) == 0 && days_of(2000, 3, 1) == 11017);

struct Date {
  int year;
  int month;
  int day;
};

constexpr Date date_of(wire::UnixSeconds days) {
  const wire::UnixSeconds shifted = days + 719468;
  const int era = static_cast<int>(shifted / 146097);
  const int day_of_era = static_cast<int>(shifted % 146097);
  const int year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int month = (5 * day_of_year + 2) / 153;
  const int day = day_of_year - (153 * month + 2) / 5 + 1;
  const int civil = month < 10 ? month + 3 : month - 9;
  return {year_of_era + era * 400 + (civil <= 2 ? 1 : 0), civil, day};
}
static_assert(date_of(11017).year == 2000 && date_of(11017).month == 3 && date_of(11017).day == 1);

int days_in(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

bool digit(char c) { return c >= '0' && c <= '9'; }

int two_digits(std::string_view text) { return (text[0] - '0') * 10 + (text[1] - '0'); }

// Seconds east of Greenwich.
std::optional<int> zone_of(std::string_view zone) {
  if (zone.empty()) return 0;
  if (zone.front() == '+' || zone.front() == '-') {
    const int sign = zone.front() == '-' ? -1 : 1;
    zone.remove_prefix(1);
    std::array<char, 4> digits = {'0', '0', '0', '0'};
    std::size_t count = 0;
    for (std::size_t i = 0; i < zone.size(); ++i) {
      if (zone[i] == ':' && count == 2 && i + 1 < zone.size()) continue;
      if (!digit(zone[i]) || count == digits.size()) return std::nullopt;
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

}  // namespace

std::optional<wire::UnixSeconds> parse_time(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::size_t count = 0;
  while (count < text.size() && digit(text[count])) ++count;
  if (count < 4 || count > 14 || count % 2 != 0) return std::nullopt;
  // year, month, day, hour, minute, second
  std::array<int, 6> parts = {0, 1, 1, 0, 0, 0};
  parts[0] = two_digits(text) * 100 + two_digits(text.substr(2));
  for (std::size_t i = 1; 2 + 2 * i < count; ++i) parts[i] = two_digits(text.substr(2 + 2 * i));
  const auto [year, month, day, hour, minute, second] = parts;
  if (month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  std::string_view zone = text.substr(count);
  while (!zone.empty() && zone.front() == ' ') zone.remove_prefix(1);
  const std::optional<int> offset = zone_of(zone);
  if (!offset) return std::nullopt;
  const wire::UnixSeconds time = days_of(year, month, day) * kDay + hour * 3600 + minute * 60 + second - *offset;
  return time < 0 || time > kLatest ? std::nullopt : std::optional(time);
}

void append_time(std::string& out, wire::UnixSeconds time) {
  const Date date = date_of(time / kDay);
  const int second = static_cast<int>(time % kDay);
  append_digits(out, date.year, 4);
  append_digits(out, date.month, 2);
  append_digits(out, date.day, 2);
  append_digits(out, second / 3600, 2);
  append_digits(out, second / 60 % 60, 2);
  append_digits(out, second % 60, 2);
  out += " +0000";
}

}  // namespace receiverd::xmltv
