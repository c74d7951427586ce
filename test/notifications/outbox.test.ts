import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Target } from '../../src/notifications/forms.ts';
import { maxPending, Outbox } from '../../src/notifications/outbox.ts';
import { notice } from './notice.ts';

const target: Target = {
  name: 'webhook home',
  id: 'x',
  requestOf: () => ({ url: '', type: '', body: '', headers: {} }),
};

describe('Outbox', () => {
  let sent: string[];
  let lines: string[];
  let now: number;
  /** Why sending fails; empty if it does not. */
  let failure: string;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    [sent, lines, now, failure] = [[], [], 1767291000, ''];
  });
  afterEach(() => void vi.useRealTimers());

  function outboxOf(pending: readonly string[] = []) {
    const write = (line: unknown) => void lines.push(String(line));
    const parts = {
      clock: { now: () => now, synchronised: true },
      log: { info: write, warn: write, error: write } as ConstructorParameters<typeof Outbox>[0]['log'],
      changed: () => undefined,
      async send(_target: Target, { id }: { readonly id: string }) {
        sent.push(id);
        if (failure !== '') throw new Error(failure);
      },
    };
    return new Outbox(
      parts,
      target,
      pending.map((id) => notice({ id })),
    );
  }
  const idle = () => vi.advanceTimersByTimeAsync(0);

  it('delivers in order, what was left over first', async () => {
    const outbox = outboxOf(['a', 'b']);
    outbox.add(notice({ id: 'c' }));
    await idle();
    expect(sent).toEqual(['a', 'b', 'c']);
    expect(outbox.pending).toEqual([]);
    expect(outbox.delivered).toBe(now);
  });

  it('sends the first again with growing pauses, and logs a lasting problem once', async () => {
    failure = 'home: no such host';
    const outbox = outboxOf(['a', 'b']);
    await idle();
    expect(sent).toEqual(['a']);
    for (const pause of [10, 20, 40, 80]) {
      outbox.add(notice({ id: 'later' }));
      await vi.advanceTimersByTimeAsync(pause * 1000 - 1);
      const before = sent.length;
      await vi.advanceTimersByTimeAsync(1);
      expect(sent.length).toBe(before + 1);
    }
    expect(new Set(sent)).toEqual(new Set(['a']));
    expect(lines).toEqual(['webhook home: a notice is not delivered: home: no such host; next try in 10 s']);
    expect(outbox.trouble).toBe('home: no such host');
    failure = '';
    await vi.advanceTimersByTimeAsync(160_000);
    expect(sent.slice(-6)).toEqual(['a', 'b', 'later', 'later', 'later', 'later']);
    expect(outbox.trouble).toBe('');
  });

  it('waits an hour at most', async () => {
    failure = 'away';
    outboxOf(['a']);
    await vi.advanceTimersByTimeAsync(86_400_000);
    const before = sent.length;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(sent.length).toBe(before + 1);
  });

  it('logs each notice that it gives up: too many, too old, or a target that has gone', async () => {
    failure = 'away';
    const outbox = outboxOf(['a']);
    await idle();
    for (let count = 0; count < maxPending; count++) outbox.add(notice({ message: `number ${count}` }));
    expect(outbox.pending).toHaveLength(maxPending);
    expect(lines.at(-1)).toBe('webhook home: a notice is given up: more than 100 wait (number 0)');
    now += 3 * 86_400;
    outbox.add(notice({ id: 'new', time: now, message: 'new' }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(outbox.pending.map(({ id }) => id)).toEqual(['new']);
    expect(lines.filter((line) => line.includes('it is too old'))).toHaveLength(99);
    await outbox.close('its address is no longer in the settings');
    expect(lines.at(-1)).toBe('webhook home: a notice is given up: its address is no longer in the settings (new)');
  });

  it('tries at once when the keys have changed, and keeps what is left for the next start', async () => {
    failure = 'status 401';
    const outbox = outboxOf(['a']);
    await idle();
    failure = '';
    outbox.target = target;
    await idle();
    expect(sent).toEqual(['a', 'a']);
    failure = 'away';
    outbox.add(notice({ id: 'b' }));
    await idle();
    await outbox.close();
    expect(outbox.pending.map(({ id }) => id)).toEqual(['b']);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(sent).toEqual(['a', 'a', 'b']);
  });
});
