/**
 * VDR as a rival: it receives by vdr-plugin-satip from a server on this machine, and streams by vdr-plugin-streamdev-server.
 * It listens on every interface, so run it in a network of its own.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './native.ts';

/** Runs a command in a network of its own, as a prefix of it. */
export const ownNetwork = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] as const;

/** What `haveVdr` takes, of Debian. */
export const vdrPackages = 'vdr, vdr-plugin-satip, vdr-plugin-streamdev-server and iproute2, and unshare -rn';

/** Whether VDR and its plugins are there. */
export function haveVdr(): boolean {
  const [program, ...flags] = [...ownNetwork, 'vdr', '-V', '-Psatip', '-Pstreamdev-server'];
  // Its status is 0 without the plugins too.
  return /^satip .*^streamdev-server /ms.test(String(spawnSync(program, flags).stdout));
}

/** Where it streams the first service of the demo. */
export const vdrStream = 'http://127.0.0.1:3000/TS/2';

/** Starts it on the SAT>IP server at this port; it ends with this process. */
export function startVdr(port: number): ChildProcess {
  const home = temporaryFolder();
  const [config, hosts] = [join(home, 'config'), join(home, 'config', 'plugins', 'streamdev-server')];
  mkdirSync(hosts, { recursive: true });
  // It begins with the first channel, which it cannot receive: it is idle.
  const channels = [
    'Nowhere;Test:11494:HC23M2O35S1:S19.2E:22000:256:257:0:0:1:1:1:0',
    'Aldermoor One;Test:474000000:B8C34D0G8M64T8Y0S0:T:27500:273=27:274=eng@15:0:0:3345:65293:3329:0',
  ];
  const settings = [
    ...['UpdateChannels = 0', 'EPGScanTimeout = 0', 'streamdev-server.MaxClients = 1000'],
    ...['streamdev-server.HTTPBindIP = 127.0.0.1', 'streamdev-server.HTTPServerPort = 3000'],
  ];
  writeFileSync(join(config, 'channels.conf'), `${channels.join('\n')}\n`);
  writeFileSync(join(config, 'setup.conf'), `${settings.join('\n')}\n`);
  writeFileSync(join(hosts, 'streamdevhosts.conf'), '127.0.0.1\n');
  for (const name of ['sources', 'diseqc', 'keymacros', 'remote', 'timers', 'scr', 'svdrphosts'])
    writeFileSync(join(config, `${name}.conf`), '');
  const folders = [`--config=${config}`, ...['video', 'cachedir', 'resdir'].map((name) => `--${name}=${home}`)];
  const options = ['-u', 'root', '-l', '0', '--no-kbd', '--watchdog=0', '-p', '0', '--epgfile=-'];
  const plugins = [`-Psatip -d 1 -s 127.0.0.1:${port}|DVBT-1|receiverd`, '-Pstreamdev-server'];
  const child = spawn('vdr', [...folders, ...options, ...plugins], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}
