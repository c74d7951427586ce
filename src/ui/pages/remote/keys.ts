/** The keys of the remote control, and their keyboard shortcuts. */
import {
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  FastForward,
  type IconNode,
  Pause,
  Power,
  Rewind,
  Square,
  VolumeX,
} from 'lucide';
import type { Words } from '../../shared/words.ts';

export interface RemoteKey {
  /** Key code of Linux (linux/input-event-codes.h). */
  readonly code: number;
  readonly name: (texts: Words['remote']) => string;
  /** Shown instead of the name. */
  readonly icon?: IconNode;
  /** Short text shown instead of the name. */
  readonly mark?: (texts: Words['remote']) => string;
  /** `KeyboardEvent.key` of the shortcut. */
  readonly shortcut?: string;
}

const digit = (value: number): RemoteKey => ({
  code: value === 0 ? 11 : value + 1,
  name: ({ digit: named }) => named(value),
  mark: () => String(value),
  shortcut: String(value),
});

const coloured = (code: number, name: 'red' | 'green' | 'yellow' | 'blue'): RemoteKey => ({
  code,
  name: (texts) => texts[name],
  shortcut: name[0] ?? '',
});

/** Rows from top to bottom. */
export const rows: readonly { readonly name: string; readonly keys: readonly RemoteKey[] }[] = [
  {
    name: 'power',
    keys: [
      { code: 116, name: ({ power }) => power, icon: Power },
      { code: 52, name: ({ dot }) => dot, mark: () => '.' },
      { code: 113, name: ({ mute }) => mute, icon: VolumeX, shortcut: 'm' },
    ],
  },
  { name: 'digits', keys: [digit(1), digit(2), digit(3)] },
  { name: 'digits', keys: [digit(4), digit(5), digit(6)] },
  { name: 'digits', keys: [digit(7), digit(8), digit(9)] },
  {
    name: 'digits',
    keys: [
      { code: 392, name: ({ audio }) => audio, shortcut: 'a' },
      digit(0),
      { code: 370, name: ({ subtitles }) => subtitles, shortcut: 's' },
    ],
  },
  {
    name: 'steps',
    keys: [
      { code: 115, name: ({ louder }) => louder, shortcut: '+' },
      { code: 365, name: ({ guide }) => guide, shortcut: 'e' },
      { code: 402, name: ({ channelUp }) => channelUp, shortcut: 'PageUp' },
    ],
  },
  {
    name: 'steps',
    keys: [
      { code: 114, name: ({ quieter }) => quieter, shortcut: '-' },
      { code: 358, name: ({ info }) => info, shortcut: 'i' },
      {
        code: 403,
        name: ({ channelDown }) => channelDown,
        shortcut: 'PageDown',
      },
    ],
  },
  {
    name: 'arrows',
    keys: [
      { code: 139, name: ({ menu }) => menu, shortcut: 'n' },
      { code: 103, name: ({ up }) => up, icon: ArrowUp, shortcut: 'ArrowUp' },
      { code: 174, name: ({ exit }) => exit, shortcut: 'Escape' },
    ],
  },
  {
    name: 'arrows',
    keys: [
      { code: 105, name: ({ left }) => left, icon: ArrowLeft, shortcut: 'ArrowLeft' },
      { code: 352, name: ({ confirm }) => confirm, shortcut: 'Enter' },
      { code: 106, name: ({ right }) => right, icon: ArrowRight, shortcut: 'ArrowRight' },
    ],
  },
  {
    name: 'arrows',
    keys: [
      { code: 377, name: ({ television }) => television, shortcut: 't' },
      { code: 108, name: ({ down }) => down, icon: ArrowDown, shortcut: 'ArrowDown' },
      { code: 385, name: ({ radio }) => radio, shortcut: 'd' },
    ],
  },
  {
    name: 'colours',
    keys: [coloured(398, 'red'), coloured(399, 'green'), coloured(400, 'yellow'), coloured(401, 'blue')],
  },
  {
    name: 'player',
    keys: [
      { code: 168, name: ({ rewind }) => rewind, icon: Rewind, shortcut: ',' },
      { code: 164, name: ({ pause }) => pause, icon: Pause, shortcut: ' ' },
      { code: 128, name: ({ stop }) => stop, icon: Square, shortcut: 'x' },
      { code: 208, name: ({ forward }) => forward, icon: FastForward, shortcut: '.' },
    ],
  },
];

export const byShortcut: ReadonlyMap<string, RemoteKey> = new Map(
  rows.flatMap(({ keys }) => keys).flatMap((key) => (key.shortcut === undefined ? [] : [[key.shortcut, key]])),
);
