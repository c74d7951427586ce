// The PSI and SI of the demo multiplex that never change while it runs, and its clock.
#pragma once

#include <cstdint>
#include <vector>

#include "demo/lineup.h"
#include "demo/schedule.h"
#include "dvb/section.h"

namespace receiverd::demo {

std::vector<dvb::Section> pat_sections();
std::vector<dvb::Section> pmt_sections(const LineupEntry& service);

/// The service descriptions of this multiplex, and of a second one that the network announces.
std::vector<dvb::Section> sdt_actual_sections();
std::vector<dvb::Section> sdt_other_sections();

/// Terrestrial network: delivery system, service list and logical channel numbers (EACEM) of both multiplexes.
std::vector<dvb::Section> nit_sections();
std::vector<dvb::Section> bat_sections();

std::vector<dvb::Section> tdt_sections(std::int64_t unix_seconds);

/// `utc_offset` supplies the present offset and, up to a year ahead, the next change.
std::vector<dvb::Section> tot_sections(std::int64_t unix_seconds, const UtcOffset& utc_offset);

}  // namespace receiverd::demo
