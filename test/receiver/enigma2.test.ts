/** Two receivers, each with a multiplex that the other one does not receive, and each with the other one as tuners. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';
import { until, untilTrue } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

const [attic, cellar] = [temporaryFolder(), temporaryFolder()];
const ofAttic = '1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:';
const ofCellar = '1:0:2:2A:7:2114:EEEE0000:0:0:0:';
type Ports = readonly [http: number, stream: number];
let [atticPorts, cellarPorts]: [Ports, Ports] = [
  [0, 0],
  [0, 0],
];
let above: Program;
let below: Program;

const nameOf = ([http]: Ports) => `127.0.0.1:${http}`;

function start(folder: string, source: string, own: Ports, other: Ports): Promise<Program> {
  const settings = join(folder, 'receiverd.yaml');
  writeFileSync(settings, 'iptv:\n  allow: [127.0.0.1]\nstream:\n  linger: 0\n');
  const ports = ['--http-port', `${own[0]}`, '--stream-port', `${own[1]}`];
  const tuners = ['--tuner', source, '--tuner', `enigma2:${nameOf(other)},stream=${other[1]}`];
  return startProgram(folder, ...ports, ...tuners, '--config', settings);
}

const listed = async ({ json }: Program, reference: string) => {
  const { services } = await json<{
    services: readonly { servicename: string; subservices: readonly { servicereference: string }[] }[];
  }>('/api/getallservices');
  const { services: radio } = await json<{ services: typeof services }>('/api/getallservices?type=radio');
  const has = ({ subservices }: (typeof services)[number]) =>
    subservices.some(({ servicereference }) => servicereference.startsWith(reference));
  return [...services, ...radio].filter(has).map(({ servicename }) => servicename);
};

async function play({ stream }: Program, reference: string): Promise<void> {
  const left = new AbortController();
  const { status, body } = await fetch(`${stream}/${reference}`, { signal: left.signal });
  expect(status).toBe(200);
  for await (const bytes of body ?? []) {
    expect(bytes[0]).toBe(0x47);
    break;
  }
  left.abort();
}

beforeAll(async () => {
  const capture = join(cellar, 'capture.ts');
  writeTransportStream(capture, {
    ...{ transportStreamId: 7, originalNetworkId: 0x2114, bitRate: 800_000, seconds: 6 },
    services: [{ serviceId: 42, name: 'Cellar Radio' }],
  });
  [atticPorts, cellarPorts] = [
    [await freePort(), await freePort()],
    [await freePort(), await freePort()],
  ];
  above = await start(attic, 'demo', atticPorts, cellarPorts);
  below = await start(cellar, `file:${capture}`, cellarPorts, atticPorts);
});

afterAll(async () => {
  await above?.stop();
  await below?.stop();
  for (const folder of [attic, cellar]) removeFolder(folder);
});

it('each imports the bouquets of the other one, beside its own', async () => {
  await until(async () => expect(await listed(below, ofAttic)).toEqual([`Favourites (TV) (${nameOf(atticPorts)})`]));
  await until(async () =>
    expect(await listed(above, ofCellar)).toEqual([`Favourites (Radio) (${nameOf(cellarPorts)})`]),
  );
  expect(await listed(below, ofCellar)).toEqual(['Favourites (Radio)']);
  expect(await listed(above, ofAttic)).toEqual(['Favourites (TV)']);
});

it('each plays and zaps to the services of the other one, at the same time', async () => {
  await Promise.all([play(above, ofCellar), play(below, ofAttic), play(above, ofAttic), play(below, ofCellar)]);
  expect(await below.json(`/api/zap?sRef=${ofAttic}`)).toMatchObject({ result: true });
  await until(async () => {
    const { info } = await below.json<{ info: { name: string; vpid: number } }>('/api/getcurrent');
    expect(info).toMatchObject({ name: 'Aldermoor One', vpid: expect.any(Number) });
  });
});

it('each records a service of the other one', async () => {
  const now = Math.floor(Date.now() / 1000);
  const timers = [
    { program: above, folder: attic, sRef: ofCellar },
    { program: below, folder: cellar, sRef: ofAttic },
  ];
  for (const { program, sRef } of timers) {
    const timer = { sRef, begin: `${now - 1}`, end: `${now + 3600}`, name: 'Far' };
    expect(await program.json(`/api/timeradd?${new URLSearchParams(timer)}`)).toMatchObject({ result: true });
  }
  for (const { program, folder, sRef } of timers) {
    await until(() => {
      const [file = ''] = readdirSync(join(folder, 'movie')).filter((name) => name.endsWith('.ts'));
      expect(statSync(join(folder, 'movie', file)).size).toBeGreaterThan(50_000);
    });
    const timer = { sRef, begin: `${now - 1}`, end: `${now + 3600}` };
    await program.json(`/api/timerdelete?${new URLSearchParams(timer)}`);
  }
});

it('does not lend to a receiver what it has from another one', async () => {
  const headers = { 'x-receiverd': 'of a third receiver' };
  const refused = await fetch(`${below.stream}/${ofAttic}`, { headers });
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: 'not-receivable' });
  const own = await fetch(`${below.stream}/${ofCellar}`, { headers });
  expect(own.status).toBe(200);
  await own.body?.cancel();
});

it('does not use itself', async () => {
  await below.stop();
  below = await start(cellar, `file:${join(cellar, 'capture.ts')}`, cellarPorts, cellarPorts);
  await untilTrue(() => below.log.some(({ msg }) => msg?.endsWith(': that is this receiver')));
  await below.stop();
  below = await start(cellar, `file:${join(cellar, 'capture.ts')}`, cellarPorts, atticPorts);
});

it('names the one that is switched off, also after a restart', async () => {
  await above.stop();
  const reason = `Enigma2 box ${nameOf(atticPorts)}: it does not answer (connection refused); is it switched on?`;
  for (const isRestarted of [false, true]) {
    if (isRestarted) {
      await below.stop();
      below = await start(cellar, `file:${join(cellar, 'capture.ts')}`, cellarPorts, atticPorts);
    }
    await until(async () => {
      const refused = await fetch(`${below.stream}/${ofAttic}`);
      expect(refused.status).toBe(503);
      expect(((await refused.json()) as { message: string }).message).toContain(reason);
    });
  }
});
