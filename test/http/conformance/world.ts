/** The receiver of ../receiver.ts without empty lists, and its reset before each request. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReceiverParts } from '../../../src/http/parts/parts.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { type Timer, timerSpec, withLogEntry } from '../../../src/timers/timer.ts';
import { eitSections } from '../../fixtures/eit.ts';
import { writeRecording } from '../../fixtures/recordings.ts';
import { alpha, beta, fillGuide, now, openReceiver, type TestReceiver } from '../receiver.ts';

const ships = {
  id: 4711,
  start: now - 600,
  duration: 2700,
  title: 'Ships & Harbours',
  shortText: 'Episode 3',
  extendedText: 'The pilot boats of a large river.\nThen: the weather.',
};

/** An existing timer. */
export const timer = { sRef: alpha, begin: '1767290220', end: '1767293400' };

/** A running scan and one table. A real scan needs a front end. */
const scans: ReceiverParts['scans'] = {
  status: {
    state: 'scanning',
    trouble: '',
    progress: undefined,
    found: undefined,
    changes: { added: 1, renamed: 0, vanished: ['Old News'] },
  },
  start: async () => undefined,
  stop: async () => undefined,
  guess: async () => ({ country: 'de', satellites: [192] }),
  setUp: async () => undefined,
  tables: async () => ({
    tables: [
      { name: 'dvb-s/Astra-19.2E', kind: 'satellite', position: 192, country: '', path: '/', network: undefined },
    ],
    problems: [],
  }),
};

export interface World extends TestReceiver {
  /** Path of a recording, and of another that may be changed, next to a folder `series`. */
  readonly recording: string;
  readonly other: string;
  /** Undoes everything that a request may have changed. */
  reset(): Promise<void>;
}

export async function openWorld(changes: Partial<ReceiverParts> = {}): Promise<World> {
  const receiver = await openReceiver({ scans, ...changes });
  const service = ServiceReference.parse(alpha);
  receiver.tuners = receiver.tuners.map((tuner) => ({
    ...tuner,
    users: [{ purpose: 'live', user: '192.0.2.20', service }],
  }));
  const { folder, parts, playback } = receiver;
  const movies = join(folder, 'movie');
  const other = join(movies, 'Other.ts');
  /** Content of recordings for which only the size matters. */
  const recordingSize = 188;
  const recording = join(movies, '20260101 1857 - Alpha HD - Ships.ts');
  writeRecording(recording, {
    meta: [`${alpha}:Alpha HD`, 'Ships', 'Episode 3', String(now - 780), 'EPG', '286200000', '188'],
    cuts: [{ kind: 3, position: 34_344_000 }],
    event: ships,
  });
  writeRecording(join(movies, 'series', 'Ships.ts'));
  writeFileSync(join(folder, 'blacklist'), `${beta}\n`);
  await parts.services.reload('parental');
  const { guide, guideStore, timers } = parts;
  /** The timer and the guide's generation after the last reset. */
  let made: Timer | undefined;
  let filled: number | undefined;
  /** Writes only what differs: otherwise conformance.test.ts takes 11 s of processor time instead of 6. */
  async function reset(): Promise<void> {
    if (statSync(other, { throwIfNoEntry: false })?.size !== recordingSize) writeRecording(other);
    if (guide.generation !== filled) {
      await fillGuide(guide);
      // Another showing on the other service.
      const service = { serviceId: 0x2b67, transportStreamId: 0x3f3, originalNetworkId: 1 };
      for (const section of eitSections(service, now, [{ ...ships, id: 4799, start: now + 7200 }]))
        guide.ingestSection(section);
      await guide.flush();
      filled = guide.generation;
    }
    if (!existsSync(guideStore.path)) await guideStore.save();
    await playback.zap(ServiceReference.parse(alpha));
    if (timers.all.length === 1 && timers.all[0] === made) return;
    for (const { id } of timers.all) await timers.remove(id);
    await timers.add(
      timerSpec({
        reference: ServiceReference.parse(alpha),
        begin: Number(timer.begin),
        end: Number(timer.end),
        name: 'Ships',
        eventId: 4711,
        folder: `${folder}/movie/`,
        tags: ['EPG', 'Padding=3,5'],
      }),
    );
    const [first] = timers.all;
    timers.update(first?.id ?? 0, (one) => withLogEntry(one, now, 15, "it's changed"));
    made = timers.all[0];
  }
  return Object.assign(receiver, { recording, other, reset });
}
