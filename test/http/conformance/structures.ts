/**
 * What every operation answers, as the interface has it, written down by hand beside the definitions and apart from their examples:
 * a compact table of element names in their order, of keys, and of how values are written. `structure.ts` compares answers with it.
 *
 * `*` after a name: any number; `+`: one or more; `?`: may be absent. `@name` is an attribute, `#` the text of an element that has
 * attributes. A value is one of the forms of `forms`, or one of several with `|` between.
 */
import type { JsonTree, Structure, XmlTree } from './structure.ts';

/** Names that stand for elements or keys of the same form. */
const all = <Form extends XmlTree | JsonTree>(names: string, form: Form): Record<string, Form> =>
  Object.fromEntries(names.split(' ').map((name) => [name, form]));

const simple: Structure = {
  xml: { e2simplexmlresult: { e2state: 'bool', e2statetext: 'words' } },
  json: { result: 'bool', message: 'words' },
};
const simpleXml = simple.xml as XmlTree;

// --- Services

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

/** Elements of the current service in `about` and in `getcurrent`. */
const pids = all('e2apid e2vpid e2pcrpid e2pmtpid e2txtpid e2tsid e2onid e2sid', 'int|N/A');
const video = { e2videowidth: 'int|N/A', e2videoheight: 'int|N/A', e2servicevideosize: 'size' };
const currentJson = {
  result: 'bool',
  name: 'text',
  namespace: 'int',
  aspect: 'int',
  provider: 'text',
  ...all('width height apid vpid pcrpid pmtpid txtpid tsid onid sid', 'int|N/A'),
  ref: 'text',
  iswidescreen: 'bool',
  bqref: 'text',
  bqname: 'text',
};

// --- The guide

const genreXml = { '@id': 'int', '#': 'text' };
/** Of a service without an event every element but its own is `None`, or 0 and `N/A`. */
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
const eventJson = {
  id: 'int|null',
  begin_timestamp: 'unix|0|null',
  duration_sec: 'int|null',
  title: 'text|null',
  shortdesc: 'text|null',
  longdesc: 'text|null',
  sref: 'sref',
  sname: 'text',
  now_timestamp: 'unix|0|null',
  remaining: 'int|null',
  genre: 'text',
  genreid: 'int',
  'asrefs?': ['sref'],
};
/** Of the lists of one service and of searches. */
const datedEvent = { ...eventJson, date: 'date', begin: 'clock', end: 'clock', duration: 'int', picon: 'path' };
const foundEvent = { ...datedEvent, service_type: 'serviceType', ns: 'text' };
const events = (event: JsonTree, more: Record<string, JsonTree> = {}): Structure => ({
  xml: eventList,
  json: { events: [event], result: 'bool', ...more },
});
/** The event of the tests is covered by the timer of the tests. */
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

// --- Timers

const timerXml = {
  e2servicereference: 'sref',
  e2servicename: 'text',
  e2eit: 'int|empty',
  e2name: 'text',
  e2description: 'text',
  e2descriptionextended: 'text',
  e2disabled: '01',
  e2timebegin: 'unix',
  e2timeend: 'unix',
  e2duration: 'int',
  e2startprepare: 'unix|0',
  e2justplay: '01',
  e2afterevent: 'int',
  e2location: 'path|None',
  e2tags: 'text',
  e2logentries: 'pythonLog',
  e2filename: 'path|empty',
  e2backoff: 'int',
  e2nextactivation: 'unix|empty',
  e2firsttryprepare: 'bool|int',
  e2state: 'int',
  e2repeated: 'int',
  e2dontsave: '01',
  e2cancled: 'bool',
  e2toggledisabled: '01',
  e2toggledisabledimg: 'onOff',
  e2alwayszap: 'int',
  e2pipzap: 'int',
};
const timerJson = {
  serviceref: 'sref',
  servicename: 'text',
  eit: 'int|null',
  name: 'text',
  description: 'text',
  descriptionextended: 'text',
  disabled: '01',
  begin: 'unix',
  end: 'unix',
  duration: 'int',
  startprepare: 'unix',
  justplay: '01',
  afterevent: 'int',
  dirname: 'path|None',
  tags: 'text',
  logentries: [['unix', 'int', 'text']],
  backoff: 'int',
  firsttryprepare: 'bool',
  state: 'int',
  repeated: 'int',
  dontsave: '01',
  cancelled: 'bool',
  toggledisabled: '01',
  toggledisabledimg: 'onOff',
  filename: 'path|null',
  nextactivation: 'unix|null',
  realbegin: 'realTime',
  realend: 'realTime',
  asrefs: 'empty',
  vpsplugin_enabled: 'bool',
  vpsplugin_overwrite: 'bool',
  vpsplugin_time: 'int',
  always_zap: 'int',
  pipzap: 'int',
  isAutoTimer: 'int',
  allow_duplicate: '01',
  autoadjust: 'int',
  recordingtype: 'recordingType',
  ice_timer_id: 'int|words',
};
const timerReplyJson = {
  result: 'bool',
  message: 'words',
  'conflicts?': [
    {
      serviceref: 'sref',
      servicename: 'text',
      name: 'text',
      begin: 'unix',
      end: 'unix',
      realbegin: 'realTime',
      realend: 'realTime',
    },
  ],
};
const timerReply: Structure = { xml: simpleXml, json: timerReplyJson };

// --- Recordings

const movieXml = {
  e2servicereference: 'sref',
  e2title: 'text',
  e2description: 'text',
  e2descriptionextended: 'text',
  e2servicename: 'text',
  e2time: 'unix',
  e2length: 'length',
  e2tags: 'text',
  e2filename: 'path',
  e2filesize: 'int|None',
};
const movieJson = {
  filename: 'path',
  filename_stripped: 'words',
  serviceref: 'sref',
  length: 'length',
  lastseen: 'percent',
  filesize_readable: 'bytes',
  recordingtime: 'unix',
  begintime: 'fuzzy',
  eventname: 'text',
  servicename: 'text',
  tags: 'text',
  fullname: 'sref',
  descriptionExtended: 'text',
  description: 'text',
  filesize: 'int',
};
const movieListXml = {
  e2movielist: { 'e2movie*': movieXml, e2locations: { 'e2location*': 'words' } },
};
const locationsXml = { e2locations: { 'e2location+': 'folder' } };
const tagsXml = { e2tags: { 'e2tag*': 'words' } };

// --- The receiver

const disk = { model: 'words', capacity: 'capacity', free: 'capacity', mount: 'words' };
const infoJson = {
  ...all('brand model boxtype machinebuild', 'words'),
  lcd: '01',
  grabpip: '01',
  chipset: 'text',
  mem1: 'memory',
  mem2: 'memory',
  mem3: 'words',
  uptime: 'uptime',
  webifver: 'words',
  imagedistro: 'words',
  friendlyimagedistro: 'words',
  oever: 'words',
  imagever: 'words',
  enigmaver: 'words',
  driverdate: 'text',
  kernelver: 'words',
  fp_version: 'int|null',
  friendlychipsetdescription: 'text',
  friendlychipsettext: 'text',
  tuners: [{ name: 'words', type: 'words', rec: 'text', live: 'text', 'stream?': 'text' }],
  ifaces: [
    {
      name: 'words',
      friendlynic: 'text',
      linkspeed: 'text',
      mac: 'mac',
      dhcp: 'bool',
      ipv4method: 'text',
      ip: 'text',
      mask: 'text',
      v4prefix: 'int|null',
      gw: 'text',
      ipv6: 'text',
      ipmethod: 'text',
      firstpublic: 'text|null',
    },
  ],
  hdd: [{ ...disk, labelled_capacity: 'words', friendlycapacity: 'words' }],
  shares: [all('name method type mode path host ipaddress friendlyaddress', 'text')],
  transcoding: 'bool',
  EX: 'text',
  streams: [{ ref: 'sref', name: 'text', eventname: 'text', ip: 'words', type: 'words' }],
  timerpipzap: 'bool',
  timerautoadjust: 'bool',
  textinputsupport: 'bool',
} satisfies JsonTree;

/** A document: playlists and other texts by a pattern of the whole, XML by its elements. */
const document = (pattern: RegExp): Structure => ({ document: pattern });
const nothing = document(/^$/);
const address = document(/^My IP address is: [0-9a-f.:]*\n$/);

/** Of a playlist's entry: its name and attributes, the program, the address. */
const programLine = '(#EXTVLCOPT:program=\\d+\\n)?';
const playlist = document(
  new RegExp(`^#EXTM3U \\n#EXTVLCOPT:http-reconnect=true \\n(#EXTINF:-1,[^\\n]+\\n)?${programLine}http://\\S+\\n$`),
);

const rss = (item: XmlTree): Structure => ({
  document: {
    rss: {
      '@version': 'words',
      channel: { title: 'words', link: 'words', description: 'text', generator: 'words', 'item*': item },
    },
  },
});

const timeshift: Structure = {
  xml: { e2timeshift: { e2state: 'bool', e2timeshiftenabled: 'bool' } },
  json: { state: 'bool', timeshiftEnabled: 'bool' },
};
const mediaPlayer = simple;
const saved: Structure = { xml: simpleXml, json: { result: 'bool' } };
const notPossible: Structure = { xml: simpleXml, json: 'bool' };

/** By operation. */
export const structures: Readonly<Record<string, Structure>> = {
  about: {
    xml: {
      e2abouts: {
        e2about: {
          ...all('e2oeversion e2enigmaversion e2distroversion e2imageversion', 'words'),
          e2driverdate: 'text',
          e2webifversion: 'words',
          e2fpversion: 'int|None',
          e2model: 'words',
          'e2lanmac?': 'mac',
          'e2landhcp?': 'bool',
          'e2lanip?': 'ipv4',
          'e2lanmask?': 'ipv4',
          'e2langw?': 'ipv4',
          'e2hddinfo?': disk,
          'e2tunerinfo?': { 'e2nim+': all('name type live rec', 'text') },
          e2servicename: 'text',
          e2servicenamespace: 'int',
          e2serviceaspect: 'int',
          e2serviceprovider: 'text',
          ...video,
          ...pids,
        },
      },
    },
    json: { info: infoJson, service: currentJson, 'result?': 'bool' },
  },
  deviceinfo: {
    xml: {
      e2deviceinfo: {
        ...all('e2oeversion e2enigmaversion e2distroversion e2imageversion', 'words'),
        e2driverdate: 'text',
        e2webifversion: 'words',
        e2fpversion: 'int|None',
        e2devicename: 'words',
        e2frontends: { 'e2frontend*': all('e2name e2model', 'words') },
        e2network: {
          'e2interface*': {
            e2name: 'words',
            e2mac: 'mac',
            e2dhcp: 'bool',
            ...all('e2ip e2gateway e2netmask', 'text'),
          },
        },
        e2hdds: {
          'e2hdd*': { e2model: 'words', e2capacity: 'capacity', e2free: 'capacity', e2mount: 'words' },
        },
      },
    },
    json: { ...infoJson, 'result?': 'bool' },
  },
  statusinfo: {
    xml: {
      e2statusinfo: {
        e2volume: 'percent',
        e2ismuted: 'bool',
        ...all('e2instandby e2isrecording e2isstreaming', 'lowerBool'),
        e2servicereference: 'text',
        e2servicename: 'text',
        e2eventid: 'int',
        e2eventtitle: 'text',
        e2eventdescription: 'text',
      },
    },
    json: {
      volume: 'percent',
      muted: 'bool',
      transcoding: 'bool',
      currservice_filename: 'text',
      currservice_id: 'int',
      currservice_name: 'words',
      'currservice_serviceref?': 'sref',
      currservice_begin: 'clock|empty',
      'currservice_begin_timestamp?': 'unix',
      currservice_end: 'clock|empty',
      'currservice_end_timestamp?': 'unix',
      currservice_description: 'text',
      'currservice_station?': 'text',
      currservice_fulldescription: 'words',
      inStandby: 'wordBool',
      isRecording: 'wordBool',
      'Recording_list?': 'text',
      isStreaming: 'wordBool',
      Streaming_list: 'text',
      result: 'bool',
    },
  },
  pipinfo: { xml: { e2pip: 'int' }, json: { pip: 'int', result: 'bool' } },
  tunersignal: {
    xml: { e2frontendstatus: { e2snrdb: 'decibel', e2snr: 'percentage', e2ber: 'int', e2acg: 'percentage' } },
    json: {
      tunertype: 'text',
      tunernumber: 'int|empty',
      snr: 'percent|empty',
      snr_db: 'hundredths|empty',
      agc: 'percent|empty',
      ber: 'int|empty',
      inStandby: 'wordBool',
      result: 'bool',
    },
  },
  currenttime: { xml: { e2currenttime: 'seconds' }, json: { status: 'bool', time: 'seconds', result: 'bool' } },
  powerstate: { xml: { e2powerstate: { e2instandby: 'lowerBool' } }, json: { result: 'bool', instandby: 'bool' } },
  supports_powerup_without_waking_tv: notPossible,
  set_powerup_without_waking_tv: notPossible,
  tsstart: timeshift,
  tsstate: timeshift,
  tsstop: timeshift,
  vol: {
    xml: { e2volume: { e2result: 'bool', e2resulttext: 'words', e2current: 'percent', e2ismuted: 'bool' } },
    json: { result: 'bool', message: 'words', current: 'percent', ismute: 'bool' },
  },
  remotecontrol: {
    xml: { e2remotecontrol: { e2result: 'bool', e2resulttext: 'words' } },
    json: { result: 'bool', message: 'words' },
  },
  message: simple,
  messageanswer: simple,
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
  settings: {
    xml: { e2settings: { 'e2setting+': { e2settingname: 'key', e2settingvalue: 'text' } } },
    json: { result: 'bool', settings: [['key', 'text']] },
  },
  saveconfig: {
    xml: simpleXml,
    json: { result: 'bool', 'value?': 'text', 'oldValue?': 'text', 'saved?': 'bool' },
  },
  setwebconfig: saved,
  showchannelpicon: saved,
  zapstream: saved,
  external: {
    xml: { e2webifexternals: { 'e2webifexternal*': all('e2path e2name e2externalversion', 'text') } },
    json: { plugins: [['text', 'text', 'text', 'text']], result: 'bool' },
  },
  pluginlistread: simple,
  restartserver: nothing,
  restarttwisted: nothing,
  getip: address,
  getipv6: address,
  getpid: {
    text: /^http:\/\/[^/]+:31339\/0,[0-9a-f]+,[0-9a-f]+,[0-9a-f]+\n$/,
    json: { ppid: 'hex', vpid: 'hex', apid: 'hex', host: 'words', result: 'bool' },
  },
  session: { xml: { e2sessionid: 'words' }, json: { sessionid: 'words', result: 'bool' } },
  sleeptimer: {
    xml: {
      e2sleeptimer: { e2enabled: 'bool', e2minutes: 'int', e2action: 'sleepAction', e2text: 'words' },
    },
    json: {
      enabled: 'bool',
      minutes: 'int',
      action: 'sleepAction',
      message: 'words',
      'remaining?': 'int',
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
  saveepg: { xml: simpleXml, json: { result: 'bool', message: 'words', 'path?': 'path' } },
  loadepg: simple,
  clearepg: simple,

  timerlist: {
    xml: { e2timerlist: { 'e2timer*': timerXml } },
    json: { result: 'bool', timers: [timerJson], locations: ['folder'], default: 'folder' },
  },
  timeradd: timerReply,
  timeraddbyeventid: timerReply,
  timerchange: timerReply,
  timerdelete: simple,
  timertogglestatus: { xml: simpleXml, json: { ...timerReplyJson, 'disabled?': 'bool' } },
  timercleanup: simple,
  timerlistwrite: simple,
  tvbrowser: timerReply,
  recordnow: {
    xml: simpleXml,
    json: {
      result: 'bool',
      message: 'words',
      'newtimer?': {
        serviceref: 'sref',
        servicename: 'text',
        eit: 'int',
        name: 'text',
        begin: 'unix',
        end: 'unix',
        duration: 'int',
      },
    },
  },
  vpschannels: { xml: simpleXml, json: { result: 'bool', message: 'words' } },

  movielist: {
    xml: movieListXml,
    json: { movies: [movieJson], bookmarks: ['words'], directory: 'folder', recursive: 'bool', result: 'bool' },
  },
  fullmovielist: {
    xml: { e2movielist: { 'e2movie*': movieXml, e2locations: { 'e2location+': 'folder' } } },
    json: { movies: [movieJson], locations: ['folder'], recursive: 'bool', result: 'bool' },
  },
  moviedetails: { xml: { e2movie: movieXml }, json: { result: 'bool', movie: movieJson } },
  movieinfo: {
    xml: tagsXml,
    json: {
      result: 'bool',
      tags: ['words'],
      title: 'text',
      description: 'text',
      cuts: [{ type: 'int', pos: 'int' }],
    },
  },
  moviedelete: simple,
  moviemove: simple,
  moviecopy: simple,
  movierename: simple,
  addlocation: simple,
  removelocation: simple,
  movietags: { xml: tagsXml, json: { result: 'bool', tags: ['words'] } },
  gettags: { xml: tagsXml, json: { result: 'bool', tags: ['words'] } },
  getlocations: { xml: locationsXml, json: { result: 'bool', locations: ['folder'], default: 'folder' } },
  getcurrlocation: { xml: locationsXml, json: { result: 'bool', location: 'folder' } },
  'movielist.m3u': document(
    /^#EXTM3U\n#EXTVLCOPT:http-reconnect=true\n(#EXTINF:-1,: [^\n]+\nhttp:\/\/[^/\n]+\/file\?file=\/\S+\n)+$/,
  ),
  'movielist.rss': rss({
    title: 'words',
    description: 'words',
    link: 'words',
    enclosure: { '@type': 'words', '@url': 'words', '@length?': 'int' },
    pubDate: 'rfc822',
    'category?': 'words',
    'author?': 'words',
    'guid?': 'words',
  }),
  'movielist.html': document(/^<!DOCTYPE html>\n<html lang="en">\n.*<table>\n(<tr>.*<\/tr>\n)+<\/table>.*<\/html>\n$/s),
  'ts.m3u': document(
    new RegExp(
      `^#EXTM3U \\n#EXTVLCOPT:http-reconnect=true \\n(#EXTINF:\\d+,[^\\n]+\\n)?${programLine}http://[^/\\n]+/file\\?file=/\\S+\\n$`,
    ),
  ),
  'services.m3u': document(
    new RegExp(
      `^#EXTM3U \\n#EXTVLCOPT:http-reconnect=true\\n(#EXTINF:-1 tvg-chno="\\d+" tvg-logo="http[^"\\n]*" tvg-id="[\\dA-F:]+" tvg-name="[^"\\n]*",[^\\n]*\\n${programLine}http://\\S+\\n\\n)+$`,
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

  mediaplayerlist: {
    xml: { e2filelist: { 'e2file*': { e2servicereference: 'text', e2isdirectory: 'bool', e2root: 'path|None' } } },
    json: { result: 'bool', files: [] },
  },
  mediaplayercurrent: {
    xml: {
      e2mediaplayercurrent: {
        'e2currenttrack*': all('e2artist e2title e2album e2year e2genre e2coverfile', 'text'),
      },
    },
    json: { result: 'bool', tracks: [] },
  },
  mediaplayerfindfile: {
    xml: { e2findfile: { 'e2file*': { e2name: 'text', e2path: 'path' } } },
    json: { result: 'bool', files: [] },
  },
  mediaplayeradd: mediaPlayer,
  mediaplayerremove: mediaPlayer,
  mediaplayerplay: mediaPlayer,
  mediaplayercmd: mediaPlayer,
  mediaplayerload: mediaPlayer,
  mediaplayerwrite: mediaPlayer,
};
