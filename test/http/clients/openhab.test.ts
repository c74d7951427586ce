/** The requests of openHAB. */
import { describe, expect, it } from 'vitest';
import { alpha } from '../receiver.ts';
import { all, at, type XmlElement } from '../reply.ts';
import { useReceiver, xml } from './fixture.ts';

useReceiver();

describe('openHAB', () => {
  it('shows the response to a power change as the new state', async () => {
    const state = async (parameters = {}) => at(await xml('/web/powerstate', parameters), 'e2instandby').text.trim();
    const before = await state();
    const after = await state({ newstate: 0 });
    expect(after).not.toBe(before);
    expect(await state()).toBe(after);
    await state({ newstate: 4 });
  });

  it('takes the last word of the answer to its question, without the punctuation mark', async () => {
    const word = async () => {
      const text = at(await xml('/web/messageanswer', { getanswer: 'now' }), 'e2statetext').text;
      return text.split(' ').at(-1)?.replace('!', '');
    };
    await xml('/web/message', { type: '0', timeout: '30', text: 'Lights off?' });
    expect(await word()).toBe('time');
    // The user presses exit, then ok on the remote control.
    await xml('/web/remotecontrol', { command: '174' });
    expect(await word()).toBe('NO');
    await xml('/web/message', { type: '0', timeout: '30', text: 'Lights on?' });
    await xml('/web/remotecontrol', { command: '352' });
    expect(await word()).toBe('YES');
  });

  it('maps names to references from getallservices', async () => {
    const channels = new Map<string, string>();
    for (const bouquet of all(await xml('/web/getallservices'), 'e2bouquet')) {
      for (const service of all(at(bouquet, 'e2servicelist'), 'e2service')) {
        channels.set(at(service, 'e2servicename').text, at(service, 'e2servicereference').text);
      }
    }
    expect(channels.get('Alpha HD')).toBe(alpha);
  });

  it('takes the first sub-service as the current channel, the first event as the current programme', async () => {
    expect(at(await xml('/web/subservices'), 'e2service', 'e2servicename').text).toBe('Alpha HD');
    const [event] = all(await xml('/web/epgservicenow', { sRef: alpha }), 'e2event');
    expect(at(event as XmlElement, 'e2eventtitle').text).toBe('Ships & Harbours');
    expect(at(event as XmlElement, 'e2eventdescription').text).toBe('Episode 3');
  });
});
