/** `POST /api/evil`: it runs nothing, has limits, and can be disabled. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { until } from '../../fixtures/waits.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';
import { get } from '../reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

const supported = ['echo', 'platform', 'version', 'uptime'];
const refused = {
  _controller: 'EvilProxyController',
  uma: false,
  stdout: '',
  exception: 'code execution is not supported',
  result: false,
  supported,
};

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Repeats a request until the rate limit allows it. */
async function post(payload: string, headers: Record<string, string> = form) {
  return until(async () => {
    const reply = await get(receiver, '/api/evil', {}, { method: 'POST', headers, payload });
    expect(reply.status).not.toBe(429);
    return { status: reply.status, body: JSON.parse(reply.body) as Record<string, unknown> };
  });
}

describe('POST /api/evil', () => {
  test.each(['import os', '__proto__', 'echo ', 'ECHO', 'toString', ''])('runs nothing for %j', async (uma) => {
    const { status, body } = await post(new URLSearchParams({ uma }).toString());
    expect([status, body]).toEqual([200, refused]);
  });

  test.each([
    ['echo', /^echo$/],
    ['platform', /^Linux$/],
    ['version', /^0\.1\.0$/],
    ['uptime', /^\d+$/],
  ])('%s returns a text', async (uma, text) => {
    const { status, body } = await post(`uma=${uma}`);
    expect([status, body]).toEqual([
      200,
      { _controller: 'EvilProxyController', uma: true, stdout: expect.stringMatching(text), result: true, supported },
    ]);
  });

  test('limits the size of the body', async () => {
    expect((await post(`uma=${'x'.repeat(4096)}`)).status).toBe(413);
    expect((await post('x'.repeat(5000), { 'content-type': 'text/plain' })).status).toBe(413);
    expect((await post('')).status).toBe(400);
  });

  test('is rate-limited', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      vi.advanceTimersByTime(10_000);
      const post = () => get(receiver, '/api/evil', { uma: 'echo' }, { method: 'POST' });
      const replies = await Promise.all(Array.from({ length: 30 }, post));
      const late = replies.filter(({ status }) => status === 429);
      expect(late).toHaveLength(20);
      expect(late[0]?.headers['retry-after']).toBe('1');
      vi.advanceTimersByTime(1000);
      expect((await post()).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });

  test('rejects GET', async () => {
    const { status, headers } = await get(receiver, '/api/evil', { uma: 'echo' });
    expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS']);
  });
});

test('does not exist if it is disabled', async () => {
  const { config } = receiver.parts;
  const off = await openReceiver({ config: { ...config, evil: false } });
  expect((await get(off, '/api/evil', { uma: 'echo' }, { method: 'POST' })).status).toBe(404);
  await off.close();
});
