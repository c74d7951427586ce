/** timers.xml: its text and the file. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceReference } from '../../src/services/reference.ts';
import { afterEvents, maxLogEntries, newTimer, type Timer, timerSpec, zapWakeups } from '../../src/timers/timer.ts';
import { TimersFile } from '../../src/timers/timers-file.ts';
import { formatTimers, parseTimers } from '../../src/timers/timers-text.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'receiverd-timers-'));
  path = join(folder, 'timers.xml');
});
afterEach(() => rm(folder, { recursive: true }));

const read = parseTimers;
const written = (timers: readonly Timer[], others: readonly string[] = []) =>
  [...formatTimers(timers, others)].join('');

/** In the format of a box. */
const ofBox = `<?xml version="1.0" ?>
<timers>
<timer begin="1704110220" end="1704114300" serviceref="1:0:19:283D:3FB:1:C00000:0:0:0:" repeated="0" name="News &amp; &quot;more&quot;" description="" afterevent="auto" eit="4660" location="/media/hdd/movie/" tags="News Info" disabled="1" justplay="0" always_zap="0" pipzap="0" zap_wakeup="always" rename_repeat="1" conflict_detection="1" descramble="1" record_ecm="0" flags="autotimer">
<log code="15" time="1704100000">record time changed</log>
</timer>
<timer begin="1704210220" end="1704214300" serviceref="1:134:1:0:0:0:0:0:0:0:FROM BOUQUET &quot;alternatives.x.tv&quot; ORDER BY bouquet" repeated="31" name="Series" description="2" afterevent="deepstandby" justplay="1" always_zap="1" pipzap="0" zap_wakeup="never" rename_repeat="0" conflict_detection="0" descramble="0" record_ecm="1">
</timer>
</timers>
`;

describe('the text', () => {
  it('of a box is read completely, and differs only by the id when written', async () => {
    const { timers, others, problems } = await read(ofBox);
    expect([others, problems]).toEqual([[], []]);
    expect(timers[0]).toMatchObject({
      begin: 1704110220,
      end: 1704114300,
      name: 'News & "more"',
      eventId: 4660,
      folder: '/media/hdd/movie/',
      tags: ['News', 'Info'],
      disabled: true,
      afterEvent: 'auto',
      flags: ['autotimer'],
      log: [{ code: 15, time: 1704100000, text: 'record time changed' }],
      state: 'waiting',
    });
    expect(timers[1]).toMatchObject({ repeated: 31, justPlay: true, recordEcm: true, zapWakeup: 'never' });
    expect(timers[1]?.reference.isAlternatives).toBe(true);
    expect(written(timers).replace(/ timer_id="\d+"/g, '')).toBe(ofBox);
  });

  it('keeps foreign content', async () => {
    const foreign = `<?xml version="1.0" ?>
<timers>
<timer begin="1" end="2" serviceref="1:0:1:2:3:4:5:0:0:0:" repeated="0" name="a" description="b" afterevent="nothing" justplay="0" always_zap="0" pipzap="0" zap_wakeup="always" rename_repeat="1" conflict_detection="1" descramble="1" record_ecm="0" autoTimerId="7" justremind="1" timer_id="1">
<log code="5" time="9" by="x">who?</log>
<plugin key="&lt;&apos;&gt;"><deep a="1"/>text &amp; more</plugin>
</timer>
<timer begin="3" name="no service"><log code="1" time="1">x</log></timer>
<powertimer begin="3"/>
</timers>
`;
    const { timers, others, problems } = await read(foreign);
    expect(timers).toHaveLength(1);
    expect(problems).toEqual(["timer 'no service' has no service, begin or end: it stays in the file but never runs"]);
    expect(written(timers, others)).toBe(foreign);
  });

  it('has the margins that a box with them has written, if the timer is long enough for them', async () => {
    const [start, margins] = [
      '<timers><timer begin="1000" end="5000" serviceref="1:0:1:2:3:4:5:0:0:0:"',
      ' marginBefore="180" marginAfter="300"',
    ];
    const { timers } = await read(`${start}${margins}/></timers>`);
    expect(timers[0]?.margins).toEqual({ before: 180, after: 300 });
    expect(written(timers)).toContain(margins);
    for (const wrong of [' marginBefore="-1" marginAfter="300"', ' marginBefore="180"', ''])
      expect((await read(`${start}${wrong}/></timers>`)).timers[0]?.margins).toBeUndefined();
    expect(written(timers.map((timer) => ({ ...timer, end: 1400 })))).not.toContain('margin');
  });

  it('accepts timers with missing fields', async () => {
    const { timers } = await read(
      '<timers><timer begin="20.7" end="10" serviceref="1:0:1:2:3:4:5:0:0:0" eit="None" location="None" tags="None" afterevent="x" repeated="x"/></timers>',
    );
    expect(timers[0]).toEqual({
      ...newTimer(
        1,
        timerSpec({ reference: ServiceReference.parse('1:0:1:2:3:4:5:0:0:0:'), begin: 20, end: 20, name: '' }),
      ),
      afterEvent: 'nothing',
    });
  });

  it.each([
    ['', 'root element'],
    ['<settings/>', 'root'],
    ['<timers><timer', 'unclosed'],
    [`<timers>${'<a>'.repeat(100)}`, 'deep'],
  ])('has no timers if it is not a list: %j', async (text, what) => {
    expect(await read(text)).toMatchObject({ timers: [], damage: expect.stringContaining(what) });
  });

  it('yields the timers that are intact, wherever it is cut', async () => {
    const ends = [...ofBox.matchAll(/<timer [^>]*>/g)].map(({ 0: tag, index }) => index + tag.length);
    const whole = await read(ofBox);
    const end = ofBox.lastIndexOf('>') + 1;
    for (let length = 0; length < end; length += 7) {
      const { timers, damage } = await read(ofBox.slice(0, length));
      expect(timers).toHaveLength(ends.filter((at) => at <= length).length);
      expect(damage).toMatch(/^it is damaged in line \d+: /);
      for (const [n, { name, begin, reference }] of timers.entries())
        expect({ name, begin, reference }).toMatchObject({
          name: whole.timers[n]?.name,
          begin: whole.timers[n]?.begin,
        });
    }
  });

  it.each([
    ['an end tag is missing', ofBox.replace('</timer>\n<timer', '<timer'), 2],
    ['an end tag is too much', ofBox.replace('</timer>', '</timer></timer>'), 2],
    ['an ampersand is bare', ofBox.replace('name="Series"', 'name="A & B"'), 2],
    ['a tag is torn', ofBox.replace('serviceref="1:0', 'serv<="1:0'), 1],
    ['zeros are in it', ofBox.replace('</timer>', '</timer>\0\0\0\0'), 2],
    ['text follows', `${ofBox}${ofBox}`, 2],
  ])('gives the timers that can be read if %s', async (_, text, count) => {
    const { timers, damage } = await read(text);
    expect(timers).toHaveLength(count);
    expect(damage).toMatch(/^it is damaged in line \d+: /);
  });

  it('may have a document type, whose entities are never resolved', async () => {
    const type = '<!DOCTYPE timers [<!ENTITY a "aaa"><!ENTITY b SYSTEM "file:///etc/hostname">]>';
    const typed = ofBox.replace('<timers>', `${type}\n<timers>`);
    expect(await read(typed)).toEqual(await read(ofBox));
    const { timers, damage } = await read(typed.replace('name="Series"', 'name="&a;&b;"'));
    expect(timers.map(({ name }) => name)).toEqual(['News & "more"', '&a;&b;']);
    expect(damage).toContain('undefined entity');
  });

  it('gives every timer a unique id', async () => {
    const one = (id: string) => `<timer begin="1" end="2" serviceref="1:0:1:2:3:4:5:0:0:0:" ${id}/>`;
    const { timers } = await read(
      `<timers>${one('timer_id="5"')}${one('')}${one('timer_id="5"')}${one('timer_id="-1"')}</timers>`,
    );
    expect(timers.map(({ id }) => id)).toEqual([5, 6, 7, 8]);
  });

  const text = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .map((one) => one.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ''));
  const line = fc.tuple(text, fc.constantFrom('', '\n', '\t', ' ')).map((parts) => parts.join('x'));
  const time = fc.integer({ min: 0, max: 4e9 });
  const words = fc.array(
    text.map((one) => one.replace(/\s/g, '')).filter((one) => one !== '' && one !== 'None'),
    { maxLength: 3 },
  );
  const name = fc.constantFrom('autoTimerId', 'justremind', 'backup', 'x-y');
  const timer: fc.Arbitrary<Timer> = fc
    .record({
      begin: time,
      length: fc.integer({ min: 0, max: 1e6 }),
      name: line,
      description: line,
      eventId: fc.option(fc.integer({ min: 1, max: 65535 }), { nil: undefined }),
      event: fc.option(fc.record({ start: time, end: time, crid: text }), { nil: undefined }),
      folder: fc.option(
        text.map((one) => `/${one}/`),
        { nil: undefined },
      ),
      tags: words,
      flags: words,
      repeated: fc.integer({ min: 0, max: 127 }),
      localSpan: fc.option(fc.record({ begin: fc.nat(86_399), length: fc.nat(200_000) }), { nil: undefined }),
      afterEvent: fc.constantFrom(...afterEvents),
      zapWakeup: fc.constantFrom(...zapWakeups),
      bits: fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }),
      vpsTime: fc.constantFrom(-1, 1704110220),
      state: fc.constantFrom('waiting' as const, 'ended' as const),
      fileName: text,
      log: fc.array(fc.record({ time, code: fc.integer({ min: 0, max: 99 }), text: text.map((one) => one.trim()) }), {
        maxLength: maxLogEntries,
      }),
      foreign: fc.dictionary(name, text),
    })
    .map(({ length, bits, foreign, ...given }) => ({
      ...newTimer(
        1,
        timerSpec({
          ...given,
          reference: ServiceReference.parse('1:0:19:2B66:3F3:1:C00000:0:0:0::Own "Name"'),
          end: given.begin + length,
          disabled: bits[0] as boolean,
          justPlay: bits[1] as boolean,
          alwaysZap: bits[2] as boolean,
          pipZap: bits[3] as boolean,
          renameRepeat: bits[4] as boolean,
          conflictDetection: bits[5] as boolean,
          descramble: bits[6] as boolean,
          recordEcm: bits[7] as boolean,
          followsRunningStatus: bits[8] as boolean,
          endsWithEvent: bits[9] as boolean,
          autoTimer: bits[10] as boolean,
          allowDuplicate: bits[11] as boolean,
          autoAdjust: bits[12] as boolean,
          iceTimerId: 'ice',
          relayOf: bits[0] ? 7 : undefined,
        }),
      ),
      state: given.state,
      failed: bits[0] as boolean,
      fileName: given.fileName,
      log: given.log,
      foreignAttributes: Object.entries(foreign),
      foreignElements: ['<plugin a="1">x &amp; y</plugin>'],
    }));

  it('holds all fields of a timer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(timer, { maxLength: 4 }), async (some) => {
        const timers = some.map((one, index) => ({ ...one, id: index + 1 }));
        const { timers: again, others, problems } = await read(written(timers, ['<other/>']));
        expect(again).toEqual(timers);
        expect([others, problems]).toEqual([['<other/>'], []]);
      }),
    );
  });

  it('accepts any bytes as a list or as damage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async (damage) => {
        const at = damage.length * 7;
        const { timers } = await read(ofBox.slice(0, at) + damage + ofBox.slice(at));
        expect((await read(written(timers))).timers).toEqual(timers);
      }),
    );
  });
});

describe('the file', () => {
  const timers = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      newTimer(
        i + 1,
        timerSpec({ reference: ServiceReference.parse('1:0:1:2:3:4:5:0:0:0:'), begin: i, end: i + 10, name: `n${i}` }),
      ),
    );

  it('holds a thousand timers', async () => {
    const all = timers(1000);
    await new TimersFile(path).write(all);
    const again = await new TimersFile(path).read();
    expect(again).toMatchObject({ problems: [] });
    expect(again.timers).toEqual(all);
  });

  it('has no timers if it is missing', async () => {
    expect(await new TimersFile(path).read()).toMatchObject({ timers: [], problems: [] });
  });

  it('is kept under another name if it is damaged, without overwriting earlier kept files', async () => {
    const torn = ofBox.slice(0, ofBox.indexOf('</timer>'));
    await writeFile(path, torn);
    // Two starts without a change in between.
    for (let start = 0; start < 2; start++) {
      const { timers: left, problems } = await new TimersFile(path).read();
      expect(left.map(({ name }) => name)).toEqual(['News & "more"']);
      expect(problems).toEqual([
        expect.stringMatching(
          /timers\.xml: it is damaged in line \d+: .*; timers read: 1; a copy is in .*timers\.xml\.damaged$/,
        ),
      ]);
      expect((await readdir(folder)).sort()).toEqual(['timers.xml', 'timers.xml.damaged']);
    }
    const file = new TimersFile(path);
    await file.write((await file.read()).timers);
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe(torn);
    expect((await new TimersFile(path).read()).problems).toEqual([]);
    await writeFile(path, 'torn <timers>');
    const again = new TimersFile(path);
    expect((await again.read()).problems).toEqual([expect.stringContaining('timers.xml.damaged.1')]);
    await again.write([]);
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe(torn);
    expect(await readFile(`${path}.damaged.1`, 'utf8')).toBe('torn <timers>');
  });

  it('is kept if it is not a regular file, such as a pipe', async () => {
    execFileSync('mkfifo', [path]);
    const file = new TimersFile(path);
    const { timers: none, problems } = await file.read();
    expect(none).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(`${path}: is not a regular file`)]);
    await file.write(timers(1));
    expect((await stat(`${path}.damaged`)).isFIFO()).toBe(true);
    expect((await new TimersFile(path).read()).timers).toHaveLength(1);
  });

  it('is not replaced if the damaged one cannot be kept', async () => {
    await mkdir(path);
    const file = new TimersFile(path);
    expect((await file.read()).problems).toEqual([
      expect.stringMatching(/is not a regular file; .*a copy cannot be saved/),
    ]);
    await expect(file.write([])).rejects.toMatchObject({ code: 'file-unwritable' });
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('may be in UTF-16', async () => {
    const text = ofBox.replace('Series', 'Büchermagazin €');
    for (const mark of ['\ufeff', '']) {
      const bytes = Buffer.from(mark + text, 'utf16le');
      for (const one of [bytes, Buffer.from(bytes).swap16()]) {
        await writeFile(path, one);
        expect(await new TimersFile(path).read()).toEqual({
          timers: [
            expect.objectContaining({ name: 'News & "more"' }),
            expect.objectContaining({ name: 'Büchermagazin €' }),
          ],
          problems: [],
        });
        await writeFile(path, one.subarray(0, -37));
        expect((await new TimersFile(path).read()).timers).toHaveLength(2);
        await rm(`${path}.damaged`);
      }
    }
  });

  it('is still read as UTF-8 when it is cut within a character', async () => {
    const cut = Buffer.from(ofBox.replace('News', 'Bücher').slice(0, -12));
    await writeFile(path, Buffer.concat([cut, Buffer.from([0xc3])]));
    expect((await new TimersFile(path).read()).timers[0]?.name).toBe('Bücher & "more"');
  });

  it('may be in ISO 8859-1 and begin with a byte order mark', async () => {
    await writeFile(
      path,
      Buffer.from(
        '<timers><timer begin="1" end="2" serviceref="1:0:1:2:3:4:5:0:0:0:" name="Fl\xf6te"/></timers>',
        'latin1',
      ),
    );
    expect((await new TimersFile(path).read()).timers[0]?.name).toBe('Flöte');
    await writeFile(path, `\ufeff${ofBox}`);
    expect((await new TimersFile(path).read()).timers).toHaveLength(2);
  });

  it('reports a failed write, and the next write succeeds', async () => {
    const file = new TimersFile(join(folder, 'timers.xml', 'below'));
    await writeFile(path, '');
    await expect(file.write([])).rejects.toMatchObject({ code: 'file-unwritable' });
    await rm(path);
    await file.write([]);
    expect(await readFile(join(path, 'below'), 'utf8')).toBe('<?xml version="1.0" ?>\n<timers>\n</timers>\n');
  });
});
