/**
 * A tuner of a SAT>IP server at PORT, whose one service is read and dropped, in a process of its own. Tells its parent,
 * once it has received for SECONDS after a while, what that has cost.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { findNetworkTuners } from '../src/dvb/network-tuners.ts';
import { automaticBut } from '../src/dvb/transponder.ts';
import { TunerPool } from '../src/dvb/tuner-pool.ts';
import type { Received } from './satip.bench.ts';

const [port, transport, seconds] = process.argv.slice(2);
const service = { originalNetworkId: 1, transportStreamId: 1, serviceId: 1 };
const parameters = automaticBut('terrestrial', { frequency: 498e6, bandwidth: 0, system: 0 });
const transponder = { namespace: 0xeeee0000, transportStreamId: 1, originalNetworkId: 1, parameters };
const pool = new TunerPool([], { linger: 0, transpondersOf: () => [transponder] });
const spec = `satip:127.0.0.1:${port},transport=${transport},tuners=DVBT-1`;
await findNetworkTuners([spec], (tuner, frontEnd) => pool.add(tuner, frontEnd));
const lease = await pool.tune(service, 'live', 'bench');
const stream = lease.tuner.openStream(service.serviceId);
let bytes = 0;
const reading = (async () => {
  for await (const { length } of stream) bytes += length;
})();
// Starting is another matter.
await pause(2000);
const before = { usage: process.cpuUsage(), bytes, lost: lease.tuner.statistics().network.lost };
await pause(Number(seconds) * 1000);
const { user, system } = process.cpuUsage(before.usage);
const lost = lease.tuner.statistics().network.lost - before.lost;
const received: Received = { time: (user + system) / 1000, bytes: bytes - before.bytes, lost };
await stream.close();
await reading;
lease.release();
await pool.close();
process.send?.(received, () => process.disconnect());
