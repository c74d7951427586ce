/** The program as the HTTP benchmarks run it: in its own process, over persistent connections. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, openSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { root } from './native.ts';

export interface Program {
  readonly url: string;
  /** Of the stream port. */
  readonly streams: string;
  readonly child: ChildProcess;
  /** The body of a response, in the chunks in which it arrived. */
  get(path: string): Promise<readonly Buffer[]>;
  stop(): Promise<void>;
}

/** Options for a process that writes to the file `probe` how long its event loop is blocked. Undefined: no probe. */
function probed(probe: string | undefined): { readonly execArgv: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  if (probe === undefined) return { execArgv: [], env: process.env };
  return {
    execArgv: ['--import', import.meta.resolve('./event-loop-probe.mjs')],
    env: { ...process.env, EVENT_LOOP_FILE: probe },
  };
}

/** Starts the program with the lists and the guide of a folder. */
export async function startProgram(
  folder: string,
  {
    probe,
    tuner,
    scan = 'never',
    more = '',
    bind = '127.0.0.1',
    log,
    execArgv: nodeFlags = [],
  }: {
    readonly probe?: string;
    readonly tuner?: string;
    readonly scan?: string;
    /** Further lines of the configuration. */
    readonly more?: string;
    readonly bind?: string;
    /** File for the log at `info`; undefined: errors only, on stderr. */
    readonly log?: string;
    /** Flags of Node.js. */
    readonly execArgv?: readonly string[];
  } = {},
): Promise<Program> {
  const config = join(folder, 'receiverd.yaml');
  const nothing = join(folder, 'nothing.ts');
  writeFileSync(nothing, Buffer.concat(Array.from({ length: 1000 }, (_, n) => nullPacket(n))));
  writeFileSync(
    config,
    `dataDir: ${folder}\nbind: ${bind}\nhttpPort: 0\nstreamPort: 0\nscan: ${scan}\ntuners: ["${tuner ?? `file:${nothing}`}"]\nlogLevel: ${log === undefined ? 'error' : 'info'}\n${more}`,
  );
  const { execArgv, env } = probed(probe);
  const child = spawn(
    process.execPath,
    [...nodeFlags, ...execArgv, join(root, 'dist', 'cli.js'), 'start', '--config', config],
    {
      stdio: ['ignore', 'pipe', log === undefined ? 'inherit' : openSync(log, 'a')],
      env,
    },
  );
  const { url, streams } = await new Promise<Pick<Program, 'url' | 'streams'>>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
    createInterface(child.stdout as Readable).on('line', (line) => {
      const [, url, streams] = /^receiverd ready http=(\S+?)\/? stream=(\S+?)\/?$/.exec(line) ?? [];
      if (url !== undefined && streams !== undefined) resolve({ url, streams });
    });
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const { get, agent } = client(url);
  return {
    url,
    streams,
    child,
    get,
    async stop() {
      agent.destroy();
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      process.off('exit', kill);
    },
  };
}

function nullPacket(counter: number): Buffer {
  const packet = Buffer.alloc(188, 0xff);
  packet.set([0x47, 0x1f, 0xff, 0x10 | (counter & 0xf)]);
  return packet;
}

/** A client with one persistent connection. */
function client(url: string): { readonly get: Program['get']; readonly agent: Agent } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return { agent, get: (path) => read(request(url + path, { agent }).end()) };
}

/** Starts a bare server with the program's current responses. */
export async function startBare(
  server: 'http-bare.ts' | 'fastify-bare.ts',
  program: Program,
  paths: readonly string[],
  probe?: string,
): Promise<Pick<Program, 'get' | 'url' | 'child'> & { stop(): void }> {
  const answers = new Map<string, Buffer>();
  for (const path of paths) answers.set(path, Buffer.concat(await program.get(path)));
  const { execArgv, env } = probed(probe);
  const child = fork(join(import.meta.dirname, server), {
    execArgv: ['--import', 'tsx', ...execArgv],
    env,
    serialization: 'advanced',
  });
  child.send(answers as never);
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}`;
  const { get, agent } = client(url);
  const stop = () => {
    agent.destroy();
    child.disconnect();
  };
  return { url, get, stop, child };
}

/** Resolves to the body; rejects on any status but 200. */
function read(asked: ReturnType<typeof request>): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    asked.once('error', reject).once('response', (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part)).once('error', reject);
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve(parts);
        else reject(new Error(`${asked.path}: ${answer.statusCode} ${String(Buffer.concat(parts)).slice(0, 200)}`));
      });
    });
  });
}

/** Imports an XMLTV file and returns the server's response. */
export async function importGuide({ url }: Pick<Program, 'url'>, file: string): Promise<string> {
  const asked = request(`${url}/api/epgimport`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', 'content-length': statSync(file).size },
  });
  const answer = read(asked);
  createReadStream(file, { highWaterMark: 1 << 18 }).pipe(asked);
  return String(Buffer.concat(await answer));
}

/** Returns the milliseconds that `run` took. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
}
