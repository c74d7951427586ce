// Tests of the text codec: round trips, learning, malformed input, saved tables.
#include "epg/text/text_codec.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace receiverd::epg;

namespace {

std::string packed(const TextCodec& codec, std::string_view text) {
  std::string out;
  codec.encode(text, out);
  return out;
}

std::string unpacked(const TextCodec& codec, std::string_view bytes) {
  std::string out;
  codec.decode(bytes, out);
  return out;
}

std::string table(const TextCodec& codec) {
  std::string out;
  codec.save(out);
  return out;
}

std::string codec_table(const std::vector<std::string>& symbols) {
  std::string bytes(1, static_cast<char>(symbols.size()));
  for (const std::string& symbol : symbols) bytes.push_back(static_cast<char>(symbol.size()));
  for (const std::string& symbol : symbols) bytes += symbol;
  return bytes;
}

TextCodec trained(const std::vector<std::string>& texts) {
  return TextCodec::train(std::vector<std::string_view>(texts.begin(), texts.end()));
}

void check_round_trip(const TextCodec& codec, std::string_view text) {
  const std::string bytes = packed(codec, text);
  REQUIRE(bytes.size() <= 2 * text.size());
  REQUIRE(codec.decoded_size(bytes) == text.size());
  REQUIRE(unpacked(codec, bytes) == text);
}

// Texts of recurring words in several scripts, like those of a guide.
std::vector<std::string> multilingual_texts(std::mt19937& random, std::size_t count) {
  static constexpr std::string_view kWords[] = {
      "the ",        "football ", "evening ",  "news ",    "and ", "Nachrichten ", "und ",      "Wetter ",
      "l’émission ", "journée ",  "програма ", "новини ",  "та ",  "футбол ",      "ειδήσεις ", "και ",
      "καιρός ",     "ข่าวภาคค่ำ",  "รายการ",    "समाचार ",  "और ",  "ニュース",     "天気予報",  "güneş ",
      "haberler ",   "příběh ",   "počasí ",   "الأخبار ", "😀",    "S1/E8 - ",     "2026. ",    "\n",
  };
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    // Words that are neighbours in the list go together: a text is in one or two languages.
    const std::size_t language = random() % std::size(kWords);
    for (std::size_t words = random() % 60; words > 0; --words) {
      text += kWords[(language + random() % 6) % std::size(kWords)];
    }
  }
  return texts;
}

std::string any_bytes(std::mt19937& random, std::size_t length, unsigned alphabet = 256) {
  std::string bytes(length, 0);
  for (char& byte : bytes) byte = static_cast<char>(random() % alphabet);
  return bytes;
}

}  // namespace

TEST_CASE("a codec without a table escapes every byte") {
  const TextCodec codec;
  CHECK(codec.size() == 0);
  CHECK(packed(codec, "ab") ==
        "\xFF"
        "a\xFF"
        "b");
  CHECK(packed(codec, "").empty());
  check_round_trip(codec, "Nachrichten");
  CHECK(TextCodec::train({}).size() == 0);
}

TEST_CASE("the longest symbol that fits is used") {
  const auto codec = TextCodec::load(codec_table({"a", "ab", "abc", "abcd", "abcdefgh", "abx"}));
  REQUIRE(codec);
  CHECK(packed(*codec, "abcdefgh") == std::string("\4", 1));
  CHECK(packed(*codec, "abcdefg") == std::string("\3\xFF"
                                                 "e\xFF"
                                                 "f\xFF"
                                                 "g",
                                                 7));
  CHECK(packed(*codec, "abcabxaba") == std::string("\2\5\1\0", 4));
}

TEST_CASE("a symbol that ends in zeros is not matched past the end of a text") {
  using namespace std::string_literals;
  const auto codec = TextCodec::load(codec_table({"a\0"s, "ab\0"s, "abcd\0\0\0\0"s}));
  REQUIRE(codec);
  for (const std::string& text : {"a"s, "ab"s, "abcd"s, "abcd\0\0\0"s, "abcd\0\0\0\0"s, "\0"s}) {
    check_round_trip(*codec, text);
  }
}

TEST_CASE("any text is restored unchanged, whatever sample the table has learnt from") {
  std::mt19937 random(1);
  const std::vector<std::string> guide = multilingual_texts(random, 400);
  std::vector<std::string> noise;
  std::vector<std::string> runs;
  for (int text = 0; text < 200; ++text) {
    noise.push_back(any_bytes(random, random() % 300));
    runs.push_back(any_bytes(random, random() % 300, 2));
  }
  // Bytes with a meaning for the codec itself.
  noise.emplace_back(100, '\xFF');
  runs.emplace_back(1000, '\0');
  const std::vector<std::string>* const all[] = {&guide, &noise, &runs};
  for (const auto* sample : all) {
    const TextCodec codec = trained(*sample);
    for (const auto* texts : all) {
      for (const std::string& text : *texts) check_round_trip(codec, text);
    }
  }
}

TEST_CASE("texts of every length around the ends of words and buffers are restored unchanged") {
  std::mt19937 random(2);
  const TextCodec codec = trained(multilingual_texts(random, 100));
  for (std::size_t length = 0; length < 1200; ++length) {
    check_round_trip(codec, std::string(length, 'e'));
    check_round_trip(codec, any_bytes(random, length));
  }
}

TEST_CASE("texts like the sample shrink to less than half") {
  std::mt19937 random(3);
  const TextCodec codec = trained(multilingual_texts(random, 1000));
  std::size_t plain = 0;
  std::size_t small = 0;
  for (const std::string& text : multilingual_texts(random, 200)) {
    plain += text.size();
    small += packed(codec, text).size();
  }
  CHECK(small * 2 < plain);
}

TEST_CASE("encode and decode append") {
  std::mt19937 random(4);
  const TextCodec codec = trained(multilingual_texts(random, 50));
  std::string bytes = "before";
  codec.encode("the football ", bytes);
  CHECK(bytes.substr(0, 6) == "before");
  std::string text = "before ";
  codec.decode(std::string_view(bytes).substr(6), text);
  CHECK(text == "before the football ");
}

TEST_CASE("any bytes decode to a text of limited length") {
  std::mt19937 random(5);
  const auto small = TextCodec::load(codec_table({"eight by", "x"}));
  REQUIRE(small);
  CHECK(unpacked(*small, std::string("\0\1\2\xFE", 4)) == "eight byx");
  CHECK(unpacked(*small, "\xFF").empty());
  CHECK(small->decoded_size("\xFF") == 0);
  CHECK(unpacked(*small, "\1\xFF\xFF\xFF") == "x\xFF");
  // An escape across the boundary of a decoder's piece.
  CHECK(unpacked(*small, std::string(127, '\1') + "\xFFy") == std::string(127, 'x') + "y");
  CHECK(unpacked(*small, std::string(10000, '\0')).size() == 80000);
  const TextCodec full = trained(multilingual_texts(random, 100));
  for (int run = 0; run < 2000; ++run) {
    const std::string bytes = any_bytes(random, random() % 600);
    for (const TextCodec* codec : {&*small, &full}) {
      const std::string text = unpacked(*codec, bytes);
      REQUIRE(text.size() <= 8 * bytes.size());
      REQUIRE(codec->decoded_size(bytes) == text.size());
    }
  }
}

TEST_CASE("the same sample gives the same table, however large") {
  std::mt19937 random(6);
  std::vector<std::string> texts = multilingual_texts(random, 3000);
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  REQUIRE(bytes > TextCodec::kMaxSampleBytes);
  const std::string first = table(trained(texts));
  CHECK(first == table(trained(std::vector<std::string>(texts))));
  CHECK(first[0] == '\xFF');
  // One text that is longer than the whole sample may be.
  std::string one;
  for (const std::string& text : texts) one += text;
  check_round_trip(trained({one, "behind"}), one);
}

TEST_CASE("a large sample is read to its end") {
  std::vector<std::string> texts(20000, "nothing but this for a long time");
  for (std::size_t at = 15000; at < texts.size(); ++at) texts[at] = "später etwas ganz anderes";
  const TextCodec codec = trained(texts);
  CHECK(packed(codec, texts.back()).size() * 3 < texts.back().size());
}

TEST_CASE("a saved table loads as the same table") {
  std::mt19937 random(7);
  const std::vector<std::string> texts = multilingual_texts(random, 300);
  for (const std::size_t count : {0U, 1U, 10U, 300U}) {
    const TextCodec codec = trained({texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(count)});
    const std::string saved = table(codec);
    const auto loaded = TextCodec::load(saved);
    REQUIRE(loaded);
    CHECK(table(*loaded) == saved);
    for (const std::string& text : texts) {
      REQUIRE(packed(*loaded, text) == packed(codec, text));
      REQUIRE(unpacked(*loaded, packed(codec, text)) == text);
    }
  }
}

TEST_CASE("an invalid table is refused") {
  std::mt19937 random(8);
  const std::string good = table(trained(multilingual_texts(random, 100)));
  REQUIRE(TextCodec::load(good));
  for (std::size_t length = 0; length < good.size(); ++length) REQUIRE_FALSE(TextCodec::load(good.substr(0, length)));
  CHECK_FALSE(TextCodec::load(good + "x"));
  CHECK_FALSE(TextCodec::load(codec_table({"a", ""})));
  CHECK_FALSE(TextCodec::load(codec_table({"nine byte"})));
  CHECK(TextCodec::load(codec_table({})));
  // A duplicate symbol does no harm.
  const auto twice = TextCodec::load(codec_table({"the", "the", "e", "e", "th", "th"}));
  REQUIRE(twice);
  check_round_trip(*twice, "the theme");
}
