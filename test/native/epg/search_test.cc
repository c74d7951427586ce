// Tests of the search: match modes, filters, orders, similar events, suggestions.
#include "epg/search/search.h"

#include <doctest/doctest.h>

#include <string>

#include "epg/index/text_matcher.h"
#include "epg/made_event.h"

using namespace receiverd;
using namespace receiverd::epg;

namespace {

bool agrees(std::string_view text, std::string_view wanted, TextMatch match) {
  Query query;
  query.texts = {std::string(wanted)};
  query.match = match;
  for (const TextMatcher& matcher : matchers_of(query)) {
    if (!matcher.matches(text)) return false;
  }
  return true;
}

Event event(std::uint16_t id, std::string title, std::string short_text = {}, std::string extended_text = {}) {
  Event made;
  made.id = id;
  made.start = kMidnight + id * 3600;
  made.duration = 3600;
  made.title = std::move(title);
  made.short_text = std::move(short_text);
  made.extended_text = std::move(extended_text);
  made.language = 0x656E67;  // eng
  return made;
}

void add(Store& store, std::uint16_t service, std::vector<Event> events) {
  EitSection section;
  section.service = {1, 2, service};
  section.table_id = 0x60;
  section.events = std::move(events);
  REQUIRE(store.apply(section));
}

/// The result of a search as "total: service/id ...".
std::string found(const Store& store, const Query& query) {
  const std::string json = search(store, query);
  std::string out = json.substr(9, json.find(',') - 9) + ":";
  const auto number = [&](std::size_t at) { return json.substr(at, json.find_first_of(",}", at) - at); };
  for (std::size_t at = json.find("\"serviceId\":"); at != json.npos; at = json.find("\"serviceId\":", at + 1)) {
    const std::size_t id = json.find("\"id\":", at);
    out += " " + number(at + 12) + "/" + number(id + 5);
  }
  return out;
}

Query wanting(std::string text) {
  Query query;
  query.texts = {std::move(text)};
  return query;
}

}  // namespace

TEST_CASE("each match mode accepts the right texts") {
  CHECK(agrees("the motorway", "torw", TextMatch::contains));
  CHECK(agrees("the motorway", "the m", TextMatch::prefix));
  CHECK_FALSE(agrees("the motorway", "motor", TextMatch::prefix));
  CHECK(agrees("the motorway", "way", TextMatch::suffix));
  CHECK_FALSE(agrees("the motorway", "motor", TextMatch::word));
  CHECK(agrees("motorway motor", "motor", TextMatch::word));
  CHECK(agrees("(motor)", "motor", TextMatch::word));
  CHECK(agrees("born in the usa", "USA born", TextMatch::words));
  CHECK_FALSE(agrees("born in the usa", "usa bor", TextMatch::words));
  CHECK(agrees("tom & jerry: the film", "jerry the", TextMatch::phrase));
  CHECK(agrees("tom & jerry", "Tom, Jerry!", TextMatch::phrase));
  CHECK_FALSE(agrees("tomb & jerry", "tom jerry", TextMatch::phrase));
  CHECK(agrees("news", "NEWS", TextMatch::exact));
  CHECK_FALSE(agrees("news at ten", "news", TextMatch::exact));
  CHECK(agrees("dr. who?", "?", TextMatch::phrase));
  CHECK(agrees("中文电影", "电影", TextMatch::word));
}

TEST_CASE("search: scopes, filters, orders") {
  Store store;
  Event film = event(3, "Das Boot", "Drama", "Ein U-Boot im Krieg. Straßenkampf.");
  film.genres = {{0x14, 0}};
  film.crids = {{1, "/F1"}, {2, "/S1"}};
  add(store, 20, {event(1, "Boot und Meer"), film});
  Event other = film;
  other.id = 9;
  other.start += 7200;
  other.language = 0x646575;  // deu
  add(store, 10, {event(2, "Das Schlauchboot"), other, event(4, "Boote", "strasse")});

  CHECK(found(store, wanting("boot")) == "5: 20/1 10/2 20/3 10/4 10/9");
  Query query = wanting("boot");
  query.order = EventOrder::relevance;
  CHECK(found(store, query) == "5: 20/1 10/4 20/3 10/9 10/2");
  query.order = EventOrder::title;
  CHECK(found(store, query) == "5: 20/1 10/4 20/3 10/9 10/2");
  query = wanting("boot");
  query.offset = 1;
  query.limit = 2;
  CHECK(found(store, query) == "5: 10/2 20/3");
  query.offset = 100;
  CHECK(found(store, query) == "5:");
  query = wanting("STRASSE");
  CHECK(found(store, query) == "0:");
  query.within = scope::kShort;
  CHECK(found(store, query) == "1: 10/4");
  query.within = scope::kShort | scope::kLong;
  CHECK(found(store, query) == "3: 20/3 10/4 10/9");
  query.case_sensitive = true;
  CHECK(found(store, query) == "0:");
  query = wanting("boot krieg drama");
  query.match = TextMatch::words;
  query.within = scope::kTitle | scope::kShort | scope::kLong;
  CHECK(found(store, query) == "2: 20/3 10/9");
  query = wanting("boot");
  query.texts.emplace_back("meer");
  CHECK(found(store, query) == "1: 20/1");

  query = Query{};
  query.services = {{1, 2, 10}, {1, 2, 99}, {1, 2, 10}};
  CHECK(found(store, query) == "3: 10/2 10/4 10/9");
  query.from = kMidnight + 3 * 3600;
  query.until = kMidnight + 5 * 3600;
  CHECK(found(store, query) == "1: 10/4");
  query = Query{};
  query.genres = {{1, 4}};
  CHECK(found(store, query) == "2: 20/3 10/9");
  query.genres = {{1, 5}, {2, {}}};
  CHECK(found(store, query) == "0:");
  query = Query{};
  query.languages = {0x676572};  // ger is deu
  CHECK(found(store, query) == "1: 10/9");
  query = Query{};
  query.crid = "/f1";
  CHECK(found(store, query) == "2: 20/3 10/9");
  query.crid_type = 2;
  CHECK(found(store, query) == "0:");
  query = Query{};
  query.min_duration = 3601;
  CHECK(found(store, query) == "0:");
  query = Query{};
  query.time_of_day = {.from = 3 * 3600, .until = 5 * 3600, .zone = {}};
  query.services = {{1, 2, 10}};
  CHECK(found(store, query) == "1: 10/4");
  query.time_of_day->zone = LocalTimes({{0, 3600}});
  CHECK(found(store, query) == "1: 10/2");
  query.time_of_day->zone = {};
  query.time_of_day->from = 22 * 3600;
  CHECK(found(store, query) == "2: 10/2 10/4");
  CHECK(found(store, Query{}).starts_with("5:"));
}

TEST_CASE("similar: same texts or same programme, elsewhere and later") {
  Store store;
  Event first = event(1, "Film", "Part one");
  Event crid = event(2, "Film (rpt)");
  first.crids = crid.crids = {{1, "/P1"}};
  add(store, 1, {first, event(5, "Film", "Part two")});
  add(store, 2, {crid, event(7, "Film", "Part one")});
  Query query;
  query.similar_to = {{1, 2, 1}, 1};
  CHECK(found(store, query) == "2: 2/2 2/7");
  query.services = {{1, 2, 1}};
  CHECK(found(store, query) == "0:");
  query = Query{};
  query.similar_to = {{1, 2, 1}, 99};
  CHECK(found(store, query) == "0:");
}

TEST_CASE("suggest: titles with a word that begins with the typed text") {
  Store store;
  add(store, 1,
      {event(1, "Newsnight"), event(2, "The News"), event(3, "The News"), event(4, "Renewal"), event(5, "Néws")});
  const std::string json = suggest(store, "NEW", kMidnight, 10);
  CHECK(json == R"([{"title":"Néws","count":1,"start":)" + std::to_string(kMidnight + 5 * 3600) +
                    R"(},{"title":"Newsnight","count":1,"start":)" + std::to_string(kMidnight + 3600) +
                    R"(},{"title":"The News","count":2,"start":)" + std::to_string(kMidnight + 7200) + "}]");
  CHECK(suggest(store, "the n", kMidnight + 3 * 3600, 10).find("\"count\":1") != std::string::npos);
  CHECK(suggest(store, "x", kMidnight, 10) == "[]");
}

TEST_CASE("suggest: titles that are spelled nearly like the typed text, if there are no others") {
  Store store;
  add(store, 1,
      {event(1, "Star Trek"), event(2, "Star Wars"), event(3, "Stark"), event(4, "Bürgermeister"), event(5, "Up")});
  const auto titles = [&](std::string_view typed) {
    const std::string json = suggest(store, typed, kMidnight, 10, true);
    std::string all;
    for (std::size_t at = 0; (at = json.find("\"title\":\"", at)) != std::string::npos;) {
      at += 9;
      all += json.substr(at, json.find('"', at) - at) + '|';
    }
    return all;
  };
  CHECK(suggest(store, "star terk", kMidnight, 10) == "[]");
  CHECK(titles("star terk") == "Star Trek|");
  CHECK(titles("stra treck") == "Star Trek|");
  CHECK(titles("sta") == "Star Trek|Star Wars|Stark|");
  CHECK(titles("sdark") == "Stark|");
  CHECK(titles("burgermiester") == "Bürgermeister|");
  CHECK(titles("burgemiestre") == "");
  CHECK(titles("uq") == "");
  CHECK(titles("star trek voyager") == "");
  CHECK(titles("!") == "");
}
