/** The choice of audio streams; renders nothing if there is only one. */
import { Options } from '../../shared/options.tsx';
import { words } from '../../shared/words.ts';
import type { Player } from './player.ts';
import { soundNames } from './sound-names.ts';

interface AudioChoiceProps {
  readonly player: Player;
  /** Called with the PID of the chosen stream. */
  readonly onChange: (pid: number) => void;
}

export function AudioChoice({ player, onChange }: AudioChoiceProps) {
  const audioStreams = player.program.value?.streams.filter(({ kind }) => kind === 'audio') ?? [];
  if (audioStreams.length < 2) return null;
  const names = soundNames(audioStreams);
  return (
    <select
      class="stream-choice"
      aria-label={words.value.watch.audio}
      value={player.choice.value?.audio?.pid}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    >
      <Options of={audioStreams.map(({ pid }, index) => [pid, names[index]])} />
    </select>
  );
}
