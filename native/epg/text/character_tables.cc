#include "epg/text/character_tables.h"

#include <array>
#include <string_view>

namespace receiverd::epg {
namespace {

using UpperHalf = std::array<char16_t, 96 + 1>;  // 0xA0..0xFF, and the end of a literal; 0 = no character

// ISO/IEC 8859 from part 2 on. Part 1 is Unicode itself; part 12 was never published.
constexpr UpperHalf kPart2 = std::to_array(
    u"\u00A0Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u00ADŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙");
constexpr UpperHalf kPart3 = std::to_array(
    u"\u00A0Ħ˘£¤\0Ĥ§¨İŞĞĴ\u00AD\0Ż°ħ²³´µĥ·¸ışğĵ½\0żÀÁÂ\0ÄĊĈÇÈÉÊËÌÍÎÏ\0ÑÒÓÔĠÖ×ĜÙÚÛÜŬŜßàáâ\0äċĉçèéêëìíîï\0ñòóôġö÷ĝùúûüŭŝ"
    u"˙");
constexpr UpperHalf kPart4 = std::to_array(
    u"\u00A0ĄĸŖ¤ĨĻ§¨ŠĒĢŦ\u00ADŽ¯°ą˛ŗ´ĩļˇ¸šēģŧŊžŋĀÁÂÃÄÅÆĮČÉĘËĖÍÎĪĐŅŌĶÔÕÖ×ØŲÚÛÜŨŪßāáâãäåæįčéęëėíîīđņōķôõö÷øųúûüũū˙");
constexpr UpperHalf kPart5 = std::to_array(
    u"\u00A0ЁЂЃЄЅІЇЈЉЊЋЌ\u00ADЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя№ёђѓєѕіїјљњћќ§ўџ");
constexpr UpperHalf kPart6 = std::to_array(
    u"\u00A0\0\0\0¤\0\0\0\0\0\0\0\u060C\u00AD\0\0\0\0\0\0\0\0\0\0\0\0\0\u061B\0\0\0\u061F\0\u0621\u0622\u0623\u0624"
    u"\u0625\u0626\u0627\u0628\u0629\u062A\u062B\u062C\u062D\u062E\u062F\u0630\u0631\u0632\u0633\u0634\u0635\u0636"
    u"\u0637\u0638\u0639\u063A\0\0\0\0\0\u0640\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064A\u064B\u064C"
    u"\u064D\u064E\u064F\u0650\u0651\u0652\0\0\0\0\0\0\0\0\0\0\0\0\0");
constexpr UpperHalf kPart7 = std::to_array(
    u"\u00A0‘’£€₯¦§¨©\u037A«¬\u00AD\0―°±²³\u0384\u0385Ά·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\0ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυ"
    u"φχψωϊϋόύώ\0");
constexpr UpperHalf kPart8 = std::to_array(
    u"\u00A0\0¢£¤¥¦§¨©×«¬\u00AD®¯°±²³´µ¶·¸¹÷»¼½¾\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0‗\u05D0"
    u"\u05D1\u05D2\u05D3\u05D4\u05D5\u05D6\u05D7\u05D8\u05D9\u05DA\u05DB\u05DC\u05DD\u05DE\u05DF\u05E0\u05E1\u05E2"
    u"\u05E3\u05E4\u05E5\u05E6\u05E7\u05E8\u05E9\u05EA\0\0\u200E\u200F\0");
constexpr UpperHalf kPart9 = std::to_array(
    u"\u00A0¡¢£¤¥¦§¨©ª«¬\u00AD®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ");
constexpr UpperHalf kPart10 = std::to_array(
    u"\u00A0ĄĒĢĪĨĶ§ĻĐŠŦŽ\u00ADŪŊ°ąēģīĩķ·ļđšŧž―ūŋĀÁÂÃÄÅÆĮČÉĘËĖÍÎÏÐŅŌÓÔÕÖŨØŲÚÛÜÝÞßāáâãäåæįčéęëėíîïðņōóôõöũøųúûüýþĸ");
constexpr UpperHalf kPart11 = std::to_array(
    u"\u00A0\u0E01\u0E02\u0E03\u0E04\u0E05\u0E06\u0E07\u0E08\u0E09\u0E0A\u0E0B\u0E0C\u0E0D\u0E0E\u0E0F\u0E10\u0E11"
    u"\u0E12\u0E13\u0E14\u0E15\u0E16\u0E17\u0E18\u0E19\u0E1A\u0E1B\u0E1C\u0E1D\u0E1E\u0E1F\u0E20\u0E21\u0E22\u0E23"
    u"\u0E24\u0E25\u0E26\u0E27\u0E28\u0E29\u0E2A\u0E2B\u0E2C\u0E2D\u0E2E\u0E2F\u0E30\u0E31\u0E32\u0E33\u0E34\u0E35"
    u"\u0E36\u0E37\u0E38\u0E39\u0E3A\0\0\0\0\u0E3F\u0E40\u0E41\u0E42\u0E43\u0E44\u0E45\u0E46\u0E47\u0E48\u0E49\u0E4A"
    u"\u0E4B\u0E4C\u0E4D\u0E4E\u0E4F\u0E50\u0E51\u0E52\u0E53\u0E54\u0E55\u0E56\u0E57\u0E58\u0E59\u0E5A\u0E5B\0\0\0\0");
constexpr UpperHalf kPart13 = std::to_array(
    u"\u00A0”¢£¤„¦§Ø©Ŗ«¬\u00AD®Æ°±²³“µ¶·ø¹ŗ»¼½¾æĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž’");
constexpr UpperHalf kPart14 = std::to_array(
    u"\u00A0Ḃḃ£ĊċḊ§Ẁ©ẂḋỲ\u00AD®ŸḞḟĠġṀṁ¶ṖẁṗẃṠỳẄẅṡÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏŴÑÒÓÔÕÖṪØÙÚÛÜÝŶßàáâãäåæçèéêëìíîïŵñòóôõöṫøùúûüýŷÿ");
constexpr UpperHalf kPart15 = std::to_array(
    u"\u00A0¡¢£€¥Š§š©ª«¬\u00AD®¯°±²³Žµ¶·ž¹º»ŒœŸ¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ");

// ISO/IEC 6937 as in EN 300 468 figure A.1: 0xA4 is the euro sign, 0xC0..0xCF are the marks (none here).
constexpr UpperHalf kIso6937 = std::to_array(
    u"\u00A0¡¢£€¥\0§¤‘“«←↑→↓°±²³×µ¶·÷’”»¼½¾¿\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0—¹®©™♪¬¦\0\0\0\0⅛⅜⅝⅞\u2126ÆÐªĦ\0ĲĿŁØŒºÞŦŊŉĸ"
    u"æđðħıĳŀłøœßþŧŋ\u00AD");

// Marks, the letters that carry them, and both as one code point: first the pairs of ISO/IEC 6937, then others that
// Unicode has.
struct Mark {
  char16_t combining = 0;
  char16_t spacing = 0;
  std::u16string_view letters;
  std::u16string_view composed;
  std::u16string_view more_letters = {};
  std::u16string_view more_composed = {};
};

constexpr std::array<Mark, 16> kMarks = {{
    {},  // 0xC0: none
    {0x0300, 0x0060, u"AEIOUaeiou", u"ÀÈÌÒÙàèìòù", u"NWYnwy", u"ǸẀỲǹẁỳ"},
    {0x0301, 0x00B4, u"ACEILNORSUYZaceilnorsuyz", u"ÁĆÉÍĹŃÓŔŚÚÝŹáćéíĺńóŕśúýź", u"GKMPWgkmpwÆØæø", u"ǴḰḾṔẂǵḱḿṕẃǼǾǽǿ"},
    {0x0302, 0x005E, u"ACEGHIJOSUWYaceghijosuwy", u"ÂĈÊĜĤÎĴÔŜÛŴŶâĉêĝĥîĵôŝûŵŷ", u"Zz", u"Ẑẑ"},
    {0x0303, 0x007E, u"AINOUainou", u"ÃĨÑÕŨãĩñõũ", u"EVYevy", u"ẼṼỸẽṽỹ"},
    {0x0304, 0x00AF, u"AEIOUaeiou", u"ĀĒĪŌŪāēīōū", u"GYgyÆæ", u"ḠȲḡȳǢǣ"},
    {0x0306, 0x02D8, u"AGUagu", u"ĂĞŬăğŭ", u"EIOeio", u"ĔĬŎĕĭŏ"},
    {0x0307, 0x02D9, u"CEGIZcegz", u"ĊĖĠİŻċėġż", u"ABDFHMNOPRSTWXYabdfhmnoprstwxy", u"ȦḂḊḞḢṀṄȮṖṘṠṪẆẊẎȧḃḋḟḣṁṅȯṗṙṡṫẇẋẏ"},
    {0x0308, 0x00A8, u"AEIOUYaeiouy", u"ÄËÏÖÜŸäëïöüÿ", u"HWXhtwx", u"ḦẄẌḧẗẅẍ"},
    {},  // 0xC9: none
    {0x030A, 0x02DA, u"AUau", u"ÅŮåů", u"wy", u"ẘẙ"},
    {0x0327, 0x00B8, u"CGKLNRSTcgklnrst", u"ÇĢĶĻŅŖŞŢçģķļņŗşţ", u"DEHdeh", u"ḐȨḨḑȩḩ"},
    {},  // 0xCC: none
    {0x030B, 0x02DD, u"OUou", u"ŐŰőű"},
    {0x0328, 0x02DB, u"AEIUaeiu", u"ĄĘĮŲąęįų", u"Oo", u"Ǫǫ"},
    {0x030C, 0x02C7, u"CDELNRSTZcdelnrstz", u"ČĎĚĽŇŘŠŤŽčďěľňřšťž", u"AGHIKOUaghijkou", u"ǍǦȞǏǨǑǓǎǧȟǐǰǩǒǔ"},
}};

constexpr std::array<const UpperHalf*, 16> kParts = {nullptr, nullptr,  &kPart2,  &kPart3, &kPart4,  &kPart5,
                                                     &kPart6, &kPart7,  &kPart8,  &kPart9, &kPart10, &kPart11,
                                                     nullptr, &kPart13, &kPart14, &kPart15};

bool is_letter(char16_t character) {
  return (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z') || character >= 0xC0;
}

}  // namespace

char16_t table_character(CharacterTable table, std::uint8_t byte) {
  const std::size_t index = byte - 0xA0U;
  if (table == CharacterTable::iso6937) return kIso6937[index];
  const auto part = static_cast<std::size_t>(table) - static_cast<std::size_t>(CharacterTable::iso8859_1) + 1;
  if (part == 1) return byte;
  return part < kParts.size() && kParts[part] != nullptr ? (*kParts[part])[index] : u'\0';
}

MarkedLetter marked_letter(std::uint8_t mark, char16_t letter) {
  const Mark& entry = kMarks[mark & 0xF];
  if (entry.combining == 0) return {letter, 0, false};
  if (letter == ' ') return {entry.spacing, 0, true};
  if (const auto at = entry.letters.find(letter); at != std::u16string_view::npos) return {entry.composed[at], 0, true};
  if (const auto at = entry.more_letters.find(letter); at != std::u16string_view::npos) {
    return {entry.more_composed[at], 0, false};
  }
  return {letter, is_letter(letter) ? entry.combining : u'\0', false};
}

}  // namespace receiverd::epg
