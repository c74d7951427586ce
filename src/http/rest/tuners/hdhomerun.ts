/** The documents of an HDHomeRun: what apps fetch to find the device and its channels. Only while the server is on. */
import { Readable } from 'node:stream';
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import { exportXmltv } from '../../../epg/xmltv.ts';
import type { LineupChannel } from '../../../hdhomerun/lineup.ts';
import { streamAddress } from '../../../m3u/playlist.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import { callerOf } from '../../endpoint/dispatch.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type RequestContext, textOf } from '../../endpoint/operation.ts';
import { type RestResponse, route } from '../../endpoint/route.ts';
import { contentTypes } from '../../middleware/failures.ts';
import { withTicket } from '../../middleware/login.ts';
import { isSecure, originOf } from '../../operations/channels/playlists.ts';
import { generatorOf } from '../../operations/guide/guide-files.ts';
import { playlistType } from '../../operations/recordings/movie-playlists.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { ownPiconPath } from '../../pictures/picons.ts';
import { field, recordSchema } from '../../write/record.ts';
import { documentBytes } from '../../write/replies.ts';
import { element, elementWith, leaf, leaves, rows, type View, xmlDocument } from '../../write/xml.ts';

const deviceRecord = recordSchema({
  FriendlyName: 'receiverd',
  Manufacturer: 'receiverd',
  ModelNumber: 'HDHR4-2DT',
  FirmwareName: 'hdhomerun4_dvbt',
  FirmwareVersion: '20231214',
  DeviceID: field('12345674', 'eight hexadecimal digits; always the same'),
  DeviceAuth: field('receiverd', 'of no use: the guide is /xmltv.xml'),
  BaseURL: 'http://receiver:8080',
  LineupURL: 'http://receiver:8080/lineup.json',
  TunerCount: 2,
});

const Channel = recordSchema(
  {
    GuideNumber: field('7', 'unique; `7.1` for the second channel with the number 7'),
    GuideName: 'Alpha HD',
    URL: field('http://receiver:5004/auto/v7', 'with a ticket in place of a login, if the client has logged in'),
  },
  { $id: 'HdhomerunChannel' },
);

/** The device. @throws ReceiverError `not-found` while the server is off */
function serverOf({ hdhomerun }: ReceiverParts) {
  if (hdhomerun === undefined) throw fail('not-found', 'the HDHomeRun server, which is off (hdhomerun.server)');
  return hdhomerun;
}

function deviceOf(parts: ReceiverParts, { origin }: Pick<RequestContext, 'origin'>) {
  const { name, model, deviceId, tunerCount } = serverOf(parts).device;
  return {
    FriendlyName: name,
    Manufacturer: 'receiverd',
    ModelNumber: model.number,
    FirmwareName: model.firmware,
    FirmwareVersion: model.version,
    DeviceID: deviceId,
    DeviceAuth: 'receiverd',
    BaseURL: origin,
    LineupURL: `${origin}/lineup.json`,
    TunerCount: tunerCount,
  };
}

type Addressed = Pick<RequestContext, 'origin' | 'host' | 'ticket'>;

/** By HTTPS, the streams of the web port or of the HTTPS stream port: port 5004 has only HTTP. */
function streamUrl(parts: ReceiverParts, context: Addressed, { number, reference }: LineupChannel): string {
  if (isSecure(context)) return streamAddress(reference.withoutName().format(), originOf(parts, context));
  return withTicket(`http://${context.host}:${serverOf(parts).streamPort}/auto/v${number}`, context.ticket);
}

async function lineup(parts: ReceiverParts, context: Addressed) {
  const channels = await serverOf(parts).channels();
  const slice = new TimeSlice();
  const entries = [];
  for (const channel of channels) {
    if (slice.isOver) await slice.next();
    entries.push({
      GuideNumber: channel.number,
      GuideName: channel.name,
      URL: streamUrl(parts, context, channel),
    });
  }
  return entries;
}

const exampleEntry = { GuideNumber: '7', GuideName: 'Alpha HD', URL: 'http://receiver:5004/auto/v7' };

const failures = { 404: 'the HDHomeRun server is off' };
const common = { permission: 'view' } as const;

const discover = route({
  ...common,
  path: '/discover.json',
  name: 'hdhomerunDiscover',
  summary: 'The receiver as an HDHomeRun, for Plex, Jellyfin, Emby and Channels.',
  responses: { 200: { description: 'the device', schema: deviceRecord } },
  failures,
  run: (parts, _values, request) => ({ body: deviceOf(parts, callerOf(request, parts)) }),
});

const lineupJson = route({
  ...common,
  path: '/lineup.json',
  name: 'hdhomerunLineup',
  summary: 'The channels that the HDHomeRun offers.',
  responses: {
    200: {
      description: 'the channels',
      types: [contentTypes.json],
      schema: Type.Array(Channel),
      example: [exampleEntry],
    },
  },
  failures,
  run: async (parts, _values, request) => ({
    document: { contentType: contentTypes.json, body: JSON.stringify(await lineup(parts, callerOf(request, parts))) },
  }),
});

type LineupEntry = Awaited<ReturnType<typeof lineup>>[number];

const lineupView: View<readonly LineupEntry[]> = element(
  'Lineup',
  rows((entries) => entries, 'Program', { GuideNumber: 'GuideNumber', GuideName: 'GuideName', URL: 'URL' }),
);

const lineupXml = route({
  ...common,
  path: '/lineup.xml',
  name: 'hdhomerunLineupXml',
  summary: 'The channels that the HDHomeRun offers, as XML.',
  responses: {
    200: {
      description: 'the channels',
      types: [contentTypes.xml],
      schema: Type.String(),
      example: textOf(xmlDocument(lineupView, [exampleEntry])),
    },
  },
  failures,
  async run(parts, _values, request) {
    const body = await documentBytes(xmlDocument(lineupView, await lineup(parts, callerOf(request, parts))));
    return { document: { contentType: contentTypes.xml, body } };
  },
});

/** Names of channels in attributes of a playlist. */
const attribute = (name: string) => name.replace(/["\r\n]/g, ' ');

const playlistOf = (entries: readonly LineupEntry[]) =>
  [
    '#EXTM3U',
    ...entries.flatMap(({ GuideNumber, GuideName, URL }) => [
      `#EXTINF:-1 tvg-id="${GuideNumber}" tvg-chno="${GuideNumber}" tvg-name="${attribute(GuideName)}",${attribute(GuideName)}`,
      URL,
    ]),
    '',
  ].join('\n');

const lineupM3u = route({
  ...common,
  path: '/lineup.m3u',
  name: 'hdhomerunPlaylist',
  summary: 'The channels that the HDHomeRun offers, as a playlist. /xmltv.xml has their guide.',
  responses: {
    200: {
      description: 'the playlist',
      types: [playlistType],
      schema: Type.String(),
      example: playlistOf([exampleEntry]),
    },
  },
  failures,
  run: async (parts, _values, request) => ({
    document: { contentType: playlistType, body: playlistOf(await lineup(parts, callerOf(request, parts))) },
  }),
});

const status = {
  ScanInProgress: 0,
  ScanPossible: field(0, 'the receiver scans by itself'),
  Source: 'Antenna',
  SourceList: ['Antenna'],
};

const lineupStatus = route({
  ...common,
  path: '/lineup_status.json',
  name: 'hdhomerunLineupStatus',
  summary: 'Whether the HDHomeRun scans for channels: never.',
  responses: { 200: { description: 'the state', schema: recordSchema(status) } },
  failures,
  run(parts) {
    serverOf(parts);
    return { body: { ScanInProgress: 0, ScanPossible: 0, Source: 'Antenna', SourceList: ['Antenna'] } };
  },
});

const lineupPost = route({
  ...common,
  method: 'POST',
  path: '/lineup.post',
  isHarmless: true,
  name: 'hdhomerunScan',
  summary: 'Accepts the request of an app for a scan, and does nothing.',
  responses: { 200: { description: 'accepted', schema: Type.Object({}), example: {} } },
  failures,
  run(parts) {
    serverOf(parts);
    return { body: {} };
  },
});

const descriptionView: View<ReturnType<typeof deviceOf>> = elementWith(
  'root',
  { xmlns: 'urn:schemas-upnp-org:device-1-0' },
  element(
    'specVersion',
    leaf('major', () => 1),
    leaf('minor', () => 0),
  ),
  leaf('URLBase', ({ BaseURL }) => BaseURL),
  element(
    'device',
    leaf('deviceType', () => 'urn:schemas-upnp-org:device:MediaServer:1'),
    leaves({
      friendlyName: 'FriendlyName',
      manufacturer: 'Manufacturer',
      modelName: 'ModelNumber',
      modelNumber: 'ModelNumber',
      serialNumber: 'DeviceID',
    }),
    leaf('UDN', ({ DeviceID }) => `uuid:${DeviceID}`),
  ),
);

const description = (path: '/device.xml' | '/capability', name: string) =>
  route({
    ...common,
    path,
    name,
    summary: 'The receiver as an HDHomeRun, as a UPnP description.',
    responses: {
      200: {
        description: 'the device',
        types: [contentTypes.xml],
        schema: Type.String(),
        example: '<?xml version="1.0" encoding="UTF-8"?>\n<root xmlns="urn:schemas-upnp-org:device-1-0">…</root>\n',
      },
    },
    failures,
    run: (parts, _values, request) => ({
      document: {
        contentType: contentTypes.xml,
        body: textOf(xmlDocument(descriptionView, deviceOf(parts, callerOf(request, parts)))),
      },
    }),
  });

const hourSeconds = 3600;

const xmltv = route({
  ...common,
  path: '/xmltv.xml',
  name: 'hdhomerunGuide',
  summary: 'The guide of the channels that the HDHomeRun offers, as XMLTV. Ids are their guide numbers.',
  caching: 'no-cache',
  responses: {
    200: {
      description: 'the guide',
      types: [contentTypes.xml],
      schema: Type.String(),
      example:
        '<?xml version="1.0" encoding="UTF-8"?>\n<tv>\n<channel id="7"><display-name>Alpha HD</display-name><display-name>7</display-name></channel>\n</tv>\n',
    },
  },
  failures,
  async run(parts, _values, request): Promise<RestResponse> {
    const { guide, services, clock, logos } = parts;
    const context = callerOf(request, parts);
    const channels = await serverOf(parts).channels();
    const from = clock.now() - (clock.now() % hourSeconds);
    const offered = channels.flatMap(({ number, name, reference }) => {
      const service = guideKey(services, reference);
      if (service === undefined) return [];
      const picon = ownPiconPath(parts, reference, name);
      const icon = picon && (/^https?:/.test(picon) ? picon : withTicket(`${context.origin}${picon}`, context.ticket));
      return [{ service, id: number, name, number, ...(icon !== undefined && { icon }) }];
    });
    return {
      etag: [guide.generation, services.generation, logos.generation, from, context.origin].join('-'),
      document: {
        contentType: contentTypes.xml,
        body: Readable.from(exportXmltv(guide, offered, { from, generator: generatorOf(parts) }), {
          objectMode: false,
        }),
      },
    };
  },
});

export const hdhomerunRoutes = group('streams', [
  discover,
  lineupJson,
  lineupXml,
  lineupM3u,
  lineupStatus,
  lineupPost,
  description('/device.xml', 'hdhomerunDescription'),
  description('/capability', 'hdhomerunCapability'),
  xmltv,
]);
