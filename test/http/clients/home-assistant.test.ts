/** The requests of Home Assistant, through openwebifpy. */
import { describe, expect, it } from 'vitest';
import { favourites, marker, second } from '../receiver.ts';
import { get } from '../reply.ts';
import { json, receiver, useReceiver } from './fixture.ts';

useReceiver();

describe('Home Assistant (openwebifpy)', () => {
  it('sets up with model, brand, version and MAC address', async () => {
    const { info } = (await json('/api/about')) as unknown as { info: Record<string, unknown> };
    for (const key of ['model', 'brand', 'webifver']) expect(info[key]).toBeTruthy();
    for (const { mac } of info.ifaces as { mac: string }[]) expect(mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  });

  it('polls the status every 15 seconds: strings, number, boolean', async () => {
    const status = await json('/api/statusinfo');
    expect(['true', 'false']).toContain(status.inStandby);
    expect(['true', 'false']).toContain(status.isRecording);
    expect(['true', 'false']).toContain(status.isStreaming);
    expect([typeof status.volume, typeof status.muted]).toEqual(['number', 'boolean']);
  });

  it.each(['tv', 'radio'])('reads the bouquets of %s as pairs, references first', async (stype) => {
    const { bouquets } = await json('/api/bouquets', { stype });
    for (const pair of bouquets as unknown[][]) {
      expect(pair).toHaveLength(2);
      expect(pair[0]).toMatch(/^1:7:[12]:0:0:0:0:0:0:0/);
    }
  });

  it('builds its sources from epgnow, one per service, and shows the current one under the same name', async () => {
    for (const bouquet of [favourites, second]) {
      const { events } = await json('/api/epgnow', { bRef: bouquet });
      const { services } = await json('/api/getservices', { sRef: bouquet });
      const sources = (events as { sname: string; sref: string }[]).map(({ sname, sref }) => [sname, sref]);
      expect(sources).toEqual(
        (services as Record<string, string>[]).map(({ servicename, servicereference }) => [
          servicename,
          servicereference,
        ]),
      );
      for (const [name, reference = ''] of sources) {
        if (reference === marker || reference.includes('7777') || reference.includes('FROM BOUQUET')) continue;
        expect((await json('/api/zap', { sRef: reference })).result).toBe(true);
        expect((await json('/api/statusinfo')).currservice_station).toBe(name);
      }
    }
  });

  it('requests epgnow with an empty bouquet and gets an object', async () => {
    expect(await json('/api/epgnow', { bRef: '' })).toMatchObject({ result: false });
  });

  it('changes volume, mute and power', async () => {
    for (const set of ['set40', 'up', 'down', 'mute', 'mute', 'set55']) {
      const { current, ismute, result } = await json('/api/vol', { set });
      expect([typeof current, typeof ismute, result]).toEqual(['number', 'boolean', true]);
    }
    for (const newstate of [5, 4]) expect((await json('/api/powerstate', { newstate })).result).toBe(true);
  });

  it('presses keys and sends messages', async () => {
    for (const command of [402, 403, 128, 207, 119]) {
      expect(await json('/api/remotecontrol', { command })).toMatchObject({ result: true });
    }
    const message = { timeout: '10', type: '1', text: 'The door bell rings' };
    expect(await json('/api/message', message)).toMatchObject({ result: true });
  });

  it('probes picons by the reduced name, then by the reference', async () => {
    const head = async (name: string) => (await get(receiver, `/picon/${name}.png`, {}, { method: 'HEAD' })).status;
    expect(await head('alphahd')).toBe(200);
    expect(await head('nosuchservice')).toBe(404);
    expect(await head('1_0_19_2B66_3F3_1_C00000_0_0_0')).toBe(200);
    expect(await head('beta')).toBe(200);
  });

  it('reads everything at once on demand', async () => {
    expect((await json('/api/getallservices')).services).toHaveLength(3);
  });

  it('shows the screen or a substitute picture', async () => {
    for (const shown of [undefined, Buffer.from([0xff, 0xd8, 0xff])]) {
      receiver.playback.picture = shown;
      const reply = await receiver.app.inject('/grab?mode=all&format=jpg&t=1767291000&r=0');
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'image/jpeg']);
      expect(reply.rawPayload.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    }
    receiver.playback.picture = undefined;
  });
});
