/** Responses of the operations about services: lists, the current one, playlists. */
import type { Structure } from '../structure.ts';
import { all, currentJson, document, eventJson, genreXml, pids, programLine, simple, video } from './common.ts';

const serviceXml = { e2servicereference: 'sref', e2servicename: 'text' };

const serviceList = { e2servicelist: { 'e2service*': serviceXml } };

const listedService = {
  pos: 'int',
  servicename: 'text',
  servicereference: 'sref',
  program: 'int',
  'provider?': 'text',
  'picon?': 'path',
};

const plainService = { servicereference: 'sref', servicename: 'text' };

const playable = { e2servicereference: 'sref', e2isplayable: 'bool' };

const playableJson = { servicereference: 'sref', isplayable: 'bool', 'servicename?': 'text' };

const playlist = document(
  new RegExp(`^#EXTM3U \\n#EXTVLCOPT:http-reconnect=true \\n(#EXTINF:-1,[^\\n]+\\n)?${programLine}http://\\S+\\n$`),
);

export const services: Readonly<Record<string, Structure>> = {
  getaudiotracks: {
    xml: {
      e2audiotracklist: {
        'e2audiotrack*': {
          e2audiotrackdescription: 'words',
          e2audiotrackid: 'int',
          e2audiotrackpid: 'int',
          e2audiotrackactive: 'bool',
        },
      },
    },
    json: { result: 'bool', tracklist: [{ description: 'words', index: 'int', pid: 'int', active: 'bool' }] },
  },
  selectaudiotrack: { xml: { e2result: 'success' }, json: { result: 'bool' } },
  getsubtitles: {
    xml: {
      e2subtitlelist: {
        'e2subtitle*': {
          ...all('e2subtitletype e2subtitlepid e2subtitlepage e2subtitlemagazine', 'int'),
          e2subtitlelanguage: 'text',
        },
      },
    },
    json: {
      subtitlelist: [{ type: 'int', pid: 'int', page_nr: 'int', mag_nr: 'int', lang: 'text' }],
      result: 'bool',
    },
  },
  bouquets: { xml: serviceList, json: { bouquets: [['bref', 'words']], 'result?': 'bool' } },
  getservices: {
    xml: serviceList,
    json: {
      result: 'bool',
      processingtime: 'words',
      pos: 'int',
      services: [{ ...listedService, 'startpos?': 'int' }],
    },
  },
  getallservices: {
    xml: {
      e2servicelistrecursive: {
        'e2bouquet*': { ...serviceXml, e2servicelist: { 'e2service+': serviceXml } },
        'e2service*': serviceXml,
      },
    },
    json: {
      result: 'bool',
      processingtime: 'words',
      services: [{ servicereference: 'bref', servicename: 'words', subservices: [listedService] }],
    },
  },
  servicelistplayable: {
    xml: { e2servicelistplayable: { 'e2serviceplayable*': playable } },
    json: { result: 'bool', services: [playableJson] },
  },
  serviceplayable: { xml: { e2serviceplayable: playable }, json: { result: 'bool', service: playableJson } },
  subservices: { xml: serviceList, json: { services: [plainService], result: 'bool' } },
  streamsubservices: { xml: serviceList, json: { services: [plainService], result: 'bool' } },
  parentcontrollist: { xml: serviceList, json: { result: 'bool', type: 'parental', services: [plainService] } },
  servicelistreload: simple,
  zap: simple,
  getcurrent: {
    xml: {
      e2currentserviceinformation: {
        e2service: {
          e2servicereference: 'sref',
          e2servicename: 'text',
          e2providername: 'text',
          ...video,
          e2iswidescreen: '01',
          ...pids,
        },
        e2eventlist: {
          'e2event+': {
            e2eventservicereference: 'sref',
            e2eventservicename: 'text',
            e2eventprovidername: 'text',
            e2eventid: 'int',
            e2eventname: 'text',
            e2eventtitle: 'text',
            e2eventdescription: 'text',
            e2eventstart: 'unix|0',
            e2eventduration: 'int',
            e2eventremaining: 'int',
            e2eventcurrenttime: 'unix',
            e2eventdescriptionextended: 'text',
            e2eventgenre: genreXml,
          },
        },
      },
    },
    json: {
      info: currentJson,
      now: { ...eventJson, provider: 'text', 'filename?': 'path' },
      next: { ...eventJson, provider: 'text', 'filename?': 'path' },
      'result?': 'bool',
    },
  },
  getsatellites: {
    xml: serviceList,
    json: { satellites: [{ service: 'bref', name: 'words' }], result: 'bool' },
  },
  getserviceref: { xml: { e2servicereference: 'sref|empty' }, json: { result: 'bool', sRef: 'sref|empty' } },
  getpicon: document(/^.PNG\r\n/s),
  allservices: { xml: serviceList, json: { result: 'bool', services: [{ ...plainService, provider: 'text' }] } },
  allservicescsv: document(/^servicereference,servicename,provider\r\n([\dA-F:]+\S*,[^\n]*,[^\n]*\r\n)+$/),
  'services.m3u': document(
    new RegExp(
      `^#EXTM3U \\n#EXTVLCOPT:http-reconnect=true\\n(#EXTINF:-1 tvg-chno="\\d+"( tvg-logo="http[^"\\n]*")? tvg-id="[\\dA-F:]+" tvg-name="[^"\\n]*",[^\\n]*\\n${programLine}http://\\S+\\n\\n)+$`,
    ),
  ),
  'services.xspf': {
    document: {
      playlist: {
        '@version': 'int',
        '@xmlns': 'words',
        title: 'words',
        trackList: { 'track*': { title: 'words', image: 'words', location: 'words' } },
      },
    },
  },
  'stream.m3u': playlist,
  'streamcurrent.m3u': playlist,
};
