/**
 * The web page in a real browser: Debian's Chromium, by playwright-core, on the program with the demo tuner. Tests do
 * what a person does, and find things by their roles and names, as a person with a screen reader does.
 *
 * The files that a worker process of vitest runs share a browser. Each has its own receiver: to start one costs half a
 * second of processor time, to keep an idle one as much in 20 seconds.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { fixedDemo, moment } from '../fixtures/fixed-demo.ts';
import { eventually, patience } from '../fixtures/patience.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';

const installed = (names: readonly string[]) => names.find((name) => existsSync(`/usr/bin/${name}`));
/** A browser with a window, if there is one. */
export const windowed = installed(['chromium', 'chromium-browser', 'google-chrome']);
/** Without a window, it takes two thirds of the processor time. */
export const browser = installed(['chromium-headless-shell']) ?? windowed;

/** Replaces playwright's list. The last three cost as much as the page tested: pages of Chromium's own window. */
const disabledFeatures = [
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'PreconnectToSearch', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  'SpareRendererForSitePerProcess',
];

/** Starts a browser that shows nothing. */
export function startBrowser(flags: readonly string[] = [], name = browser): Promise<Browser> {
  return chromium.launch({
    executablePath: `/usr/bin/${name}`,
    // Its sandbox works neither for root nor in containers.
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
      ...[`--disable-features=${disabledFeatures}`, ...flags],
    ],
    // Under libfaketime, as in `.ci/run clocks`, Chromium keeps a core busy. Its pages take the broadcast's time anyway.
    env: { ...process.env, LD_PRELOAD: '' } as Record<string, string>,
    handleSIGTERM: false,
  });
}

// Vitest ends its worker processes by this signal, which by default would leave the browser and the receivers running.
process.once('SIGTERM', () => {
  process.emit('exit', 0);
  process.kill(process.pid, 'SIGTERM');
});

let sharedBrowser: Promise<Browser> | undefined;

/** Not the receiver's own machine administers it from here. */
const nameInNetwork = 'receiver.lan';

/** The screens on which each page is tried. */
export const screens = [
  { screen: 'a desktop', width: 1280, height: 900, colorScheme: 'light' },
  { screen: 'a dark desktop', width: 1280, height: 900, colorScheme: 'dark' },
  { screen: 'a phone', width: 360, height: 740, colorScheme: 'light' },
  { screen: 'a dark phone', width: 360, height: 740, colorScheme: 'dark' },
] as const;
export interface Screen {
  readonly screen: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
  /** Of the browser; British English if absent. */
  readonly locale?: string;
  /** Of the browser; that of this machine if absent. */
  readonly timezoneId?: string;
  /** Whether it is another device's, which reaches the receiver by a name. */
  readonly isElsewhere?: boolean;
  /** Whether the page has its service worker, which is a third of the work of opening it. */
  readonly serviceWorker?: boolean;
}

export interface Television {
  readonly program: Program;
  /** Unix seconds by the receiver's clock, which is the broadcast's. */
  now(): number;
  open(path: string, screen?: Screen): Promise<OpenPage>;
  close(): Promise<void>;
}

export interface OpenPage {
  readonly page: Page;
  /** Errors of the console, exceptions, and requests that failed or were refused, since the last call. */
  complaints(): readonly string[];
  /**
   * Checks what holds for every page: nothing is wider than the screen, axe-core finds nothing, targets have 24 px, nobody
   * complains. Saves a picture under `name` in the folder of RECEIVERD_SCREENSHOTS.
   */
  check(name: string): Promise<void>;
  /** Does the same on each of the screens, the first one last, once the page is `ready` there. */
  checkScreens(name: string, ready?: () => Promise<unknown>): Promise<void>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Of the demo. */
export const aldermoorOne = '1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:';

/** Starts a receiver with the demo, its complete guide and its time. `flags` are further ones of `receiverd start`. */
export async function openTelevision(...flags: readonly string[]): Promise<Television> {
  const folder = temporaryFolder();
  const program = await startProgram(folder, ...fixedDemo, ...flags);
  const ahead = await eventually(async () => {
    const path = `/api/epgservicenow?sRef=${encodeURIComponent(aldermoorOne)}`;
    const { events } = await program.json<{ events: readonly { title: string | null; now_timestamp: number }[] }>(path);
    const [{ title, now_timestamp: now } = { title: null, now_timestamp: 0 }] = events;
    return title !== null && now >= moment && now < moment + 3600 ? now - performance.now() / 1000 : undefined;
  }, 'the guide and the time of the broadcast');
  const clock = () => ahead + performance.now() / 1000;
  return {
    program,
    now: () => Math.floor(clock()),
    open: (path, screen) => openPage(program, path, screen, clock),
    async close() {
      await program.stop();
      removeFolder(folder);
    },
  };
}

/**
 * A page of a fresh profile, open at `path` (`#/timers`) to the end of the test: each further one follows each change.
 * `clock`: Unix seconds, which the browser then takes for its own time.
 */
export async function openPage(
  program: Program,
  path: string,
  onto: Screen = screens[0],
  clock?: () => number,
): Promise<OpenPage> {
  const { screen, width, height, colorScheme, locale = 'en-GB', serviceWorker, isElsewhere, ...zone } = onto;
  sharedBrowser ??= startBrowser([
    '--autoplay-policy=no-user-gesture-required',
    `--host-resolver-rules=MAP ${nameInNetwork} 127.0.0.1`,
  ]);
  const context = await (await sharedBrowser).newContext({
    viewport: { width, height },
    colorScheme,
    hasTouch: isTouched(onto),
    locale,
    ...zone,
    reducedMotion: 'reduce',
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(patience);
  if (!serviceWorker) await context.addInitScript('delete Navigator.prototype.serviceWorker');
  await context.addInitScript(noteMessages);
  if (clock) await context.addInitScript(shiftDate, clock() * 1000 - Date.now());
  const page = await context.newPage();
  const complaints = listenTo(page);
  const from = isElsewhere ? program.http.replace('127.0.0.1', nameInNetwork) : program.http;
  await page.goto(`${from}/${path}`);
  return {
    page,
    complaints,
    check: (name) => check(page, `${name} on ${screen}`, complaints),
    async checkScreens(name, ready) {
      for (const shown of screens.toReversed()) {
        await showOn(page, shown);
        await ready?.();
        await check(page, `${name} on ${shown.screen}`, complaints);
      }
    },
  };
}

/** In the page: keeps its messages (src/ui/app/toast.tsx), which last for some seconds. */
const noteMessages = `
  globalThis.said = [];
  new MutationObserver(() => {
    const text = document.querySelector('.toast')?.textContent ?? '';
    if (text !== '' && text !== said.at(-1)) said.push(text);
  }).observe(document, { childList: true, characterData: true, subtree: true });`;

/** Waits until the page has said this, however long ago. */
export async function untilSaid(page: Page, text: string): Promise<void> {
  const hasSaid = (wanted: string) =>
    (globalThis as unknown as { readonly said: readonly string[] }).said.some((one) => one.includes(wanted));
  await page.waitForFunction(hasSaid, text);
}

/** In the page. */
function shiftDate(ahead: number): void {
  const Actual = Date;
  globalThis.Date = class extends Actual {
    constructor(...given: readonly [] | ConstructorParameters<typeof Date>) {
      super(...((given.length === 0 ? [Actual.now() + ahead] : given) as [number]));
    }
    static override now = () => Actual.now() + ahead;
  } as DateConstructor;
}

/** Moves an open page to another screen, and waits until it is drawn there. */
export async function showOn(page: Page, screen: Screen): Promise<void> {
  const { width, height, colorScheme } = screen;
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setTouchEmulationEnabled', { enabled: isTouched(screen) });
  await client.detach();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

const isTouched = ({ width }: Screen) => width < 600;

function listenTo(page: Page): () => readonly string[] {
  const found: string[] = [];
  page.on('pageerror', (error) => found.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) found.push(`${response.status()} ${response.url()}`);
  });
  return () => found.splice(0);
}

/** What axe-core finds. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axe);
  return page.evaluate(`axe.run(document, { rules: { 'target-size': { enabled: true } } }).then(
    ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`);
}

async function check(page: Page, name: string, complaints: () => readonly string[]): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  // Further down, what the head covers in part would be too small.
  await page.evaluate('scrollTo(0, 0)');
  expect(await violationsOf(page)).toEqual([]);
  expect(complaints()).toEqual([]);
  const pictures = process.env.RECEIVERD_SCREENSHOTS;
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
