/** Keys of this machine: what a client presses on the remote control reaches the programs that listen to the keyboard. */
import { native } from '../native.ts';
import { type KeySink, uinputPath } from './remote.ts';

interface NativeKeyDevice {
  send(code: number, stroke: number): boolean;
  close(): void;
}

const { KeyDevice } = native as { KeyDevice: new (path: string, name: string) => NativeKeyDevice };

const [released, pressed, repeated] = [0, 1, 2];
const leftShift = 42;

/** Rows of the keyboard of the United States, from the code of their first key, and what they give with shift. */
const rows: readonly (readonly [first: number, plain: string, shifted: string])[] = [
  [2, '1234567890-=', '!@#$%^&*()_+'],
  [16, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [30, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [43, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
  [57, ' ', ''],
  [28, '\n', ''],
  [15, '\t', ''],
];

/** The key of each character, and whether shift belongs to it. */
const keyOf = new Map<string, readonly [code: number, shifted: boolean]>();
for (const [first, plain, shifted] of rows) {
  for (const [index, character] of [...plain].entries()) keyOf.set(character, [first + index, false]);
  for (const [index, character] of [...shifted].entries()) keyOf.set(character, [first + index, true]);
}

/** Characters of a text that are typed: the kernel's queue takes no more at a time. */
const longestText = 64;

/** Strokes that type a text on the keyboard of the United States, as [code, stroke]; characters that it does not have are left out. */
export function strokesOf(text: string): [code: number, stroke: number][] {
  return Array.from(text.slice(0, longestText)).flatMap((character) => {
    const key = keyOf.get(character);
    if (key === undefined) return [];
    const [code, isShifted] = key;
    const stroke: [number, number][] = [
      [code, pressed],
      [code, released],
    ];
    return isShifted ? [[leftShift, pressed], ...stroke, [leftShift, released]] : stroke;
  });
}

export class Keys implements KeySink {
  readonly #device: NativeKeyDevice;

  /** Makes a keyboard of that name. @throws Error where this machine has no uinput, or it is not ours to use */
  constructor(name: string, path = uinputPath) {
    this.#device = new KeyDevice(path, name);
  }

  press(code: number, held: boolean): void {
    this.#device.send(code, pressed);
    if (held) this.#device.send(code, repeated);
    this.#device.send(code, released);
  }

  type(text: string): void {
    for (const [code, stroke] of strokesOf(text)) this.#device.send(code, stroke);
  }

  /** Takes the keyboard away. */
  close(): void {
    this.#device.close();
  }
}
