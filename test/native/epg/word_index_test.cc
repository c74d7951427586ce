// Tests of the word index: all match modes against brute force, merging, malformed segments, threads.
#include "epg/index/word_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>

#include "epg/index/text_matcher.h"
#include "epg/text/fold.h"
#include "epg/text/words.h"

using namespace receiverd::epg;

namespace {

constexpr TextMatch kModes[] = {TextMatch::contains,    TextMatch::prefix, TextMatch::suffix, TextMatch::word,
                                TextMatch::word_prefix, TextMatch::phrase, TextMatch::exact};

/// Runs the rest of a test case with every kind of index.
IndexedWords each_kind() {
  IndexedWords words = IndexedWords::tokens;
  SUBCASE("tokens") { words = IndexedWords::tokens; }
  SUBCASE("whole tokens") { words = IndexedWords::whole_tokens; }
  SUBCASE("grams") { words = IndexedWords::grams; }
  return words;
}

using TextsById = std::map<TextId, std::string>;

/// TextsById made of a few words in several scripts, so that they have much in common.
std::string random_text(std::mt19937& random, std::size_t words) {
  static const char* const kWords[] = {"news",
                                       "new",
                                       "renewal",
                                       "the",
                                       "a",
                                       "motor",
                                       "motorway",
                                       "tatort",
                                       "9",
                                       "2026",
                                       "новости",
                                       "ново",
                                       "кино",
                                       "ου",
                                       "ουρανος",
                                       "電",
                                       "影",
                                       "電影",
                                       "ข่าว",
                                       "ราชการ",
                                       "한국",
                                       "뉴스",
                                       "straße",
                                       "ɪn",
                                       "i̇stanbul",
                                       "naïve",
                                       "o",
                                       "oo",
                                       "ooo",
                                       "pneumonoultramicroscopicsilico",
                                       "pneumonoultramicroscopicsilicovolcano",
                                       "فيلم",
                                       "אב",
                                       "हिन्दी"};
  static const char* const kBetween[] = {" ", " ", " ", "", ": ", ", ", " - ", "!", "…", "  ", "\"", "' ", "·", "/"};
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    if (random() % 4 == 0) {
      for (std::size_t letters = random() % 5; letters-- > 0;) text.push_back(static_cast<char>('a' + random() % 6));
    } else {
      text += kWords[random() % std::size(kWords)];
    }
    text += kBetween[random() % std::size(kBetween)];
  }
  return folded(text);
}

/// A piece of the text, cut between characters; or one of its words; or something else.
std::string random_wanted(std::mt19937& random, const std::string& text) {
  if (text.empty() || random() % 8 == 0) return random_text(random, 1 + random() % 2);
  const auto at_character = [&](std::size_t at) {
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    return at;
  };
  const std::size_t begin = random() % 3 == 0 ? 0 : at_character(random() % text.size());
  const std::size_t length = random() % 2 == 0 ? random() % 4 : random() % 24;
  return text.substr(begin, at_character(std::min(begin + length, text.size())) - begin);
}

/// Checks that find() returns all matching texts, living, once; and only those if it says so.
void check_find(const WordIndex& index, const TextsById& texts, const std::string& wanted, TextMatch match) {
  if (index.words() == IndexedWords::grams && match == TextMatch::phrase) return;
  const TextMatcher matcher(wanted, match);
  const WordIndex::Found found = index.find(wanted, match);
  std::set<TextId> ids(found.ids.begin(), found.ids.end());
  CAPTURE(wanted);
  CAPTURE(static_cast<int>(match));
  REQUIRE(ids.size() == found.ids.size());
  for (const TextId id : ids) REQUIRE(texts.contains(id));
  for (const auto& [id, text] : texts) {
    const bool agrees = matcher.matches(text);
    if (agrees != ids.contains(id) && (agrees || found.verified)) FAIL(text, ": should be found: ", agrees);
  }
}

void maintain(WordIndex& index, bool everything = false) {
  if (auto work = index.maintenance(everything)) {
    work->run();
    REQUIRE(index.install(std::move(*work)));
  }
}

std::vector<TextId> sorted(std::vector<TextId> ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<TextId> find(const WordIndex& index, std::string_view wanted, TextMatch match = TextMatch::contains) {
  return sorted(index.find(wanted, match).ids);
}

}  // namespace

TEST_CASE("the tokens of a text are the whole text") {
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    std::string text = random_text(random, random() % 6);
    if (i % 5 == 0 && !text.empty()) text[random() % text.size()] = '\xC3';
    std::string whole;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      const Token token = next_token(text, at);
      REQUIRE(at > begin);
      REQUIRE(token.text == std::string_view(text).substr(begin, at - begin));
      whole += token.text;
    }
    CHECK(whole == text);
  }
}

TEST_CASE("a gram is three characters, and fewer at the end") {
  const std::string text = "añb電!";
  std::vector<std::string_view> grams;
  for (std::size_t at = 0; at < text.size();) grams.push_back(next_gram(text, at));
  CHECK(grams == std::vector<std::string_view>{"añb", "ñb電", "b電!", "電!", "!"});
}

TEST_CASE("grams decide queries of up to three characters, longer ones have to be compared") {
  WordIndex index(IndexedWords::grams);
  index.add(1, "abcd");
  index.add(2, "abc bcd");
  maintain(index, true);
  CHECK(index.find("c", TextMatch::contains).verified);
  CHECK(index.find("bc", TextMatch::contains).verified);
  CHECK(index.find("bcd", TextMatch::contains).verified);
  CHECK(find(index, "abcd") == std::vector<TextId>{1, 2});
  CHECK_FALSE(index.find("abcd", TextMatch::contains).verified);
  CHECK_FALSE(index.find("b", TextMatch::prefix).verified);
  CHECK(find(index, "abx").empty());
  CHECK(find(index, "abxd").empty());
  CHECK(index.find("", TextMatch::contains).verified);
}

TEST_CASE("a word is found in recent texts and in segments, until it is removed") {
  WordIndex index;
  index.add(1, "the motorway");
  index.add(2, "motor show");
  index.add(3, "news");
  for (int round = 0; round < 2; ++round) {
    CHECK(index.has_recent() == (round == 0));
    CHECK(find(index, "motor") == std::vector<TextId>{1, 2});
    CHECK(find(index, "motor", TextMatch::word) == std::vector<TextId>{2});
    CHECK(find(index, "mot", TextMatch::word_prefix) == std::vector<TextId>{1, 2});
    CHECK(find(index, "way", TextMatch::word_prefix).empty());
    CHECK(find(index, "torw") == std::vector<TextId>{1});
    CHECK(find(index, "w") == std::vector<TextId>{1, 2, 3});
    CHECK(find(index, "") == std::vector<TextId>{1, 2, 3});
    CHECK(find(index, " ") == std::vector<TextId>{1, 2});
    CHECK(index.find("motor", TextMatch::contains).verified);
    maintain(index, true);
  }
  CHECK(index.segments() == 1);
  index.remove(2);
  CHECK(index.size() == 2);
  CHECK(find(index, "motor") == std::vector<TextId>{1});
  CHECK(index.dead() == std::vector<TextId>{2});
  CHECK(index.take_forgotten().empty());
  maintain(index);
  CHECK(index.take_forgotten() == std::vector<TextId>{2});
  CHECK(index.dead().empty());
  index.add(2, "motor show");
  CHECK(find(index, "motor") == std::vector<TextId>{1, 2});
}

TEST_CASE("adding, removing and maintaining in any order finds what brute force finds") {
  std::mt19937 random(7);
  WordIndex index(each_kind());
  TextsById texts;
  TextId next = 1;
  std::vector<TextId> free;
  // A Maintenance may be in progress while texts come and go.
  std::optional<WordIndex::Maintenance> work;
  for (int step = 0; step < 6000; ++step) {
    const bool grow = step % 2000 < 1300;
    if (texts.empty() || random() % 10 < (grow ? 8U : 3U)) {
      TextId id = next;
      if (!free.empty() && random() % 2 == 0) {
        id = free.back();
        free.pop_back();
      } else {
        ++next;
      }
      const std::string text = random_text(random, random() % 7);
      index.add(id, text);
      texts.emplace(id, text);
    } else {
      auto any = texts.lower_bound(random() % next);
      if (any == texts.end()) any = texts.begin();
      index.remove(any->first);
      texts.erase(any);
    }
    if (random() % 40 == 0) {
      if (!work) {
        work = index.maintenance(random() % 4 != 0);
      } else if (random() % 8 == 0) {
        work = index.maintenance(true);
      } else {
        work->run();
        REQUIRE(index.install(std::move(*work)));
        work.reset();
      }
    }
    for (const TextId id : index.take_forgotten()) {
      REQUIRE_FALSE(texts.contains(id));
      free.push_back(id);
    }
    REQUIRE(index.size() == texts.size());
    if (step % 10 == 0) {
      auto any = texts.lower_bound(random() % next);
      const std::string& text = any == texts.end() ? "" : any->second;
      check_find(index, texts, random_wanted(random, text), kModes[random() % std::size(kModes)]);
    }
  }
  // In the end, every missing id may be reused.
  for (const auto& [id, text] : texts) index.remove(id);
  work.reset();
  for (int i = 0; i < 3; ++i) maintain(index, true);
  for (const TextId id : index.take_forgotten()) free.push_back(id);
  std::sort(free.begin(), free.end());
  CHECK(std::adjacent_find(free.begin(), free.end()) == free.end());
  CHECK(free.size() == next - 1);
  CHECK(index.segments() == 0);
}

TEST_CASE("all match modes, in many texts in a few segments") {
  std::mt19937 random(11);
  WordIndex index(each_kind());
  TextsById texts;
  for (TextId id = 1; id <= 5000; ++id) {
    const std::string text = random_text(random, random() % 9);
    texts.emplace(id * 3, text);
    index.add(id * 3, text);
    if (id % 256 == 0) maintain(index);
  }
  maintain(index, true);
  for (int i = 0; i < 400; ++i) {
    const auto any = texts.lower_bound(1 + random() % 15000);
    check_find(index, texts, random_wanted(random, any->second),
               kModes[static_cast<std::size_t>(i) % std::size(kModes)]);
  }
  for (const char* wanted : {"a", "e", "o", "z", "9", "н", "ο", "電", "i", " ", "-", "oo", "ne", "но", "", "q"}) {
    for (const TextMatch match : kModes) check_find(index, texts, wanted, match);
  }
}

TEST_CASE("a large vocabulary: words of every length, frequent letters") {
  std::mt19937 random(13);
  WordIndex index(each_kind());
  TextsById texts;
  for (TextId id = 1; id <= 6000; ++id) {
    std::string text;
    for (int word = 0; word < 6; ++word) {
      const std::size_t letters = random() % 50 == 0 ? 200 + random() % 200 : 1 + random() % 9;
      for (std::size_t i = 0; i < letters; ++i) {
        text.push_back(static_cast<char>('a' + std::min(random() % 26, random() % 26)));
      }
      // Rare letters.
      if (random() % 200 == 0) text += folded(random() % 2 == 0 ? "ж" : "кюri");
      text.push_back(' ');
    }
    texts.emplace(id, text);
    index.add(id, text);
    if (id % 500 == 0) maintain(index);
  }
  maintain(index, true);
  for (int i = 0; i < 300; ++i) {
    check_find(index, texts, random_wanted(random, texts[1 + static_cast<TextId>(random() % 6000)]),
               kModes[static_cast<std::size_t>(i) % std::size(kModes)]);
  }
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    check_find(index, texts, std::string(1, letter), TextMatch::contains);
    check_find(index, texts, std::string(2, letter), TextMatch::contains);
    check_find(index, texts, std::string("a ") + letter, TextMatch::contains);
    check_find(index, texts, letter + std::string(" a"), TextMatch::contains);
  }
  for (const char* wanted : {"ж", "кю", "aж", "юr", "ζ", "ζa", "жз", "7", "7a", "кюri", "電"}) {
    for (const TextMatch match : kModes) check_find(index, texts, wanted, match);
  }
}

TEST_CASE("a segment that is mostly dead is rebuilt") {
  WordIndex index;
  for (TextId id = 1; id <= 1000; ++id) index.add(id, "some words of text " + std::to_string(id));
  maintain(index, true);
  const std::size_t full = index.memory_bytes();
  for (TextId id = 1; id <= 900; ++id) index.remove(id);
  maintain(index);
  CHECK(index.take_forgotten().size() == 900);
  CHECK(index.memory_bytes() < full / 2);
  CHECK(find(index, "words").size() == 100);
}

TEST_CASE("full maintenance leaves one segment, but does not rebuild a large one for a few texts") {
  WordIndex index;
  TextId id = 1;
  for (int part = 0; part < 6; ++part) {
    const TextId end = id + 1100;
    for (; id < end; ++id) index.add(id, "some words of text " + std::to_string(id));
    maintain(index);
  }
  CHECK(index.segments() > 1);
  maintain(index, true);
  CHECK(index.segments() == 1);
  CHECK_FALSE(index.maintenance(true));
  for (int more = 0; more < 3; ++more) {
    index.add(id, "one more text " + std::to_string(id));
    ++id;
    maintain(index, true);
    CHECK(index.segments() == 2);
    CHECK_FALSE(index.maintenance(true));
  }
  CHECK(find(index, "text", TextMatch::word).size() == id - 1);
}

TEST_CASE("segments and dead ids are sufficient to restore an index") {
  std::mt19937 random(17);
  WordIndex index(each_kind());
  TextsById texts;
  for (TextId id = 1; id <= 3000; ++id) {
    texts[id] = random_text(random, random() % 6);
    index.add(id, texts[id]);
    if (id % 700 == 0) maintain(index, true);
  }
  for (TextId id = 5; id <= 3000; id += 10) {
    index.remove(id);
    texts.erase(id);
  }
  maintain(index, true);
  REQUIRE_FALSE(index.has_recent());

  WordIndex again(index.words());
  index.each_segment([&](std::span<const std::byte> segment) {
    // At an odd address, as in a file with arbitrary bytes in front.
    auto copy = std::make_shared<std::vector<std::byte>>(segment.size() + 1);
    std::copy(segment.begin(), segment.end(), copy->begin() + 1);
    REQUIRE(again.adopt(copy, std::span(*copy).subspan(1)));
  });
  for (const TextId id : index.dead()) again.remove(id);
  CHECK(again.size() == texts.size());
  CHECK(again.memory_bytes() < index.memory_bytes());
  for (int i = 0; i < 100; ++i) {
    const std::string wanted = random_wanted(random, texts.lower_bound(1 + random() % 2900)->second);
    for (const TextMatch match : kModes) {
      if (index.words() == IndexedWords::grams && match == TextMatch::phrase) continue;
      REQUIRE(find(again, wanted, match) == find(index, wanted, match));
    }
  }
  again.add(4000, "something new");
  maintain(again, true);
  CHECK(find(again, "something", TextMatch::word) == std::vector<TextId>{4000});
}

TEST_CASE("malformed segments are refused or harmless") {
  WordIndex index;
  std::mt19937 random(19);
  for (TextId id = 1; id <= 300; ++id) index.add(id, random_text(random, 5));
  maintain(index, true);
  std::vector<std::byte> good;
  index.each_segment([&](std::span<const std::byte> segment) { good.assign(segment.begin(), segment.end()); });
  CHECK_FALSE(WordIndex().adopt(nullptr, {}));
  for (std::size_t size = 0; size < good.size(); size += 7) {
    CHECK_FALSE(WordIndex().adopt(nullptr, std::span(good).first(size)));
  }
  // From a host with the other byte order.
  std::vector<std::byte> swapped = good;
  std::reverse(swapped.begin(), swapped.begin() + 4);
  CHECK_FALSE(WordIndex().adopt(nullptr, swapped));
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bad = good;
    for (int n = 0; n < 3; ++n) bad[random() % bad.size()] = static_cast<std::byte>(random());
    WordIndex other;
    if (!other.adopt(nullptr, bad)) continue;
    for (const char* wanted : {"news", "o", "ew", "the new", "電"})
      other.find(wanted, kModes[random() % std::size(kModes)]);
    if (i % 10 == 0) {
      other.add(1, "more");
      other.remove(7);
      maintain(other, true);
      other.find("news", TextMatch::contains);
    }
  }
}

TEST_CASE("readers continue while segments are built" * doctest::test_suite("threads")) {
  WordIndex index;
  std::shared_mutex mutex;
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) {
      const std::shared_lock lock(mutex);
      const std::size_t all = index.find("", TextMatch::contains).ids.size();
      CHECK(all == index.size());
      CHECK(index.find("evening", TextMatch::word).ids.size() == all);
    }
  });
  std::vector<TextId> free;
  TextId next = 1;
  for (int step = 0; step < 20; ++step) {
    {
      const std::unique_lock lock(mutex);
      for (int i = 0; i < 150; ++i) {
        if (free.empty()) free.push_back(next++);
        index.add(free.back(), "evening news " + std::to_string(step * i));
        free.pop_back();
      }
    }
    auto work = index.maintenance(step % 3 == 0);
    if (work) work->run();
    {
      const std::unique_lock lock(mutex);
      for (TextId id = 1 + static_cast<TextId>(step) * 40; id <= 40 + static_cast<TextId>(step) * 40; ++id) {
        index.remove(id);
      }
      if (work) CHECK(index.install(std::move(*work)));
    }
    // Ids of removed texts are not reused in this test: it would remove them twice.
    index.take_forgotten();
  }
  done = true;
  reader.join();
  CHECK(index.size() == 20 * 150 - 20 * 40);
}

TEST_CASE("the result of outdated maintenance is not installed") {
  WordIndex index;
  index.add(1, "one");
  auto first = index.maintenance(true);
  index.remove(1);
  auto second = index.maintenance(true);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(index.take_forgotten() == std::vector<TextId>{1});
  first->run();
  CHECK_FALSE(index.install(std::move(*first)));
  second->run();
  CHECK(index.install(std::move(*second)));
  CHECK(find(index, "one").empty());
  CHECK(index.take_forgotten().empty());
  CHECK_FALSE(index.maintenance(true));
}
