/** Device information: about and deviceinfo, two views of the same facts. */
import type { Static } from 'typebox';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import { recordSchema } from '../../write/record.ts';
import { all, element, leaf, leaves, part, rows } from '../../write/xml.ts';
import {
  CurrentServiceRecord,
  currentEvents,
  currentServiceRecord,
  pidElements,
  videoElements,
} from '../current-service.ts';
import { Information, informationOf } from './information.ts';

const versionElements = all<Information>(
  leaves({
    e2oeversion: 'oever',
    e2enigmaversion: 'enigmaver',
    e2distroversion: 'imagedistro',
    e2imageversion: 'imagever',
    e2driverdate: 'driverdate',
    e2webifversion: 'webifver',
  }),
  leaf('e2fpversion', (info) => info.fp_version ?? 'None'),
);

type Interface = Information['ifaces'][number];
type Disk = Information['hdd'][number];

const About = recordSchema({ info: Information, service: CurrentServiceRecord, result: true });

const about = operation({
  name: 'about',
  summary: 'The device, its network, disks and tuners, and the current service.',
  result: About,
  xml: element<Static<typeof About>>(
    'e2abouts',
    element(
      'e2about',
      part(({ info }) => info, all(versionElements, leaves<Information>({ e2model: 'model' }))),
      part(
        ({ info }) => info.ifaces[0],
        leaves<Interface>({ e2lanmac: 'mac', e2landhcp: 'dhcp', e2lanip: 'ip', e2lanmask: 'mask', e2langw: 'gw' }),
      ),
      part(
        ({ info }) => info.hdd[0],
        element<Disk>('e2hddinfo', leaves({ model: 'model', capacity: 'capacity', free: 'free', mount: 'mount' })),
      ),
      part(
        ({ info }) => (info.tuners.length > 0 ? info : undefined),
        element<Information>(
          'e2tunerinfo',
          rows(({ tuners }) => tuners, 'e2nim', { name: 'name', type: 'type', live: 'live', rec: 'rec' }),
        ),
      ),
      part(
        ({ service }) => service,
        all<CurrentServiceRecord>(
          leaves({
            e2servicename: 'name',
            e2servicenamespace: 'namespace',
            e2serviceaspect: 'aspect',
            e2serviceprovider: 'provider',
          }),
          videoElements,
          pidElements,
        ),
      ),
    ),
  ),
  run: async (parts) => ({
    info: await informationOf(parts),
    service: currentServiceRecord(parts, await currentEvents(parts)),
    result: true,
  }),
});

const deviceinfo = operation({
  name: 'deviceinfo',
  summary: 'The device, its tuners, network and disks.',
  result: recordSchema({ ...Information.properties, result: true }),
  xml: element<Information>(
    'e2deviceinfo',
    versionElements,
    leaves({ e2devicename: 'model' }),
    element(
      'e2frontends',
      rows(({ tuners }) => tuners, 'e2frontend', { e2name: 'name', e2model: 'type' }),
    ),
    element(
      'e2network',
      rows(({ ifaces }) => ifaces, 'e2interface', {
        ...{ e2name: 'name', e2mac: 'mac', e2dhcp: 'dhcp', e2ip: 'ip', e2gateway: 'gw', e2netmask: 'mask' },
      }),
    ),
    element(
      'e2hdds',
      rows(({ hdd }) => hdd, 'e2hdd', { e2model: 'model', e2capacity: 'capacity', e2free: 'free', e2mount: 'mount' }),
    ),
  ),
  run: async (parts) => ({ ...(await informationOf(parts)), result: true }),
});

export const informationOperations = group('device', [about, deviceinfo]);
