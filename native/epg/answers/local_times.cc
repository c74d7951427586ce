#include "epg/answers/local_times.h"

#include <chrono>
#include <cstring>

namespace receiverd::epg {
namespace {

char* put_two(unsigned number, char* out) {
  *out++ = static_cast<char>('0' + number / 10);
  *out++ = static_cast<char>('0' + number % 10);
  return out;
}

}  // namespace

char* put_clock(wire::UnixSeconds local, char* out) {
  const auto minute = static_cast<unsigned>((local % 86400 + 86400) % 86400 / 60);
  out = put_two(minute / 60, out);
  *out++ = ':';
  return put_two(minute % 60, out);
}

char* put_date(wire::UnixSeconds local, char* out) {
  using namespace std::chrono;
  constexpr char kDays[] = "SunMonTueWedThuFriSat";
  const sys_days day = floor<days>(sys_seconds{seconds{local}});
  const year_month_day date{day};
  std::memcpy(out, kDays + weekday{day}.c_encoding() * 3, 3);
  out += 3;
  *out++ = ' ';
  out = put_two(static_cast<unsigned>(date.day()), out);
  *out++ = '.';
  out = put_two(static_cast<unsigned>(date.month()), out);
  *out++ = '.';
  const auto year = static_cast<unsigned>(static_cast<int>(date.year())) % 10000;
  out = put_two(year / 100, out);
  return put_two(year % 100, out);
}

}  // namespace receiverd::epg
