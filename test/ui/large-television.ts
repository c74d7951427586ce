/** A receiver with a large guide of 14 days. */
import { readFileSync, rmSync } from 'node:fs';
import { moment } from '../fixtures/fixed-demo.ts';
import { type LargeGuide, writeLargeGuide } from '../fixtures/large-guide.ts';
import { removeFolder, temporaryFolder } from '../receiver/program.ts';
import { openTelevision, type Television } from './open-page.ts';

export interface LargeTelevision extends Television {
  readonly guide: LargeGuide;
}

export async function openLargeTelevision(services: number): Promise<LargeTelevision> {
  const folder = temporaryFolder();
  const guide = await writeLargeGuide(folder, { services, now: moment });
  const television = await openTelevision('--enigma2-dir', guide.lists);
  const response = await fetch(`${television.program.http}/api/epgimport`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml' },
    body: readFileSync(guide.file),
  });
  if (!response.ok) throw new Error(await response.text());
  rmSync(guide.file);
  return {
    ...television,
    guide,
    async close() {
      await television.close();
      removeFolder(folder);
    },
  };
}
