/** HTTP Live Streaming in a player that stays close to the broadcast: hls.js in a real browser. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { haveFfmpeg } from '../dvb/captures.ts';
import { eventually, until, untilTrue } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { browser, startBrowser } from '../ui/open-page.ts';

const television = '1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:';
const radio = '1:0:2:D21:D01:FF0D:EEEE0000:0:0:0:';
const player = createRequire(import.meta.url).resolve('hls.js');

/**
 * Plays an address, and counts what happens. Waiting, for lists too, is no error: it says how fast the machine is, and hls.js
 * then looks for holes. Nor is a segment without media of which media has gone to the browser: if that takes the first of it
 * late, hls.js 1.6 loses count, and treats the segment as a gap. A true gap is a second range, unless the list no longer has
 * the next segment: then the machine was too slow.
 */
const play = (address: string) => `(() => {
  const waiting = /^level|TimeOut$|^bufferStalledError$|^bufferNudgeOnStall$|^bufferSeekOverHole$/;
  const miscounted = /^fragParsingError$|^fragGap$/;
  const seen = (globalThis.seen = { parts: 0, errors: [], missed: 0 });
  const appended = new Set();
  const video = document.body.appendChild(document.createElement('video'));
  video.muted = true;
  const hls = (globalThis.hls = new Hls({ lowLatencyMode: true }));
  hls.on(Hls.Events.FRAG_LOADED, (_, { part }) => { if (part) seen.parts++; });
  hls.on(Hls.Events.BUFFER_APPENDING, (_, { frag }) => appended.add(frag.sn));
  hls.on(Hls.Events.LEVEL_UPDATED, (_, { details }) => {
    const last = Math.max(...appended);
    if (details.startSN > last + 1 && appended.size > 0) seen.missed++;
  });
  hls.on(Hls.Events.ERROR, (_, { details, fatal, frag }) => {
    const isNone = waiting.test(details) || (miscounted.test(details) && appended.has(frag.sn));
    if (fatal || !isNone) seen.errors.push(details + (fatal ? ', fatal' : ''));
  });
  hls.loadSource(${JSON.stringify(address)});
  hls.attachMedia(video);
  return video.play();
})()`;
const state = `({
  ...seen,
  time: document.querySelector('video').currentTime,
  width: document.querySelector('video').videoWidth,
  gaps: seen.missed > 0 ? 0 : document.querySelector('video').buffered.length - 1,
})`;
interface State {
  readonly parts: number;
  readonly errors: readonly string[];
  readonly time: number;
  readonly width: number;
  /** Holes in what is buffered. */
  readonly gaps: number;
}

describe.skipIf(!browser)('hls.js', () => {
  const folder = temporaryFolder();
  let program: Program;
  let started: Browser;
  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', 'demo');
    started = await startBrowser(['--autoplay-policy=no-user-gesture-required']);
    await eventually(async () => {
      const { items } = await program.json<{ items: readonly unknown[] }>('/services');
      return items.length > 7 || undefined;
    }, 'the services');
  });
  afterAll(async () => {
    await started?.close();
    await program?.stop();
    removeFolder(folder);
  });

  /** A page of the receiver's own site, without its policy, that plays a playlist. */
  async function playing(path: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    const context = await started.newContext({ bypassCSP: true });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await prepare?.(page);
    await page.goto(`${program.http}/api/about`);
    await page.addScriptTag({ path: player });
    await page.evaluate(play(path));
    return page;
  }
  const after = (page: Page, seconds: number) =>
    until(async () => {
      const now = (await page.evaluate(state)) as State;
      if (now.time <= seconds || now.parts <= 4) throw new Error(`it does not play: ${JSON.stringify(now)}`);
      return now;
    });

  it('plays a service part by part', async () => {
    const page = await playing(join('/hls', television, 'index.m3u8'));
    const { time } = await after(page, 0.1);
    expect(await after(page, time + 5)).toMatchObject({ errors: [], width: 1024, gaps: 0 });
  });

  it('continues after a list that came late', async () => {
    const list = join('/hls', television, 'index.m3u8');
    const newest = (text: string) => Number(text.match(/^\d+(?=\.ts)/gm)?.at(-1));
    // After one without a part of the segment to come, the next waits until that segment is listed.
    let wanted: number | undefined;
    let isLate = false;
    const page = await playing(list, (page) =>
      page.route('**/index.m3u8*', async (route) => {
        if (wanted !== undefined && !isLate) {
          await untilTrue(async () => newest(await (await program.get(list)).text()) > Number(wanted));
          isLate = true;
        }
        const response = await route.fetch();
        const body = await response.text();
        if (!/#EXT-X-PART:.*\n$/.test(body)) wanted ??= newest(body);
        await route.fulfill({ response, body });
      }),
    );
    await untilTrue(() => isLate);
    const { time } = await after(page, 0.1);
    expect(await after(page, time + 3)).toMatchObject({ errors: [], gaps: 0 });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it.skipIf(!haveFfmpeg)('plays radio in Layer II converted', async () => {
    const page = await playing(`${join('/hls', radio, 'index.m3u8')}?convert=sound`);
    const { time } = await after(page, 0.1);
    expect(await after(page, time + 3)).toMatchObject({ errors: [], gaps: 0 });
  });
});
