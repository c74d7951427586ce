/** Scans and the setup of dishes over HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { all, api, leaves, web } from '../reply.ts';
import { receiver, useReceiver } from './fixture.ts';

useReceiver();

const satellites = `<satellites><sat name="Astra" position="192"><transponder frequency="11836000" symbol_rate="27500000" polarization="0"/></sat></satellites>`;

it('shows that no scan has run', async () => {
  expect(await api(receiver, 'scanstatus')).toMatchObject({ state: 'idle', of: 0, tv: 0, vanished: [], tuner: null });
  expect(leaves(await web(receiver, 'scanstatus'))[0]).toEqual(['e2scanstate', 'idle']);
});

it('lists the tables with which a scan can begin', async () => {
  writeFileSync(join(receiver.folder, 'satellites.xml'), satellites);
  const ofUser = { name: 'satellites.xml/Astra', kind: 'satellite', position: 192, country: '' };
  const builtIn = { name: 'us-cable', kind: 'atsc', position: null, country: 'us' };
  expect(await api(receiver, 'scantables')).toEqual({
    tables: expect.arrayContaining([ofUser, builtIn]),
    problems: [],
    result: true,
  });
  const listed = all(await web(receiver, 'scantables'), 'e2scantable').map(leaves);
  for (const { name, kind, country } of [ofUser, builtIn]) {
    expect(listed).toContainEqual([
      ['e2name', name],
      ['e2kind', kind],
      ['e2country', country],
    ]);
  }
});

it.each([
  ['scanstart', 'no front end'],
  ['setup?place=de', 'no front end'],
  ['scanstop', 'No scan is running'],
])('reports why %s does nothing', async (request, message) => {
  const response = await receiver.app.inject(`/api/${request}`);
  expect(response.json()).toMatchObject({ result: false });
  expect(response.json().message).toContain(message);
});

it('reads the setup of a dish from parameters', async () => {
  const connected = async (query: string) => JSON.parse(String((await api(receiver, `tunersetup?${query}`)).message));
  expect(await connected('tuner=1&satellites=19.2E,30.0W')).toEqual({
    tuner: 1,
    equipment: 'diseqc',
    satellites: [192, 3300],
  });
  expect(await connected('tuner=0&satellites=13E&equipment=jess&band=3&frequency=1210&cable=0')).toMatchObject({
    equipment: 'jess',
    satellites: [130],
    band: 3,
    bandFrequency: 1210,
    cable: 0,
  });
  expect(await connected('tuner=0&equipment=rotor&longitude=-3.7&latitude=40.4')).toMatchObject({
    equipment: 'rotor',
    longitude: -3.7,
    latitude: 40.4,
  });
});

it.each([
  ['satellites=19.2E', "'tuner'"],
  ['tuner=0&satellites=nineteen', "contains 'nineteen'"],
  ['tuner=0&satellites=19.2E&equipment=rope', "'equipment' must be one of"],
  ['tuner=0&equipment=rotor&latitude=91', "'latitude' must be a number from -90 to 90"],
])('refuses ?%s', async (query, message) => {
  const { result, message: said } = (await receiver.app.inject(`/api/tunersetup?${query}`)).json();
  expect([result, said]).toEqual([false, expect.stringContaining(message)]);
});
