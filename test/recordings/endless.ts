/**
 * Records two services of the demo multiplex into a folder until it is killed. Prints a line once both files have
 * content.
 */
import pino from 'pino';
import { systemClock } from '../../src/base/clock.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { parseTunerSpec, Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { Guide } from '../../src/epg/guide.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { Recorder } from '../../src/recordings/recorder.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { fastDemo } from '../fixtures/fast-demo.ts';
import { networkStreams } from '../fixtures/network.ts';
import { programTimeoutMs } from '../fixtures/waits.ts';

const [folder = ''] = process.argv.slice(2);
const guide = new Guide();
const tuner = new Tuner(parseTunerSpec(fastDemo), { guide: guide.native });
const pool = new TunerPool([tuner], { linger: 1000 });
const services = await Services.load(folder);
const recorder = new Recorder(
  {
    pool,
    network: networkStreams(),
    guide,
    services,
    settings: Settings.parse(''),
    folders: new RecordingFolders(['/']),
    clock: systemClock,
    log: pino({ level: 'silent' }),
    timeZone: () => 'UTC',
  },
  { queueBound: 32 << 20, sync: 'interval', syncInterval: 1 },
);
pool.tuners[0]?.lease({ purpose: 'scan', user: 'test' });
await pool.tuners[0]?.until((multiplex) => multiplex.complete, { timeoutMs: programTimeoutMs });
const recordings = await Promise.all(
  tuner
    .multiplex()
    .services.slice(0, 2)
    .map((service) =>
      recorder.start({
        reference: ServiceReference.service(service.type, service, 0xffff0000),
        serviceName: service.name,
        title: 'Endless',
        description: '',
        tags: [],
        folder,
        begin: systemClock.now(),
      }),
    ),
);
const watch = setInterval(() => {
  // A few pictures are on the disk.
  if (!recordings.every(({ size, length }) => size > 300_000 && length > 1)) return;
  clearInterval(watch);
  console.log('recording');
}, 50);
setInterval(() => undefined, 60_000);
