/** `/health`: when the receiver is ready, and the reasons if it is not. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TunerState } from '../../../src/http/parts/parts.ts';
import { until } from '../../fixtures/waits.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await receiver.close();
});

/** Asks again if the disk has not answered within two seconds. */
const getHealth = (path = '/health/ready') =>
  until(async () => {
    const reply = await receiver.app.inject(path);
    expect(reply.body).not.toContain('does not respond');
    const body = reply.json() as { readonly reasons?: readonly { readonly part: string; readonly message: string }[] };
    expect(reply.statusCode).toBe(body.reasons?.length ? 503 : 200);
    return body;
  });

function tuner(condition: Pick<TunerState['condition'], 'state' | 'reason'>, name = 'Tuner A'): TunerState {
  const [first] = receiver.tuners;
  if (first === undefined) throw new Error('no tuner');
  return { ...first, name, condition: { ageSeconds: undefined, ...condition } };
}

const missing = { state: 'idle', reason: 'there is no such front end' } as const;
const idle = { state: 'idle', reason: '' } as const;

describe('the receiver', () => {
  it('is ready, at /health and /health/ready', async () => {
    for (const path of ['/health', '/health/ready'])
      expect(await getHealth(path)).toEqual({ result: true, status: 'ready', reasons: [] });
  });

  it('is alive even if it is not ready', async () => {
    receiver.tuners = [tuner(missing)];
    expect(await getHealth('/health')).toMatchObject({ result: false, status: 'not ready' });
    expect(await getHealth('/health/live')).toEqual({ result: true, status: 'alive' });
  });

  it.each(['starting', 'stopping'] as const)('is not ready while it is %s', async (phase) => {
    Object.assign(receiver.parts, { phase });
    expect((await getHealth()).reasons).toEqual([{ part: 'program', message: `the receiver is ${phase}` }]);
  });

  it('is ready if any tuner works, whatever its signal', async () => {
    receiver.tuners = [tuner(missing), tuner(idle, 'Tuner B')];
    expect((await getHealth()).reasons).toEqual([]);
    receiver.tuners = [tuner({ state: 'lost', reason: 'no signal' })];
    expect((await getHealth()).reasons).toEqual([]);
    receiver.tuners = [tuner(missing), tuner(missing, 'Tuner B')];
    const message = 'Tuner A: there is no such front end; Tuner B: there is no such front end';
    expect((await getHealth()).reasons).toEqual([{ part: 'tuners', message }]);
  });

  it('needs no tuner if it is configured without tuners', async () => {
    receiver.tuners = [];
    expect((await getHealth()).reasons).toEqual([{ part: 'tuners', message: 'no tuner was found' }]);
    Object.assign(receiver.parts.config, { tuners: ['none'] });
    expect((await getHealth()).reasons).toEqual([]);
  });

  it('needs the default recording folder', async () => {
    const folder = join(receiver.folder, 'movie');
    rmSync(folder, { recursive: true });
    const message = `${folder}/: no such file or directory`;
    expect((await getHealth()).reasons).toEqual([{ part: 'disk', message }]);
  });

  it('is not ready when the mapped guide file can no longer be read', async () => {
    vi.spyOn(receiver.parts.guide, 'snapshotLost', 'get').mockReturnValue(true);
    const message = `${receiver.parts.guideStore.path} can no longer be read`;
    expect((await getHealth()).reasons).toEqual([{ part: 'guide', message }]);
  });
});

describe('the log level', () => {
  const post = (level: string) => receiver.app.inject({ method: 'POST', url: '/api/loglevel', payload: { level } });

  it('can be read and changed', async () => {
    expect((await receiver.app.inject('/api/loglevel')).json()).toEqual({ result: true, level: 'info' });
    expect((await post('debug')).json()).toEqual({ result: true, level: 'debug' });
    expect(receiver.parts.log.level).toBe('debug');
    expect((await post('loud')).statusCode).toBe(400);
    expect(receiver.parts.log.level).toBe('debug');
  });
});
