/** The guide outlives the program, however that ends; an unusable file costs no more than a log line. */
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guideFile } from '../../src/epg/guide-store.ts';
import { eventually, until } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
const file = guideFile(folder);
const title = 'Found in no carousel';
let program: Program;

const start = () => startProgram(folder, '--tuner', 'demo');

beforeAll(async () => {
  program = await start();
  // Otherwise a killed receiver would first have to scan again, and no search returns events of unlisted services.
  await eventually(
    async () => program.log.some(({ msg }) => msg === 'services scanned') || undefined,
    'the services of the demo multiplex on the disk',
  );
});
afterAll(async () => {
  await program.stop('SIGKILL');
  removeFolder(folder);
});

async function found(): Promise<number> {
  const { events } = await program.json<{ events: object[] }>(`/api/epgsearch?search=${encodeURIComponent(title)}`);
  return events.length;
}

/** The log and the report that the program is ready come through different pipes. */
const warned = (text: RegExp) =>
  until(() => {
    const warnings = program.log.filter(({ level }) => level === 40).map(({ msg }) => msg);
    expect(warnings).toContainEqual(expect.stringMatching(text));
  });

/** Adds a programme that begins on a full hour a month ahead, where the demo has none. */
async function importProgramme(): Promise<void> {
  const items = await eventually(async () => {
    const list = await program.json<{ items: { service_reference: string }[] }>('/services/tv?format=object');
    return list.items.length > 0 ? list.items : undefined;
  }, 'the services of the demo multiplex');
  const id = items[0]?.service_reference.replace(/:$/, '');
  const hour = (ahead: number) => {
    const time = new Date(Math.ceil(Date.now() / 3_600_000 + 24 * 20 + ahead) * 3_600_000);
    return time.toISOString().replace(/[-:T]|\..*/g, '');
  };
  const document = `<tv><channel id="${id}"/><programme channel="${id}" start="${hour(0)}" stop="${hour(1)}"><title>${title}</title></programme></tv>`;
  const reply = await fetch(`${program.http}/api/epgimport`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    body: document,
  });
  expect(await reply.json()).toMatchObject({ result: true, imported: 1 });
}

test('a killed receiver has the guide when it is ready again', async () => {
  await importProgramme();
  await eventually(async () => (existsSync(file) ? true : undefined), 'the guide on the disk');
  const saved = await program.json<{ result: boolean }>('/api/saveepg');
  expect(saved.result).toBe(true);
  await program.stop('SIGKILL');
  program = await start();
  expect(await found()).toBe(1);
});

test('a stopped one has it too, with the latest changes', async () => {
  await program.json('/api/clearepg');
  expect(await found()).toBe(0);
  await importProgramme();
  expect(await program.stop()).toBe(0);
  program = await start();
  expect(await found()).toBe(1);
});

test('a damaged file is reported, the guide is collected again, and the next start has one', async () => {
  expect(await program.stop()).toBe(0);
  truncateSync(file, Math.floor(statSync(file).size / 3));
  program = await start();
  await warned(/guide\.snapshot: it has \d+ bytes instead of \d+; starting with an empty guide$/);
  expect(await found()).toBe(0);
  const gathered = () => program.json<{ events: object[] }>('/api/epgsearch?search=a');
  await eventually(async () => ((await gathered()).events.length > 0 ? true : undefined), 'a guide from the air');
  expect(await program.stop()).toBe(0);

  // A flipped bit at any position.
  const bytes = readFileSync(file);
  const place = Math.floor(bytes.length * 0.7);
  bytes[place] = (bytes[place] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
  program = await start();
  await warned(/guide\.snapshot: .*; starting with an empty guide$/);
  await eventually(async () => ((await gathered()).events.length > 0 ? true : undefined), 'a guide from the air');
  expect(await program.stop()).toBe(0);
  program = await start();
  expect(await program.stop()).toBe(0);
  expect(program.log.filter(({ level }) => level >= 40)).toEqual([]);
});
