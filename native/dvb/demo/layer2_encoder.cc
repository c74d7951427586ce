#include "dvb/demo/layer2_encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "dvb/demo/layer2_tables.h"

namespace receiverd::dvb::demo {
namespace {

constexpr std::size_t kSlots = 36;  // subband samples of a frame, in three parts of 12

/// Subband samples of one channel: [slot][subband].
using Subbands = std::array<std::array<float, 32>, kSlots>;

struct FilterBank {
  std::array<float, 512> window;
  /// cos((2 sb + 1)(k - 16) pi / 64) (§C.1.3), with k folded to 0..31 around 16: k and 32 - k share a column.
  std::array<std::array<float, 32>, 32> matrix;
};

const FilterBank& filter_bank() {
  static const FilterBank bank = [] {
    FilterBank made{};
    for (std::size_t i = 0; i < 512; ++i) {
      // Sign of the 64-sample period: the cosine of the next period is the negated one.
      const float sign = (i / 64) % 2 == 0 ? 1.0F : -1.0F;
      made.window[i] = sign * static_cast<float>(kPrototype[i <= 256 ? i : 512 - i]) / (65536.0F * 32);
    }
    for (std::size_t band = 0; band < 32; ++band) {
      for (std::size_t k = 0; k < 32; ++k) {
        made.matrix[k][band] =
            static_cast<float>(std::cos(static_cast<double>((2 * band + 1) * k) * std::numbers::pi / 64));
      }
    }
    return made;
  }();
  return bank;
}

/// §C.1.3 for every 32 samples. The 64 windowed sums fold to 32, since the cosine is even around k = 16 and odd
/// around k = 48.
void analyse(std::span<const float> samples, Subbands& subbands) {
  const FilterBank& bank = filter_bank();
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const float* newest = samples.data() + kFilterMemory + slot * 32 + 31;
    std::array<float, 64> sums{};
    for (std::size_t i = 0; i < 512; ++i) sums[i % 64] += bank.window[i] * newest[-static_cast<std::ptrdiff_t>(i)];
    std::array<float, 32> folded{};
    folded[0] = sums[16];
    for (std::size_t k = 1; k <= 16; ++k) folded[k] = sums[16 + k] + sums[16 - k];
    for (std::size_t k = 17; k < 32; ++k) folded[k] = sums[16 + k] - sums[80 - k];
    std::array<float, 32>& out = subbands[slot];
    out.fill(0);
    for (std::size_t k = 0; k < 32; ++k) {
      for (std::size_t band = 0; band < 32; ++band) out[band] += folded[k] * bank.matrix[k][band];
    }
  }
}

/// 2 * 2^(-index / 3) (table B.1).
const std::array<float, 63>& scale_factors() {
  static const std::array<float, 63> factors = [] {
    std::array<float, 63> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = static_cast<float>(2 * std::exp2(-static_cast<double>(i) / 3));
    return made;
  }();
  return factors;
}

/// The choices for one subband of one channel.
struct Band {
  std::array<std::uint8_t, 3> factor{};  // scale factor index of each part
  std::uint8_t selection = 0;            // scfsi: which of them are sent
  int level = 0;                         // of the loudest part, in steps of 2 dB (scale factors)
  std::size_t allocation = 0;            // index in allocation_of(subband)

  int factors_sent() const { return selection == 0 ? 3 : selection == 2 ? 1 : 2; }
};

using Channel = std::array<Band, kSubbands>;

std::uint8_t factor_for(float peak) {
  const auto& factors = scale_factors();
  std::size_t index = factors.size() - 1;
  while (index > 0 && factors[index] < peak) --index;
  return static_cast<std::uint8_t>(index);
}

void choose_factors(const Subbands& subbands, Channel& channel) {
  for (std::size_t band = 0; band < kSubbands; ++band) {
    Band& chosen = channel[band];
    for (std::size_t part = 0; part < 3; ++part) {
      float peak = 0;
      for (std::size_t slot = part * 12; slot < part * 12 + 12; ++slot) {
        peak = std::max(peak, std::fabs(subbands[slot][band]));
      }
      chosen.factor[part] = factor_for(peak);
    }
    const auto [loud, quiet] = std::minmax_element(chosen.factor.begin(), chosen.factor.end());
    chosen.level = 62 - *loud;
    // §2.4.2.7: 2 = one for all three, 1 = first two share, 3 = last two share. Within 2 dB the louder one is used.
    if (*quiet - *loud <= 1) {
      chosen.selection = 2;
      chosen.factor.fill(*loud);
    } else if (chosen.factor[0] == chosen.factor[1]) {
      chosen.selection = 1;
    } else if (chosen.factor[1] == chosen.factor[2]) {
      chosen.selection = 3;
    }
  }
}

int sample_bits(const Quantiser& quantiser) { return quantiser.grouped ? quantiser.bits * 12 : quantiser.bits * 36; }

/// Signal to noise ratio of a quantiser in scale factor steps of 2 dB: 6.02 dB per bit.
float steps_of(const Quantiser& quantiser) {
  return quantiser.levels == 0 ? 0 : std::log2(static_cast<float>(quantiser.levels)) * 3.01F;
}

/// Assigns bits where the noise is loudest relative to a threshold that rises with frequency and is lower beside loud
/// neighbours: simple, and transparent for music with few tones.
void allocate(std::span<Channel> channels, int bits_left) {
  struct Place {
    Band* band;
    std::size_t subband;
    float noise;  // above the threshold
  };
  std::vector<Place> places;
  for (Channel& channel : channels) {
    for (std::size_t band = 0; band < kSubbands; ++band) {
      int neighbour = 0;
      if (band > 0) neighbour = channel[band - 1].level - 8;
      if (band + 1 < kSubbands) neighbour = std::max(neighbour, channel[band + 1].level - 14);
      const float threshold = std::max({static_cast<float>(channel[band].level) * 0.5F,
                                        static_cast<float>(neighbour) * 0.6F, 4.0F + static_cast<float>(band) * 0.5F});
      if (channel[band].level > 4)
        places.push_back({&channel[band], band, static_cast<float>(channel[band].level) - threshold});
    }
  }
  while (!places.empty()) {
    const auto worst = std::max_element(places.begin(), places.end(),
                                        [](const Place& a, const Place& b) { return a.noise < b.noise; });
    const Allocation& table = allocation_of(worst->subband);
    const std::size_t current = worst->band->allocation;
    const bool highest = current + 1 >= (std::size_t{1} << table.bits);
    if (!highest) {
      const Quantiser& now = kQuantisers[table.quantisers[current]];
      const Quantiser& better = kQuantisers[table.quantisers[current + 1]];
      int cost = sample_bits(better) - sample_bits(now);
      if (current == 0) cost += 2 + 6 * worst->band->factors_sent();
      if (cost <= bits_left) {
        bits_left -= cost;
        worst->noise -= steps_of(better) - steps_of(now);
        ++worst->band->allocation;
        continue;
      }
    }
    places.erase(worst);
  }
}

std::uint32_t quantise(float value, float factor, std::uint16_t levels) {
  const float scaled = (value / factor + 1) * 0.5F * static_cast<float>(levels);
  return static_cast<std::uint32_t>(std::clamp(static_cast<int>(scaled), 0, levels - 1));
}

void write_samples(BitWriter& bits, std::span<const Channel> channels, const Subbands* subbands) {
  for (std::size_t granule = 0; granule < 12; ++granule) {
    for (std::size_t band = 0; band < kSubbands; ++band) {
      for (std::size_t c = 0; c < channels.size(); ++c) {
        const Band& chosen = channels[c][band];
        const Quantiser& quantiser = kQuantisers[allocation_of(band).quantisers[chosen.allocation]];
        if (quantiser.levels == 0) continue;
        const float factor = scale_factors()[chosen.factor[granule / 4]];
        std::array<std::uint32_t, 3> codes{};
        for (std::size_t i = 0; i < 3; ++i) {
          codes[i] = quantise(subbands[c][granule * 3 + i][band], factor, quantiser.levels);
        }
        if (quantiser.grouped) {
          bits.put(codes[0] + quantiser.levels * (codes[1] + quantiser.levels * codes[2]), quantiser.bits);
        } else {
          for (const std::uint32_t code : codes) bits.put(code, quantiser.bits);
        }
      }
    }
  }
}

}  // namespace

void encode_layer2_frame(ByteVector& out, const AudioFormat& format, std::span<const std::span<const float>> samples) {
  const auto count = static_cast<std::size_t>(format.channels);
  const auto subbands = std::make_unique<Subbands[]>(count);
  std::array<Channel, 2> all{};
  const std::span<Channel> channels(all.data(), count);
  int overhead = 32;
  for (std::size_t c = 0; c < count; ++c) {
    analyse(samples[c], subbands[c]);
    choose_factors(subbands[c], channels[c]);
    for (std::size_t band = 0; band < kSubbands; ++band) overhead += allocation_of(band).bits;
  }
  const std::size_t size = frame_size(format);
  allocate(channels, static_cast<int>(size) * 8 - overhead);

  const std::size_t start = out.size();
  BitWriter bits(out);
  bits.put(0xFFF, 12);  // §2.4.1.3 header
  bits.put(1, 1);       // MPEG-1
  bits.put(2, 2);       // Layer II
  bits.put(1, 1);       // no CRC
  const auto rate = std::find(kBitRates.begin(), kBitRates.end(), format.kilobits);
  bits.put(static_cast<std::uint32_t>(rate - kBitRates.begin()), 4);
  bits.put(1, 2);                     // 48 kHz
  bits.put(0, 2);                     // no padding, private bit
  bits.put(count == 1 ? 3U : 0U, 2);  // single channel or stereo
  bits.put(0, 2);
  bits.put(0, 1);  // no copyright
  bits.put(1, 1);  // original
  bits.put(0, 2);
  for (std::size_t band = 0; band < kSubbands; ++band) {
    for (const Channel& channel : channels) {
      bits.put(static_cast<std::uint32_t>(channel[band].allocation), allocation_of(band).bits);
    }
  }
  for (std::size_t band = 0; band < kSubbands; ++band) {
    for (const Channel& channel : channels) {
      if (channel[band].allocation != 0) bits.put(channel[band].selection, 2);
    }
  }
  for (std::size_t band = 0; band < kSubbands; ++band) {
    for (const Channel& channel : channels) {
      const Band& chosen = channel[band];
      if (chosen.allocation == 0) continue;
      bits.put(chosen.factor[0], 6);
      if (chosen.selection == 0 || chosen.selection == 3) bits.put(chosen.factor[1], 6);
      if (chosen.selection == 0 || chosen.selection == 1) bits.put(chosen.factor[2], 6);
    }
  }
  write_samples(bits, channels, subbands.get());
  bits.align();
  out.resize(start + size, 0);  // ancillary data
}

}  // namespace receiverd::dvb::demo
