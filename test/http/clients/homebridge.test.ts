/** The requests of homebridge-openwebif-tv. */
import { describe, expect, it } from 'vitest';
import { alpha, beta, renamed } from '../receiver.ts';
import { get } from '../reply.ts';
import { json, receiver, useReceiver } from './fixture.ts';

useReceiver();

describe('homebridge-openwebif-tv', () => {
  it('sends an empty user name and password with every request', async () => {
    const headers = { authorization: 'Basic Og==' };
    for (const path of ['/api/deviceinfo', '/api/statusinfo', '/web/currenttime', '/services/tv']) {
      expect((await get(receiver, path, {}, { headers })).status).toBe(200);
    }
  });

  it('finds the exact reference of the current channel in getallservices', async () => {
    const { services } = (await json('/api/getallservices')) as unknown as {
      services: { subservices: { servicereference: string }[] }[];
    };
    const listed = services.flatMap(({ subservices }) => subservices.map(({ servicereference }) => servicereference));
    for (const reference of [alpha, beta, renamed]) {
      await json('/api/zap', { sRef: reference });
      expect(listed).toContain((await json('/api/statusinfo')).currservice_serviceref);
    }
  });

  it('sends key 159 for fast forward', async () => {
    expect(await json('/api/remotecontrol', { command: 159 })).toMatchObject({ result: true });
  });

  it('identifies the device by the MAC address in deviceinfo', async () => {
    expect(await json('/api/deviceinfo')).toMatchObject({ ifaces: [{ mac: '02:00:00:00:00:01' }] });
  });
});
