/** Messages to viewers: open, answered, closed, timed out. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Message, Messages } from '../../src/device/messages.ts';

const clock = { now: () => 1_767_300_000, synchronised: true };

let messages: Messages;
let reported: Message[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  messages = new Messages(clock);
  reported = [];
  messages.onMessage((message) => reported.push(message));
});
afterEach(() => void vi.useRealTimers());

it('is open until a user closes it, with a notification of both', () => {
  const { id } = messages.show('information', 'Dinner is ready');
  expect(messages.open).toMatchObject([{ id, kind: 'information', text: 'Dinner is ready', since: clock.now() }]);
  expect(messages.close(id)).toBe(true);
  expect(messages.close(id)).toBe(false);
  expect(messages.open).toEqual([]);
  expect(reported.map(({ state }) => state)).toEqual(['open', 'closed']);
});

it('ends when it times out', () => {
  messages.show('warning', 'short', 5);
  messages.show('warning', 'for ever', -1);
  messages.show('warning', 'for ever too', 0);
  vi.advanceTimersByTime(4999);
  expect(messages.open).toHaveLength(3);
  vi.advanceTimersByTime(1);
  expect(messages.open.map(({ text }) => text)).toEqual(['for ever', 'for ever too']);
  expect(reported.at(-1)).toMatchObject({ text: 'short', state: 'closed' });
});

it('keeps only the answer to the last question', () => {
  const first = messages.show('question', 'Tea?');
  expect(messages.answer).toBeUndefined();
  messages.close(first.id, 'yes');
  expect(messages.answer).toBe('yes');
  expect(reported.at(-1)?.state).toBe('yes');
  const second = messages.show('question', 'Coffee?', 5);
  expect(messages.answer).toBeUndefined();
  const third = messages.show('question', 'Water?');
  messages.close(second.id, 'yes');
  expect(messages.answer).toBeUndefined();
  messages.close(third.id, 'no');
  expect(messages.answer).toBe('no');
  vi.advanceTimersByTime(10_000);
  expect(messages.answer).toBe('no');
});

it('has no answer if it timed out or was only closed', () => {
  messages.show('question', 'Tea?', 5);
  vi.advanceTimersByTime(5000);
  expect(messages.answer).toBeUndefined();
  messages.close(messages.show('question', 'Tea?').id);
  expect(messages.answer).toBeUndefined();
});

it('ignores the answer to a message that is not a question', () => {
  messages.close(messages.show('error', 'No disk').id, 'yes');
  expect(reported.at(-1)?.state).toBe('closed');
  expect(messages.answer).toBeUndefined();
});

it('is limited in number, length and time', () => {
  const [first] = Array.from({ length: 17 }, (_, index) => messages.show('information', String(index)));
  expect(messages.open).toHaveLength(16);
  expect(reported.find(({ state }) => state === 'closed')?.id).toBe(first?.id);
  expect(messages.show('information', 'x'.repeat(5000)).text).toHaveLength(2000);
  expect(messages.show('information', 'long', Number.MAX_SAFE_INTEGER).timeout).toBe(86_400);
});
