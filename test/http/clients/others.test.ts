/** The requests of ioBroker, homebridge-dreambox, SmartHomeNG and scripts. */
import { describe, expect, it } from 'vitest';
import { alpha, beta } from '../receiver.ts';
import { all, at, get, parseXml, type XmlElement } from '../reply.ts';
import { receiver, useReceiver, xml } from './fixture.ts';

useReceiver();

describe('other clients', () => {
  it('ioBroker: an interface, a list of disks, no bouquet with an empty list, a trailing colon in references', async () => {
    const info = await xml('/web/deviceinfo');
    expect(all(at(info, 'e2network'), 'e2interface').length).toBeGreaterThan(0);
    at(info, 'e2hdds');
    for (const bouquet of all(await xml('/web/getallservices'), 'e2bouquet')) {
      expect(at(bouquet, 'e2servicelist').children.length).toBeGreaterThan(0);
    }
    expect(at(await xml('/web/getcurrent'), 'e2service', 'e2servicereference').text).toMatch(/:$/);
  });

  it('ioBroker: always two events of the current service, with the fields that it reads without a check', async () => {
    for (const sRef of [alpha, beta]) {
      await xml('/web/zap', { sRef });
      const current = await xml('/web/getcurrent');
      const events = all(at(current, 'e2eventlist'), 'e2event');
      expect(events).toHaveLength(2);
      for (const event of events) {
        for (const name of ['start', 'duration', 'remaining']) {
          expect(at(event, `e2event${name}`).text).toMatch(/^(\d+|None)$/);
        }
        for (const name of ['name', 'description', 'descriptionextended']) at(event, `e2event${name}`);
        expect(at(event, 'e2eventservicereference').text).toMatch(/:$/);
      }
    }
  });

  it('ioBroker: about, volume, power, messages and keys with its parameters', async () => {
    expect(at(await xml('/web/about'), 'e2about', 'e2servicename').text).toBe('Alpha HD');
    expect(at(await xml('/web/vol?set=set33'), 'e2current').text).toBe('33');
    expect(at(await xml('/web/remotecontrol?command=402&rcu=advanced'), 'e2result').text).toBe('True');
    const message = await xml('/web/message?text=Door%20%26%20%3Cbell%3E&type=1&timeout=15');
    expect(at(message, 'e2state').text).toBe('True');
    expect(at(await xml('/web/messageanswer?getanswer=now'), 'e2statetext').text).toMatch(/./);
  });

  it('homebridge-dreambox: finds the bouquet by name and the exact reference of the current channel', async () => {
    const about = at(await xml('/web/about'), 'e2about');
    for (const name of ['e2model', 'e2lanmac', 'e2enigmaversion']) expect(at(about, name).text).not.toBe('');
    const bouquet = all(await xml('/web/getallservices'), 'e2bouquet').find(
      (one) => at(one, 'e2servicename').text === 'Favourites (TV)',
    );
    const references = all(at(bouquet as XmlElement, 'e2servicelist'), 'e2service').map(
      (service) => at(service, 'e2servicereference').text,
    );
    for (const sRef of [alpha, beta]) {
      // The client uses URLSearchParams, which percent-encodes the colons.
      await xml(`/web/zap?${new URLSearchParams({ sRef })}`);
      expect(references).toContain(at(await xml('/web/getcurrent'), 'e2service', 'e2servicereference').text);
    }
    expect(at(await xml('/web/powerstate?newstate=4'), 'e2instandby').text).toBe('false');
  });

  it.each(['about', 'deviceinfo', 'getaudiotracks', 'getcurrent', 'epgservice', 'subservices'])(
    'SmartHomeNG: %s is well-formed',
    async (name) => {
      await xml(`/web/${name}`, { sRef: alpha });
    },
  );

  it('scripts: stray parameters and upper case do not matter', async () => {
    const reply = await get(receiver, '/web/vol?.xml&TIMEOUT=5&sessionid=0');
    expect(parseXml(reply.body).name).toBe('e2volume');
  });
});
