/** Names of languages, and of sound tracks, in the language of the page. */
import { language, type Words, words } from '../../shared/words.ts';
import type { ElementaryStream, SoundPurpose } from './transport-stream.ts';

/** ISO 639-2/B codes, which broadcasts use, to the ISO 639-2/T codes that browsers know. */
const bibliographic: Readonly<Record<string, string>> = {
  ...{ alb: 'sqi', arm: 'hye', baq: 'eus', bur: 'mya', chi: 'zho', cze: 'ces', dut: 'nld', fre: 'fra', geo: 'kat' },
  ...{ ger: 'deu', gre: 'ell', ice: 'isl', mac: 'mkd', may: 'msa', per: 'fas', rum: 'ron', slo: 'slk', wel: 'cym' },
};
/** Codes without a language. */
const unknown = new Set(['', 'und', 'mis', 'zxx']);
/** Codes reserved for local use that broadcasters use: the language of the film, a description, a narration. */
const originalCode = 'qaa';
const descriptionCodes = new Set(['qad', 'nar']);

/** Names that people know from films and devices. */
const codecNames: Readonly<Record<string, string>> = { 'AC-3': 'Dolby Digital', 'E-AC-3': 'Dolby Digital Plus' };

/** Name of a language by its ISO 639-2 code; otherwise the code. */
export function languageName(code: string): string {
  if (!/^[a-z]{3}$/.test(code)) return code;
  const name = new Intl.DisplayNames(language.value, { type: 'language' }).of(bibliographic[code] ?? code) ?? code;
  // In lists of choices, also in languages that write names of languages in lower case.
  return name.charAt(0).toLocaleUpperCase(language.value) + name.slice(1);
}

/** A name for each sound track. Tracks that would have the same name also get the name of their codec. */
export function soundNames(streams: readonly ElementaryStream[]): readonly string[] {
  const { watch } = words.value;
  const plain = streams.map((stream, index) => plainName(stream, index, watch));
  return plain.map((name, index) => {
    const isUnique = plain.filter((other) => other === name).length === 1;
    const { codec = '' } = streams[index] ?? {};
    return isUnique ? name : `${name} (${codecNames[codec] ?? codec})`;
  });
}

function plainName({ language: code, purpose }: ElementaryStream, index: number, watch: Words['watch']): string {
  if (descriptionCodes.has(code)) return watch.audioDescription;
  if (unknown.has(code)) return purpose ? nameWith[purpose](watch, '') : watch.track(index + 1);
  const name = code === originalCode ? watch.originalLanguage : languageName(code);
  return purpose ? nameWith[purpose](watch, name) : name;
}

const nameWith: Readonly<Record<SoundPurpose, (watch: Words['watch'], name: string) => string>> = {
  description: ({ audioDescription }, name) => listed(name, audioDescription),
  hardOfHearing: ({ hardOfHearing }, name) => hardOfHearing(name).trim(),
  spokenSubtitles: ({ spokenSubtitles }, name) => listed(name, spokenSubtitles),
};

/** `English, audio description`; without a name `Audio description`. */
const listed = (name: string, purpose: string) =>
  name ? `${name}, ${purpose.charAt(0).toLocaleLowerCase(language.value)}${purpose.slice(1)}` : purpose;
