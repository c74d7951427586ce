/** Network scans that cannot start. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { NetworkScans } from '../../src/scan/network-scans.ts';
import { Services } from '../../src/services/services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

it('a missing front end scans nothing, and is reported', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'terrestrial.xml'), '<locations><terrestrial name="A"/></locations>');
  const settings = Settings.read(join(folder, 'settings'));
  const pool = new TunerPool([new Tuner({ kind: 'dvb', adapter: 250, frontend: 0 })], { linger: 0 });
  const services = await Services.load(folder);
  const scans = new NetworkScans({ pool, services, settings }, [folder], pino({ level: 'silent' }));
  const trouble = '/dev/dvb/adapter250/frontend0: there is no such device';
  await expect(scans.start(undefined)).rejects.toThrow(trouble);
  await expect(scans.start('terrestrial.xml/A')).rejects.toThrow(trouble);
  await expect(scans.setUp({ country: 'de', satellites: [] })).rejects.toThrow(trouble);
  expect(scans.status.state).toBe('idle');
});
