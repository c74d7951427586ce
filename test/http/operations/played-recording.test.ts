/** The interfaces while a recording plays instead of a service. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeRecording } from '../../fixtures/recordings.ts';
import { alpha, now, openReceiver, type TestReceiver } from '../receiver.ts';
import { api, at, get, leaves, web, type XmlElement } from '../reply.ts';

const begin = now - 86_400;

let receiver: TestReceiver;
let described: string;
let bare: string;
beforeEach(async () => {
  receiver = await openReceiver();
  described = join(receiver.folder, 'movie', '20251231 - Alpha HD - 100% Ships.ts');
  writeRecording(described, {
    content: Buffer.alloc(1880),
    meta: [`${alpha}:Alpha HD`, 'Ships', 'Episode 3', String(begin), '', '286200000', '1880'],
    event: {
      id: 4711,
      start: begin + 180,
      duration: 2700,
      title: 'Ships & Harbours',
      shortText: 'Episode 3',
      extendedText: 'The pilot boats of a large river.',
      genre: 0x23,
    },
  });
  bare = join(receiver.folder, 'movie', 'holiday.ts');
  writeRecording(bare);
});
afterEach(() => receiver.close());

const reference = (path: string) => `1:0:0:0:0:0:0:0:0:0:${path.replaceAll('%', '%25')}`;
const play = (path: string) => api(receiver, 'zap', { sRef: reference(path) });

describe('a recording that plays', () => {
  it('starts by a zap to the reference of a file', async () => {
    expect(await play(described)).toEqual({ result: true, message: `Active service is now '${reference(described)}'` });
    const missing = await api<{ result: boolean; message: string }>(receiver, 'zap', {
      sRef: reference(`${described}x.ts`),
    });
    expect(missing).toEqual({ result: false, message: `File '${described}x.ts' not found`, error: expect.any(String) });
    expect(await api(receiver, 'zap', { sRef: '1:0:0:0:0:0:0:0:0:0:/etc/passwd' })).toMatchObject({ result: false });
    expect(receiver.playback.current?.played?.recording.path).toBe(described);
  });

  it('is the current service with its title, and the first event', async () => {
    await play(described);
    const current = await web(receiver, 'getcurrent');
    const service = Object.fromEntries(leaves(at(current, 'e2service')));
    expect(service).toMatchObject({
      e2servicereference: reference(described).replaceAll('%', '%25'),
      e2servicename: 'Ships',
      e2vpid: 'N/A',
    });
    const [running, next] = at(current, 'e2eventlist').children as [XmlElement, XmlElement];
    expect(Object.fromEntries(leaves(running))).toMatchObject({
      e2eventid: '4711',
      e2eventtitle: 'Ships',
      e2eventdescription: 'Episode 3',
      e2eventstart: String(begin + 180),
      e2eventduration: '2700',
      e2eventremaining: '3120',
      e2eventdescriptionextended: 'The pilot boats of a large river.',
      e2eventgenre: 'Documentary',
    });
    expect(Object.fromEntries(leaves(next))).toMatchObject({ e2eventid: '0', e2eventstart: '0' });
    const json = await api<{ now: object; next: object }>(receiver, 'getcurrent');
    expect(json.now).toMatchObject({ title: 'Ships', filename: described, remaining: 3120 });
    expect(json.next).not.toHaveProperty('filename');
  });

  it('appears in statusinfo with its file', async () => {
    await play(described);
    expect(await api(receiver, 'statusinfo')).toMatchObject({
      currservice_filename: described,
      currservice_serviceref: reference(described),
      currservice_station: 'Ships',
      currservice_name: 'Ships',
      currservice_id: 4711,
    });
    await api(receiver, 'zap', { sRef: alpha });
    expect(await api(receiver, 'statusinfo')).toMatchObject({
      currservice_filename: '',
      currservice_station: 'Alpha HD',
    });
  });

  it('appears in /current_event with its path and position', async () => {
    await play(described);
    const reply = await receiver.app.inject('/current_event');
    expect([reply.statusCode, reply.json()]).toMatchObject([
      200,
      {
        id: 4711,
        title: 'Ships',
        shortinfo: 'Episode 3',
        longinfo: 'The pilot boats of a large river.',
        start_time: begin + 180,
        duration: 2700,
        service_reference: alpha,
        service_name: 'Alpha HD',
        path: '/recording/20251231%20-%20Alpha%20HD%20-%20100%25%20Ships.ts',
        position: 60,
        length: 3180,
        remaining: 3120,
        current_time: now,
        next: null,
      },
    ]);
    const file = await receiver.app.inject({
      url: reply.json<{ path: string }>().path,
      headers: { range: 'bytes=0-' },
    });
    expect(file.rawPayload).toHaveLength(1880);
  });

  it('has its file name as its title without metadata', async () => {
    await play(bare);
    const reply = await receiver.app.inject('/current_event');
    expect([reply.statusCode, reply.json()]).toMatchObject([
      200,
      {
        id: 0,
        start_time: 0,
        duration: 0,
        title: 'holiday.ts',
        shortinfo: '',
        longinfo: '',
        service_name: 'NONAME',
        service_reference: '-1:0:0:0:0:0:0:0:0:0:',
        path: '/recording/holiday.ts',
      },
    ]);
  });

  it('has a playlist with its file', async () => {
    await play(described);
    const { body } = await get(receiver, '/web/streamcurrent.m3u');
    expect(body).toContain('#EXTINF:3180,Ships\n');
    expect(body).toContain('/file?file=');
    expect(body).not.toContain(':8001');
  });
});
