/**
 * Responses of the operations about the receiver: information, state, settings, messages, timeshift, the media player.
 */
import type { JsonTree, Structure } from '../structure.ts';
import { all, currentJson, document, pids, simple, simpleXml, video } from './common.ts';

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

const nothing = document(/^$/);

const address = document(/^My IP address is: [0-9a-f.:]*\n$/);

const timeshift: Structure = {
  xml: { e2timeshift: { e2state: 'bool', e2timeshiftenabled: 'bool' } },
  json: { state: 'bool', timeshiftEnabled: 'bool' },
};

const mediaPlayer = simple;

const saved: Structure = { xml: simpleXml, json: { result: 'bool' } };

const notPossible: Structure = { xml: simpleXml, json: 'bool' };

export const device: Readonly<Record<string, Structure>> = {
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
  tunerstatus: {
    xml: {
      e2tunerstatus: {
        'e2tuner+': {
          e2tunernumber: 'int',
          e2tunername: 'words',
          e2tunersource: 'words',
          e2tunermodel: 'words',
          e2tunertype: 'text',
          e2tunerstate: 'words',
          e2tunerreason: 'text',
          e2transponder: 'text',
          'e2losses?': {
            e2continuityerrors: 'int',
            e2overflows: 'int',
            e2networklost: 'int',
            e2networkreordered: 'int',
          },
          'e2frontendstatus?': { e2snrdb: 'text', e2snr: 'percentage', e2ber: 'int', e2acg: 'percentage' },
          'e2user*': {
            e2purpose: 'words',
            e2username: 'words',
            e2servicereference: 'sref|empty',
            e2servicename: 'text',
          },
        },
      },
    },
    json: {
      tuners: [
        {
          number: 'int',
          name: 'words',
          source: 'words',
          model: 'words',
          type: 'text',
          state: 'words',
          reason: 'text',
          age: 'number|null',
          transponder: 'text',
          signal: {
            locked: 'bool',
            snr: 'percent',
            snr_db: 'number|null',
            agc: 'percent',
            strength_dbm: 'number|null',
            ber: 'int',
            bit_error_rate: 'number|null',
            uncorrected: 'number|null',
          },
          losses: { continuity_errors: 'int', overflows: 'int', network_lost: 'int', network_reordered: 'int' },
          users: [{ purpose: 'words', user: 'words', servicereference: 'sref|empty', servicename: 'text' }],
        },
      ],
      result: 'bool',
    },
  },
  scantables: {
    xml: { e2scantables: { 'e2scantable*': { e2name: 'words', e2kind: 'words', e2country: 'text' } } },
    json: {
      tables: [{ name: 'words', kind: 'words', position: 'int|null', country: 'text' }],
      problems: ['text'],
      result: 'bool',
    },
  },
  setup: simple,
  setupguess: {
    xml: { e2setupguess: { e2place: 'text' } },
    json: { place: 'text', country: 'text', satellites: ['int'], result: 'bool' },
  },
  scanstart: simple,
  scanstop: simple,
  tunersetup: simple,
  scanstatus: {
    xml: {
      e2scan: {
        e2scanstate: 'words',
        e2scantrouble: 'text',
        e2transponder: 'text',
        e2scannumber: 'int',
        e2scanof: 'int',
        e2scanreceived: 'int',
        e2scantv: 'int',
        e2scanhd: 'int',
        e2scanuhd: 'int',
        e2scanradio: 'int',
        e2scandata: 'int',
        e2scanscrambled: 'int',
        e2scanadded: 'int',
        e2scanrenamed: 'int',
        'e2scanvanished*': 'text',
      },
    },
    json: {
      state: 'words',
      trouble: 'text',
      transponder: 'text',
      number: 'int',
      of: 'int',
      received: 'int',
      tuner: 'int|null',
      tv: 'int',
      hd: 'int',
      uhd: 'int',
      radio: 'int',
      data: 'int',
      scrambled: 'int',
      added: 'int',
      renamed: 'int',
      vanished: ['text'],
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
    json: { result: 'bool', message: 'words', 'error?': 'words' },
  },
  message: simple,
  messageanswer: simple,
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
