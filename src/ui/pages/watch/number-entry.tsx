/** Channel numbers typed on the keyboard, shown over the picture like on a television. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../../shared/words.ts';
import type { Shortcut } from './keys.tsx';
import { isTyped, type LineUp } from './line-up.ts';

/** Delay after the last digit. */
const delayMs = 1500;
const maxDigits = 8;

const numberOf = (typed: string) => typed.replace(/\.$/, '');

/** The shortcuts, and what to show over the picture. `onZero`: goes to the last channel, if 0 comes first or, where numbers begin with it, alone. */
export function useNumberEntry({ services, goTo }: LineUp, onZero: (() => void) | undefined) {
  const digits = useSignal('');
  const state = useSignal<'typing' | 'found' | 'missing'>('typing');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const later = (run: () => void) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(run, delayMs);
  };
  const clear = () => {
    digits.value = '';
    state.value = 'typing';
  };
  const finish = async () => {
    const typed = digits.peek();
    if (typed === '0') {
      clear();
      return onZero?.();
    }
    // If the request fails, there is no such channel either.
    const isFound = await goTo(numberOf(typed)).catch(() => false);
    if (digits.peek() !== typed) return;
    state.value = isFound ? 'found' : 'missing';
    later(clear);
  };
  const press = (digit: string) => {
    if (state.peek() !== 'typing') clear();
    const mayBegin = digit !== '0' || services.some(({ number }) => number.startsWith('0'));
    if (digits.peek() === '' && !mayBegin) return onZero?.();
    const isDot = digit === '.' || digit === '-';
    if (isDot && (digits.peek() === '' || digits.peek().includes('.'))) return;
    digits.value = (digits.peek() + (isDot ? '.' : digit)).slice(-maxDigits);
    later(() => void finish());
  };
  const { watch, remote } = words.value;
  const shortcuts: readonly Shortcut[] = [
    {
      keys: digits.value ? [...'1234567890.-'] : [...'1234567890'],
      shown: '0 – 9 .',
      label: watch.channelNumber,
      run: press,
    },
    ...(digits.value ? [{ keys: ['Enter'], label: remote.confirm, run: () => void finish() }] : []),
  ];
  const name = services.find(({ number }) => isTyped(number, numberOf(digits.value)))?.name;
  const overlay = (
    <p class="typed-number" role="status">
      {digits.value && <b>{digits.value}</b>}
      {state.value === 'missing' ? watch.noChannel(digits.value) : digits.value && name}
    </p>
  );
  return { shortcuts, overlay };
}
