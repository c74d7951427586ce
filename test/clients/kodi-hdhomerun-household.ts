/**
 * The program, and Kodi with its HDHomeRun client, in one network: to be run inside a network of their own, since the ports of
 * the protocol are fixed, and the client searches with a broadcast. Prints what Kodi has shown as JSON.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, untilTrue } from '../fixtures/waits.ts';
import { startProgram } from '../receiver/program.ts';
import { openDisplay } from './display.ts';
import { open, player, startKodi, stop } from './kodi.ts';
import { openSound } from './sound.ts';

const [folder = ''] = process.argv.slice(2);
const settings = join(folder, 'receiverd.yaml');
writeFileSync(settings, 'hdhomerun:\n  server: true\n');
const [program, display, sound] = await Promise.all([
  startProgram(join(folder, 'data'), '--tuner', 'demo', '--config', settings, '--bind', '0.0.0.0'),
  openDisplay(),
  openSound(join(folder, 'sound')),
]);
await untilTrue(async () => program.log.some(({ msg = '' }) => msg.startsWith('HDHomeRun ')));
const { http, stream } = program;
const client = { id: 'pvr.hdhomerun', settings: {} };
const kodi = await startKodi({ home: join(folder, 'kodi'), display, sound, http, stream, client });
try {
  const channels = await eventually(async () => {
    const asked = { channelgroupid: 'alltv', properties: ['channelnumber'] };
    const listed = await kodi
      .call<{ channels: readonly { channelid: number; label: string }[] }>('PVR.GetChannels', asked)
      .catch(() => ({ channels: [] }));
    return listed.channels.length > 0 ? listed.channels : undefined;
  }, 'Kodi has found the channels');
  await open(kodi, { channelid: channels[0]?.channelid });
  const codec = await eventually(async () => {
    type Shown = { readonly currentvideostream: { readonly codec: string } | null };
    const shown = await player<Shown>(kodi, 'currentvideostream').catch(() => undefined);
    return shown?.currentvideostream?.codec || undefined;
  }, 'Kodi shows a picture');
  // The position that its player reports is that of the event, which it does not know.
  const time = 'Player.Time';
  await eventually(async () => ((await kodi.labels(time))[time] >= '00:05' ? true : undefined), 'Kodi plays');
  await stop(kodi);
  process.stdout.write(JSON.stringify({ channels: channels.map(({ label }) => label), codec }));
} finally {
  kodi.end();
  await display.close();
  await sound.close();
  await program.stop();
}
