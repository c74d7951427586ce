/** Headless Chromium, controlled over the pipe of its developer tools. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { eventually } from '../fixtures/patience.ts';

/** The first of these that is installed. */
export const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync('which', [name], { stdio: 'ignore' }).status === 0 || existsSync(`/usr/bin/${name}`),
);

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface Page {
  /** Evaluates an expression in the page; awaits promises. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until the expression is truthy. */
  until(expression: string): Promise<void>;
  open(url: string): Promise<void>;
  /** Sets the screen size in CSS pixels; a phone has a coarse pointer and another layout. */
  resize(width: number, height: number, isPhone?: boolean): Promise<void>;
  screenshot(): Promise<Buffer>;
  /** Console errors, exceptions, and requests that failed or got a status of 400 or above, since the last call. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

/** Starts a browser with an empty profile in `folder` and one page. */
export async function openBrowser(program: string, folder: string, ...flags: readonly string[]): Promise<Page> {
  const own = ['--headless', '--no-first-run', '--disable-gpu', '--remote-debugging-pipe', `--user-data-dir=${folder}`];
  // Its sandbox works neither for root nor in containers.
  const child: ChildProcess = spawn(
    program,
    [...own, ...flags, '--no-sandbox', '--disable-dev-shm-usage', 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const complaints: string[] = [];
  let last = 0;
  let text = '';
  (child.stdio[4] as Readable).setEncoding('utf8').on('data', (more: string) => {
    const messages = (text + more).split('\0');
    text = messages.pop() ?? '';
    for (const message of messages) take(JSON.parse(message) as Message);
  });
  function take({ id = -1, method, params = {}, result, error }: Message): void {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
    const complaint = method && complaintOf(method, params);
    if (complaint) complaints.push(complaint);
  }
  let session: string | undefined;
  const call = <T>(method: string, params: object = {}) =>
    new Promise<T>((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      (child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    });
  const { targetInfos } = await eventually(async () => {
    const found = await call<{ targetInfos: readonly { targetId: string; type: string }[] }>('Target.getTargets');
    return found.targetInfos.some(({ type }) => type === 'page') ? found : undefined;
  }, 'the browser has a page');
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId;
  ({ sessionId: session } = await call<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true }));
  for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await call(`${domain}.enable`);
  const evaluate = async <T>(expression: string) => {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const answer = await call<{ result: { value: T }; exceptionDetails?: { text: string } }>('Runtime.evaluate', asked);
    if (answer.exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(answer.result)}`);
    return answer.result.value;
  };
  const until = async (expression: string) => {
    await eventually(
      async () => (await evaluate<boolean>(`Boolean(${expression})`).catch(() => false)) || undefined,
      expression,
    );
  };
  return {
    evaluate,
    until,
    complaints: () => complaints.splice(0),
    async open(url) {
      await call('Page.navigate', { url });
      await until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
    },
    async resize(width, height, isPhone = false) {
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: isPhone });
    },
    async screenshot() {
      const { data } = await call<{ data: string }>('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(data, 'base64');
    },
    async close() {
      const exit = once(child, 'exit');
      session = undefined;
      await Promise.race([call('Browser.close'), exit]);
      await exit;
    },
  };
}

function complaintOf(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  const said = JSON.stringify(params);
  switch (method) {
    case 'Runtime.exceptionThrown':
      return said;
    case 'Runtime.consoleAPICalled':
      return ['error', 'warning'].includes(params.type as string) ? said : undefined;
    case 'Log.entryAdded':
      return (params.entry as { level: string }).level === 'error' ? said : undefined;
    case 'Network.loadingFailed':
      // Leaving a page cancels its requests.
      return params.canceled ? undefined : said;
    case 'Network.responseReceived':
      return (params.response as { status: number }).status >= 400 ? said : undefined;
    default:
      return undefined;
  }
}
