/** The player: live services and recordings. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, haveCaptures, haveFfmpeg, run } from '../dvb/captures.ts';
import { captionedStream } from '../fixtures/captions.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { eventually } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { aldermoorOne, browser, openPage, openTelevision, screens, type Television } from './open-page.ts';

const services = {
  one: aldermoorOne,
  twoSounds: '1:0:1:D13:D01:FF0D:EEEE0000:0:0:0:',
  hevc: '1:0:1F:D15:D01:FF0D:EEEE0000:0:0:0:',
  radio: '1:0:2:D21:D01:FF0D:EEEE0000:0:0:0:',
} as const;

const watch = (service: string) => `#/watch?service=${encodeURIComponent(service)}&name=Channel`;

/** A small screen for tests that only need moving pictures, because rendering takes most of the time. */
const small = { ...screens[0], width: 640, height: 480 };

interface Shown {
  readonly time: number;
  readonly width: number;
  readonly sound: number;
  readonly paused: boolean;
}

/** State of the video element. */
const shown = (page: Page): Promise<Shown> =>
  page.evaluate(`(() => { const video = document.querySelector('video'); return {
    time: video.currentTime, width: video.videoWidth, sound: video.webkitAudioDecodedByteCount, paused: video.paused } })()`);

/** Waits until video and audio advance from the current position. */
async function playing(page: Page): Promise<Shown> {
  await page.locator('video').waitFor();
  const before = await shown(page);
  return eventually(async () => {
    const now = await shown(page);
    const goesOn = now.time > before.time + 0.3 && now.time < before.time + 60;
    return goesOn && now.sound > 0 && !now.paused ? now : undefined;
  }, 'the pictures move, with sound');
}

/** Waits until the stream that was requested last is open: until then, it has a spinner. */
async function opened(page: Page): Promise<void> {
  await page.locator('.stage .spinner').waitFor({ state: 'detached' });
  const isReady = () => page.evaluate("document.querySelector('video').readyState >= 2");
  await eventually(async () => (await isReady()) || undefined, 'it has a picture');
}

/** Presses keys without time between them, whatever the machine does. */
const pressAtOnce = (page: Page, ...keys: readonly string[]) =>
  page.evaluate(`for (const key of ${JSON.stringify(keys)})
    document.dispatchEvent(new KeyboardEvent('keydown', { key }))`);

/** Width of the subtitle layer; 1 while there are none. */
const subtitleWidth = (page: Page): Promise<number> =>
  page.evaluate("document.querySelector('.subtitles canvas').width");
/** Number of visible pixels in the subtitle layer. Browsers warn if a canvas is read often. */
const subtitlePixels = (page: Page): Promise<number> =>
  page.evaluate(`(() => { const canvas = document.querySelector('.subtitles canvas');
    if (canvas.width === 1) return 0;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, index) => index % 4 === 3 && value > 0).length })()`);

/** A page in a browser without Media Source Extensions, like an iPhone's; undefined if the browser cannot play HLS. */
async function openWithHlsOnly(television: Television, path: string): Promise<Page | undefined> {
  const { page } = await television.open('#/search', small);
  const isAble = await page.evaluate("document.createElement('video').canPlayType('application/vnd.apple.mpegurl')");
  if (isAble === '') return undefined;
  await page.addInitScript('delete globalThis.MediaSource');
  await page.goto(`${television.program.http}/${path}`);
  await page.reload();
  await page.locator('video').waitFor();
  return page;
}

/** The number of clients of live streams. */
async function clients({ program }: Television): Promise<number> {
  const text = await (await program.get('/metrics')).text();
  return Number(/^receiverd_stream_clients\S* (\d+)/m.exec(text)?.[1]);
}

/** PID of the sound of the first service of the demo. */
const soundOfOne = 274;

/** Whole packets without those of some PIDs. */
function withoutPids(stream: Buffer, pids: readonly number[]): Buffer {
  const packets = Array.from({ length: Math.floor(stream.length / 188) }, (_, n) =>
    stream.subarray(n * 188, n * 188 + 188),
  );
  return Buffer.concat(packets.filter((packet) => !pids.includes(packet.readUInt16BE(1) & 0x1fff)));
}

interface Kept {
  readonly timeshift: { readonly begin: number; readonly end: number } | null;
}
const kept = ({ program }: Television) => program.json<Kept>('/timeshift');

describe.skipIf(!browser)('the player', () => {
  let television: Television;
  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  it('plays a channel with video and audio', async () => {
    const { page, checkScreens } = await television.open('#/channels');
    await page.getByRole('link', { name: /^1 Aldermoor One/ }).click();
    const { width } = await playing(page);
    expect(width).toBeGreaterThan(0);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('progressbar').waitFor();
    await checkScreens('watch');
  });

  it('looks the name of the channel up if the address has none', async () => {
    const { page } = await television.open(watch(services.one).replace(/&name=.*/, ''), small);
    await page.getByRole('heading', { name: 'Aldermoor One', level: 1 }).waitFor();
  });

  it('survives a failure of the browser while it appends pictures', async () => {
    const { page, complaints } = await television.open('#/', small);
    await page.addInitScript(`{
      const { appendBuffer } = SourceBuffer.prototype;
      let left = 8;
      SourceBuffer.prototype.appendBuffer = function (data) {
        if (--left === 0) throw new DOMException('removed', 'InvalidStateError');
        return appendBuffer.call(this, data);
      };
      globalThis.hasFailed = () => left < 0;
    }`);
    await page.goto(`${television.program.http}/${watch(services.one)}`);
    await page.reload();
    await eventually(async () => ((await page.evaluate('hasFailed()')) ? true : undefined), 'the browser has failed');
    await playing(page);
    expect(complaints()).toEqual([]);
  });

  it('has the channels beside the picture, which is as wide as it is high', async () => {
    const { page, check, complaints } = await television.open('#/channels', { ...screens[0], height: 560 });
    await page.getByRole('link', { name: /^1 Aldermoor One/ }).press('Enter');
    await playing(page);
    const stage = await page.locator('.stage').boundingBox();
    expect((stage?.width ?? 0) / (stage?.height ?? 1)).toBeCloseTo(16 / 9, 1);
    const list = page.getByRole('navigation', { name: 'Channels' });
    expect((await list.boundingBox())?.x).toBeGreaterThan((stage?.x ?? 0) + (stage?.width ?? 0));
    const isFocused = (name: string) =>
      page.evaluate(`document.activeElement.ariaLabel ?? document.activeElement.textContent`).then((text) => {
        expect(text).toContain(name);
      });
    await isFocused('Aldermoor One');
    const other = list.getByRole('link', { name: /^2\s?Talblick 24/ });
    await other.focus();
    await page.keyboard.press('ArrowDown');
    await isFocused('Canal Orée');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Talblick 24' }).waitFor();
    await isFocused('Talblick 24');
    expect(await other.getAttribute('aria-current')).toBe('true');
    await playing(page);
    await check('watch in a low window');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await page.getByRole('heading', { name: 'Πέλαγος Σπορ' }).waitFor();
    await list.getByRole('button', { name: 'Bouquet: Favourites' }).waitFor();
    expect(complaints()).toEqual([]);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('link', { name: /^1 Aldermoor One/ }).waitFor();
  });

  it('has the channels before it knows their events', async () => {
    const { page } = await television.open('#/search', small);
    const { promise: released, resolve: release } = withResolvers();
    await page.route('**/api/epgnow?*', async (route) => {
      await released;
      await route.continue();
    });
    await page.evaluate(`location.hash = ${JSON.stringify(watch(services.one))}`);
    const row = page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: /Talblick 24/ });
    await row.waitFor();
    expect(await row.locator('.on').textContent()).toBe('');
    release();
    await row.locator('.on').getByText(/\w/).waitFor();
  });

  it('has the channels below the picture on a phone', async () => {
    const { page } = await television.open(watch(services.radio), screens[2]);
    const list = page.getByRole('navigation', { name: 'Channels' });
    await list.getByRole('link', { name: /Radyo Çınaraltı/ }).tap();
    await page.getByRole('heading', { name: 'Radyo Çınaraltı' }).waitFor();
    const stage = await page.locator('.stage').boundingBox();
    expect((await list.boundingBox())?.y).toBeGreaterThan((stage?.y ?? 0) + (stage?.height ?? 0));
  });

  it('goes to a channel by its number, and back to the last channel', async () => {
    const { page, complaints } = await television.open(watch(services.one), small);
    await page
      .getByRole('navigation', { name: 'Channels' })
      .getByRole('link', { name: /Talblick 24/ })
      .waitFor();
    const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
    // What is shown while a number is typed disappears after seconds.
    await page.evaluate(`globalThis.typed = [];
      new MutationObserver(() => typed.push(document.querySelector('.typed-number').textContent))
        .observe(document.querySelector('.stage'), { childList: true, characterData: true, subtree: true })`);
    const isTyped = (text: string) =>
      eventually(async () => (await page.evaluate(`typed.includes('${text}')`)) || undefined, text);
    await page.keyboard.press('2');
    await isTyped('2Talblick 24');
    await heading('Talblick 24');
    await page.keyboard.press('6');
    await page.keyboard.press('Enter');
    await heading('Πέλαγος Σπορ');
    await page.keyboard.press('0');
    await heading('Talblick 24');
    await page.getByRole('button', { name: 'Last channel' }).click();
    await heading('Πέλαγος Σπορ');
    await pressAtOnce(page, '9', '8');
    await isTyped('98No channel 98');
    expect(complaints()).toEqual([]);
  });

  it('stays on a channel that was chosen while a number was being looked up', async () => {
    const { page } = await television.open(watch(services.one), small);
    const other = page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: /Talblick 24/ });
    await other.waitFor();
    const { promise: released, resolve: release } = withResolvers();
    const found = { service_reference: services.twoSounds, service_name: 'Far away', number: 98 };
    await page.route('**/services/tv?*', async (route) => {
      await released;
      await route.fulfill({ json: { result: true, items: [found] } });
    });
    const asked = page.waitForRequest('**/services/tv?*');
    await pressAtOnce(page, '9', '8');
    await asked;
    await other.click();
    await page.getByRole('heading', { name: 'Talblick 24' }).waitFor();
    release();
    await page.locator('.typed-number').getByText('98').waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Talblick 24');
  });

  it('goes to a channel by a number with zeros before it, as in Japan', async () => {
    const { page } = await television.open('#/recordings', small);
    await page.route('**/api/getservices*', async (route) => {
      const response = await route.fetch();
      const { services: listed } = (await response.json()) as { services: readonly object[] };
      await route.fulfill({
        response,
        json: { services: listed.map((one, at) => ({ ...one, channel: `01${at + 1}` })) },
      });
    });
    await page.evaluate(`location.hash = ${JSON.stringify(watch(services.one))}`);
    await page
      .getByRole('navigation', { name: 'Channels' })
      .getByRole('link', { name: /^012 Talblick 24/ })
      .waitFor();
    const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
    await pressAtOnce(page, '0', '1', '2');
    await heading('Talblick 24');
    await pressAtOnce(page, '1', '6');
    await heading('Πέλαγος Σπορ');
    await page.keyboard.press('0');
    await heading('Talblick 24');
  });

  it('records what is on, and stops at the same place', async () => {
    const { page } = await television.open(watch(services.one), small);
    const row = page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: /Aldermoor One/ });
    await page.getByRole('button', { name: /^Record / }).click();
    const stop = page.getByRole('button', { name: 'Stop recording' });
    await stop.waitFor();
    await row.getByRole('img', { name: 'will be recorded' }).waitFor();
    await eventually(async () => {
      const { timers } = await television.program.json<{ timers: readonly { state: number }[] }>('/api/timerlist');
      return timers.some(({ state }) => state === 2) || undefined;
    }, 'it records');
    await page.keyboard.press('r');
    const question = page.getByRole('dialog', { name: /^Stop recording / });
    await question.waitFor();
    // In a narrow window, its title wraps.
    expect(await page.evaluate("getComputedStyle(document.querySelector('dialog')).whiteSpace")).toBe('normal');
    await question.getByRole('button', { name: 'Stop recording' }).click();
    await page.getByRole('button', { name: /^Record / }).waitFor();
    expect(await television.program.json('/api/timerlist')).toMatchObject({ timers: [{ state: 3 }] });
  });

  it('lists its keyboard shortcuts', async () => {
    const { page, check } = await television.open(watch(services.one));
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Channel number').waitFor();
    await check('watch shortcuts');
    await list.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await list.waitFor();
  });

  it('takes keys as soon as it is shown, even if the next frame is late', async () => {
    const { page } = await television.open('#/search', small);
    // Effects of Preact run after a frame, or after 35 ms.
    await page.addInitScript(`{ const { setTimeout } = globalThis;
      globalThis.requestAnimationFrame = (run) => setTimeout(run, 1000);
      globalThis.setTimeout = (run, ms, ...more) => setTimeout(run, ms === 35 ? 1000 : ms, ...more);
      new MutationObserver((_, observer) => {
        if (!document.querySelector('.shortcuts-button')) return;
        observer.disconnect();
        document.dispatchEvent(new KeyboardEvent('keydown', { key: '?' }));
      }).observe(document, { childList: true, subtree: true }); }`);
    await page.goto(`${television.program.http}/${watch(services.radio)}`);
    await page.reload();
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  it('has a large play button if the browser requires a click before it plays', async () => {
    const { page, check } = await television.open('#/search');
    // Requests of playwright count as actions of the user, so the browser's own rule would not apply.
    await page.addInitScript(`{
      const { play } = HTMLMediaElement.prototype;
      let isAllowed = false;
      addEventListener('click', () => { isAllowed = true; }, true);
      HTMLMediaElement.prototype.play = function () {
        return isAllowed ? play.call(this) : Promise.reject(new DOMException('', 'NotAllowedError'));
      }; }`);
    await page.goto(`${television.program.http}/${watch(services.one)}`);
    await page.reload();
    const button = page.locator('.stage > button');
    await button.waitFor();
    expect(await shown(page)).toMatchObject({ paused: true });
    await check('watch before a click');
    await button.click();
    await playing(page);
    expect(await button.count()).toBe(0);
  });

  it('plays radio', async () => {
    const { page, check } = await television.open(watch(services.radio));
    const { width } = await playing(page);
    expect(width).toBe(0);
    await check('watch radio');
  });

  it('changes the audio stream', async () => {
    const { page, complaints } = await television.open(watch(services.twoSounds));
    await playing(page);
    const choice = page.getByRole('combobox', { name: 'Audio' });
    expect(await choice.locator('option').allTextContents()).toEqual([
      'French (AAC)',
      'English',
      'French (Dolby Digital)',
    ]);
    await choice.selectOption({ label: 'English' });
    await playing(page);
    expect(await choice.locator('option:checked').textContent()).toBe('English');
    expect(complaints()).toEqual([]);
  });

  it.each(['French (AAC)', 'French (Dolby Digital)'])('shows subtitles, with %s', async (sound) => {
    const { page, check } = await television.open(watch(services.twoSounds));
    await playing(page);
    await page.getByRole('combobox', { name: 'Audio' }).selectOption({ label: sound });
    const choice = page.getByRole('combobox', { name: 'Subtitles' });
    expect((await choice.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await choice.selectOption({ label: 'French' });
    await eventually(async () => (await subtitlePixels(page)) > 0 || undefined, 'subtitles are shown');
    // At once: the controls are hidden after seconds.
    const [bottom, controls] = await page.evaluate<readonly [number, number]>(`(async () => {
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp' }));
      await new Promise((done) => setTimeout(done));
      const boxOf = (place) => document.querySelector(place).getBoundingClientRect();
      return [boxOf('.subtitles canvas').bottom, boxOf('.controls').top];
    })()`);
    // Subtitles have a margin below them, and the controls a transparent edge above them.
    expect(bottom).toBeLessThanOrEqual(controls + 16);
    if (!sound.includes('Dolby')) await check('watch with subtitles');
    await page.keyboard.press('c');
    await eventually(async () => (await subtitleWidth(page)) === 1 || undefined, 'they are gone');
    await page.keyboard.press('c');
    await page.reload();
    await playing(page);
    expect(await page.getByRole('combobox', { name: 'Subtitles' }).locator('option:checked').textContent()).toBe(
      'French',
    );
  });

  it('has keyboard shortcuts', async () => {
    const { page, complaints } = await television.open(watch(services.one), small);
    await playing(page);
    await page.keyboard.press('Space');
    expect(await shown(page)).toMatchObject({ paused: true });
    await page.keyboard.press('Space');
    await playing(page);
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate("document.querySelector('video').volume")).toBeCloseTo(0.95);
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Exit full screen' }).waitFor();
    const controls = await page.getByRole('group', { name: 'Player' }).boundingBox();
    expect((controls?.y ?? 0) + (controls?.height ?? 0)).toBe(page.viewportSize()?.height);
    await television.program.json('/api/message?text=Ready%3F&type=0&timeout=0');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Yes' }).click();
    await page.locator('.mini-row').nth(5).waitFor({ state: 'attached' });
    await page.keyboard.press('PageUp');
    await eventually(async () => (await shown(page)).width === 1280 || undefined, 'the next channel');
    await page.getByRole('button', { name: 'Exit full screen' }).waitFor();
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Talblick 24' }).waitFor();
    await playing(page);
    await page.keyboard.press('PageDown');
    await page.getByRole('heading', { name: 'Aldermoor One' }).waitFor();
    await page.keyboard.press('PageDown');
    await page.getByRole('heading', { name: 'Πέλαγος Σπορ' }).waitFor();
    expect(complaints()).toEqual([]);
  });

  it('has the channels over the picture in full screen', async () => {
    const { page, check, complaints } = await television.open(watch(services.one));
    await page.locator('.mini-row').nth(5).waitFor();
    await playing(page);
    await page.keyboard.press('f');
    const list = page.getByRole('navigation', { name: 'Channels' });
    await list.waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await list.getByRole('link', { name: /^1\s?Aldermoor One/ }).waitFor();
    await check('watch in full screen with channels');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Talblick 24', includeHidden: true }).waitFor({ state: 'attached' });
    await list.waitFor({ state: 'hidden' });
    await page.locator('.stage').hover();
    await page.getByRole('button', { name: 'Channels' }).click();
    await list.getByRole('link', { name: /Canal Orée/ }).waitFor();
    // The other keys of the player work, too.
    await page.keyboard.press('1');
    await page.getByRole('heading', { name: 'Aldermoor One', includeHidden: true }).waitFor({ state: 'attached' });
    await page.keyboard.press('0');
    await page.getByRole('heading', { name: 'Talblick 24', includeHidden: true }).waitFor({ state: 'attached' });
    await list.getByRole('button', { name: 'Close' }).click();
    await list.waitFor({ state: 'hidden' });
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
    await list.getByRole('link', { name: /Canal Orée/ }).waitFor();
    expect(complaints()).toEqual([]);
  });

  it('opens the channels in full screen before its event has come', async () => {
    const { page, complaints } = await television.open(watch(services.one));
    await page.locator('.mini-row').nth(5).waitFor();
    await playing(page);
    // Window captures the event before the page hears it.
    await page.evaluate(`window.addEventListener('fullscreenchange', () => {
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'g', bubbles: true, cancelable: true }));
    }, { capture: true, once: true })`);
    await page.keyboard.press('f');
    const list = page.getByRole('navigation', { name: 'Channels' });
    await list.getByRole('button', { name: 'Close' }).click();
    await list.waitFor({ state: 'hidden' });
    expect(complaints()).toEqual([]);
  });

  it('plays picture in picture', async () => {
    const { page } = await television.open(watch(services.one), small);
    await playing(page);
    const floats = () => page.evaluate('document.pictureInPictureElement !== null');
    await page.getByRole('button', { name: 'Picture in picture' }).click();
    await eventually(async () => (await floats()) || undefined, 'it floats');
    await playing(page);
    await page.keyboard.press('p');
    await eventually(async () => !(await floats()) || undefined, 'it is back');
  });

  it('closes the stream when the page is left', async () => {
    const { page } = await television.open(watch(services.one), small);
    await playing(page);
    await eventually(async () => (await clients(television)) === 1 || undefined, 'one watches');
    await page.goto(`${television.program.http}/#/search`);
    await eventually(async () => (await clients(television)) === 0 || undefined, 'nobody watches');
  });

  it('plays a conversion of what the browser cannot decode', async () => {
    const { page, complaints } = await television.open(watch(services.hevc), small);
    await page.getByText('The receiver converts HEVC for this browser.').waitFor();
    expect((await playing(page)).width).toBe(1280);
    expect(await television.program.json('/conversion')).toMatchObject({ running: 1 });
    await page.goto('about:blank');
    await eventually(async () => {
      const { running } = await television.program.json<{ running: number }>('/conversion');
      return running === 0 || undefined;
    }, 'nothing is converted');
    expect(complaints()).toEqual([]);
  });

  it('pauses a live stream, and resumes from the same position', async () => {
    const { page, complaints } = await television.open(watch(services.one), small);
    await playing(page);
    await page.keyboard.press('k');
    await page.getByRole('slider', { name: 'Position' }).waitFor();
    // Timeshift is already running if another test has paused.
    const since = (await kept(television)).timeshift?.end ?? 0;
    await eventually(async () => {
      const { timeshift } = await kept(television);
      return (timeshift !== null && timeshift.end - since > 7) || undefined;
    }, 'some seconds are kept');
    expect(await shown(page)).toMatchObject({ paused: true });
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'Back to live' }).waitFor();
    await playing(page);
    // The times at the begin, at the position and at the end.
    const times = await page.locator('.seek-line time').allTextContents();
    expect(times.filter((time) => /^\d\d:\d\d:\d\d$/.test(time))).toHaveLength(3);
    const behind = television.now() - Number(await page.getByRole('slider', { name: 'Position' }).inputValue());
    expect(behind).toBeGreaterThan(3);
    await page.getByRole('button', { name: 'Back to live' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    await playing(page);
    expect(complaints()).toEqual([]);
    await television.program.get('/api/tsstop');
  });

  it('shows an address for other devices', async () => {
    const { page, checkScreens } = await television.open(watch(services.one));
    await page.getByRole('button', { name: 'Watch on another device' }).click();
    const address = await page.getByRole('textbox', { name: 'Address' }).inputValue();
    await checkScreens('watch elsewhere');
    const list = await (await fetch(address)).text();
    expect(list).toContain('#EXT-X-TARGETDURATION:2\n');
  });

  it('has an HTTP Live Streaming address that the browser plays natively', async () => {
    const { page } = await television.open('#/search', small);
    const isAble = await page.evaluate("document.createElement('video').canPlayType('application/vnd.apple.mpegurl')");
    if (isAble === '') return;
    await page.evaluate(`(() => { const video = document.createElement('video'); video.muted = true;
      video.src = '/hls/${services.one}/index.m3u8'; document.body.append(video); void video.play(); })()`);
    expect((await playing(page)).width).toBe(1024);
  });

  it('plays in a browser with HTTP Live Streaming only', async () => {
    const page = await openWithHlsOnly(television, watch(services.one));
    expect(page && (await playing(page)).width).toBe(page && 1024);
  });

  it('plays on a television where such a browser offers that', async () => {
    const { page, check } = await television.open('#/search');
    // Chromium may lack HTTP Live Streaming, and finds no television here.
    await page.addInitScript(`
      delete globalThis.MediaSource;
      HTMLMediaElement.prototype.canPlayType = () => 'maybe';
      HTMLMediaElement.prototype.play = () => Promise.resolve();
      Object.defineProperty(HTMLMediaElement.prototype, 'src', { set(address) { globalThis.played = address; } });
      RemotePlayback.prototype.watchAvailability = (tell) => { tell(true); return Promise.resolve(1); };
      RemotePlayback.prototype.cancelWatchAvailability = () => Promise.resolve();
      RemotePlayback.prototype.prompt = () => { globalThis.isAsked = true; return Promise.resolve(); };`);
    await page.goto(`${television.program.http}/${watch(services.one)}`);
    await page.reload();
    const button = page.getByRole('button', { name: 'Play on a television' });
    await button.waitFor();
    await check('watch with a television');
    await button.click();
    expect(await page.evaluate('isAsked')).toBe(true);
    expect(await page.evaluate('played')).toContain('/index.m3u8');
  });

  it.skipIf(!haveFfmpeg)('plays a conversion of what such a browser cannot decode', async () => {
    const page = await openWithHlsOnly(television, watch(services.hevc));
    if (page === undefined) return;
    await page.getByText('The receiver converts HEVC').waitFor();
    expect((await playing(page)).width).toBeGreaterThan(0);
  });

  it('reports why a channel cannot be played, and offers other ways', async () => {
    const { page } = await television.open(watch('1:0:1:7777:D01:FF0D:EEEE0000:0:0:0:'));
    const alert = page.getByRole('alert');
    await alert.getByText('no service').waitFor();
    await alert.getByRole('button', { name: 'Try again' }).waitFor();
    await alert.getByRole('link', { name: 'Open in app' }).waitFor();
    const why = { result: false, error: 'not-receivable', message: 'it does not answer; is it switched on?' };
    await page.route('**/live.ts?*', (route) => route.fulfill({ status: 503, json: why }));
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.getByText('This cannot be played: it does not answer; is it switched on?', { exact: true }).waitFor();
  });

  it('plays the pictures of a channel whose sound does not come', async () => {
    const response = await fetch(`${television.program.stream}/${services.one}`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const pieces: Uint8Array[] = [];
    for (let size = 0; size < 60_000; ) {
      const { value = new Uint8Array() } = await reader.read();
      pieces.push(value);
      size += value.length;
    }
    await reader.cancel();
    const body = withoutPids(Buffer.concat(pieces), [soundOfOne]);
    const { page } = await television.open('#/', small);
    await page.route('**/live.ts*', (route) => route.fulfill({ contentType: 'video/mp2t', body }));
    await page.evaluate(`location.hash = ${JSON.stringify(watch(services.one))}`);
    await page.locator('video').waitFor();
    await eventually(async () => ((await shown(page)).width > 0 ? true : undefined), 'it has a picture');
    expect((await shown(page)).sound).toBe(0);
  });

  it('says why no picture comes, as far as the receiver knows', async () => {
    const { page } = await television.open('#/channels', small);
    await page.clock.install();
    let tuner = { state: 'locked', reason: '', users: [{ servicereference: services.one.toLowerCase() }] };
    await page.route('**/live.ts*', () => undefined);
    await page.route('**/api/tunerstatus', (route) => route.fulfill({ json: { tuners: [tuner], result: true } }));
    const asked = page.waitForRequest('**/live.ts*');
    await page.evaluate(`location.hash = ${JSON.stringify(watch(services.one))}`);
    await asked;
    await page.getByText('Connecting').waitFor();
    await page.clock.fastForward(21_000);
    const alert = page.getByRole('alert');
    await alert.getByText('This channel sends no picture or sound. It may be off air now.').waitFor();
    tuner = { ...tuner, state: 'lost', reason: 'no carrier' };
    const askedAgain = page.waitForRequest('**/live.ts*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await askedAgain;
    await page.clock.fastForward(21_000);
    await alert.getByText('The receiver gets no signal for this channel.').waitFor();
    await alert.getByText('No carrier.').waitFor();
    await page.unroute('**/live.ts*');
    const json = { result: false, error: 'no-signal', message: 'no reception of dvb:0' };
    await page.route('**/live.ts*', (route) => route.fulfill({ status: 504, json }));
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.getByText('No reception of dvb:0.').waitFor();
  });

  it('says why a live picture has stopped, until it moves again', async () => {
    const { page } = await television.open('#/', small);
    await page.clock.install({ time: television.now() * 1000 });
    await page.addInitScript(`{
      const { appendBuffer } = SourceBuffer.prototype;
      SourceBuffer.prototype.appendBuffer = function (data) {
        this.held = [...(this.held ?? []), ...new Uint8Array(data)];
        return appendBuffer.call(this, new Uint8Array(globalThis.isStopped ? [] : this.held.splice(0)));
      };
    }`);
    await page.goto(`${television.program.http}/${watch(services.one)}`);
    await page.reload();
    await playing(page);
    await page.evaluate('globalThis.isStopped = true');
    await page.locator('.stage .spinner').waitFor();
    await page.clock.fastForward(21_000);
    const alert = page.getByRole('alert').getByText('This channel sends no picture or sound.');
    await alert.waitFor();
    await page.evaluate('globalThis.isStopped = false');
    await alert.waitFor({ state: 'detached' });
  });

  it('says at once that a channel is encrypted if the receiver refuses it for that', async () => {
    const { page } = await television.open('#/');
    const body = JSON.stringify({ result: false, message: 'x', error: 'scrambled' });
    await page.route('**/live.ts*', (route) => route.fulfill({ status: 403, contentType: 'application/json', body }));
    await page.evaluate(`location.hash = ${JSON.stringify(watch(services.one))}`);
    await page.getByRole('alert').getByText('The broadcaster encrypts this channel.').waitFor();
  });
});

describe.skipIf(!browser)('the player without ffmpeg', () => {
  const folder = temporaryFolder();
  let television: Television;
  beforeAll(async () => {
    const path = join(folder, 'receiverd.yaml');
    writeFileSync(path, 'conversion:\n  maximum: 0\n');
    television = await openTelevision('--config', path);
  });
  afterAll(async () => {
    await television?.close();
    removeFolder(folder);
  });

  it('names the codecs that the browser cannot decode', async () => {
    const { page, checkScreens } = await television.open(watch(services.hevc));
    await page.getByRole('alert').getByText('cannot decode HEVC').waitFor();
    await checkScreens('watch without ffmpeg');
  });
});

describe.skipIf(!browser || !haveFfmpeg || !haveCaptures)('the video of a broadcast', () => {
  const folder = temporaryFolder();
  let program: Program;
  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', `file:${capture('dtt-italy-rai.ts')}`);
  });
  afterAll(async () => {
    await program?.stop();
    removeFolder(folder);
  });

  it('is converted from MPEG-2', async () => {
    const found = await eventually(async () => {
      const { items } = await program.json<{ items: readonly (readonly string[])[] }>('/services');
      return items.find(([, name]) => name === 'Rai 1');
    }, 'the service');
    const { page, complaints } = await openPage(program, watch(found[0] ?? ''), small);
    await page.getByText('The receiver converts MPEG-2 for this browser.').waitFor();
    expect((await playing(page)).width).toBeGreaterThan(700);
    expect(complaints()).toEqual([]);
  });
});

describe.skipIf(!browser || !haveFfmpeg)('closed captions', () => {
  const folder = temporaryFolder();
  let program: Program;
  beforeAll(async () => {
    const path = join(folder, 'captions.ts');
    writeFileSync(
      path,
      captionedStream(20, { texts: ['HELLO THERE', 'GOOD EVENING'], language: 'eng' }, { texts: ['BUENAS NOCHES'] }),
    );
    program = await startProgram(folder, '--tuner', `file:${path}`);
  });
  afterAll(async () => {
    await program?.stop();
    removeFolder(folder);
  });

  it('are offered once they have come, and shown, also where the pictures are converted', async () => {
    const [reference = ''] = await eventually(async () => {
      const { items } = await program.json<{ items: readonly (readonly string[])[] }>('/services');
      return items[0];
    }, 'the service');
    const { page, complaints } = await openPage(program, watch(reference), small);
    await page.getByText('The receiver converts MPEG-2').waitFor();
    const choice = page.getByRole('combobox', { name: 'Subtitles' });
    await eventually(
      async () => (await choice.locator('option').allTextContents()).join() === 'No subtitles,English,CC3' || undefined,
      'two captions are offered',
    );
    const isShown = (text: string) =>
      eventually(
        async () => (await page.getByRole('img', { name: text }).count()) > 0 || undefined,
        `${text} is shown`,
      );
    await choice.selectOption({ label: 'English' });
    await isShown('GOOD EVENING');
    await isShown('HELLO THERE');
    expect(await subtitlePixels(page)).toBeGreaterThan(0);
    await choice.selectOption({ label: 'CC3' });
    await isShown('BUENAS NOCHES');
    expect(complaints()).toEqual([]);
  });
});

describe.skipIf(!browser || !haveFfmpeg)('a recording in the player', () => {
  let television: Television;
  let path: string;
  beforeAll(async () => {
    television = await openTelevision();
    path = join(television.program.folder, 'movie', '20260101 1857 - One - Ships.ts');
    await makeRecording(path);
  });
  afterAll(() => television?.close());
  const address = () => `#/watch?recording=${encodeURIComponent(path)}`;
  const position = (page: Page) => page.getByRole('slider', { name: 'Position' });
  const isAt = (page: Page, min: number, max: number) =>
    eventually(async () => {
      const at = Number(await position(page).inputValue());
      return (at >= min && at <= max) || undefined;
    }, `it plays between ${min} and ${max} seconds`);

  it('plays with video and audio', async () => {
    const { page, checkScreens } = await television.open(address());
    await page.getByRole('heading', { name: 'Ships', exact: true }).waitFor();
    await playing(page);
    await checkScreens('watch a recording');
  });

  it('plays the sound from where it begins, also if that is far behind the first pictures', async () => {
    const late = join(television.program.folder, 'movie', '20260101 1857 - One - Late.ts');
    const firstSound = 188 * 50_000;
    await makeRecording(late, {
      options: ['-t', '25', '-muxrate', '8M'],
      edit: (content) =>
        Buffer.concat([withoutPids(content.subarray(0, firstSound), [0x101]), content.subarray(firstSound)]),
    });
    const { page } = await television.open(`#/watch?recording=${encodeURIComponent(late)}`, small);
    await page.locator('video').waitFor();
    await eventually(async () => ((await shown(page)).width > 0 ? true : undefined), 'it has a picture');
    expect((await shown(page)).sound).toBe(0);
    await playing(page);
    // A slow machine may look only at its end.
    await isAt(page, 8, 26);
    rmSync(late);
  });

  it('shows the controls on the first touch, and pauses on the next', async () => {
    const { page } = await television.open(address(), screens[2]);
    await playing(page);
    const corner = { position: { x: 20, y: 20 } };
    await page.locator('.stage.idle').waitFor();
    await page.locator('video').tap(corner);
    await page.locator('.stage:not(.idle)').waitFor();
    expect(await shown(page)).toMatchObject({ paused: false });
    // At once: on a slow machine, the controls may be hidden again.
    await page.evaluate(`for (const event of [
      new PointerEvent('pointermove', { bubbles: true }),
      new PointerEvent('pointerdown', { bubbles: true, pointerType: 'touch' }),
      new MouseEvent('click', { bubbles: true }),
    ]) document.querySelector('video').dispatchEvent(event)`);
    expect(await shown(page)).toMatchObject({ paused: true });
  });

  it('seeks to any position, and resumes there the next time', async () => {
    const { page, complaints } = await television.open(address(), small);
    await playing(page);
    await page.keyboard.press('k');
    await position(page).fill('70');
    await opened(page);
    await isAt(page, 68, 70);
    const sought = page.waitForRequest(/\/recording\.ts/);
    await page.keyboard.press('ArrowLeft');
    await sought;
    await opened(page);
    await isAt(page, 56, 60);
    await page.keyboard.press('k');
    await playing(page);
    await page.locator('video').click();
    await eventually(async () => {
      const { cuts } = await television.program.json<{ cuts: readonly { type: number; pos: number }[] }>(
        `/api/movieinfo?sRef=${encodeURIComponent(`1:0:0:0:0:0:0:0:0:0:${path}`)}`,
      );
      return cuts.some(({ type, pos }) => type === 3 && pos > 50 * 90_000) || undefined;
    }, 'the position is noted');
    const stopped = Number(await position(page).inputValue());
    /** Opens it, and returns at which position it begins. */
    const beginOf = async (path: string) => {
      const { page: other } = await television.open('#/search', small);
      const request = other.waitForRequest(/\/recording\.ts/);
      await other.evaluate(`location.hash = '${path}'`);
      await playing(other);
      return Number(new URL((await request).url()).searchParams.get('time'));
    };
    expect(Math.abs((await beginOf(address())) - stopped)).toBeLessThanOrEqual(1);
    expect(await beginOf(`${address()}&from=start`)).toBe(0);
    expect(complaints()).toEqual([]);
  });

  it('shows the picture of a position on the slider, and of one that is chosen by keys', async () => {
    const { page, complaints, check } = await television.open(`${address()}&from=start`);
    await playing(page);
    const { x = 0, y = 0, width = 0, height = 0 } = (await position(page).boundingBox()) ?? {};
    const preview = page.locator('.seek-hint img:not(.waiting)');
    await page.mouse.move(x + width / 2, y + height / 2);
    await preview.waitFor();
    expect(await preview.getAttribute('src')).toMatch(/time=(50|60)$/);
    await eventually(
      () => preview.evaluate((one: { readonly naturalWidth: number }) => one.naturalWidth === 320 || undefined),
      'it has loaded',
    );
    await check('watch with a preview');
    await page.mouse.move(x + width / 2, 0);
    await preview.waitFor({ state: 'detached' });
    await page.keyboard.press('k');
    const before = Number(await position(page).inputValue());
    // Steps in a row are one seek.
    const seeks: string[] = [];
    page.on('request', (request) => request.url().includes('/recording.ts') && seeks.push(request.url()));
    await pressAtOnce(page, 'ArrowRight', 'ArrowRight', 'ArrowLeft');
    // The slider is there at once, the stream a little later.
    await eventually(async () => seeks.length > 0 || undefined, 'the player seeks');
    await isAt(page, before + 48, before + 50);
    await opened(page);
    expect(seeks).toHaveLength(1);
    expect(complaints()).toEqual([]);
  });

  it('stays paused when it seeks, and shows the picture of the new position', async () => {
    const { page, complaints } = await television.open(`${address()}&from=start`, small);
    await playing(page);
    await page.keyboard.press('k');
    await position(page).fill('60');
    await opened(page);
    expect(await shown(page)).toMatchObject({ paused: true, width: 320 });
    await isAt(page, 60, 60);
    await page.keyboard.press('k');
    await playing(page);
    // A step is a seek some time later.
    let sought = page.waitForRequest(/\/recording\.ts/);
    await pressAtOnce(page, 'ArrowLeft', 'k');
    await sought;
    await opened(page);
    expect(await shown(page)).toMatchObject({ paused: true, width: 320 });
    await isAt(page, 45, 60);
    await page.keyboard.press('k');
    await playing(page);
    // While the stream of the new position is being opened.
    const { promise: released, resolve: release } = withResolvers();
    await page.route('**/recording.ts?*', async (route) => {
      await released;
      await route.continue();
    });
    sought = page.waitForRequest(/\/recording\.ts/);
    await position(page).fill('20');
    await sought;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    release();
    await opened(page);
    expect(await shown(page)).toMatchObject({ paused: true, width: 320 });
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await playing(page);
    expect(complaints()).toEqual([]);
  });

  it('plays at other speeds', async () => {
    const { page, complaints } = await television.open(`${address()}&from=start`, small);
    const speed = page.getByRole('combobox', { name: 'Speed' });
    const rate = () => page.evaluate("document.querySelector('video').playbackRate");
    await playing(page);
    expect(await speed.locator('option').allTextContents()).toEqual([
      '0.5×',
      '0.75×',
      '1×',
      '1.25×',
      '1.5×',
      '1.75×',
      '2×',
    ]);
    await speed.selectOption({ label: '2×' });
    expect(await rate()).toBe(2);
    await page.keyboard.press('ArrowRight');
    await isAt(page, 30, 120);
    await playing(page);
    expect(await rate()).toBe(2);
    await page.locator('.stage').hover();
    await speed.blur();
    await page.keyboard.press('<');
    expect(await speed.inputValue()).toBe('1.75');
    expect(complaints()).toEqual([]);
  });

  it('skips advertisements, and goes from chapter to chapter', async () => {
    const cuts = [
      [1, 0],
      [0, 60],
      [2, 80],
      [2, 100],
    ].map(([type = 0, seconds = 0]) => `${type}:${seconds * 90_000}`);
    const reference = encodeURIComponent(`1:0:0:0:0:0:0:0:0:0:${path}`);
    await television.program.json(`/api/movieinfo?sRef=${reference}&cuts=${cuts.join()}`);
    const { page, complaints, check } = await television.open(`${address()}&from=start`);
    await playing(page);
    const skip = page.getByRole('button', { name: 'Skip advertisement' });
    await skip.waitFor();
    await check('watch an advertisement');
    // Also above the controls while these are invisible.
    await page.locator('.stage.idle').waitFor();
    await skip.click();
    await isAt(page, 58, 120);
    await skip.waitFor({ state: 'detached' });
    await playing(page);
    await page.keyboard.press('k');
    await position(page).fill('66');
    await opened(page);
    await page.keyboard.press('PageUp');
    await isAt(page, 78, 80);
    await opened(page);
    await page.getByRole('button', { name: 'Next chapter' }).click();
    await isAt(page, 98, 100);
    await opened(page);
    await page.keyboard.press('PageDown');
    await isAt(page, 78, 80);
    expect(complaints()).toEqual([]);
    await television.program.json(`/api/movieinfo?sRef=${reference}&cuts=3:${60 * 90_000}`);
  });

  it('seeks in a browser with HTTP Live Streaming only', async () => {
    const page = await openWithHlsOnly(television, address());
    if (page === undefined) return;
    // It may start where another test stopped.
    const playsBeyond = (seconds: number) =>
      eventually(async () => {
        const { time, sound, paused } = await shown(page);
        return (time > seconds && sound > 0 && !paused) || undefined;
      }, `it plays beyond ${seconds} seconds`);
    await playsBeyond(0.3);
    await position(page).fill('90');
    await playsBeyond(90);
    await isAt(page, 90, 120);
  });

  it('reads no further ahead than it needs', async () => {
    const { page } = await television.open(address(), small);
    for (let looks = 0; looks < 5; looks++) {
      await playing(page);
      expect(
        await page.evaluate(
          "(() => { const { buffered, currentTime } = document.querySelector('video'); return buffered.end(buffered.length - 1) - currentTime; })()",
        ),
      ).toBeLessThan(60);
    }
  });
});

interface Made {
  readonly options?: readonly string[];
  readonly edit?: (content: Buffer) => Buffer;
}

/** Two minutes of H.264 and AAC, with the companion files of a recording. `options`: of ffmpeg. */
async function makeRecording(path: string, { options = [], edit = (content) => content }: Made = {}): Promise<void> {
  const pictures = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=25:duration=120'];
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=120'];
  const coded = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '50',
    '-b:v',
    '200k',
    '-c:a',
    'aac',
  ];
  const made = join(temporaryFolder(), 'made.ts');
  const { errors } = await run('ffmpeg', ['-v', 'error', ...pictures, ...sound, ...coded, ...options, made], []);
  expect(errors).toBe('');
  const content = edit(readFileSync(made));
  const meta = [
    `${services.one}:One`,
    'Ships',
    'Episode 3',
    '1767290220',
    'EPG',
    String(120 * 90_000),
    String(content.length),
  ];
  writeRecording(path, { content, meta });
}
