/** Device information: about and deviceinfo, two views of the same facts. */
import Type, { type Static } from 'typebox';
import { operation } from '../faces/operation.ts';
import { each, element, leaf, part, type View } from '../write/xml.ts';
import {
  CurrentServiceRecord,
  currentEvents,
  currentServiceRecord,
  exampleCurrentService,
  pidElements,
  videoElements,
} from './current-service.ts';
import { exampleInformation, Information, informationOf } from './information.ts';

const since = '0.1';
const tag = 'device';

const versionElements: readonly View<Information>[] = [
  leaf('e2oeversion', ({ oever }) => oever),
  leaf('e2enigmaversion', ({ enigmaver }) => enigmaver),
  leaf('e2distroversion', ({ imagedistro }) => imagedistro),
  leaf('e2imageversion', ({ imagever }) => imagever),
  leaf('e2driverdate', ({ driverdate }) => driverdate),
  leaf('e2webifversion', ({ webifver }) => webifver),
  leaf('e2fpversion', (info) => info.fp_version ?? 'None'),
];

type Interface = Information['ifaces'][number];
type Disk = Information['hdd'][number];
type Nim = Information['tuners'][number];

const About = Type.Object({ info: Information, service: CurrentServiceRecord, result: Type.Boolean() });
type About = Static<typeof About>;

const about = operation({
  name: 'about',
  since,
  tag,
  summary: 'The device, its network, disks and tuners, and the current service.',
  parameters: {},
  result: About,
  xml: element<About>(
    'e2abouts',
    element(
      'e2about',
      part(
        ({ info }) => info,
        rows(
          ...versionElements,
          leaf('e2model', ({ model }) => model),
        ),
      ),
      part(
        ({ info }) => info.ifaces[0],
        rows<Interface>(
          leaf('e2lanmac', ({ mac }) => mac),
          leaf('e2landhcp', ({ dhcp }) => dhcp),
          leaf('e2lanip', ({ ip }) => ip),
          leaf('e2lanmask', ({ mask }) => mask),
          leaf('e2langw', ({ gw }) => gw),
        ),
      ),
      part(
        ({ info }) => info.hdd[0],
        element<Disk>(
          'e2hddinfo',
          leaf('model', ({ model }) => model),
          leaf('capacity', ({ capacity }) => capacity),
          leaf('free', ({ free }) => free),
          leaf('mount', ({ mount }) => mount),
        ),
      ),
      part(
        ({ info }) => (info.tuners.length > 0 ? info : undefined),
        element<Information>(
          'e2tunerinfo',
          each(
            ({ tuners }) => tuners,
            element<Nim>(
              'e2nim',
              leaf('name', ({ name }) => name),
              leaf('type', ({ type }) => type),
              leaf('live', ({ live }) => live),
              leaf('rec', ({ rec }) => rec),
            ),
          ),
        ),
      ),
      part(
        ({ service }) => service,
        rows<CurrentServiceRecord>(
          leaf('e2servicename', ({ name }) => name),
          leaf('e2servicenamespace', ({ namespace }) => namespace),
          leaf('e2serviceaspect', ({ aspect }) => aspect),
          leaf('e2serviceprovider', ({ provider }) => provider),
          ...videoElements,
          ...pidElements,
        ),
      ),
    ),
  ),
  example: { info: exampleInformation, service: exampleCurrentService, result: true },
  run: async (parts) => ({
    info: await informationOf(parts),
    service: currentServiceRecord(parts, await currentEvents(parts)),
    result: true,
  }),
});

const DeviceInformation = Type.Object({ ...Information.properties, result: Type.Boolean() });

const deviceinfo = operation({
  name: 'deviceinfo',
  since,
  tag,
  summary: 'The device, its tuners, network and disks.',
  parameters: {},
  result: DeviceInformation,
  xml: element<Information>(
    'e2deviceinfo',
    ...versionElements,
    leaf('e2devicename', ({ model }) => model),
    element(
      'e2frontends',
      each(
        ({ tuners }) => tuners,
        element<Nim>(
          'e2frontend',
          leaf('e2name', ({ name }) => name),
          leaf('e2model', ({ type }) => type),
        ),
      ),
    ),
    element(
      'e2network',
      each(
        ({ ifaces }) => ifaces,
        element<Interface>(
          'e2interface',
          leaf('e2name', ({ name }) => name),
          leaf('e2mac', ({ mac }) => mac),
          leaf('e2dhcp', ({ dhcp }) => dhcp),
          leaf('e2ip', ({ ip }) => ip),
          leaf('e2gateway', ({ gw }) => gw),
          leaf('e2netmask', ({ mask }) => mask),
        ),
      ),
    ),
    element(
      'e2hdds',
      each(
        ({ hdd }) => hdd,
        element<Disk>(
          'e2hdd',
          leaf('e2model', ({ model }) => model),
          leaf('e2capacity', ({ capacity }) => capacity),
          leaf('e2free', ({ free }) => free),
          leaf('e2mount', ({ mount }) => mount),
        ),
      ),
    ),
  ),
  example: { ...exampleInformation, result: true },
  run: async (parts) => ({ ...(await informationOf(parts)), result: true }),
});

/** Several views of one value, one after the other. */
function rows<T>(...views: readonly View<T>[]): View<T> {
  return {
    *write(value, indent) {
      for (const view of views) yield* view.write(value, indent);
    },
  };
}

export const informationOperations = [about, deviceinfo];
