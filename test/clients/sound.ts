/** Virtual loudspeakers: sound is consumed at the pace of real ones, which players rely on, and discarded. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../fixtures/waits.ts';

export interface Sound {
  /** For PULSE_SERVER. */
  readonly server: string;
  close(): Promise<void>;
}

/** Starts PulseAudio with one null sink; `folder` is for its socket. */
export async function openSound(folder: string): Promise<Sound> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const socket = join(folder, 'native');
  const modules = [`--load=module-native-protocol-unix socket=${socket} auth-anonymous=1`, '--load=module-null-sink'];
  const own = ['-n', '--daemonize=no', '--use-pid-file=no', '--exit-idle-time=-1', '--disable-shm=yes'];
  const server = spawn('pulseaudio', [...own, ...modules], {
    env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder },
    stdio: 'ignore',
  });
  await eventually(async () => existsSync(socket) || undefined, 'the sound server listens');
  return {
    server: `unix:${socket}`,
    async close() {
      const exit = once(server, 'exit');
      server.kill();
      await exit;
    },
  };
}
