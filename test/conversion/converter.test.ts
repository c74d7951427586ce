/** Conversion by the machine's ffmpeg. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Converter } from '../../src/conversion/converter.ts';
import { run } from '../dvb/captures.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { untilTrue } from '../fixtures/waits.ts';

const log = pino({ level: 'silent' });

function converter(options: Partial<ConstructorParameters<typeof Converter>[0]> = {}): Converter {
  const one = new Converter({ path: 'ffmpeg', maximum: 2, ...options }, log);
  onTestFinished(() => one.stop());
  return one;
}

/** Some seconds of MPEG-2 video with two Layer II audio streams, as broadcast. */
async function broadcast(): Promise<string> {
  const path = join(temporaryFolder(), 'broadcast.ts');
  const video = ['-f', 'lavfi', '-i', 'testsrc=size=720x576:rate=25:duration=4'];
  const sounds = [440, 880].flatMap((pitch) => ['-f', 'lavfi', '-i', `sine=frequency=${pitch}:duration=4`]);
  const maps = ['-map', '0', '-map', '1', '-map', '2'];
  const coded = ['-c:v', 'mpeg2video', '-b:v', '3M', '-c:a', 'mp2', '-b:a', '128k'];
  const { code, errors } = await run('ffmpeg', ['-v', 'error', ...video, ...sounds, ...maps, ...coded, path], []);
  expect([code, errors]).toEqual([0, '']);
  return path;
}

async function codecsOf(bytes: Buffer): Promise<string[]> {
  const path = join(temporaryFolder(), 'converted.ts');
  writeFileSync(path, bytes);
  const shown = ['-v', 'error', '-show_entries', 'stream=codec_name,height', '-of', 'csv=p=0', path];
  const { output } = await run('ffprobe', shown, []);
  return [...new Set(output.match(/\w+(,\d+)?/g) ?? [])];
}

describe('the converter', () => {
  it('converts MPEG-2 and Layer II to H.264 and AAC', async () => {
    const { input, output } = await converter().start({ what: 'all', audio: 0x102 });
    input.end(readFileSync(await broadcast()));
    expect(await codecsOf(await buffer(output))).toEqual(['h264,576', 'aac']);
  });

  it('copies the pictures if only the sound is to be converted', async () => {
    const { input, output } = await converter().start({ what: 'sound' });
    input.end(readFileSync(await broadcast()));
    expect(await codecsOf(await buffer(output))).toEqual(['mpeg2video,576', 'aac']);
  });

  it('limits the conversions, and ends one when its reader closes', async () => {
    const one = converter({ maximum: 1 });
    const { output } = await one.start({ what: 'all' });
    expect(await one.state()).toMatchObject({ running: 1, maximum: 1 });
    await expect(one.start({ what: 'all' })).rejects.toMatchObject({ code: 'too-many-conversions' });
    output.destroy();
    await untilTrue(async () => (await one.state()).running === 0);
    await one.start({ what: 'all' });
  });

  it('ends the second conversion of a client in favour of a client without any', async () => {
    const one = converter({ maximum: 2 });
    const [first, second] = [
      await one.start({ what: 'sound' }, 'greedy'),
      await one.start({ what: 'sound' }, 'greedy'),
    ];
    for (const { input, output } of [first, second])
      for (const end of [input, output]) end.on('error', () => undefined);
    await expect(one.start({ what: 'sound' }, 'greedy')).rejects.toMatchObject({ code: 'too-many-conversions' });
    const other = await one.start({ what: 'sound' }, 'other');
    expect([first, second, other].map(({ output }) => output.destroyed)).toEqual([false, true, false]);
    await expect(one.start({ what: 'sound' }, 'third')).rejects.toMatchObject({ code: 'too-many-conversions' });
  });

  it('ends a conversion whose reader has stalled if the maximum is reached', async () => {
    let later = 0;
    const now = performance.now.bind(performance);
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
    onTestFinished(() => spy.mockRestore());
    const one = converter({ maximum: 2 });
    const [read, still] = [await one.start({ what: 'sound' }), await one.start({ what: 'sound' })];
    const content = readFileSync(await broadcast());
    still.output.on('error', () => undefined);
    for (const { input } of [read, still]) input.on('error', () => undefined);
    still.input.write(content);
    const feeding = setInterval(() => read.input.writableNeedDrain || read.input.write(content), 20);
    onTestFinished(() => clearInterval(feeding));
    read.output.resume();
    await expect(one.start({ what: 'sound' })).rejects.toMatchObject({ code: 'too-many-conversions' });
    await untilTrue(async () => {
      await once(read.output, 'data');
      later += 31_000;
      return one.start({ what: 'sound' }).catch(() => undefined);
    });
    expect([read.output.destroyed, still.output.destroyed]).toEqual([false, true]);
  });

  it('closes its input when ffmpeg ends', async () => {
    const one = converter();
    const { input } = await one.start({ what: 'all' });
    one.stop();
    await once(input, 'close');
    expect(await one.state()).toMatchObject({ running: 0 });
  });

  it.each([{ path: '/nonexistent/ffmpeg' }, { path: '/bin/false' }, { maximum: 0 }])(
    'says that there is none, of %o',
    async (options) => {
      const one = converter(options);
      expect(await one.state()).toMatchObject({ encoder: undefined });
      await expect(one.start({ what: 'all' })).rejects.toMatchObject({ code: 'unsupported' });
    },
  );
});
