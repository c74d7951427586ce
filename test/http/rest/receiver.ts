/**
 * A receiver for tests of the REST routes: a real service list in a folder, a real guide filled from sections, a
 * stopped clock.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Guide } from '../../../src/epg/guide.ts';
import { Events } from '../../../src/events/events.ts';
import type { ReceiverParts } from '../../../src/http/parts/parts.ts';
import { createServer } from '../../../src/http/server.ts';
import type { CurrentService } from '../../../src/playback/current-service.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { Services } from '../../../src/services/services.ts';
import { openAccessControl } from '../../fixtures/access-control.ts';
import { eitSections, type SentEvent } from '../../fixtures/eit.ts';
import { push } from '../push-options.ts';

/** 2024-01-01 12:05 UTC. */
export const now = 1_704_110_700;
/** Start of the running event of Demo One. */
export const noon = 1_704_110_400;

export const demoOne = '1:0:19:2B66:3F3:1:C00000:0:0:0:';
/** The same service at another orbital position. */
export const demoOneEast = '1:0:19:2B66:3F3:1:820000:0:0:0:';
export const demoTwo = '1:0:1:2B67:3F3:1:C00000:0:0:0:';
export const demoRadio = '1:0:2:2B68:3F3:1:C00000:0:0:0:';
export const alternatives = '1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.demo.tv" ORDER BY bouquet';

const files = {
  lamedb: `eDVB services /4/
transponders
00c00000:03f3:0001
	s 11303500:22000000:0:2:192:2:0
/
00820000:03f3:0001
	s 11303500:22000000:0:2:130:2:0
/
end
services
2b66:00c00000:03f3:0001:25:0
Demo One HD
p:Demo
2b67:00c00000:03f3:0001:1:0
Démo & Deux+
p:Demo
2b68:00c00000:03f3:0001:2:0
\u0086Radio\u0087 Demo
p:Demo
2b66:00820000:03f3:0001:25:0
Demo One East
p:Demo
end
Have a lot of bugs!
`,
  'bouquets.tv': `#NAME User - bouquets (TV)
#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet
#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.more.tv" ORDER BY bouquet
`,
  'userbouquet.favourites.tv': `#NAME Favourites (TV)
#SERVICE 1:64:1:0:0:0:0:0:0:0::First
#DESCRIPTION First
#SERVICE ${demoTwo}
#SERVICE ${demoOne}
#SERVICE ${alternatives}
#SERVICE 1:512:19:2B69:3F3:1:C00000:0:0:0:
`,
  'alternatives.demo.tv': `#NAME Demo alternatives
#SERVICE ${demoTwo}
#SERVICE ${demoOne}
`,
  'userbouquet.more.tv': `#NAME More
#SERVICE ${demoOne}
`,
  'bouquets.radio': `#NAME User - bouquets (Radio)
#SERVICE 1:7:2:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.radio.radio" ORDER BY bouquet
`,
  'userbouquet.radio.radio': `#NAME Radio
#SERVICE ${demoRadio}
`,
};

const crid = (type: number, path: string) => [{ type, crid: `crid://demo.example/${path}` }];

export const eventsOfDemoOne: readonly SentEvent[] = [
  {
    id: 4659,
    start: noon - 1800,
    duration: 1800,
    title: 'Ships & Harbours',
    shortText: 'Episode 3',
    extendedText: 'Pilot boats.',
  },
  {
    id: 4660,
    start: noon,
    duration: 900,
    title: 'News',
    shortText: 'Short text',
    genre: 0x21,
    parental: { country: 'DEU', rating: 9 },
    crids: crid(1, 'news'),
  },
  {
    id: 4661,
    start: noon + 900,
    duration: 1800,
    title: 'Weather café',
    extendedText: 'Sun über Köln',
    crids: crid(2, 'weather'),
  },
  { id: 4662, start: noon + 3600, duration: 600, title: 'Late news', shortText: 'Short text' },
];

export const eventsOfDemoTwo: readonly SentEvent[] = [
  {
    id: 7,
    start: noon + 600,
    duration: 3000,
    title: 'NEWS at noon',
    shortText: 'weather and sport',
    extendedText: 'All the news.',
  },
  { id: 8, start: noon + 7200, duration: 900, title: 'News', shortText: 'Short text', crids: crid(1, 'news') },
];

export interface TestReceiver {
  readonly app: FastifyInstance;
  readonly parts: ReceiverParts;
  /** Sets the current service; undefined at first. */
  play(service: CurrentService | undefined): void;
  close(): Promise<void>;
}

export async function testReceiver(): Promise<TestReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'receiverd-rest-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const clock = { now: () => now, synchronised: true };
  const services = await Services.load(folder);
  const guide = new Guide({ clock, history: 86_400 });
  const network = { originalNetworkId: 1, transportStreamId: 0x3f3 };
  for (const section of [
    ...eitSections({ ...network, serviceId: 0x2b66 }, now, eventsOfDemoOne),
    ...eitSections({ ...network, serviceId: 0x2b67 }, now, eventsOfDemoTwo),
    ...eitSections({ ...network, serviceId: 0x7777 }, now, [
      { id: 1, start: noon, duration: 60, title: 'News unlisted' },
    ]),
  ]) {
    guide.ingestSection(section);
  }
  await guide.flush();
  let current: CurrentService | undefined;
  const playback = {
    get current() {
      return current;
    },
  };
  const parts = {
    clock,
    accessControl: openAccessControl(folder),
    services,
    guide,
    playback,
    device: { identity: { version: '0.1.0' } },
    events: new Events(),
    config: { origins: ['*'], hostNames: [], push, evil: true, timeZone: 'Europe/Berlin' },
  } as unknown as ReceiverParts;
  const app = createServer(parts);
  return {
    app,
    parts,
    play(service) {
      current = service;
    },
    async close() {
      await app.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export function currentService(reference: string, name: string): CurrentService {
  return {
    reference: ServiceReference.parse(reference),
    name,
    provider: '',
    bouquet: undefined,
    tuner: 0,
    pids: { pmt: 0x100, pcr: 0x101, video: 0x101, audio: 0x102, teletext: undefined },
    video: undefined,
    audioTracks: [],
    subtitles: [],
    subServices: [],
    played: undefined,
  };
}
