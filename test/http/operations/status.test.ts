/** State, signal and time, which clients poll every few seconds. */
import { describe, expect, it } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { alpha, beta, now } from '../receiver.ts';
import { api, leaves, web } from '../reply.ts';
import { play, receiver, useReceiver } from './fixture.ts';

useReceiver();

describe('statusinfo', () => {
  const always = {
    volume: 55,
    muted: false,
    transcoding: false,
    currservice_filename: '',
    inStandby: 'false',
    isRecording: 'false',
    isStreaming: 'false',
    Streaming_list: '',
    result: true,
  };

  it('shows the running event', async () => {
    await play();
    expect(await api(receiver, 'statusinfo')).toEqual({
      ...always,
      currservice_id: 4711,
      currservice_name: 'Ships & Harbours',
      currservice_serviceref: alpha,
      currservice_begin: '19:00',
      currservice_begin_timestamp: 1767290400,
      currservice_end: '19:45',
      currservice_end_timestamp: 1767293100,
      currservice_description: 'Episode 3',
      currservice_station: 'Alpha HD',
      currservice_fulldescription:
        'Ships & Harbours\n19:00 - 19:45\n\nThe pilot boats of a large river.\nThen: the weather.',
    });
    expect((await web(receiver, 'statusinfo')).name).toBe('e2statusinfo');
  });

  const noEvent = {
    currservice_id: -1,
    currservice_name: 'N/A',
    currservice_begin: '',
    currservice_end: '',
    currservice_description: '',
    currservice_fulldescription: 'N/A',
  };

  it('omits a missing event, and the service if nothing plays', async () => {
    await play(beta);
    const station = { currservice_serviceref: beta, currservice_station: 'Beta' };
    expect(await api(receiver, 'statusinfo')).toEqual({ ...always, ...noEvent, ...station });
    receiver.playback.current = undefined;
    expect(await api(receiver, 'statusinfo')).toEqual({ ...always, ...noEvent });
  });

  it('lists the stream clients and their services', async () => {
    receiver.clients = [
      { reference: ServiceReference.parse(alpha), address: '192.0.2.20', since: now, tuner: 0 },
      { reference: ServiceReference.parse(beta), address: '192.0.2.21', since: now, tuner: 0 },
    ];
    expect(await api(receiver, 'statusinfo')).toMatchObject({
      isStreaming: 'true',
      Streaming_list: '192.0.2.20: Alpha HD - Ships & Harbours\n192.0.2.21: Beta',
    });
    receiver.clients = [];
  });

  it('lists active recordings', async () => {
    const recording = (reference: string, serviceName: string, title: string) => ({
      spec: {
        reference: ServiceReference.parse(reference),
        serviceName,
        title,
        description: '',
        tags: [],
        folder: '/media/hdd/movie/',
        begin: now,
      },
      path: '/media/hdd/movie/a.ts',
      began: now,
      trouble: undefined,
    });
    receiver.running = [recording(alpha, 'Alpha HD', 'Ships & Harbours'), recording(beta, 'Beta', 'Late')];
    expect(await api(receiver, 'statusinfo')).toMatchObject({
      isRecording: 'true',
      Recording_list: '\nAlpha HD: Ships & Harbours\nBeta: Late\n',
    });
    receiver.running = [];
    expect(await api(receiver, 'statusinfo')).not.toHaveProperty('Recording_list');
  });
});

describe('signal', () => {
  it('is that of the tuner in use', async () => {
    await play();
    for (const name of ['signal', 'tunersignal']) {
      const status = await web(receiver, name);
      expect(status.name).toBe('e2frontendstatus');
      expect(leaves(status)).toEqual([
        ['e2snrdb', '12.50 dB'],
        ['e2snr', '80 %'],
        ['e2ber', '0'],
        ['e2acg', '70 %'],
      ]);
      expect(await api(receiver, name)).toEqual({
        tunertype: 'DVB-S2',
        tunernumber: 0,
        snr: 80,
        snr_db: '12.50',
        agc: 70,
        ber: 0,
        inStandby: 'false',
        result: true,
      });
    }
  });

  it('is zero, not empty, if nothing is tuned', async () => {
    const { tuners } = receiver;
    receiver.playback.current = undefined;
    receiver.tuners = [{ ...tuners[0], signal: undefined } as never];
    expect(leaves(await web(receiver, 'signal')).map(([, text]) => text)).toEqual(['0.00 dB', '0 %', '0', '0 %']);
    receiver.tuners = [];
    expect(await api(receiver, 'signal')).toMatchObject({ tunernumber: 0, snr: 0, snr_db: '0.00', agc: 0, ber: 0 });
    receiver.tuners = tuners;
  });

  it('is that of the newest stream if there is no current service', async () => {
    const { tuners } = receiver;
    const [first] = tuners;
    receiver.tuners = [first, { ...first, name: 'Tuner B', type: 'DVB-C' }] as never;
    const reference = ServiceReference.parse(alpha);
    receiver.clients = [
      { reference, address: '192.0.2.20', since: now - 9, tuner: 0 },
      { reference, address: '192.0.2.21', since: now - 1, tuner: 1 },
    ];
    expect(await api(receiver, 'signal')).toMatchObject({ tunernumber: 1, tunertype: 'DVB-C' });
    receiver.clients = [];
    receiver.tuners = tuners;
  });

  it('selects an audio track if it has an id', async () => {
    await play();
    expect(await web(receiver, 'signal', { id: 1 })).toMatchObject({ name: 'e2result', text: 'Success' });
    expect(await api(receiver, 'signal', { id: 9 })).toEqual({ result: false });
  });
});

describe('currenttime', () => {
  it('is the local time, without white space', async () => {
    expect(await web(receiver, 'currenttime')).toMatchObject({ name: 'e2currenttime', text: '19:10:00', children: [] });
    expect(await api(receiver, 'currenttime')).toEqual({ status: true, time: '19:10:00', result: true });
  });
});
