/** The row of controls below the picture. */
import type { IconNode } from 'lucide';
import { Icon } from '../../shared/icon.tsx';
import { Options } from '../../shared/options.tsx';
import { language, words } from '../../shared/words.ts';
import type { Player } from './player.ts';

interface ControlProps {
  readonly icon: IconNode;
  readonly label: string;
  readonly onClick: () => void;
  /** Short text in the icon. */
  readonly mark?: string;
  readonly class?: string;
  /** Permission that it requires. */
  readonly needs?: string;
}

export function Control({ icon, label, onClick, mark, class: name = '', needs }: ControlProps) {
  return (
    <button
      type="button"
      class={`control ${name}`}
      aria-label={label}
      title={label}
      data-needs={needs}
      onClick={onClick}
    >
      <Icon of={icon} size={mark ? 26 : 22} />
      {mark && <span class="control-mark">{mark}</span>}
    </button>
  );
}

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

/** The next higher (1) or lower (-1) speed. */
export const speedFrom = (speed: number, step: 1 | -1) => speeds[speeds.indexOf(speed) + step] ?? speed;

export function SpeedChoice({ player: { speed } }: { readonly player: Player }) {
  const format = new Intl.NumberFormat(language.value);
  return (
    <select
      class="stream-choice narrow-choice"
      aria-label={words.value.watch.speed}
      value={speed.value}
      onChange={(event) => {
        speed.value = Number(event.currentTarget.value);
      }}
    >
      <Options of={speeds.map((one) => [one, `${format.format(one)}×`])} />
    </select>
  );
}
