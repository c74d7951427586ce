// The guide texts of the line-up, one file per language; guide_text.h describes their format.
#pragma once

#include <string_view>

namespace receiverd::dvb::demo {

extern const std::string_view kGuideEnglish;
extern const std::string_view kGuideGerman;
extern const std::string_view kGuideFrench;
extern const std::string_view kGuideSpanish;
extern const std::string_view kGuideCzech;
extern const std::string_view kGuideGreek;
extern const std::string_view kGuideUkrainian;
extern const std::string_view kGuideTurkish;

}  // namespace receiverd::dvb::demo
