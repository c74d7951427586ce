/**
 * The texts of the page *Settings* in English, which defines the keys of all languages. They are loaded with the page only.
 *
 * `settings` has the name of each setting, a sentence about it, and ordinary words by which people may search for it.
 */
const english = {
  page: {
    filter: 'Search settings',
    groups: 'Groups of settings',
    appearance: 'Appearance of this page',
    nothingFound: (text: string) => `No setting matches “${text}”`,
    nothingHint: 'Try another word, or choose a group.',
    savedTo: (path: string) => `Changes are checked, then saved to ${path}.`,
    showNames: 'Show the names used in the configuration file',
    fixedByFlag: 'Set on the command line, so it cannot be changed here.',
    fixedByEnvironment: 'Set by an environment variable, so it cannot be changed here.',
    fixedInFile: 'Can be changed only in the configuration file.',
    hidden: 'set (hidden)',
    replaceAll: 'Replace all',
    notSet: 'not set',
    needsRestart: 'Requires a restart',
    isPending: 'Saved. Takes effect after a restart.',
    willBeReset: 'Will be reset to the default',
    reset: 'Reset to default',
    undoNamed: (name: string) => `Undo change to ${name}`,
    decrease: (name: string) => `${name}: less`,
    increase: (name: string) => `${name}: more`,
    entry: (name: string, number: number) => `${name}, entry ${number}`,
    add: 'Add',
    addTo: (name: string) => `Add to ${name}`,
    remove: (name: string) => `Remove ${name}`,
    moveUp: (name: string) => `Move ${name} up`,
    addLanguage: 'Add a language',
    machineTimeZone: 'Same as the receiver’s system',
    unsaved: (count: number) => (count === 1 ? '1 unsaved change' : `${count} unsaved changes`),
    discard: 'Discard',
    saved: 'Settings saved and applied',
    pending: 'Some changes take effect after a restart.',
    restartNow: 'Restart now',
    restarting: 'The receiver is restarting',
    test: 'Send a test',
    sending: 'Sending…',
    delivered: 'delivered',
    noTarget: 'No address is saved yet.',
    waiting: (count: number) => (count === 1 ? '1 notice waits' : `${count} notices wait`),
  },
  groups: {
    recording: 'Recording',
    guide: 'Guide',
    tuners: 'Channels and tuners',
    picture: 'Picture and sound',
    network: 'Network and access',
    notifications: 'Notifications',
    advanced: 'Advanced',
  },
  cards: {
    times: 'Start and end',
    recordings: 'Recordings',
    trash: 'Trash and clean-up',
    timeshift: 'Pausing live television',
    guide: 'Programme guide',
    region: 'Language and time',
    channels: 'Channels',
    iptv: 'Internet television (IPTV)',
    sharing: 'Sharing tuners (SAT>IP)',
    watching: 'Watching over the network',
    screen: 'Screen on this machine',
    receiver: 'This receiver',
    access: 'Access without a login',
    ports: 'Ports and HTTPS',
    mqtt: 'Home Assistant and MQTT',
    webhooks: 'Webhooks and messages',
    folders: 'Folders and files',
    programs: 'Programs and commands',
    addresses: 'Addresses',
    limits: 'Limits and buffers',
    diagnostics: 'Diagnostics',
    others: 'Others',
  },
  settings: {
    'config.recording.margin_before': [
      'Record earlier',
      'Recordings start this long before the programme.',
      'padding margin pre-roll lead-in buffer early start',
    ],
    'config.recording.margin_after': [
      'Record later',
      'Recordings end this long after the programme, in case it runs late.',
      'padding margin post-roll overrun late delay',
    ],
    'config.recording.filename_composition': [
      'File names',
      'What the file names of new recordings consist of.',
      'naming title',
    ],
    'config.recording.ascii_filenames': [
      'Plain file names',
      'Uses only capital letters without accents in the file names of new recordings.',
      'ASCII umlauts special characters',
    ],
    'config.recording.keep_timers': [
      'Keep finished timers',
      'Finished timers stay in the list this long.',
      'history old past',
    ],
    'config.epgselection.grid.primetime': [
      'Prime time',
      'When your evening begins: the guide jumps to this time.',
      '20:15 evening tonight primetime',
    ],
    'config.usage.movielist_trashcan': [
      'Use the trash',
      'Deleted recordings go to the trash, from which you can restore them.',
      'recycle bin undelete',
    ],
    'config.usage.movielist_trashcan_days': [
      'Empty the trash after',
      'Recordings in the trash are deleted for good after this time.',
      'recycle bin days',
    ],
    'config.usage.movielist_trashcan_reserve': [
      'Empty the trash below',
      'While less than this, or less than a tenth of the disk, is free, the trash is emptied, oldest first.',
      'recycle bin disk full space storage',
    ],
    'config.usage.alternative_number_mode': [
      'Number channels by bouquet',
      'Channel numbers start at 1 in each bouquet.',
      'LCN numbering favourites',
    ],
    dataDir: [
      'Data folder',
      'Holds the state, the guide and, by default, the recordings.',
      'directory storage database',
    ],
    enigma2Dir: ['Enigma2 folder', 'Holds channel lists, bouquets and settings in the format of Enigma2.', 'lamedb'],
    picons: ['Logo folders', 'Folders that are searched for channel logos (picons).', 'icons pictures'],
    scanTables: [
      'Scan tables',
      'Folders with transponder tables for scans, searched after the Enigma2 folder.',
      'dtv-scan-tables satellites.xml frequencies',
    ],
    locations: [
      'Recording folders',
      'New recordings go into the first folder, unless a timer names another.',
      'location directory disk drive storage path movie',
    ],
    locationRoots: [
      'Allowed places for recording folders',
      'Below these folders, recording folders may be added here on the page.',
      'directory mount media',
    ],
    tuners: [
      'Tuners',
      'Where television comes from: a DVB card such as dvb:0, a SAT>IP server such as satip:192.168.1.20, or a recorded stream. Empty: all DVB cards, or the demo if there are none.',
      'antenna satellite cable aerial card adapter frontend source',
    ],
    clock: [
      'Time source',
      'Where the receiver gets the time. The broadcast’s time is meant for recorded streams.',
      'clock',
    ],
    bind: ['Listen on address', 'Network address that the receiver listens on. :: means all.', 'interface IP listen'],
    origins: [
      'Web pages of others',
      'Origins of web pages that may read responses (CORS). Only those listed by name may also change things; * means all.',
      'cross-origin website',
    ],
    hostNames: [
      'Further host names',
      'Names under which the receiver may be reached in addition to its own, such as that of a reverse proxy. * means all and permits attacks by DNS rebinding.',
      'domain dyndns',
    ],
    'access.allow': [
      'Local network',
      'Addresses that count as the local network. All others have to log in.',
      'home LAN subnet firewall remote',
    ],
    'access.localNetwork': [
      'Allowed without a login',
      'Permissions of all devices on the local network. Settings always require a login.',
      'password authentication rights security guests children local',
    ],
    'access.trustedProxies': [
      'Trusted proxies',
      'Addresses of reverse proxies whose forwarding headers are trusted.',
      'nginx X-Forwarded-For',
    ],
    'access.sessionDays': [
      'Stay logged in',
      'After this time, a browser has to log in again.',
      'session password cookie',
    ],
    'access.ticketHours': [
      'Validity of playlists',
      'How long the addresses in a playlist can be played without a login.',
      'ticket M3U stream expiry',
    ],
    'tls.port': ['HTTPS port', 'Port of this page over HTTPS, such as 8443. 0: off.', 'encryption SSL TLS secure'],
    'tls.streamPort': [
      'HTTPS port for streams',
      'Port of the live streams over HTTPS, such as 8444. 0: off.',
      'encryption SSL TLS secure',
    ],
    'tls.certificate': [
      'Certificate',
      'PEM file with the certificate and its chain. Empty: the receiver makes its own.',
      'HTTPS SSL TLS lets encrypt',
    ],
    'tls.key': ['Key of the certificate', 'PEM file with the private key.', 'HTTPS SSL TLS'],
    'tls.hsts': [
      'HTTPS only',
      'Makes browsers use only HTTPS for this host name, for a year.',
      'HSTS encryption secure',
    ],
    httpPort: ['Port of this page', 'HTTP port of the page and of apps. 0: any free port.', 'web interface'],
    streamPort: ['Port of live streams', 'HTTP port that apps play channels from. 0: any free port.', 'streaming'],
    name: ['Name of the receiver', 'Apps and other devices show it.', 'hostname title rename'],
    discovery: [
      'Let apps find the receiver',
      'Announces the receiver on the local network.',
      'mDNS Bonjour Zeroconf Avahi visible discovery',
    ],
    timeZone: ['Time zone', 'Local time of timers and file names.', 'clock summer region'],
    languages: [
      'Languages of the guide',
      'If a programme is described in several languages, the first of these is shown.',
      'EPG translation',
    ],
    scan: [
      'Add channels on start',
      'Whether channels that a tuner receives on start are added to the list.',
      'scan search new services multiplex',
    ],
    'guide.history': [
      'Keep past programmes',
      'The guide shows programmes this long after their end. 0: not at all.',
      'EPG history yesterday',
    ],
    'guide.maximumEvents': [
      'Size of the guide',
      'Programmes that the guide holds at most. Beyond that, those farthest ahead are refused.',
      'EPG memory limit',
    ],
    'guide.collectEvery': [
      'Refresh the guide every',
      'Idle tuners collect the guide again after this time.',
      'EPG update grabber interval',
    ],
    'guide.saveEvery': [
      'Save the guide every',
      'How often a changed guide is written to disk. 0: only when the receiver stops.',
      'EPG interval',
    ],
    'guide.huffman': [
      'Tables for Freesat',
      'Folder with freesat.t1 and freesat.t2, which decode the guide of Freesat.',
      'EPG Huffman UK',
    ],
    'guide.sources': [
      'Guide sources',
      'Guide files that are imported again and again. You can add addresses in the set-up, step Guide.',
      'XMLTV EPG refresh update grabber',
    ],
    'stream.clientBound': [
      'Buffer per live stream',
      'A client that falls further behind is disconnected.',
      'memory stutter slow',
    ],
    'stream.maximumClients': [
      'Live streams at the same time',
      'At most this many devices can watch; one device may use three quarters of them.',
      'clients limit simultaneous viewers',
    ],
    'stream.linger': [
      'Keep tuners on',
      'A tuner stays on this long after its last use, so that zapping back is quick.',
      'linger idle switch off',
    ],
    'hdhomerun.server': [
      'Offer as HDHomeRun',
      'Plex, Jellyfin, Emby and Channels find this receiver as an HDHomeRun and get its channels and guide.',
      'Plex Jellyfin Emby Channels DVR server sharing',
    ],
    'hdhomerun.bouquets': [
      'Channels for HDHomeRun',
      'The television bouquets that these apps get, by name. Empty: all.',
      'bouquets lineup',
    ],
    'hdhomerun.streamPort': ['HDHomeRun streaming port', 'Apps expect 5004.', 'Plex stream'],
    'hdhomerun.controlPort': ['HDHomeRun control port', 'Apps search on 65001.', 'Plex discovery'],
    'satip.server.enabled': [
      'Share tuners',
      'Other devices in the network, such as TVs, can use the tuners of this receiver by SAT>IP.',
      'server EN 50585',
    ],
    'satip.server.port': [
      'SAT>IP port',
      'TVs support only 554. Ports below 1024 need a permission of the system.',
      'RTSP sharing',
    ],
    'satip.server.clients': [
      'Devices at the same time',
      'At most this many devices can use the shared tuners; one may use three quarters of them.',
      'SAT>IP clients limit',
    ],
    'satip.server.allow': [
      'Who may use shared tuners',
      'Addresses that may use the SAT>IP server, such as 192.168.0.0/16.',
      'clients subnet',
    ],
    'satip.server.satellites': [
      'Order of satellites',
      'Positions such as 19.2E, in the order in which SAT>IP devices number them. Empty: the order of the channel list.',
      'orbital DiSEqC source',
    ],
    'iptv.interface': [
      'Network interface for multicast',
      'Such as eth0. Empty: chosen by the system.',
      'IPTV adapter LAN card',
    ],
    'iptv.userAgent': [
      'Identify to providers as',
      'Some providers accept only certain players. Empty: receiverd.',
      'User-Agent player VLC',
    ],
    'iptv.maximumBandwidth': [
      'Highest bandwidth',
      'If a channel comes in several qualities, the best up to this is chosen. 0: no limit.',
      'bitrate resolution quality HLS internet speed',
    ],
    'iptv.allow': [
      'Further stream servers',
      'Addresses of servers that would otherwise be refused, such as those on this machine.',
      'IPTV security localhost',
    ],
    'recording.queueBound': [
      'Buffer per recording',
      'Held in memory while the disk is slow. When it is full, data is lost.',
      'memory',
    ],
    'recording.sync': ['Write recordings to disk', 'How soon recorded data is safe from a power cut.', 'fsync flush'],
    'recording.syncInterval': [
      'Interval of writing',
      'So much of a recording may be lost in a power cut.',
      'fsync flush seconds',
    ],
    'timeshift.folder': [
      'Timeshift folder',
      'Used only for pausing live television. Empty: below the folder that the Enigma2 settings name, or in the data folder.',
      'pause rewind directory',
    ],
    'timeshift.size': [
      'Space for timeshift',
      'A gigabyte holds about half an hour in SD, or ten minutes in HD.',
      'pause rewind buffer disk',
    ],
    'timeshift.minimumFree': [
      'Leave free on the disk',
      'Timeshift takes less space if necessary.',
      'pause rewind storage',
    ],
    'timeshift.automatic': [
      'Always ready to rewind',
      'Starts timeshift for each channel that you watch, so that you can rewind without pausing first.',
      'timeshift pause automatic permanent',
    ],
    'hls.folder': [
      'Folder for HTTP Live Streaming',
      'Holds short pieces of streams; memory such as /dev/shm is good for it. Empty: the data folder.',
      'HLS directory tmpfs',
    ],
    'hls.size': [
      'Space per HTTP Live Streaming channel',
      'Each channel that is watched this way takes at most this much.',
      'HLS segments disk',
    ],
    'hls.maximumServices': [
      'Channels for iPhones and TVs at the same time',
      'Channels that can be watched by HTTP Live Streaming. 0: off.',
      'HLS iPad Apple Safari Chromecast limit',
    ],
    'conversion.path': [
      'ffmpeg',
      'Name or path of the program that converts what browsers cannot play.',
      'transcoding',
    ],
    'conversion.maximum': [
      'Conversions at the same time',
      'Channels and recordings that ffmpeg converts for browsers. Each takes processor time. 0: off.',
      'transcoding ffmpeg browser limit CPU',
    ],
    'pictures.size': [
      'Space for pictures',
      'Logos, pictures of programmes and pictures of recordings take at most this much. 0: no pictures.',
      'thumbnails posters picons logos cache disk',
    ],
    'cleaning.minimumFree': [
      'Keep free on each disk',
      'While less is free, the oldest recordings are deleted for good, except those of the last day. 0: never.',
      'disk full space storage delete automatically cleanup',
    ],
    'cleaning.deleteAfter': [
      'Delete recordings after',
      'Older recordings are deleted for good. 0: never.',
      'age expire automatically cleanup retention',
    ],
    'cleaning.keepTag': [
      'Tag that protects recordings',
      'Recordings with this tag are never deleted automatically. One word.',
      'keep protect lock cleanup',
    ],
    'power.shutdown': [
      'Allow shutting down',
      'Lets people switch the machine off and restart it from here and from apps.',
      'power reboot deep standby',
    ],
    'power.shutdownCommand': ['Command to shut down', 'Program and arguments, one per line.', 'power off systemctl'],
    'power.rebootCommand': ['Command to reboot', 'Program and arguments, one per line.', 'restart systemctl'],
    'power.wakeAlarm': [
      'Wake-up alarm',
      'File of the alarm that switches the machine on for a timer; auto: find it, none: off.',
      'RTC wakealarm power',
    ],
    'power.wakeLead': [
      'Switch on before recordings',
      'A machine that was shut down is switched on this long before a timer starts.',
      'wake up power alarm standby',
    ],
    'remote.uinput': [
      'Remote control types here',
      'Keys of the remote control are also pressed on this machine, for programs such as Kodi.',
      'uinput keyboard',
    ],
    'push.maximumClients': [
      'Connected pages and apps',
      'Clients that can receive events at the same time; one address may use three quarters of them.',
      'push limit',
    ],
    'push.clientBound': [
      'Buffer of events per client',
      'A client that falls further behind is disconnected.',
      'push memory',
    ],
    'push.history': ['Events kept', 'For clients that reconnect.', 'push'],
    'push.heartbeat': [
      'Interval of heartbeats',
      'How often an idle event connection shows that it is alive.',
      'push ping',
    ],
    'mqtt.url': [
      'MQTT broker',
      'Gets the state of the receiver and sends commands, such as mqtt://homeassistant.local. Empty: off.',
      'smart home automation server',
    ],
    'mqtt.user': ['User name at the broker', 'Empty if the broker asks for none.', 'MQTT account login'],
    'mqtt.password': ['Password at the broker', 'Stored in the configuration file.', 'MQTT account login'],
    'mqtt.prefix': [
      'MQTT topic',
      'First part of all topics. Receivers at the same broker need different ones.',
      'prefix',
    ],
    'mqtt.discovery': [
      'Home Assistant topic',
      'First part of the topics by which Home Assistant finds the receiver. Empty: off.',
      'MQTT discovery smart home prefix',
    ],
    'hooks.recordingStarted': [
      'Program at the start of a recording',
      'Program and arguments, one per line. It gets the notice as JSON.',
      'hook script command',
    ],
    'hooks.recordingEnded': [
      'Program at the end of a recording',
      'Program and arguments, one per line. It gets the notice as JSON.',
      'hook script command',
    ],
    'hooks.recordingFailed': [
      'Program when a recording fails',
      'Program and arguments, one per line. It gets the notice as JSON.',
      'hook script command',
    ],
    'hooks.timerAdded': [
      'Program when a timer is added',
      'Program and arguments, one per line. It gets the notice as JSON.',
      'hook script command',
    ],
    'hooks.conflict': [
      'Program when no tuner is free',
      'Program and arguments, one per line. It gets the notice as JSON.',
      'hook script command',
    ],
    'hooks.timeout': ['Time for these programs', 'A program that takes longer is stopped.', 'hook script limit'],
    'advertisements.command': [
      'Program that finds advertisements',
      'Searches each new recording, such as comskip.',
      'ads commercials',
    ],
    'advertisements.whileReceiving': [
      'Find advertisements while receiving',
      'Otherwise only while no tuner records or streams.',
      'ads commercials comskip',
    ],
    'advertisements.timeout': [
      'Time to find advertisements',
      'A program that takes longer is stopped.',
      'ads commercials limit',
    ],
    'notifications.webhooks': [
      'Webhooks',
      'Addresses that get each notice as JSON.',
      'HTTP POST URL automation Node-RED',
    ],
    'notifications.service': [
      'Messaging service',
      'Sends notices to phones and computers.',
      'push message ntfy Gotify Pushover Apprise phone',
    ],
    'notifications.url': [
      'Address at the service',
      'With the topic for ntfy, of the server for Gotify, with the key for Apprise. Can stay empty for Pushover.',
      'URL server topic',
    ],
    'notifications.token': [
      'Access token',
      'Token of the application at the service. Stored in the configuration file.',
      'password key API',
    ],
    'notifications.user': ['User key', 'Only for Pushover.', 'Pushover user'],
    'notifications.events': ['Notify about', 'Failed recordings are always reported.', 'notification event'],
    output: [
      'Show the picture',
      'Whether this machine shows the current channel on its own screen.',
      'mpv HDMI television monitor',
    ],
    'mpv.path': ['mpv', 'Name or path of the player that shows the picture.', 'player program'],
    'mpv.options': ['Options of mpv', 'Such as --vo=gpu. They override those of receiverd.', 'player arguments'],
    evil: [
      'Answer POST /api/evil',
      'On other receivers this address runs code; on this one it never does.',
      'security',
    ],
    logLevel: ['Detail of the log', 'Messages that are less severe are not logged.', 'logging debug verbose'],
  },
  choices: {
    'config.recording.filename_composition': {
      standard: 'Time, channel, title',
      long: 'Time, channel, title, description',
      short: 'Date, title',
      event: 'Title, time, channel',
    },
    tuners: {
      'dvb:*': 'All DVB cards',
      'satip:*': 'All SAT>IP servers in the network',
      'hdhomerun:*': 'All HDHomeRuns in the network',
      demo: 'Demo',
      none: 'No tuner, only IPTV',
    },
    clock: { system: 'This machine', broadcast: 'The broadcast' },
    scan: { new: 'Of new transponders', always: 'Of all transponders', never: 'Never' },
    'recording.sync': { never: 'When the system decides', interval: 'At an interval', always: 'At once' },
    'notifications.service': { none: 'None', ntfy: 'ntfy', gotify: 'Gotify', pushover: 'Pushover', apprise: 'Apprise' },
    'notifications.events': {
      recordingStarted: 'Recording started',
      recordingEnded: 'Recording ended',
      timerAdded: 'Timer added',
      conflict: 'No tuner for a timer',
    },
    output: { none: 'No', mpv: 'Yes, in mpv' },
    logLevel: {
      fatal: 'Fatal errors',
      error: 'Errors',
      warn: 'Warnings',
      info: 'Information',
      debug: 'Details',
      trace: 'Everything',
      silent: 'Nothing',
    },
  },
} satisfies Sections;

export type Texts = typeof english;

export default english;

type Section = Readonly<Record<string, string | ((...values: never[]) => string)>>;

interface Sections {
  readonly page: Section;
  readonly groups: Section;
  readonly cards: Section;
  readonly settings: Readonly<Record<string, readonly [name: string, about: string, search: string]>>;
  readonly choices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
