/** The choice of audio streams; renders nothing if there is only one. */
import { language, words } from '../../shared/words.ts';
import type { Player } from './player.ts';
import type { ElementaryStream } from './transport-stream.ts';

interface AudioChoiceProps {
  readonly player: Player;
  /** Called with the PID of the chosen stream. */
  readonly onChange: (pid: number) => void;
}

export function AudioChoice({ player, onChange }: AudioChoiceProps) {
  const audioStreams = player.program.value?.streams.filter(({ kind }) => kind === 'audio') ?? [];
  if (audioStreams.length < 2) return null;
  return (
    <select
      class="stream-choice"
      aria-label={words.value.watch.audio}
      value={player.choice.value?.audio?.pid}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    >
      {audioStreams.map((stream) => (
        <option key={stream.pid} value={stream.pid}>
          {nameOf(stream)}
        </option>
      ))}
    </select>
  );
}

/** ISO 639-2/B codes, which broadcasts use, to the ISO 639-2/T codes that browsers know. */
const bibliographic: Readonly<Record<string, string>> = {
  ...{ alb: 'sqi', arm: 'hye', baq: 'eus', bur: 'mya', chi: 'zho', cze: 'ces', dut: 'nld', fre: 'fra', geo: 'kat' },
  ...{ ger: 'deu', gre: 'ell', ice: 'isl', mac: 'mkd', may: 'msa', per: 'fas', rum: 'ron', slo: 'slk', wel: 'cym' },
};

/** `French (AAC)` */
function nameOf({ language: code, codec }: ElementaryStream): string {
  const name = languageName(code);
  return name === code ? codec : `${name} (${codec})`;
}

/** Name of a language in the language of the page, by its ISO 639-2 code; otherwise the code. */
export function languageName(code: string): string {
  if (!/^[a-z]{3}$/.test(code)) return code;
  return new Intl.DisplayNames(language.value, { type: 'language' }).of(bibliographic[code] ?? code) ?? code;
}
