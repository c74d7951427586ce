#include "xmltv/languages.h"

#include <cstdint>

namespace receiverd::xmltv {
namespace {

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
constexpr std::size_t kStep = 6;
static_assert(kLanguages.size() % kStep == 0);

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char lower_letter(char c) { return static_cast<char>(c | 0x20); }

epg::Language packed(std::string_view code) {
  return static_cast<epg::Language>(lower_letter(code[0])) << 16 |
         static_cast<epg::Language>(lower_letter(code[1])) << 8 | static_cast<epg::Language>(lower_letter(code[2]));
}

}  // namespace

epg::Language language_of(std::string_view lang) {
  std::size_t length = 0;
  while (length < lang.size() && letter(lang[length])) ++length;
  if (length < lang.size() && lang[length] != '-' && lang[length] != '_') return 0;
  if (length == 3) return epg::terminological(packed(lang));
  if (length != 2) return 0;
  for (std::size_t at = 0; at < kLanguages.size(); at += kStep) {
    if (kLanguages[at] == lower_letter(lang[0]) && kLanguages[at + 1] == lower_letter(lang[1]))
      return packed(kLanguages.substr(at + 2));
  }
  return 0;
}

std::string lang_of(epg::Language language) {
  const epg::Language wanted = epg::terminological(language);
  for (std::size_t at = 0; at < kLanguages.size(); at += kStep) {
    if (packed(kLanguages.substr(at + 2)) == wanted) return std::string(kLanguages.substr(at, 2));
  }
  return epg::language_text(language);
}

}  // namespace receiverd::xmltv
