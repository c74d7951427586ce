/**
 * The program, and hdhomerun_config as its client, in one network: to be run inside a network of their own, since the ports of
 * the protocol are fixed. Prints what the client saw as JSON.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { address } from '../fixtures/own-network.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { startProgram } from '../receiver/program.ts';

const [folder = ''] = process.argv.slice(2);
/** Bytes of a recording that has begun with a key frame and all sound tracks. */
const enoughBytes = 1_500_000;

const config = (...words: readonly string[]) => execFileSync('hdhomerun_config', words).toString().trim();

const settings = join(folder, 'receiverd.yaml');
writeFileSync(settings, 'hdhomerun:\n  server: true\n');
const program = await startProgram(join(folder, 'data'), '--tuner', 'demo', '--config', settings, '--bind', '0.0.0.0');
await untilTrue(async () => program.log.some(({ msg = '' }) => msg.startsWith('HDHomeRun ')));

const found = config('discover', address);
config(address, 'set', '/tuner0/channel', 'auto:474000000');
const get = (name: string) => config(address, 'get', `/tuner0/${name}`);
await untilTrue(async () => get('streaminfo').includes('Aldermoor One'));
const status = get('status');
const [number = ''] = get('streaminfo').split(':', 1);
config(address, 'set', '/tuner0/program', number);

const file = join(folder, 'saved.ts');
const saving = spawn('hdhomerun_config', [address, 'save', '/tuner0', file]);
const told = text(saving.stderr);
const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
await untilTrue(async () => size() > enoughBytes);
saving.kill('SIGINT');
await once(saving, 'close');
const probe = ['-v', 'quiet', '-of', 'json', '-show_entries', 'stream=codec_name:program=program_id', file];
const probed = JSON.parse(execFileSync('ffprobe', probe).toString());
const streams = probed.programs.filter((one: { streams: readonly object[] }) => one.streams.length > 0);

const seen = {
  found,
  status,
  saved: streams[0]?.streams.map((one: { codec_name: string }) => one.codec_name),
  programs: streams.length,
  errors: /\d+ network errors.*/.exec(await told)?.[0],
  after: get('target'),
};
await program.stop();
process.stdout.write(JSON.stringify(seen));
