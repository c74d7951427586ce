/**
 * `npx tsx bench/web-page.ts` measures the grid of the guide in Chromium, with 1,300 channels by 14 days: how long it takes
 * to open, how many frames a second are drawn while it scrolls, by the browser's own trace, and how often the page's
 * script keeps the main thread for more than 50 ms. It needs `npm test` or
 * `npm start` to have built the program.
 */
import { join } from 'node:path';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { writeLargeGuide } from '../test/fixtures/large-guide.ts';
import { browser } from '../test/ui/open-page.ts';
import { importGuide, startProgram } from './http-program.ts';
import { temporaryFolder } from './native.ts';

const opens = 20;

/** In the page: resolves to the time at which events were drawn, in milliseconds since the page was asked for. */
const eventsDrawn = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelectorAll('.guide-cell a[data-event]').length < 20) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  look();
})`;
/** From a press of the menu until then. */
const opensFromMenu = `(async () => {
  const start = performance.now();
  document.querySelector('.menu a[href="#/guide"]').click();
  return (await ${eventsDrawn}) - start;
})()`;

/** In the page: counts tasks of more than 50 ms from now on, in `longTasks`. */
const countLongTasks = `globalThis.longTasks = 0;
new PerformanceObserver((list) => { globalThis.longTasks += list.getEntries().length; }).observe({ entryTypes: ['longtask'] });`;

interface Scroll {
  readonly name: string;
  /** Pixels, and pixels a second. */
  readonly xDistance: number;
  readonly yDistance: number;
  readonly speed: number;
}

const scrolls: readonly Scroll[] = [
  { name: 'down, 17 channels a second', xDistance: 0, yDistance: -5000, speed: 1000 },
  { name: 'down, 50 channels a second', xDistance: 0, yDistance: -15_000, speed: 3000 },
  { name: 'sideways, 4 hours a second', xDistance: -5000, yDistance: 0, speed: 1000 },
];

interface TraceEvent {
  readonly name: string;
  /** Microseconds. */
  readonly ts: number;
}

async function main(): Promise<void> {
  if (!browser) throw new Error('there is no Chromium');
  const folder = temporaryFolder();
  const guide = await writeLargeGuide(folder);
  const program = await startProgram(folder, { more: `enigma2Dir: ${guide.lists}` });
  await importGuide(program, guide.file);
  console.log(`${guide.events} events`);
  const chrome = await chromium.launch({
    executablePath: join('/usr/bin', browser),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const context = await chrome.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addInitScript(`globalThis.drawn = ${eventsDrawn}`);
    const page = await context.newPage();
    await open(page, program.url);
    await scrollAll(context, page);
  } finally {
    await chrome.close();
    await program.stop();
  }
}

/** How long it takes to open, from the address and from the menu of another page; the first time with empty caches. */
async function open(page: Page, url: string): Promise<void> {
  const [fromAddress, fromMenu]: [number[], number[]] = [[], []];
  for (let count = 0; count <= opens; count++) {
    await page.goto('about:blank');
    await page.goto(`${url}/#/channels`);
    await page.locator('.list').waitFor();
    fromMenu.push(await page.evaluate<number>(opensFromMenu));
    await page.goto('about:blank');
    await page.goto(`${url}/#/guide`);
    fromAddress.push(await page.evaluate<number>('globalThis.drawn'));
  }
  tell('opens from the menu', fromMenu);
  tell('opens from the address', fromAddress);
  console.log(`elements of the page: ${await page.evaluate<number>('document.querySelectorAll("*").length')}`);
}

function tell(name: string, [first = 0, ...later]: readonly number[]): void {
  later.sort((a, b) => a - b);
  const at = (share: number) => Math.round(later[Math.floor((later.length - 1) * share)] ?? 0);
  console.log(`${name}: first ${Math.round(first)} ms, later p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
}

async function scrollAll(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await page.evaluate(countLongTasks);
  for (const { name, ...distance } of scrolls) {
    await page.evaluate('globalThis.longTasks = 0');
    const frames = await traced(session, async () => {
      await session.send('Input.synthesizeScrollGesture', {
        x: 800,
        y: 500,
        ...distance,
        gestureSourceType: 'mouse',
        preventFling: true,
      });
    });
    const seconds = ((frames.at(-1) ?? 0) - (frames[0] ?? 0)) / 1e6;
    const gaps = frames.slice(1).map((time, index) => (time - (frames[index] ?? 0)) / 1000);
    gaps.sort((a, b) => a - b);
    const p99 = gaps[Math.floor((gaps.length - 1) * 0.99)] ?? 0;
    const rate = ((frames.length - 1) / seconds).toFixed(1);
    const longTasks = await page.evaluate<number>('globalThis.longTasks');
    console.log(`${name}: ${rate} frames a second, 99 % within ${p99.toFixed(1)} ms, ${longTasks} tasks over 50 ms`);
  }
}

/** When frames were drawn during `run`: DrawFrame of the trace, in microseconds. */
async function traced(session: CDPSession, run: () => Promise<void>): Promise<readonly number[]> {
  const found: number[] = [];
  const collect = ({ value }: { value: readonly unknown[] }) => {
    for (const event of value as readonly TraceEvent[]) if (event.name === 'DrawFrame') found.push(event.ts);
  };
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline.frame'] },
  });
  await run();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  session.off('Tracing.dataCollected', collect);
  return found.sort((a, b) => a - b);
}

await main();
