// Converts languages between XMLTV and the guide. XMLTV uses two-letter codes of ISO 639-1, with or without a region
// (`de`, `pt_BR`, `en-GB`); the guide uses three-letter codes of ISO 639-2.
#pragma once

#include <string>
#include <string_view>

#include "epg/event/event.h"

namespace receiverd::xmltv {

/// The terminological code of ISO 639-2 for a `lang` attribute of two or three letters; 0 if it is neither.
epg::Language language_of(std::string_view lang);

/// The two-letter code of a language, its three letters if ISO 639-1 has none, '' for 0.
std::string lang_of(epg::Language language);

}  // namespace receiverd::xmltv
