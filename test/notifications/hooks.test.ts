import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfiguration } from '../../src/config/config.ts';
import { Hooks } from '../../src/notifications/hooks.ts';
import { isRunning } from '../fixtures/is-running.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until } from '../fixtures/waits.ts';
import { notice } from './notice.ts';

describe('Hooks', () => {
  let folder: string;
  let lines: string[];
  beforeEach(() => {
    folder = temporaryFolder();
    lines = [];
  });

  function hooksOf(command: readonly string[], timeout = 300) {
    const write = (line: unknown) => void lines.push(String(line));
    const { hooks: rules } = loadConfiguration({ environment: {} });
    const log = { info: write, warn: write, error: write } as ConstructorParameters<typeof Hooks>[0]['log'];
    return new Hooks({ log, folder }, { ...rules, recordingEnded: [...command], timeout });
  }
  const script = (text: string) => {
    const path = join(folder, 'hook.sh');
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return path;
  };
  const logged = (text: string | RegExp) => until(() => expect(lines.join('\n')).toMatch(text));

  it('passes the notice on standard input and the arguments without a shell', async () => {
    const hooks = hooksOf([script('cat > seen.json; printf "%s" "$1" > argument'), '$(touch shell) && "']);
    hooks.run(notice({ title: 'Ships "& Harbours' }));
    await logged('hook recordingEnded has ended');
    expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))).toEqual(notice({ title: 'Ships "& Harbours' }));
    expect(readFileSync(join(folder, 'argument'), 'utf8')).toBe('$(touch shell) && "');
    expect(existsSync(join(folder, 'shell'))).toBe(false);
  });

  it('logs the output without control characters and secrets, and its status', async () => {
    process.env.RECEIVERD_TEST_SECRET = 'hunter2';
    const text = 'printf "one\\033[2J\\ntoken=abcdef\\n$RECEIVERD_TEST_SECRET\\n"; echo two >&2; exit 3';
    hooksOf([script(text)]).run(notice());
    await logged('status 3');
    delete process.env.RECEIVERD_TEST_SECRET;
    expect(lines).toEqual(expect.arrayContaining(['hook recordingEnded: one [2J', 'hook recordingEnded: two']));
    expect(lines.join('\n')).not.toMatch(/abcdef|hunter2/);
  });

  it('drops endless output, and does not wait for a hook that reads nothing', async () => {
    hooksOf([script('exec <&-; head -c 300000 /dev/zero | tr "\\0" x')]).run(
      notice({ description: 'x'.repeat(200_000) }),
    );
    await logged('has ended');
    expect(lines.join('\n')).toMatch('the rest of its output is dropped');
    expect(lines.join('').length).toBeLessThan(20_000);
  });

  it('kills a hook that takes too long, with what it has started', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    hooksOf([script('sleep 3600 & echo $! > child; wait')], 1).run(notice());
    const child = () => readFileSync(join(folder, 'child'), 'utf8');
    await until(() => expect(isRunning(child())).toBe(true));
    vi.advanceTimersByTime(1000);
    await logged('it took longer than 1 s');
    await until(() => expect(isRunning(child())).toBe(false));
  });

  it('reports a program that cannot be run', async () => {
    hooksOf([join(folder, 'nosuch')]).run(notice());
    await logged(/hook recordingEnded failed: .*(no such file|ENOENT|not found)/i);
    // Node throws this at once.
    const file = script('exit 0');
    expect(() => hooksOf([join(file, 'x')]).run(notice())).not.toThrow();
    await logged(/hook recordingEnded failed: .*\/hook\.sh\/x: not a directory/);
  });

  it('runs four at a time, at most a hundred wait, and all others are logged', async () => {
    const hooks = hooksOf([script('echo x >> started; sleep 3600')]);
    for (let count = 0; count < 105; count++) hooks.run(notice({ message: `number ${count}` }));
    await until(() => expect(readFileSync(join(folder, 'started'), 'utf8')).toBe('x\n'.repeat(4)));
    expect(lines).toEqual(['hook recordingEnded was not run: 100 others wait (number 104)']);
    await hooks.stop();
    expect(lines.filter((line) => line.includes('was not run: the receiver stops'))).toHaveLength(100);
    expect(lines.filter((line) => line.includes('failed: the receiver stops'))).toHaveLength(4);
    expect(readFileSync(join(folder, 'started'), 'utf8')).toBe('x\n'.repeat(4));
  });

  it('runs nothing for other notices', () => {
    const hooks = hooksOf([join(folder, 'nosuch')]);
    for (const event of ['recordingStarted', 'test', 'timeout', '__proto__', 'toString']) hooks.run(notice({ event }));
    expect(lines).toEqual([]);
  });
});
