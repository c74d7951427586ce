/**
 * The web page in a real browser: Debian's Chromium, by playwright-core, on the program with the demo tuner. Tests do
 * what a person does, and find things by their roles and names, as a person with a screen reader does.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { eventually, patience } from '../fixtures/patience.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';

/** The first of these that is installed. */
export const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => existsSync(`/usr/bin/${name}`));

/** Starts the browser, without a window. */
export function startBrowser(...flags: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: `/usr/bin/${browser}`,
    // Its sandbox works neither for root nor in containers.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...flags],
  });
}

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
}

export interface Television {
  readonly program: Program;
  /** A page of a fresh profile, open at `path` (`#/timers`) to the end of the test: each further one follows each change. */
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
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts the program with the demo and its complete guide, and a browser. `flags` are further ones of `receiverd start`. */
export async function openTelevision(...flags: readonly string[]): Promise<Television> {
  const folder = temporaryFolder();
  const program = await startProgram(folder, '--tuner', 'demo', ...flags);
  await eventually(async () => {
    const { events } = await program.json<{ events: readonly unknown[] }>('/api/eventsearch?what=e&max_rows=1');
    return events.length > 0 || undefined;
  }, 'the guide has events');
  const started = await startBrowser('--autoplay-policy=no-user-gesture-required');
  return {
    program,
    async open(path, { screen, width, height, colorScheme, locale = 'en-GB', ...zone }: Screen = screens[0]) {
      const context = await started.newContext({
        viewport: { width, height },
        colorScheme,
        hasTouch: width < 600,
        locale,
        ...zone,
        reducedMotion: 'reduce',
      });
      onTestFinished(() => context.close());
      context.setDefaultTimeout(patience);
      const page = await context.newPage();
      const complaints = listenTo(page);
      await page.goto(`${program.http}/${path}`);
      return { page, complaints, check: (name) => check(page, `${name} on ${screen}`, complaints) };
    },
    async close() {
      await started.close();
      await program.stop();
      removeFolder(folder);
    },
  };
}

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
  await page.evaluate(axe);
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
