// Tests of the DVB text decoder: tables, control codes, guesses, broken and compressed texts, service names.
#include "epg/text/dvb_text.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "epg/text/east_asian_characters.h"
#include "epg/text/huffman_text.h"
#include "epg/text/utf8.h"

using namespace receiverd;
using namespace receiverd::epg;
using namespace std::string_literals;

using wire::bytes_of;

namespace {

/// Strictly the standard: no guessing.
constexpr TextAssumption kStrict{.alternative = CharacterTable::iso6937, .detect_utf8 = false};

std::string decoded(std::string_view text, const TextAssumption& assumption = {}, TextErrors* errors = nullptr) {
  return decode_dvb_text(bytes_of(text), assumption, errors);
}

/// The characters of a table between two lead bytes and two second bytes.
std::set<char16_t> characters_of(CharacterTable table, unsigned first_lead, unsigned last_lead, unsigned first_trail,
                                 unsigned last_trail) {
  std::set<char16_t> found;
  for (unsigned lead = first_lead; lead <= last_lead; ++lead) {
    for (unsigned trail = first_trail; trail <= last_trail; ++trail) {
      found.insert(east_asian_character(table, static_cast<std::uint8_t>(lead), static_cast<std::uint8_t>(trail)));
    }
  }
  found.erase(u'\0');
  return found;
}

}  // namespace

TEST_CASE("every selection byte of Annex A selects its table") {
  CHECK(decoded("\x01\xBF\xE0\xD8\xD2\xD5\xE2") == "Привет");
  CHECK(decoded("\x02\xE5\xD1") == "\u0645\u0631");
  CHECK(decoded("\x03\xCA\xE1\xEB\xE7\xEC\xDD\xF1\xE1") == "Καλημέρα");
  CHECK(decoded("\x04\xF9\xEC\xE5\xED") == "שלום");
  CHECK(decoded("\x05\xDD\xFE\xF0") == "İşğ");
  CHECK(decoded("\x06\xBD\xBE") == "\u2015\u016B");
  CHECK(decoded("\x07\xA1\xE4") == "กไ");
  CHECK(decoded("\x09\xE0\xF0") == "ąš");
  CHECK(decoded("\x0A\xD0\xDE") == "ŴŶ");
  CHECK(decoded("\x0B\xA4\xBD") == "€œ");
  CHECK(decoded("\x10\x00\x02\xB1\xEC"s) == "ąě");
  CHECK(decoded("\x10\x00\x01\xE9\xFC"s) == "éü");
  CHECK(decoded("\x10\x00\x0F\xA4"s) == "€");
  CHECK(decoded("\x11\x00\x41\x20\xAC\x04\x16"s) == "A€Ж");
  CHECK(decoded("\x12\xC7\xD1\xB1\xDB") == "한글");
  CHECK(decoded("\x13\xD6\xD0\xCE\xC4") == "中文");
  CHECK(decoded("\x14\xA4\xA4\xA4\xE5") == "中文");
  CHECK(decoded("\x14\x4E\x2D\x65\x87\x00\x31"s) == "中文1");
  CHECK(decoded("\x15gr\xC3\xBC\xC3\x9F") == "grüß");
}

TEST_CASE("reserved selection bytes and unknown compression are dropped and counted") {
  for (const std::string_view text : {"\x08"
                                      "abc",
                                      "\x0C"
                                      "abc",
                                      "\x1E"
                                      "abc",
                                      "\x1F\x07"
                                      "abc"}) {
    TextErrors errors;
    CHECK(decoded(text, {}, &errors).empty());
    CHECK(errors.unknown_tables == 1);
  }
  TextErrors errors;
  CHECK(decoded("\x10\x00\x0C"
                "abc"s,
                {}, &errors)
            .empty());
  CHECK(decoded("\x10\x00"s, {}, &errors).empty());
  CHECK(decoded("\x1F\x01\x48\xE7\xD8", {}, &errors).empty());
  CHECK(errors.no_decoder == 1);
}

TEST_CASE("the default table is ISO/IEC 6937 with the euro, composed to NFC") {
  CHECK(decoded("\xC2"
                "e\xC1"
                "a\xC8"
                "o\xCF"
                "s\xCB"
                "c\xCE"
                "a\xCA"
                "a\xCD"
                "o\xC5"
                "u",
                kStrict) == "éàöšçąåőū");
  CHECK(decoded("\xA4 5 \xAAx\xBA \xB9 \xFB \xF1 \xF8", kStrict) == "€ 5 “x” ’ ß æ ł");
  CHECK(decoded("\xC8 \xC2 \xCF ", kStrict) == "¨´ˇ");  // mark and blank
  CHECK(decoded("\xC2"
                "5",
                kStrict) == "5");  // mark without a letter
  CHECK(decoded("\xC2"
                "q",
                kStrict) == "q\u0301");  // no precomposed code point
  TextErrors errors;
  CHECK(decoded("abc\xC2", kStrict, &errors) == "abc");
  CHECK(errors.malformed == 1);
  CHECK(decoded("\xA6\xD8\xE5z", kStrict, &errors) == "z");
  CHECK(errors.undefined_characters == 3);
}

TEST_CASE("a text without a selection byte is read as ISO/IEC 6937 unless the evidence is against it") {
  CHECK(decoded("P\xCF"
                "rezident \xC2"
                "Usti") == "Přezident Ústi");
  CHECK(decoded("La r\xE9volution fran\xE7"
                "aise") == "La révolution française");
  CHECK(decoded("caff\xE8 e citt\xE0") == "caffè e città");
  CHECK(decoded("\xC9"
                "milie") == "Émilie");
  CHECK(decoded("F\xFCr alle") == "Für alle");
  CHECK(decoded("It\xB9s") == "It’s");
  CHECK(decoded("\xAAHello\xBA") == "“Hello”");
  CHECK(decoded("S\xF9ren") == "Søren");
  CHECK(decoded("K\xC3\xB6ln") == "Köln");  // unannounced UTF-8
  const TextAssumption russian{.alternative = CharacterTable::iso8859_5};
  CHECK(decoded("\xBF\xE0\xD8\xD2\xD5\xE2", russian) == "Привет");
  CHECK(decoded("plain ASCII", russian) == "plain ASCII");
}

TEST_CASE("evidence adds up over the texts of a broadcaster") {
  TableEvidence evidence{TextAssumption{}};
  evidence.add(bytes_of("a\xF1o"));  // año or aæo: no evidence
  CHECK(evidence.table() == CharacterTable::iso6937);
  evidence.add(bytes_of("informaci\xF3n pol\xEDtica"));
  CHECK(evidence.table() == CharacterTable::iso8859_1);
}

TEST_CASE("control codes: line break, emphasis, the rest dropped") {
  CHECK(decoded("one\x8Atwo\x86"
                "em\x87"
                "three\x8B\x01\x02") == "one\ntwoemthree");
  CHECK(decoded("a\r\nb\tc\x7F") == "a\nb c");
  CHECK(decoded("\x15"
                "a\xC2\x8A"
                "b\xEE\x82\x8A"
                "c\xEE\x82\x86"
                "d\xC2\x87\xEF\xBB\xBF") == "a\nb\ncd");
  CHECK(decoded("\x11\xE0\x86\x00\x41\xE0\x87\xE0\x8A\x00\x42"s) == "A\nB");
  CHECK(decoded("\x13\xD6\xD0\x8A\xCE\xC4") == "中\n文");
  CHECK(decoded("\x12\xC7\xD1\x86\xB1\xDB\x87") == "한글");
  CHECK(decoded("text  \0\0"s) == "text");
  CHECK(decoded("\x86\x87\x8A\x80").empty());
}

TEST_CASE("Korean: KS X 1001, and the other syllables as in UHC") {
  CHECK(decoded("\x12\xBF\xC0\xB4\xC3\xC0\xC7 \xB4\xBA\xBD\xBA 9") == "오늘의 뉴스 9");
  CHECK(decoded("\x12\xF9\xD3\xCF\xD0 \xA1\xBA\xA4\xA1\xA1\xBB \xA2\xE6") == "漢國 『ㄱ』 €");
  CHECK(decoded("\x12\x8C\x63\xB9\xE6\xB0\xA2\xC7\xCF \xC6\x52 \x81\x41") == "똠방각하 힣 갂");
  // 2,350 syllables, 4,888 ideographs of which 268 are Unicode's duplicates, and signs.
  CHECK(characters_of(CharacterTable::euc_kr, 0xA1, 0xFE, 0xA1, 0xFE).size() == 8226);
  const std::set<char16_t> all = characters_of(CharacterTable::euc_kr, 0, 0xFF, 0, 0xFF);
  CHECK(all.size() == 8226 + 8822);
  for (char16_t syllable = 0xAC00; syllable <= 0xD7A3; ++syllable) REQUIRE(all.contains(syllable));
}

TEST_CASE("Chinese: GB 2312, and the other ideographs as in GBK") {
  CHECK(decoded("\x13\xD0\xC2\xCE\xC5\xC1\xAA\xB2\xA5 7\xA3\xBA\x30\x30 \xA1\xB6\xA1\xB7") == "新闻联播 7：00 《》");
  CHECK(decoded("\x13\xD6\xEC\xE9\x46\xBB\xF9 \x81\x40\xFD\x9B") == "朱镕基 丂龥");
  CHECK(characters_of(CharacterTable::gb18030, 0xB0, 0xF7, 0xA1, 0xFE).size() == 6763);
  const std::set<char16_t> all = characters_of(CharacterTable::gb18030, 0, 0xFF, 0, 0xFF);
  for (char16_t ideograph = 0x4E00; ideograph <= 0x9FA5; ++ideograph) REQUIRE(all.contains(ideograph));
}

TEST_CASE("Taiwanese: Big5") {
  CHECK(decoded("\x14\xB7\x73\xBB\x44 7\xA1G00 \xA1\x6D\xA1\x6E") == "新聞 7：00 《》");
  CHECK(decoded("\x14\xA4\x40\xC6\x7E \xC9\x40\xF9\xD5 \xA1\x45 \xA2\x44") == "一籲 乂龘 • ¥");
  CHECK(characters_of(CharacterTable::big5, 0xA4, 0xC6, 0x40, 0xFE).size() == 5401);
  CHECK(characters_of(CharacterTable::big5, 0xC9, 0xF9, 0x40, 0xFE).size() == 7652 + 41);
}

TEST_CASE("invalid East Asian texts lose only the characters that cannot be read") {
  TextErrors errors;
  CHECK(decoded("\x12\xC7\xD1\xB1", {}, &errors) == "한");              // cut
  CHECK(decoded("\x12\xC7\xD1\xC7z\xB1\xDB", {}, &errors) == "한z글");  // a first byte, then ASCII
  CHECK(decoded("\x13\xFF\xD6\xD0\xCE\xFF", {}, &errors) == "中");
  CHECK(errors.malformed == 5);
  CHECK(decoded("\x12\xC7\xD1\xC9\xA1\xB1\xDB", {}, &errors) == "한글");  // private use
  CHECK(decoded("\x13\xD6\xD0\x95\x32\x82\x36\xCE\xC4", {}, &errors) == "中文");
  CHECK(decoded("\x14\xA4\xA4\xFE\xFE\xA4\xE5", {}, &errors) == "中文");
  CHECK(errors.undefined_characters == 3);
  CHECK(errors.malformed == 5);
  CHECK(decoded("\x14\xA4\xA4\x8A\xA4\xE5") == "中\n文");
}

TEST_CASE("invalid texts give their readable part, always as valid UTF-8") {
  CHECK(decoded("").empty());
  for (const std::string_view text : {"\x01", "\x10", "\x11", "\x12", "\x13", "\x14", "\x15", "\x1F", "\x1F\x01"}) {
    CHECK(decoded(text).empty());
  }
  CHECK(decoded("\x00\x00"s
                "abc"s) == "abc");
  TextErrors errors;
  CHECK(decoded("\x15"
                "abc\xE2\x82",
                {}, &errors) == "abc");
  CHECK(decoded("\x11\xD8\x00\x00\x41\xDC\x00"s, {}, &errors) == "A");
  CHECK(decoded("\x11\x00\x41\x42"s, {}, &errors) == "A");
  CHECK(errors.malformed == 5);
  CHECK(decoded("\x11\xD8\x3D\xDE\x00"s) == "😀");
  // Every pair of bytes after every selection byte.
  for (unsigned first = 0; first < 0x21; ++first) {
    for (unsigned pair = 0; pair < 0x10000; pair += 7) {
      const std::string text{static_cast<char>(first), static_cast<char>(pair >> 8), static_cast<char>(pair), 'a'};
      REQUIRE(valid_utf8(decoded(text)));
    }
  }
}

TEST_CASE("service names: full and abbreviated") {
  const ServiceName name =
      decode_service_name(bytes_of("\x05\x86"
                                   "BBC\x87 ONE \x86HD\x87"));
  CHECK(name.full == "BBC ONE HD");
  CHECK(name.abbreviated == "BBCHD");
  CHECK(decode_service_name(bytes_of("Das Erste")).abbreviated.empty());
}

TEST_CASE("parts in one table are joined before decoding, others are decoded separately") {
  const std::string mark_cut[] = {"P\xCF", "rezident"};
  const std::string utf8_cut[] = {"\x15K\xC3", "\x15\xB6ln"};
  const std::string mixed[] = {
      "caf\xC2"
      "e ",
      "\x15\xE2\x82\xAC 5 ", "\x05\xFE"};
  const auto joined = [](const auto& parts) {
    std::vector<wire::Bytes> spans;
    for (const std::string& part : parts) spans.push_back(bytes_of(part));
    return decode_dvb_text(spans);
  };
  CHECK(joined(mark_cut) == "Přezident");
  CHECK(joined(utf8_cut) == "Köln");
  CHECK(joined(mixed) == "café € 5 ş");
}

TEST_CASE("assumptions: enforced table, no selection bytes, two-byte marks") {
  const TextAssumption thai{
      .table = CharacterTable::iso8859_11, .alternative = CharacterTable::iso8859_11, .enforced = true};
  CHECK(decoded("\x05\xA1\xE4", thai) == "กไ");
  const TextAssumption raw{
      .table = CharacterTable::iso8859_9, .alternative = CharacterTable::iso8859_9, .no_selection_bytes = true};
  CHECK(decoded("\x05\xFE", raw) == "ş");
  const TextAssumption polish{.two_byte_marks = true};
  CHECK(decoded("\x01"
                "Jan\xC2"
                "o\xF8",
                polish) == "Janół");
}

TEST_CASE("compressed texts are read with tables in the format of Enigma2's files") {
  // A code for a few letters: START -> B 0, C 10, ESCAPE 11; B -> B 0, STOP 1; C -> 0x3a 0, STOP 1
  const HuffmanTables tables(
      "START:0:B:\nSTART:10:C:\nSTART:11:ESCAPE:\nB:0:B:\nB:1:STOP:\nC:0:0x3a:\nC:1:STOP:\n"
      "0x3a:0:C:\nSTOP:0:x:\nnonsense\nB:2:x:\n",
      "");
  CHECK(tables.codes(1) == 8);
  CHECK_FALSE(tables.has(2));
  const TextAssumption with{.huffman = &tables};
  CHECK(decoded("\x1F\x01\x04"s, with) == "BBBBB");  // 0 0 0 0 0 1: STOP
  CHECK(decoded("\x1F\x01\x88"s, with) == "C:C");    // 10 0 0 1
  // 11 ESCAPE, then raw 0xE9, 0x42 'B' ends the escape, 1 STOP
  CHECK(decoded("\x1F\x01\xFA\x50\xA0"s, with) == "éB");
  CHECK(decoded("\x1F\x01"s + std::string(100, '\0'), with) == std::string(800, 'B'));
  CHECK(decoded("\x1F\x01"s + std::string(5000, '\0'), with) == std::string(kMaxCompressedTextCharacters, 'B'));
}
