/** A virtual keyboard: passes keys of the remote control to programs of this machine that read a keyboard. */
import { type KeyDevice, native } from '../base/native.ts';
import { type KeySink, uinputPath } from './remote.ts';

const [released, pressed, repeated] = [0, 1, 2];
const leftShift = 42;

/** Rows of the US keyboard: the code of the first key, and the characters without and with shift. */
const rows: readonly (readonly [first: number, plain: string, shifted: string])[] = [
  [2, '1234567890-=', '!@#$%^&*()_+'],
  [16, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [30, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [43, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
  [57, ' ', ''],
  [28, '\n', ''],
  [15, '\t', ''],
];

/** The key of each character, and whether it needs shift. */
const keyOf = new Map<string, readonly [code: number, shifted: boolean]>();
for (const [first, plain, shifted] of rows) {
  for (const [index, character] of [...plain].entries()) keyOf.set(character, [first + index, false]);
  for (const [index, character] of [...shifted].entries()) keyOf.set(character, [first + index, true]);
}

/** Characters of a typed text: the kernel's queue holds no more at a time. */
const maxTextLength = 64;

/** Key strokes that type a text on the US keyboard, as [code, stroke]. Characters without a key are left out. */
export function keyStrokesOf(text: string): [code: number, stroke: number][] {
  return Array.from(text.slice(0, maxTextLength)).flatMap((character) => {
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
  readonly #device: KeyDevice;

  /** Creates a keyboard of that name. @throws Error if this machine has no uinput, or denies access to it */
  constructor(name: string, path = uinputPath) {
    this.#device = new native.KeyDevice(path, name);
  }

  press(code: number, held: boolean): void {
    this.#device.send(code, pressed);
    if (held) this.#device.send(code, repeated);
    this.#device.send(code, released);
  }

  type(text: string): void {
    for (const [code, stroke] of keyStrokesOf(text)) this.#device.send(code, stroke);
  }

  /** Removes the keyboard. */
  close(): void {
    this.#device.close();
  }
}
