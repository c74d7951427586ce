/**
 * Runs the web page in a real browser, Debian's Chromium through playwright-core, on a receiver with the demo tuner. Tests
 * act like users, and find elements by role and accessible name, like users of a screen reader.
 *
 * Test files in the same vitest worker share a browser. Each has its own receiver: starting one costs half a second of
 * processor time, keeping an idle one as much in 20 seconds.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { fixedDemo, moment } from '../fixtures/fixed-demo.ts';
import { eventually, waitTimeoutMs } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';

const installed = (names: readonly string[]) => names.find((name) => existsSync(`/usr/bin/${name}`));
/** The installed browser with a window, if any. */
export const windowed = installed(['chromium', 'chromium-browser', 'google-chrome']);
/** The browser for tests. The headless shell takes two thirds of the processor time. */
export const browser = installed(['chromium-headless-shell']) ?? windowed;

/** Replaces playwright's list. The last three disable pages of Chromium's own window, which cost as much as the tested page. */
const disabledFeatures = [
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'PreconnectToSearch', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  'SpareRendererForSitePerProcess',
];

/** Starts a headless browser. */
export function startBrowser(flags: readonly string[] = [], name = browser): Promise<Browser> {
  return chromium.launch({
    executablePath: `/usr/bin/${name}`,
    // Chromium's sandbox works neither for root nor in containers.
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
      ...[`--disable-features=${disabledFeatures}`, ...flags],
    ],
    // Under libfaketime, as in `.ci/run clocks`, Chromium keeps a core busy. Its pages use the broadcast's time anyway.
    env: { ...process.env, LD_PRELOAD: '' } as Record<string, string>,
    handleSIGTERM: false,
  });
}

// Vitest ends its workers with this signal. Without a handler, the browser and the receivers would keep running.
process.once('SIGTERM', () => {
  process.emit('exit', 0);
  process.kill(process.pid, 'SIGTERM');
});

let sharedBrowser: Promise<Browser> | undefined;

/** Host name of the receiver for pages that act as another device, which has no administrator's permissions. */
const nameInNetwork = 'receiver.lan';

/** The screens on which `checkScreens` checks a page. */
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
  /** Locale of the browser. Default: en-GB. */
  readonly locale?: string;
  /** Time zone of the browser. Default: that of this machine. */
  readonly timezoneId?: string;
  /** Whether the browser acts as another device, which reaches the receiver by a host name. */
  readonly isElsewhere?: boolean;
  /** Whether the page has its service worker, which takes a third of the time to open it. Default: false. */
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
  /** Console errors and warnings, exceptions, and responses with status 400 or above, since the last call. */
  complaints(): readonly string[];
  /**
   * Checks what holds for every page: nothing is wider than the screen, axe-core finds nothing, targets have 24 px, and there
   * are no complaints. Saves a screenshot as `name` in the folder RECEIVERD_SCREENSHOTS.
   */
  check(name: string): Promise<void>;
  /** Runs `check` on each of the screens, the first one last, after waiting for `ready`. */
  checkScreens(name: string, ready?: () => Promise<unknown>): Promise<void>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Service reference of the demo's first service. */
export const aldermoorOne = '1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:';

/** Starts a receiver with the demo tuner, and waits for its complete guide and time. `flags`: of `receiverd start`. */
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
 * Opens `path` (`#/timers`) with an empty profile, until the end of the test: open pages take processor time on each event.
 * `clock`: Unix seconds, used as the browser's own time.
 */
export async function openPage(
  program: Program,
  path: string,
  onto: Screen = screens[0],
  clock?: () => number,
): Promise<OpenPage> {
  const { screen, width, height, colorScheme, isElsewhere } = onto;
  const origin = isElsewhere ? program.http.replace('127.0.0.1', nameInNetwork) : program.http;
  const tab = await takeTab(origin, onto, clock);
  onTestFinished(({ task }) => leaveTab(tab, task.result?.state === 'pass'));
  const { page, complaints } = tab;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', forcedColors: null });
  await page.goto(`${origin}/${path}`);
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

/**
 * A browser tab in a profile of its own. The next test of the same receiver uses it again, emptied: that takes half of the
 * processor time, because its process exists and has compiled the page and axe-core.
 */
interface Tab {
  readonly page: Page;
  readonly origin: string;
  /** Tabs with the same kind are interchangeable. */
  readonly kind: string;
  readonly complaints: () => readonly string[];
  /** False after the test has changed what outlasts a document. */
  isReusable: boolean;
}

const idleTabs = new Map<string, Tab>();

/** Methods that change what outlasts a document. */
const lastingChanges = {
  page: ['addInitScript', 'exposeFunction', 'on'],
  context: ['addCookies', 'addInitScript', 'grantPermissions', 'newPage', 'on', 'route', 'setOffline'],
  clock: ['install', 'setFixedTime', 'setSystemTime'],
} as const;

async function takeTab(origin: string, onto: Screen, clock?: () => number): Promise<Tab> {
  const { locale = 'en-GB', timezoneId, serviceWorker = false } = onto;
  const options = { hasTouch: isTouched(onto), locale, ...(timezoneId && { timezoneId }) };
  const kind = JSON.stringify([origin, options, clock !== undefined]);
  const idle = serviceWorker ? undefined : idleTabs.get(kind);
  if (idle) {
    idleTabs.delete(kind);
    idle.complaints();
    return idle;
  }
  await Promise.all([...idleTabs.values()].filter((tab) => tab.origin !== origin).map(closeTab));
  sharedBrowser ??= startBrowser([
    '--autoplay-policy=no-user-gesture-required',
    `--host-resolver-rules=MAP ${nameInNetwork} 127.0.0.1`,
  ]);
  const context = await (await sharedBrowser).newContext(options);
  context.setDefaultTimeout(waitTimeoutMs);
  if (!serviceWorker) await context.addInitScript('delete Navigator.prototype.serviceWorker');
  await context.addInitScript(recordToasts);
  if (clock) await context.addInitScript(shiftDate, clock() * 1000 - Date.now());
  await slowDown(context);
  const page = await context.newPage();
  const tab: Tab = { page, origin, kind, complaints: listenTo(page), isReusable: !serviceWorker };
  const spoil = () => {
    tab.isReusable = false;
  };
  onCall(page, lastingChanges.page, spoil);
  onCall(context, lastingChanges.context, spoil);
  onCall(page.clock, lastingChanges.clock, spoil);
  return tab;
}

/** If RECEIVERD_SLOW_PAGES is set: delays frames, and each request by 100 to 600 ms, by its path and the value of that. */
async function slowDown(context: BrowserContext): Promise<void> {
  const seed = process.env.RECEIVERD_SLOW_PAGES;
  if (!seed) return;
  await context.route('**', async (route) => {
    const { pathname } = new URL(route.request().url());
    await setTimeout(100 + (crc32(seed + pathname) % 500));
    await route.continue().catch(() => undefined);
  });
  // Effects of Preact run after a frame, or after 35 ms.
  await context.addInitScript(`{
    const { requestAnimationFrame, setTimeout } = globalThis;
    globalThis.requestAnimationFrame = (run) => setTimeout(() => requestAnimationFrame(run), 250);
    globalThis.setTimeout = (run, ms, ...more) => setTimeout(run, ms === 35 ? 250 : ms, ...more);
  }`);
}

function onCall<T extends object>(target: T, methods: readonly (keyof T)[], react: () => void): void {
  for (const name of methods) {
    const method = target[name] as (...given: unknown[]) => unknown;
    Object.assign(target, {
      [name]: (...given: unknown[]) => {
        react();
        return method.apply(target, given);
      },
    });
  }
}

/** Empties a tab for the next test, or closes it. */
async function leaveTab(tab: Tab, hasPassed: boolean): Promise<void> {
  const { page, origin, kind, isReusable } = tab;
  const context = page.context();
  // Only a page of the origin can clear its session storage.
  const isThere = context.pages().length === 1 && page.url().startsWith(`${origin}/`);
  if (!hasPassed || !isReusable || !isThere) return closeTab(tab);
  // Of two tabs in one test, the one that was opened first leaves last.
  const other = idleTabs.get(kind);
  if (other) await closeTab(other);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate('sessionStorage.clear()');
  await page.goto('about:blank');
  await page.mouse.move(-1, -1);
  await context.clearCookies();
  const client = await context.newCDPSession(page);
  await client.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await client.send('Page.resetNavigationHistory');
  await client.detach();
  idleTabs.set(kind, tab);
}

async function closeTab({ page, kind }: Tab): Promise<void> {
  if (idleTabs.get(kind)?.page === page) idleTabs.delete(kind);
  await page.context().close();
}

/** Confirms that a recording is to be stopped; without a title, that of any. */
export async function stopRecording(page: Page, title?: string): Promise<void> {
  const question = page.getByRole('dialog', {
    name: title === undefined ? /^Stop recording / : `Stop recording ${title}?`,
  });
  await question.getByRole('button', { name: 'Stop recording' }).click();
}

/**
 * Runs in the page: records its toasts (src/ui/app/toast.tsx), which disappear after seconds. Those with an action stay, as
 * under a pointer, since a busy machine may take longer to press it.
 */
const recordToasts = `
  globalThis.toasts = [];
  let shown = '';
  new MutationObserver(() => {
    const toast = document.querySelector('.toast');
    const text = toast?.textContent ?? '';
    if (text === shown) return;
    shown = text;
    if (text !== '') toasts.push(text);
    if (toast?.querySelector('button, a')) toast.dispatchEvent(new PointerEvent('pointerenter'));
  }).observe(document, { childList: true, characterData: true, subtree: true });`;

/** Waits until the page has shown a toast with exactly this text and no action, at any time since it was opened. */
export async function untilToast(page: Page, text: string): Promise<void> {
  const hasToast = (wanted: string) =>
    (globalThis as unknown as { readonly toasts: readonly string[] }).toasts.includes(wanted);
  await page.waitForFunction(hasToast, text);
}

/** Runs in the page: sets its clock ahead, by milliseconds. */
function shiftDate(ahead: number): void {
  const Actual = Date;
  globalThis.Date = class extends Actual {
    constructor(...given: readonly [] | ConstructorParameters<typeof Date>) {
      super(...((given.length === 0 ? [Actual.now() + ahead] : given) as [number]));
    }
    static override now = () => Actual.now() + ahead;
  } as DateConstructor;
}

/** Changes the screen of an open page, and waits until it has rendered. */
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

/** The violations that axe-core finds. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axe);
  return page.evaluate(`axe.run(document, { rules: { 'target-size': { enabled: true } } }).then(
    ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`);
}

async function check(page: Page, name: string, complaints: () => readonly string[]): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  // When scrolled, targets partly below the sticky header would count as too small.
  await page.evaluate('scrollTo(0, 0)');
  expect(await violationsOf(page)).toEqual([]);
  expect(complaints()).toEqual([]);
  const pictures = process.env.RECEIVERD_SCREENSHOTS;
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
