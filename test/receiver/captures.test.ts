/**
 * The program on real broadcasts: services, clock, present and following events of each capture, compared with other
 * programs (tshark 4.0.17 `dvb_sdt`, `dvb_eit`; the titles of the Czech capture, which tshark does not decode, were
 * read by hand from ISO/IEC 6937).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

const streams = process.env.RECEIVERD_TEST_DATA ? join(process.env.RECEIVERD_TEST_DATA, 'ts') : '';
const available = streams !== '' && existsSync(streams);

const at = (text: string) => Date.parse(`${text}Z`) / 1000;

interface Expected {
  readonly file: string;
  /** Names of the viewable services of this multiplex. */
  readonly services: readonly string[];
  /** The clock at the start of the capture, if broadcast. */
  readonly clock?: number;
  /** Services by hexadecimal network, stream and service id, and their events at a time. */
  readonly guide: readonly {
    readonly service: readonly [network: string, stream: string, service: string];
    readonly time: number;
    readonly now: string;
    /** Undefined: not in the capture. */
    readonly next?: string;
    /** The capture runs past the end of the event. */
    readonly ends?: true;
  }[];
}

const captures: readonly Expected[] = [
  {
    file: 'dtt-france-2019-si.ts',
    services: ['M6', 'W9', 'Arte', 'France 5', '6ter'],
    clock: at('2019-01-22T12:51:09'),
    guide: (
      [
        ['4', '401', 'Scènes de ménages', "La perle de l'amour"],
        ['4', '402', 'NCIS', 'NCIS'],
        ['4', '407', "Conte d'été", 'Bhoutan, le royaume du bonheur'],
        ['4', '415', 'Le magazine de la santé', 'Allô, docteurs !'],
        ['4', '416', 'La petite maison dans la prairie', 'La petite maison dans la prairie'],
        ['1', '101', 'Météo 2', "Ça commence aujourd'hui"],
        ['2', '201', 'William à midi !', 'Affaires non classées'],
        ['6', '601', 'Le journal', 'Cruelles amitiés'],
        ['A', 'A02', 'Biathlon', 'Biathlon'],
      ] as const
    ).map(([stream, service, now, next]) => ({
      service: ['20FA', stream, service],
      time: at('2019-01-22T12:51:30'),
      now,
      next,
    })),
  },
  { file: 'arte-2019-av.ts', services: ['Arte'], clock: at('2019-01-22T12:51:09'), guide: [] },
  {
    file: 'dtt-italy-rai.ts',
    services: ['Rai 1', 'Rai 2', 'Rai Radio1', 'Rai Radio2', 'Rai Radio3', 'Rai News 24', 'Rai 3 TGR Emilia Romagna'],
    guide: (
      [
        ['D4A', 'Citofonare Rai2', 'TG2 - GIORNO'],
        ['D4B', 'TGR RegionEuropa', 'TG3'],
        ['D4D', 'LILLO E GREG 610', "L'INVASIONE DEGLI AUTOGOL"],
      ] as const
    ).map(([service, now, next]) => ({
      service: ['13E', '4800', service],
      time: at('2022-01-16T10:30:00'),
      now,
      next,
    })),
  },
  {
    file: 'sat-canal-eit.ts',
    services: [],
    guide: (
      [
        ['2261', 'PETER ET ELLIOTT LE DRAGON', "L'AGE DE GLACE 5 : LES LOIS DE L'UNIVERS"],
        ['2262', 'LE GROS JOURNAL', 'LES NOUVEAUX EXPLORATEURS'],
        ['2264', "GANT D'OR 2017", 'LORIENT (L2) / LENS (L2)'],
        ['2268', 'ARTHUR 3 : LA GUERRE DES DEUX MONDES', 'LE PETIT PRINCE'],
      ] as const
    ).map(([service, now, next]) => ({
      service: ['1', '438', service],
      time: at('2017-08-23T11:55:00'),
      now,
      next,
    })),
  },
  {
    file: 'czech-eit-only.ts',
    services: [],
    guide: [
      {
        service: ['20CB', '111', '101'],
        time: at('2019-01-19T19:30:00'),
        now: 'Zázraky přírody',
        next: 'Hotel Sacher, Sacher. In bester Gesellschaft, Das',
      },
      {
        service: ['20CB', '111', '102'],
        time: at('2019-01-19T20:00:00'),
        now: 'Babylon Berlín, Babylon Berlin',
        next: 'Hon, Jagten',
      },
      {
        service: ['20CB', '111', '103'],
        time: at('2019-01-19T20:02:00'),
        now: 'Zprávy',
        next: 'Historie.cs',
        ends: true,
      },
    ],
  },
  { file: 'big-buck-bunny.ts', services: ['Big Buck Bunny, Sunflower version'], guide: [] },
  {
    file: 'uk-freesat-huffman.ts',
    services: [],
    guide: [{ service: ['233A', '104B', '104B'], time: at('2020-11-02T17:30:00'), now: 'Pointless' }],
  },
  // Its guide has no present event, and no clock: test/epg/arib-texts.test.ts reads it.
  { file: 'isdb-arib.ts', services: [], guide: [] },
];

interface EventList {
  readonly events: readonly { readonly title: string }[];
}

interface CurrentEvent {
  readonly title: string;
  readonly start_time: number;
  readonly current_time: number;
  readonly next: { readonly title: string } | null;
}

/** The guide identifies a service by these three alone. */
function referenceOf([network, stream, service]: readonly [string, string, string]): string {
  return `1:0:1:${service}:${stream}:${network}:0:0:0:0:`;
}

/** All run concurrently: each plays in real time and mostly waits. */
const programs = new Map<string, Promise<Program>>();
let started: number;
beforeAll(async () => {
  if (!available) return;
  started = performance.now();
  for (const { file } of captures) {
    const flags = ['--tuner', `file:${join(streams, file)}`, '--clock', 'broadcast'];
    programs.set(file, startProgram(temporaryFolder(), ...flags));
  }
  await Promise.all(programs.values());
});
afterAll(async () => {
  for (const running of programs.values()) removeFolder((await running).folder);
});

describe.skipIf(!available).each(captures)('$file', ({ file, services, clock, guide }) => {
  let program: Program;
  beforeAll(async () => {
    program = (await programs.get(file)) as Program;
  });

  test('every service is listed', async () => {
    await eventually(
      async () => {
        const { items } = await program.json<{ items: readonly (readonly string[])[] }>('/services');
        const names = items.map(([, name]) => name);
        return services.every((name) => names.includes(name)) ? names : undefined;
      },
      `services ${services.join(', ')}`,
    );
  });

  test.runIf(clock !== undefined)('the time is that of the broadcast', async () => {
    const time = await eventually(async () => {
      const { events } = await program.json<{ events: readonly { current_time: number }[] }>(
        '/api/eventlookup?service_reference=1:0:1:1:1:1:0:0:0:0:&flags=XC',
      );
      const now = events[0]?.current_time ?? 0;
      // Before the first TDT, the time is estimated from the present events and may be earlier.
      return now >= (clock ?? 0) && now < at('2020-01-01T00:00:00') ? now : undefined;
    }, 'the clock of the capture');
    expect(time).toBeLessThan((clock ?? 0) + 600 + (performance.now() - started) / 1000);
  });

  test.runIf(guide.length > 0)('the guide is right for the time of the capture', async () => {
    for (const { service, time, now, next } of guide) {
      const asked = `/api/eventlookup?service_reference=${referenceOf(service)}&minutes=0&flags=T&begin=${time}`;
      const titles = await eventually(
        async () => {
          const running = await program.json<EventList>(`${asked}&querytype=0`);
          const following = await program.json<EventList>(`${asked}&querytype=1`);
          const found = [running.events[0]?.title, following.events[0]?.title];
          return found[0] === undefined || (next && found[1] === undefined) ? undefined : found;
        },
        `events of ${service.join(':')}`,
      );
      expect(titles).toEqual([now, next]);
    }
  });

  // Without a TDT the receiver assumes a time at which the present events run.
  test.runIf(guide.length > 0)('the present and following events are right', async () => {
    for (const { service, time, now, next, ends } of guide) {
      if (ends) continue;
      const shown = await eventually(
        async () => {
          const response = await program.get(`/current_event/${referenceOf(service)}`);
          return response.status === 200 ? ((await response.json()) as CurrentEvent) : undefined;
        },
        `current event of ${service.join(':')}`,
      );
      expect(shown.start_time).toBeLessThanOrEqual(shown.current_time);
      // On a slow machine the event may have ended, minutes after the start.
      if (shown.start_time > time) continue;
      expect([shown.title, shown.next?.title]).toEqual([now, next]);
    }
  });

  test('it stops on request, without an error in the log', async () => {
    expect(await program.stop()).toBe(0);
    expect(program.log.filter(({ level }) => level >= 50)).toEqual([]);
  });
});
