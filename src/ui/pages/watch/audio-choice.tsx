/** The sounds of what is played, if there are several. */
import { language, words } from '../../shared/words.ts';
import type { Player } from './player.ts';
import type { ElementaryStream } from './transport-stream.ts';

interface AudioChoiceProps {
  readonly player: Player;
  /** PID of the sound. */
  readonly onChange: (pid: number) => void;
}

export function AudioChoice({ player, onChange }: AudioChoiceProps) {
  const sounds = player.programme.value?.streams.filter(({ kind }) => kind === 'audio') ?? [];
  if (sounds.length < 2) return null;
  return (
    <select
      class="stream-choice"
      aria-label={words.value.watch.audio}
      value={player.choice.value?.audio?.pid}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    >
      {sounds.map((sound) => (
        <option key={sound.pid} value={sound.pid}>
          {nameOf(sound)}
        </option>
      ))}
    </select>
  );
}

/** ISO 639-2/B codes, which broadcasts have besides the terminological ones that browsers know. */
const bibliographic: Readonly<Record<string, string>> = {
  ...{ alb: 'sqi', arm: 'hye', baq: 'eus', bur: 'mya', chi: 'zho', cze: 'ces', dut: 'nld', fre: 'fra', geo: 'kat' },
  ...{ ger: 'deu', gre: 'ell', ice: 'isl', mac: 'mkd', may: 'msa', per: 'fas', rum: 'ron', slo: 'slk', wel: 'cym' },
};

/** `French (AAC)` */
function nameOf({ language: code, codec }: ElementaryStream): string {
  const name = languageName(code);
  return name === code ? codec : `${name} (${codec})`;
}

/** What people call the language of an ISO 639-2 code; the code itself if it is none. */
export function languageName(code: string): string {
  if (!/^[a-z]{3}$/.test(code)) return code;
  return new Intl.DisplayNames(language.value, { type: 'language' }).of(bibliographic[code] ?? code) ?? code;
}
