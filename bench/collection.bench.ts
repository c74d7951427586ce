/**
 * How long the guide of a multiplex takes: from the tuning of a paced capture to complete present and following events,
 * and to complete schedules, as the collector judges them. The bound is the broadcast itself: the moment at which the
 * last section that was not sent before has been sent, found by aribts in the same bytes. Nobody can be faster, and who
 * waits for a second round needs a period more.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Tuner } from '../src/dvb/tuner.ts';
import { Guide } from '../src/epg/guide.ts';
import { hasMachine, inMachine, writeLists, writeMultiplex } from '../test/receiver/vidtv/machine.ts';
import { packetSize, type Section, sectionsOf } from './aribts.ts';
import type { Comparison, Comparisons } from './comparison.ts';
import { temporaryFolder } from './native.ts';

interface Shape {
  readonly television: number;
  readonly radio: number;
  readonly days: number;
  /** Bits per second: a little more than pictures and sound need, as on air. */
  readonly rate: number;
}

const shapes: readonly Shape[] = [
  { television: 3, radio: 1, days: 2, rate: 5_000_000 },
  { television: 6, radio: 2, days: 7, rate: 9_500_000 },
  { television: 12, radio: 4, days: 14, rate: 18_500_000 },
];
const seconds = 60;

/** Milliseconds from the start of the stream. */
interface Times {
  readonly presentFollowing: number;
  readonly schedule: number;
}

/** When the last new section is sent, and how long a round of the schedule takes. */
function sent(stream: Buffer, rate: number): Times & { readonly period: number } {
  const last = { presentFollowing: 0, schedule: 0 };
  const seen = new Map<string, number>();
  let period = 0;
  const listen = (section: Section, read: number) => {
    const [bytes, now] = [section._buffer, (read * 8000) / rate];
    const [tableId = 0] = bytes;
    if (section.getPid() !== 0x12 || (tableId !== 0x4e && (tableId < 0x50 || tableId > 0x5f))) return;
    const key = `${tableId} ${bytes.readUInt16BE(3)} ${bytes[6]}`;
    const before = seen.get(key);
    if (before === undefined) last[tableId === 0x4e ? 'presentFollowing' : 'schedule'] = now;
    else if (tableId !== 0x4e) period = Math.max(period, now - before);
    seen.set(key, now);
  };
  sectionsOf(stream, listen, packetSize);
  return { ...last, period };
}

async function collected(path: string): Promise<Times> {
  const guide = new Guide();
  const tuner = new Tuner({ kind: 'file', path, loop: true, paced: true }, { guide: guide.native });
  const begin = performance.now();
  const found = { presentFollowing: Number.NaN, schedule: Number.NaN };
  tuner.start();
  while (performance.now() - begin < 2 * seconds * 1000 && Number.isNaN(found.schedule + found.presentFollowing)) {
    await pause(50);
    for (const one of tuner.guideProgress()) {
      const now = performance.now() - begin;
      const isDone = (all: number, complete: number) => all > 0 && all === complete;
      if (Number.isNaN(found.presentFollowing) && isDone(one.presentFollowing, one.presentFollowingComplete))
        found.presentFollowing = now;
      if (Number.isNaN(found.schedule) && isDone(one.schedules, one.schedulesComplete)) found.schedule = now;
    }
  }
  await tuner.stop();
  return found;
}

function capture(maker: string, { television, radio, days, rate }: Shape): string {
  const file = join(tmpdir(), `receiverd-bench-collection-${television}-${days}.ts`);
  const size = ['--services', `${television}`, '--radio', `${radio}`, '--days', `${days}`, '--rate', `${rate}`];
  if (!existsSync(`${file}.truth.json`))
    execFileSync(maker, [file, ...size, '--seconds', String(seconds)], { stdio: 'ignore' });
  return file;
}

/** The same multiplexes on a front end of the virtual machine: a visit of the collector, by its own log. */
function inTheMachine(): readonly Comparison[] {
  const folder = temporaryFolder();
  const truths = shapes.map(({ television, ...shape }, n) =>
    writeMultiplex(folder, n + 1, { ...shape, services: television, seconds }),
  );
  writeLists(folder, truths);
  const frequencies = truths.map((_, n) => 498_000_000 + 8_000_000 * n).join(',');
  const { found } = inMachine<
    readonly { readonly transponder: string; readonly seconds: number; readonly whole: boolean }[]
  >(folder, 'collection.mjs', [String(truths[0]?.time)], [`vidtv_valid_dvb_t_freqs=${frequencies}`]);
  return shapes.map(({ days }, n): Comparison => {
    const visit = found.find(({ transponder }) => transponder === `${498 + 8 * n} MHz`);
    if (!visit?.whole) throw new Error(`the guide of ${days} days did not come in whole`);
    return {
      name: `collection: everything of ${days} days on a front end of the virtual machine`,
      contenders: [{ name: 'receiverd', samples: [visit.seconds * 1000], result: undefined }],
      check: () => undefined,
    };
  });
}

const comparisons: Comparisons = async (quick) => {
  const maker = join(process.env.RECEIVERD_TEST_DATA ?? '', 'make-multiplex');
  if (!process.env.RECEIVERD_TEST_DATA || !existsSync(maker) || quick) {
    console.log('\ncollection: left out; it takes minutes and make-multiplex of RECEIVERD_TEST_DATA');
    return [];
  }
  const files = shapes.map((shape) => capture(maker, shape));
  // They are idle most of the time.
  const ours = await Promise.all(files.map(collected));
  const onAir = hasMachine ? inTheMachine() : [];
  if (!hasMachine) console.log('\ncollection: the virtual machine left out; RECEIVERD_VIDTV and RECEIVERD_WHOLE_RUN=1');
  return shapes.flatMap(({ television, radio, days, rate }, n): Comparison[] => {
    const bound = sent(readFileSync(files[n] as string), rate);
    const mine = ours[n] as Times;
    const compared = (what: keyof Times, name: string): Comparison => ({
      name: `collection: ${television} television and ${radio} radio services, ${days} days: ${name}`,
      contenders: [
        { name: 'receiverd', samples: [mine[what]], result: undefined },
        { name: 'the broadcast itself', samples: [bound[what]], result: undefined },
      ],
      check: () => (what === 'schedule' ? `a round takes ${(bound.period / 1000).toFixed(1)} s` : undefined),
    });
    const both = [compared('presentFollowing', 'present and following'), compared('schedule', 'schedules')];
    return onAir[n] === undefined ? both : [...both, onAir[n] as Comparison];
  });
};

export default comparisons;
