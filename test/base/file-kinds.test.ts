/** Recognising files that were given to the wrong import. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkKind, type FileKind } from '../../src/base/file-kinds.ts';

async function problemOf(content: Buffer | string, wanted: FileKind): Promise<string> {
  const bytes = Buffer.from(content);
  const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 700), bytes.subarray(700)];
  try {
    const { whole } = await checkKind(pieces, wanted);
    const all: Uint8Array[] = [];
    for await (const piece of whole) all.push(piece);
    expect(Buffer.concat(all)).toEqual(bytes);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

it.each([
  ['', 'guide file'],
  ['#', 'guide file'],
  ['<?xml version="1.0"?>\n<!DOCTYPE tv SYSTEM "xmltv.dtd">\n<tv></tv>', 'guide file'],
  ['\ufeff<tv generator-info-name="x">', 'guide file'],
  ['<oops>', 'guide file'],
  [`<tv>${'G'.repeat(180)}`, 'guide file'],
  ['http://host/1.ts\n', 'channel list'],
  ['\ufeff\n#extm3u\n', 'channel list'],
  [`G${'x'.repeat(187)}G${'x'.repeat(187)}`, 'channel list'],
  [`#EXTM3U\n#EXTGRP:${'GXTE'.repeat(400)}`, 'channel list'],
] as const)('passes %j as a %s', async (content, wanted) => {
  expect(await problemOf(content, wanted)).toBe('');
});

it.each([
  ['<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE tv SYSTEM "xmltv.dtd">\n<tv></tv>', 'channel list', 'XMLTV'],
  ['\xff\xfe..ENIGMA_EPG_V8', 'channel list', 'epg.dat'],
  ['  \r\n#EXTINF:-1,One\nhttp://host/1.ts', 'guide file', 'M3U'],
  ['\n<HTML lang="en">', 'channel list', 'web page'],
] as const)('rejects %j as a %s', async (content, wanted, named) => {
  expect(await problemOf(Buffer.from(content, 'latin1'), wanted)).toContain(named);
});

const folder = join(process.env.RECEIVERD_TEST_DATA ?? '', 'ts');

it.skipIf(process.env.RECEIVERD_TEST_DATA === undefined)('recognises every real transport stream', async () => {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.ts'))) {
    const stream = readFileSync(join(folder, name)).subarray(0, 4000);
    for (const cut of [0, 1, 77])
      expect(await problemOf(stream.subarray(cut), 'guide file'), name).toMatch(/is a transport stream/);
  }
});
