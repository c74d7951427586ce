/**
 * From packets to stored events, on multiplexes made by `make-multiplex`: pictures, sound and a week of guide for eight
 * services, and the guide packets of the same alone. Ours is a native program that covers everything from finding the
 * packets to the searchable store. The rival is aribts, on which Mirakurun and its relatives are built, with the least
 * glue that yields a guide: repeated sections are dropped, others checked and decoded, and their events put into a Map.
 * Its text decoder knows the characters of ARIB and not those of DVB. Its texts of these multiplexes are therefore useless,
 * but the work is of the same kind. A third stream has the guide of a Japanese capture, whose texts both read.
 *
 * A second comparison measures the cost of unwanted packets. Copying the bytes is the ceiling of both.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { section as finishedSection } from '../test/fixtures/sections.ts';
import { aribts, packetSize, sectionsOf } from './aribts.ts';
import type { Comparison, Comparisons, Measured } from './comparison.ts';
import { buildNative, temporaryFolder } from './native.ts';

const eitPid = 0x12;
const japaneseServices = 1000;
const nothing = Buffer.alloc(0);

function aribtsEvents(stream: Buffer): number {
  const seen = new Map<string, number>();
  const events = new Map<number, unknown>();
  sectionsOf(stream, (section) => {
    const bytes = section._buffer;
    if (section.getPid() !== eitPid || (bytes[0] as number) < 0x4e || (bytes[0] as number) > 0x6f) return;
    // table, service, section number, transport stream, network
    const name = `${bytes[0]} ${bytes.readUInt16BE(3)} ${bytes[6]} ${bytes.readUInt32BE(8)}`;
    const crc = bytes.readUInt32BE(bytes.length - 4);
    if (seen.get(name) === crc || !section.checkCrc32()) return;
    seen.set(name, crc);
    const { service_id, events: announced } = section.decode();
    for (const event of announced) {
      const texts = event.descriptors
        .decode()
        .filter(({ _buffer: [tag] }) => tag === 0x4d || tag === 0x4e)
        .flatMap((descriptor) => {
          const { event_name = nothing, text = nothing } = descriptor.decode();
          return [new aribts.TsChar(event_name).decode(), new aribts.TsChar(text).decode()];
        });
      events.set(service_id * 0x10000 + event.event_id, { ...event, texts });
    }
  });
  return events.size;
}

/** Makes the multiplex once; the file stays in the temporary folder. */
function multiplex(maker: string, seconds: number): string {
  const file = join(tmpdir(), `receiverd-bench-multiplex-${seconds}.ts`);
  if (!existsSync(`${file}.truth.json`)) {
    execFileSync(maker, [file, '--seconds', String(seconds)], { stdio: 'ignore' });
  }
  return file;
}

/** The guide sections of a capture, for a thousand services: Japanese texts. */
function japaneseGuide(capture: string): Buffer {
  const bodies: { readonly table: number; readonly body: Buffer }[] = [];
  sectionsOf(readFileSync(capture), (section) => {
    const bytes = section._buffer;
    if (section.getPid() === eitPid) bodies.push({ table: bytes[0] as number, body: bytes.subarray(3, -4) });
  });
  const packets: Buffer[] = [];
  for (let service = 1; service <= japaneseServices; service++) {
    for (const { table, body } of bodies) {
      const own = Buffer.from(body);
      own.writeUInt16BE(service);
      const unit = Buffer.concat([Buffer.of(0), finishedSection(table, own)]);
      for (let at = 0; at < unit.length; at += packetSize - 4) {
        const head = Buffer.of(0x47, at === 0 ? 0x40 : 0, eitPid, 0x10 | (packets.length & 0xf));
        const packet = Buffer.alloc(packetSize, 0xff);
        Buffer.concat([head, unit.subarray(at, at + packetSize - 4)]).copy(packet);
        packets.push(packet);
      }
    }
  }
  return Buffer.concat(packets);
}

function onlyGuide(stream: Buffer): Buffer {
  const packets: Buffer[] = [];
  for (let at = 0; at < stream.length; at += packetSize) {
    if ((stream.readUInt16BE(at + 1) & 0x1fff) === eitPid) packets.push(stream.subarray(at, at + packetSize));
  }
  return Buffer.concat(packets);
}

const comparisons: Comparisons = async (quick) => {
  const maker = join(process.env.RECEIVERD_TEST_DATA ?? '', 'make-multiplex');
  if (!process.env.RECEIVERD_TEST_DATA || !existsSync(maker)) {
    console.log('\neit: left out, RECEIVERD_TEST_DATA has no make-multiplex');
    return [];
  }
  const whole = multiplex(maker, quick ? 3 : 20);
  const program = buildNative('eit_bench');
  const guide = join(temporaryFolder(), 'guide.ts');
  writeFileSync(guide, onlyGuide(readFileSync(whole)));
  const capture = join(process.env.RECEIVERD_TEST_DATA ?? '', 'ts', 'isdb-arib.ts');
  const japanese = join(temporaryFolder(), 'japanese.ts');
  if (existsSync(capture)) writeFileSync(japanese, japaneseGuide(capture));
  const measured = (file: string, what: string) =>
    JSON.parse(
      execFileSync(program, [file, quick ? '300' : '3000', what], { encoding: 'utf8', maxBuffer: 1 << 28 }),
    ) as Measured[];
  const stored = (name: string, file: string): Comparison => {
    const stream = readFileSync(file);
    return {
      name,
      work: { amount: stream.length / 1e6, unit: 'MB' },
      contenders: [...measured(file, 'all'), { name: 'aribts (JavaScript)', run: () => aribtsEvents(stream) }],
      check: (ours, rival, contender) => {
        if (contender !== 'memcpy') assert.equal(rival, ours, 'both have the same number of events');
        return undefined;
      },
    };
  };
  const [ours, copied] = measured(whole, 'unwanted');
  assert(ours && copied);
  return [
    stored('eit: a multiplex with pictures, packets to stored events', whole),
    stored('eit: its guide packets alone, packets to stored events', guide),
    ...(existsSync(capture) ? [stored('eit: a Japanese guide, packets to stored events', japanese)] : []),
    {
      name: 'eit: packets that nobody wants',
      work: { amount: (Number(ours.result) * packetSize) / 1e6, unit: 'MB' },
      contenders: [ours, copied],
      check: () => undefined,
    },
  ];
};
export default comparisons;
