/** Messages to systemd (sd_notify), over real datagram sockets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServiceManager } from '../../src/commands/service-manager.ts';
import { until } from '../fixtures/waits.ts';
import { removeFolder, startProgram, temporaryFolder } from './program.ts';

const script = `
import json, socket, sys
name = sys.argv[1]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind('\\0' + name[1:] if name.startswith('@') else name)
print('true', flush=True)
while True:
    print(json.dumps(listener.recv(4096).decode()), flush=True)
`;

const running: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const child of running.splice(0)) child.kill();
  for (const folder of folders.splice(0)) removeFolder(folder);
});

function newFolder(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
}

/** Listens on a socket. Returns an array to which each message is appended. */
async function listen(socket: string): Promise<readonly string[]> {
  const child = spawn('python3', ['-c', script, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  const messages: string[] = [];
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  lines.on('line', (line) => messages.push(JSON.parse(line) as string));
  return messages;
}

const kinds = [
  ['a path', (folder: string) => join(folder, 'notify')],
  ['an abstract socket', () => `@receiverd-test-${process.pid}`],
] as const;

describe('the program under systemd', () => {
  it.each(kinds)('sends ready, watchdog and stopping messages to %s', async (_, socketIn) => {
    const folder = newFolder();
    const socket = socketIn(folder);
    const messages = await listen(socket);
    const own = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '200000' };
    Object.assign(process.env, own);
    const program = await startProgram(folder, '--tuner', 'demo').finally(() => {
      for (const name of Object.keys(own)) delete process.env[name];
    });
    const ready = `READY=1\nSTATUS=Web interface ${program.http}/, live streams ${program.stream}/; its log has a link to set a password`;
    await until(() => expect(messages).toContain(ready));
    const pings = () => messages.filter((message) => message === 'WATCHDOG=1').length;
    const before = pings();
    await until(() => expect(pings()).toBeGreaterThan(before + 2));
    expect(await program.stop()).toBe(0);
    await until(() => expect(messages).toContain('STOPPING=1\nSTATUS=Stopping'));
    expect(messages.filter((message) => message === ready)).toHaveLength(1);
  });
});

describe('the service manager', () => {
  /** The messages during two timeouts of the watchdog, and the environment that is left. */
  async function messagesOf(variables: NodeJS.ProcessEnv) {
    const socket = join(newFolder(), 'notify');
    const messages = await listen(socket);
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] });
    const warn = vi.fn();
    const environment = { NOTIFY_SOCKET: socket, HOME: '/root', ...variables };
    const manager = ServiceManager.of(environment, { warn });
    vi.advanceTimersByTime(20_000);
    vi.useRealTimers();
    manager?.status('The end');
    if (manager !== undefined) await until(() => expect(messages).toContain('STATUS=The end'));
    expect(warn).not.toHaveBeenCalled();
    return { messages, environment };
  }

  const ping = 'WATCHDOG=1';

  it('pings the watchdog twice per timeout, and removes its variables from the environment', async () => {
    const { messages, environment } = await messagesOf({
      WATCHDOG_USEC: '10000000',
      WATCHDOG_PID: String(process.pid),
    });
    expect(messages).toEqual([ping, ping, ping, ping, ping, 'STATUS=The end']);
    expect(environment).toEqual({ HOME: '/root' });
  });

  it.each([
    ['is absent', {}],
    ['is for another process', { WATCHDOG_USEC: '10000000', WATCHDOG_PID: '1' }],
    ['is invalid', { WATCHDOG_USEC: '-5' }],
  ])('sends no pings if WATCHDOG_USEC %s', async (_, variables) => {
    expect((await messagesOf(variables)).messages).toEqual(['STATUS=The end']);
  });

  it('is undefined without NOTIFY_SOCKET', () => {
    expect(ServiceManager.of({ WATCHDOG_USEC: '1000000' }, { warn: () => undefined })).toBeUndefined();
    expect(ServiceManager.of({ NOTIFY_SOCKET: '' }, { warn: () => undefined })).toBeUndefined();
  });

  it('reports why it cannot be notified', () => {
    const warn = vi.fn();
    ServiceManager.of({ NOTIFY_SOCKET: '/nowhere/notify' }, { warn })?.ready('Fine');
    expect(warn.mock.calls).toEqual([
      ["cannot notify systemd of 'READY=1' (NOTIFY_SOCKET=/nowhere/notify): no such file or directory"],
    ]);
  });
});
