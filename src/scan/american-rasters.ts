/**
 * The channel rasters of the countries with ATSC, under names such as `us-atsc`: those of dtv-scan-tables, without the
 * channels above 36 that America has given up. Cable has three plans (EIA-542): standard, `irc` and `hrc`. Offsets of
 * up to 25 kHz in the bands of aviation are left to the front end.
 */
import { automaticBut, numberOf, type TransponderParameters, words } from '../dvb/transponder.ts';

export const series = (first: number, last: number, step: number) =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, n) => first + n * step);

const channel = 6e6;
/** Air: by channels 2 to 4, 5 and 6, 7 to 13, 14 and above. */
const vhf = [...series(57e6, 69e6, channel), 79e6, 85e6, ...series(177e6, 213e6, channel)];
/** First and last channel of UHF. */
const uhf = (last: number) => series(473e6, 473e6 + (last - 14) * channel, channel);
const air = (frequencies: readonly number[]) =>
  frequencies.map((frequency) =>
    automaticBut('atsc', {
      // The pilot of 8VSB is beside the center.
      frequency: frequency + 28_615,
      modulation: numberOf(words.cableModulation, '8vsb'),
    }),
  );

const cable = (frequencies: readonly number[]) =>
  frequencies.map((frequency) =>
    automaticBut('atsc', { frequency, system: 1, modulation: numberOf(words.cableModulation, '256qam') }),
  );
const standard = [...series(57e6, 69e6, channel), 79e6, 85e6, ...series(93e6, 999e6, channel)];
/** Multiples of 6.0003 MHz. */
const harmonic = [
  ...series(9, 133, 1)
    .filter((n) => n < 13 || n > 14)
    .map((n) => n * 6_000_300 + 1_750_000),
  ...series(13, 14, 1).map((n) => n * 6_000_300 - 250_000),
];

const countries = { ca: 36, kr: 51, mx: 36, us: 36 } as const;

export const rasters: Readonly<Record<string, readonly TransponderParameters[]>> = Object.fromEntries(
  Object.entries(countries).flatMap(([country, last]) => [
    [`${country}-atsc`, air([...vhf, ...uhf(last)])],
    [`${country}-cable`, cable(standard)],
    [`${country}-cable-irc`, cable([75e6, ...standard])],
    [`${country}-cable-hrc`, cable(harmonic)],
  ]),
);
