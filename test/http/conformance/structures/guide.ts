/** Responses of the operations about the guide: lists of events, search, guide files. */
import type { JsonTree, Structure } from '../structure.ts';
import { all, currentJson, document, eventJson, genreXml, rss, simple, simpleXml } from './common.ts';

/** Without an event, every element except those of the service is `None`, or 0 and `N/A`. */
const eventXml = {
  e2eventid: 'int|None',
  e2eventstart: 'unix|0|None',
  e2eventduration: 'int|None',
  e2eventcurrenttime: 'unix|0|None',
  e2eventtitle: 'text',
  e2eventdescription: 'text',
  e2eventdescriptionextended: 'text',
  e2eventservicereference: 'sref',
  e2eventservicename: 'text',
  e2eventgenre: genreXml,
};

const eventList = { e2eventlist: { 'e2event*': eventXml } };

/** As in the lists of one service and in searches. */
const datedEvent = { ...eventJson, date: 'date', begin: 'clock', end: 'clock', duration: 'int', picon: 'path' };

const foundEvent = { ...datedEvent, service_type: 'serviceType', ns: 'text' };

const events = (event: JsonTree, more: Record<string, JsonTree> = {}): Structure => ({
  xml: eventList,
  json: { events: [event], result: 'bool', ...more },
});

/** The timer of the tests covers their event. */
const timerMark = { isEnabled: '01', isZapOnly: '01', basicStatus: 'timerStatus', isAutoTimer: 'int' };

const eventDetail = {
  ...eventJson,
  begin_str: 'clock',
  begin: 'unix',
  end: 'clock',
  duration: 'int',
  channel: 'text',
  genreId: 'int',
  picon: 'path',
  timer: timerMark,
  link: 'text',
  recording_margin_before: 'int',
  recording_margin_after: 'int',
};

export const guide: Readonly<Record<string, Structure>> = {
  epgbouquet: events(eventJson),
  epgmulti: events(eventJson),
  epgmultigz: events(eventJson),
  epgnow: events(eventJson),
  epgnext: events(eventJson),
  epgnownext: events(eventJson, { info: currentJson }),
  epgservice: events(datedEvent),
  epgservicenow: events(eventJson),
  epgservicenext: events(eventJson),
  epgservicenownext: events(eventJson),
  epgmultichannelnownext: events(eventJson),
  epgservicelistnownext: events(eventJson),
  epgsearch: events(foundEvent),
  epgsimilar: events(foundEvent),
  event: { xml: eventList, json: { event: eventDetail, result: 'bool' } },
  epgsearchrss: rss({ title: 'words', description: 'text', author: 'text' }),
  epgxmltv: {
    document: {
      tv: {
        '@generator-info-name?': 'words',
        'channel+': {
          '@id': 'sref',
          'display-name+': { '@lang?': 'words', '#': 'words' },
          'icon?': { '@src': 'words' },
        },
        'programme*': {
          ...all('@start @stop', 'xmltvTime'),
          '@channel': 'sref',
          ...all('title+ sub-title* desc* category*', { '@lang?': 'words', '@id?': 'int', '#': 'text' }),
        },
      },
    },
  },
  epgexport: document(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n(<!DOCTYPE [^>]*>\n)?<tv[ >]/),
  saveepg: { xml: simpleXml, json: { result: 'bool', message: 'words', 'error?': 'words', 'path?': 'path' } },
  loadepg: simple,
  clearepg: simple,
};
