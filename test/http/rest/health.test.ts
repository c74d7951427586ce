/** `/health`: when the receiver is ready, and the reasons if it is not. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TunerState } from '../../../src/http/parts/parts.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await receiver.close();
});

async function asked(path = '/health/ready') {
  const reply = await receiver.app.inject(path);
  const answer = reply.json() as { readonly reasons?: readonly { readonly part: string; readonly message: string }[] };
  expect(reply.statusCode).toBe(answer.reasons?.length ? 503 : 200);
  return answer;
}

function tuner(condition: Pick<TunerState['condition'], 'state' | 'reason'>, name = 'Tuner A'): TunerState {
  const [first] = receiver.tuners;
  if (first === undefined) throw new Error('no tuner');
  return { ...first, name, condition: { ageSeconds: undefined, ...condition } };
}

const missing = { state: 'idle', reason: 'there is no such front end' } as const;
const off = { state: 'idle', reason: '' } as const;

describe('the receiver', () => {
  it('is ready, at /health and /health/ready', async () => {
    for (const path of ['/health', '/health/ready'])
      expect(await asked(path)).toEqual({ result: true, status: 'ready', reasons: [] });
  });

  it('is alive even if it is not ready', async () => {
    receiver.tuners = [tuner(missing)];
    expect(await asked('/health')).toMatchObject({ result: false, status: 'not ready' });
    expect(await asked('/health/live')).toEqual({ result: true, status: 'alive' });
  });

  it.each(['starting', 'stopping'] as const)('is not ready while it is %s', async (phase) => {
    Object.assign(receiver.parts, { phase });
    expect((await asked()).reasons).toEqual([{ part: 'program', message: `the receiver is ${phase}` }]);
  });

  it('needs a tuner that works, active or idle, with any signal', async () => {
    receiver.tuners = [tuner(missing), tuner(off, 'Tuner B')];
    expect((await asked()).reasons).toEqual([]);
    receiver.tuners = [tuner({ state: 'lost', reason: 'no signal' })];
    expect((await asked()).reasons).toEqual([]);
    receiver.tuners = [tuner(missing), tuner(missing, 'Tuner B')];
    const message = 'Tuner A: there is no such front end; Tuner B: there is no such front end';
    expect((await asked()).reasons).toEqual([{ part: 'tuners', message }]);
  });

  it('needs no tuner if it is configured without tuners', async () => {
    receiver.tuners = [];
    expect((await asked()).reasons).toEqual([{ part: 'tuners', message: 'no tuner was found' }]);
    Object.assign(receiver.parts.config, { tuners: ['none'] });
    expect((await asked()).reasons).toEqual([]);
  });

  it('needs the default recording folder', async () => {
    const folder = join(receiver.folder, 'movie');
    rmSync(folder, { recursive: true });
    const message = `${folder}/: no such file or directory`;
    expect((await asked()).reasons).toEqual([{ part: 'disk', message }]);
  });

  it('needs the disk of the guide file that it has mapped', async () => {
    vi.spyOn(receiver.parts.guide, 'snapshotLost', 'get').mockReturnValue(true);
    const message = `${receiver.parts.guideStore.path} can no longer be read`;
    expect((await asked()).reasons).toEqual([{ part: 'guide', message }]);
  });
});

describe('the log level', () => {
  const post = (level: string) => receiver.app.inject({ method: 'POST', url: '/api/loglevel', payload: { level } });

  it('is read and changed', async () => {
    expect((await receiver.app.inject('/api/loglevel')).json()).toEqual({ result: true, level: 'info' });
    expect((await post('debug')).json()).toEqual({ result: true, level: 'debug' });
    expect(receiver.parts.log.level).toBe('debug');
    expect((await post('loud')).statusCode).toBe(400);
    expect(receiver.parts.log.level).toBe('debug');
  });
});
