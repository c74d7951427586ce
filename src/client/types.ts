// Written by scripts/pages.ts from the OpenAPI document. Do not edit.

/** Paths by method: their parameters, and what they answer. */
export interface Calls {
  get: {
    /** Events of services: at, before or after a time, over a period, or one by its event id. */
    '/api/eventlookup': {
      parameters: {
        /** service to look up; may be given several times */
        readonly service_reference: string | ReadonlyArray<string>;
        /** 2 by event id, -1 the event that starts last before begin, 0 the one running at begin, 1 the first that starts after begin; with any other, minutes=0 finds nothing. Default: 2 if event_id or a begin below 65536 is given, otherwise 0 */
        readonly querytype?: -1 | 0 | 1 | 2;
        /** Unix seconds, -1 or absent = now; with querytype 2, the event id */
        readonly begin?: number;
        /** length of the range; -1 or absent = no end, 0 = exactly one event; with querytype 2 and no begin, the event id */
        readonly minutes?: number;
        /** event id */
        readonly event_id?: number;
        /** fields of each row, one letter each (see Event); X = also return a row for a service without a matching event */
        readonly flags?: string;
        /** maximum number of rows, keeping the first ones; 0 = the upper limit */
        readonly max_rows?: number;
      };
      result: EventLookup;
    };
    /** Searches the guide by text, by CRID, or for other showings of an event. */
    '/api/eventsearch': {
      parameters: {
        /** text to search for; if given several times, all must be found. With querytype crid, the CRID */
        readonly what?: string | ReadonlyArray<string>;
        /** what to search: 0 or similar (other showings of event_id on service_reference), 1 or title-is, 2 or title (contains), 3 or short, 4 or title+short, 5 or long, 6 or all; or text (short and long), title-starts, title-ends, crid; or series (the events of the series of event_id) */
        readonly querytype?: "0" | "1" | "2" | "3" | "4" | "5" | "6" | "similar" | "title-is" | "title" | "short" | "title+short" | "long" | "text" | "all" | "title-starts" | "title-ends" | "crid" | "series";
        /** compare exactly: case and accents count; 1, true, yes or on */
        readonly case_sensitive?: boolean;
        /** fields of each row, one letter each (see Event); X = also return a row for a service without a matching event */
        readonly flags?: string;
        /** maximum number of rows; 0 = the upper limit */
        readonly max_rows?: number;
        /** number of rows to leave out at the beginning */
        readonly offset?: number;
        /** only events that end after this time (Unix seconds) */
        readonly begin?: number;
        /** only events that begin before this time (Unix seconds) */
        readonly end?: number;
        /** only events of this service; with querytype similar or series, the service of event_id */
        readonly service_reference?: string;
        /** only services in this bouquet, given by reference or name */
        readonly bouquet?: string;
        /** with querytype similar or series, the event whose other showings or series to find */
        readonly event_id?: number;
        /** how a text must match, instead of what querytype says: contains; prefix or suffix of the whole text; word (not inside a longer one); words (each of them, in any order and in any of the texts searched); phrase (its words side by side); exact */
        readonly match?: "contains" | "prefix" | "suffix" | "word" | "words" | "phrase" | "exact";
        /** only television or only radio services */
        readonly service_type?: "tv" | "radio";
        /** only this genre: 1 to 15 = a whole group, 16 to 255 = as in `genreid` (16 * group + genre) */
        readonly genre?: number;
        /** only events of at least this many seconds */
        readonly minimum_duration?: number;
        /** only events of at most this many seconds */
        readonly maximum_duration?: number;
        /** only events that begin at this time of the day or later: minutes after midnight, local time */
        readonly from_minute?: number;
        /** only events that begin before this time of the day; one that is not after from_minute is on the next day */
        readonly until_minute?: number;
        /** only events in this language: ISO 639-2 code, several separated by commas */
        readonly language?: string;
        /** with querytype crid, which CRIDs to compare: 1 programme, 2 series; absent = all */
        readonly crid_type?: number;
      };
      result: EventSearch;
    };
    /** Titles that complete the text being typed. */
    '/api/eventsuggest': {
      parameters: {
        /** the text typed so far */
        readonly what?: string;
        /** maximum number of titles */
        readonly max_rows?: number;
      };
      result: EventSuggest;
    };
    /** Every service in every bouquet. */
    '/services': {
      parameters: {
        /** array: reference, name, picon-style name; object: the same as named keys, plus service type, bouquets and channel number */
        readonly format?: "array" | "object";
        /** also return the list under its older name services */
        readonly compat?: boolean;
      };
      result: Services;
    };
    /** The television services in the bouquets. */
    '/services/tv': {
      parameters: {
        /** array: reference, name, picon-style name; object: the same as named keys, plus service type, bouquets and channel number */
        readonly format?: "array" | "object";
        /** also return the list under its older name services */
        readonly compat?: boolean;
      };
      result: Services;
    };
    /** The radio services in the bouquets. */
    '/services/radio': {
      parameters: {
        /** array: reference, name, picon-style name; object: the same as named keys, plus service type, bouquets and channel number */
        readonly format?: "array" | "object";
        /** also return the list under its older name services */
        readonly compat?: boolean;
      };
      result: Services;
    };
    /** The services in the bouquets that have one DVB service type. */
    '/services/{type}': {
      parameters: {
        /** SDT service type as a decimal number, such as 25 for H.264 HD television */
        readonly type: string;
        /** array: reference, name, picon-style name; object: the same as named keys, plus service type, bouquets and channel number */
        readonly format?: "array" | "object";
        /** also return the list under its older name services */
        readonly compat?: boolean;
      };
      result: Services;
    };
    /** The bouquets in their order, television first, hidden ones too. */
    '/bouquets': {
      parameters: Record<string, never>;
      result: {
        readonly bouquets: ReadonlyArray<{
          /** its name below /bouquets */
          readonly file: string;
          readonly name: string;
          readonly kind: "tv" | "radio";
          readonly reference: string;
          readonly hidden: boolean;
          /** by the parental lock */
          readonly locked: boolean;
        }>;
        readonly result: boolean;
      };
    };
    /** A bouquet with its entries, hidden ones too. */
    '/bouquets/{file}': {
      parameters: {
        /** the file of a bouquet */
        readonly file: string;
      };
      result: {
        /** its name below /bouquets */
        readonly file: string;
        readonly name: string;
        readonly kind: "tv" | "radio";
        readonly reference: string;
        readonly hidden: boolean;
        /** by the parental lock */
        readonly locked: boolean;
        readonly entries: ReadonlyArray<{
          readonly reference: string;
          /** that is shown */
          readonly name: string;
          /** its name in this bouquet; empty: that of the service */
          readonly own: string;
          readonly kind: "service" | "marker" | "bouquet";
          readonly hidden: boolean;
          /** itself, by the parental lock; not through its bouquet */
          readonly locked: boolean;
        }>;
        readonly result: boolean;
      };
    };
    /** Whether there is a code of the parental lock, and whether it is needed for a service. */
    '/parentallock': {
      parameters: {
        /** a service or bouquet */
        readonly service?: string;
      };
      result: {
        readonly set: boolean;
        /** the service itself is locked */
        readonly locked: boolean;
        /** zap asks for the code: also because of a bouquet with it, or of the age of its event */
        readonly refuses: boolean;
        readonly result: boolean;
      };
    };
    /** The present event of the current service. */
    '/current_event': {
      parameters: Record<string, never>;
      result: CurrentEvent;
    };
    /** The present event of any service, tuned or not. */
    '/current_event/{service_reference}': {
      parameters: {
        /** service reference, percent-encoded or as ten numbers separated by ":", "_" or "-" */
        readonly service_reference: string;
      };
      result: CurrentEvent;
    };
    /** The same as without the item, which is always 0. */
    '/current_event/{service_reference}/{item}': {
      parameters: {
        /** service reference, percent-encoded or as ten numbers separated by ":", "_" or "-" */
        readonly service_reference: string;
        /** 0 */
        readonly item: number;
      };
      result: CurrentEvent;
    };
    /** The messages being shown, oldest first. */
    '/api/messages': {
      parameters: Record<string, never>;
      result: MessageList;
    };
    /** The users and tokens, and which apps were here with them since the start, latest first. */
    '/accounts': {
      parameters: Record<string, never>;
      result: {
        readonly accounts: ReadonlyArray<{
          readonly kind: "user" | "token";
          readonly name: string;
          readonly rights: ReadonlyArray<"view" | "control" | "record" | "admin">;
        }>;
        readonly visits: ReadonlyArray<{
          /** its name; that of a token begins with `token ` */
          readonly account: string;
          readonly address: string;
          /** User-Agent of the requests */
          readonly agent: string;
          /** Unix seconds of the latest one */
          readonly last: number;
        }>;
        readonly result: boolean;
      };
    };
    /** Who is logged in, and what they may do. */
    '/login': {
      parameters: Record<string, never>;
      result: Login;
    };
    /** The bytes of a recording, a picon or a list, by absolute path; or the contents of a folder. */
    '/file': {
      parameters: {
        /** absolute path */
        readonly file?: string;
        /** download: the bytes; stream: a playlist with their URL */
        readonly action?: "download" | "stream";
        /** title in that playlist */
        readonly name?: string;
        /** absolute path of a folder, instead of `file`: lists its folders and files */
        readonly dir?: string;
        /** only files whose name matches; with * and ? */
        readonly pattern?: string;
        /** only folders */
        readonly nofiles?: string;
      };
      result: {
        readonly result: boolean;
        readonly dirs?: ReadonlyArray<string>;
        readonly files?: ReadonlyArray<string>;
        /** why there is no list */
        readonly message?: string;
      };
    };
    /** The recordings in all locations. */
    '/recordings': {
      parameters: {
        /** no = without sub-folders */
        readonly recursive?: boolean;
        /** only recordings with this tag */
        readonly tag?: string;
        /** maximum number of items */
        readonly limit?: number;
        /** number of items to skip */
        readonly offset?: number;
        /** only those in this folder, an absolute path in a location; `.Trash` in a location has the deleted ones */
        readonly folder?: string;
      };
      result: Recordings;
    };
    /** The recordings in a folder and its sub-folders, or one recording. */
    '/recordings/{path}': {
      parameters: {
        /** path below the default folder, or below the named one */
        readonly path: string;
        /** no = without sub-folders */
        readonly recursive?: boolean;
        /** only recordings with this tag */
        readonly tag?: string;
        /** maximum number of items */
        readonly limit?: number;
        /** number of items to skip */
        readonly offset?: number;
      };
      result: Recordings;
    };
    /** The recordings in all locations. */
    '/recording': {
      parameters: {
        /** no = without sub-folders */
        readonly recursive?: boolean;
        /** only recordings with this tag */
        readonly tag?: string;
        /** maximum number of items */
        readonly limit?: number;
        /** number of items to skip */
        readonly offset?: number;
        /** only those in this folder, an absolute path in a location; `.Trash` in a location has the deleted ones */
        readonly folder?: string;
      };
      result: Recordings;
    };
    /** One recording, or the recordings in a folder; with a Range header or `stream`, the bytes of a recording. */
    '/recording/{path}': {
      parameters: {
        /** path below the default folder, or below the named one */
        readonly path: string;
        /** no = without sub-folders */
        readonly recursive?: boolean;
        /** only recordings with this tag */
        readonly tag?: string;
        /** maximum number of items */
        readonly limit?: number;
        /** number of items to skip */
        readonly offset?: number;
        /** return the bytes of the recording */
        readonly stream?: boolean;
      };
      result: Recordings;
    };
    /** The recordings being copied, or moved to another file system. */
    '/api/transfers': {
      parameters: Record<string, never>;
      result: {
        readonly result: boolean;
        readonly transfers: ReadonlyArray<Transfer>;
      };
    };
    /** The free space of the recording folders, and how many hours of recording that is. */
    '/api/storage': {
      parameters: Record<string, never>;
      result: Storage;
    };
    /** The timers of all services. */
    '/timers': {
      parameters: {
        /** only timers in this state; ended timers are shown only on request */
        readonly state?: "waiting" | "prepared" | "running" | "ended";
        /** include ended timers */
        readonly all?: boolean;
      };
      result: Timers;
    };
    /** The timers of one service. */
    '/timers/{service_reference}': {
      parameters: {
        /** service reference, percent-encoded or as ten numbers separated by ":", "_" or "-" */
        readonly service_reference: string;
        /** only timers in this state; ended timers are shown only on request */
        readonly state?: "waiting" | "prepared" | "running" | "ended";
        /** include ended timers */
        readonly all?: boolean;
      };
      result: Timers;
    };
    /** One timer, whatever its state. */
    '/timers/{service_reference}/{item}': {
      parameters: {
        /** service reference, percent-encoded or as ten numbers separated by ":", "_" or "-" */
        readonly service_reference: string;
        /** event id of the timer, or `t` and its `timer_id`: t7 */
        readonly item: string;
      };
      result: Timers;
    };
    /** The times at which there are not enough tuners, with the timers that compete for them. */
    '/api/conflicts': {
      parameters: Record<string, never>;
      result: Conflicts;
    };
    /** The stored period of the current service, and where to play it. */
    '/timeshift': {
      parameters: Record<string, never>;
      result: Timeshift;
    };
    /** Whether what a player cannot decode can be converted, by `convert` of /live.ts and /recording.ts. */
    '/conversion': {
      parameters: Record<string, never>;
      result: {
        readonly result: boolean;
        /** how pictures are encoded, as ffmpeg calls it; null if nothing can be */
        readonly encoder: string | null;
        /** conversions at present */
        readonly running: number;
        /** most conversions at a time */
        readonly maximum: number;
      };
    };
    /** The AutoTimer rules, which create timers for matching events in the guide. */
    '/autotimers': {
      parameters: Record<string, never>;
      result: AutoTimerRules;
    };
    /** One rule. */
    '/autotimers/{id}': {
      parameters: {
        /** id of the rule */
        readonly id: number;
      };
      result: AutoTimerRules;
    };
    /** The events that a rule matches now, and what it does with each. */
    '/autotimers/{id}/matches': {
      parameters: {
        /** id of the rule */
        readonly id: number;
      };
      result: AutoTimerMatches;
    };
    /** Whether the receiver can do its work: guide, tuners, disk of recordings. */
    '/health': {
      parameters: Record<string, never>;
      result: {
        readonly result: boolean;
        readonly status: "ready";
        readonly reasons: ReadonlyArray<{
          readonly part: "program" | "guide" | "tuners" | "disk";
          readonly message: string;
        }>;
      };
    };
    /** Whether the receiver can do its work: guide, tuners, disk of recordings. */
    '/health/ready': {
      parameters: Record<string, never>;
      result: {
        readonly result: boolean;
        readonly status: "ready";
        readonly reasons: ReadonlyArray<{
          readonly part: "program" | "guide" | "tuners" | "disk";
          readonly message: string;
        }>;
      };
    };
    /** Whether the receiver answers at all. */
    '/health/live': {
      parameters: Record<string, never>;
      result: {
        readonly result: boolean;
        readonly status: "alive";
      };
    };
    /** The least severity that is logged. */
    '/api/loglevel': {
      parameters: Record<string, never>;
      result: {
        readonly result: boolean;
        /** the least severity that is logged */
        readonly level: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
      };
    };
    /** The end of the log, oldest line first. */
    '/api/log': {
      parameters: {
        /** only lines after this number */
        readonly after?: number;
      };
      result: {
        readonly lines: ReadonlyArray<{
          /** counts from 1 since the start */
          readonly number: number;
          /** Unix seconds */
          readonly time: number;
          readonly level: "fatal" | "error" | "warn" | "info" | "debug" | "trace";
          readonly text: string;
        }>;
        readonly result: boolean;
      };
    };
    /** What works on this machine, what does not, and how to fix it: what `receiverd doctor` prints. */
    '/api/doctor': {
      parameters: Record<string, never>;
      result: {
        readonly healthy: boolean;
        readonly findings: ReadonlyArray<{
          readonly kind: "node" | "addon" | "settings" | "folder" | "lists" | "tuner" | "firmware" | "port" | "output" | "command" | "alarm" | "keys";
          /** the thing examined */
          readonly subject: string;
          readonly ok: boolean;
          /** empty if it works */
          readonly problem: string;
          /** empty if it works */
          readonly remedy: string;
        }>;
        readonly result: boolean;
      };
    };
    /** Every setting of the receiver: what it is, its value, and where that comes from. */
    '/api/configuration': {
      parameters: Record<string, never>;
      result: {
        /** into which changes go */
        readonly file: string;
        readonly settings: ReadonlyArray<{
          readonly name: string;
          readonly description: string;
          readonly kind: "integer" | "boolean" | "word" | "text" | "list";
          /** in words */
          readonly allowed: string;
          /** the only values; empty: there are others */
          readonly words: ReadonlyArray<string>;
          readonly minimum: number | null;
          readonly maximum: number | null;
          /** as JSON; empty if it depends on the machine */
          readonly default: string;
          /** as JSON; empty if it is secret */
          readonly value: string;
          /** it is set, and not shown */
          readonly secret: boolean;
          readonly source: "default" | "file" | "environment" | "flag";
          /** why it cannot be changed here; empty if it can */
          readonly fixed: string;
          /** it takes effect with a restart only */
          readonly restart: boolean;
          /** the receiver still runs with another value */
          readonly pending: boolean;
        }>;
        readonly result: boolean;
      };
    };
    /** This document, OpenAPI 2.0. */
    '/api': {
      parameters: Record<string, never>;
      result: {
        readonly swagger: "2.0";
        readonly info: {
          readonly title: string;
          readonly version: string;
          readonly description: string;
          readonly license: {
            readonly name: string;
            readonly url: string;
          };
        };
        readonly schemes: ReadonlyArray<string>;
        readonly security: ReadonlyArray<{
          readonly [name: string]: ReadonlyArray<string>;
        }>;
        readonly securityDefinitions: {
          readonly [name: string]: unknown;
        };
        readonly tags: ReadonlyArray<{
          readonly name: string;
          readonly description: string;
        }>;
        readonly paths: {
          readonly [name: string]: unknown;
        };
        readonly responses: {
          readonly [name: string]: unknown;
        };
        readonly definitions: {
          readonly [name: string]: unknown;
        };
      };
    };
    /** This document, OpenAPI 2.0. */
    '/api/index': {
      parameters: Record<string, never>;
      result: {
        readonly swagger: "2.0";
        readonly info: {
          readonly title: string;
          readonly version: string;
          readonly description: string;
          readonly license: {
            readonly name: string;
            readonly url: string;
          };
        };
        readonly schemes: ReadonlyArray<string>;
        readonly security: ReadonlyArray<{
          readonly [name: string]: ReadonlyArray<string>;
        }>;
        readonly securityDefinitions: {
          readonly [name: string]: unknown;
        };
        readonly tags: ReadonlyArray<{
          readonly name: string;
          readonly description: string;
        }>;
        readonly paths: {
          readonly [name: string]: unknown;
        };
        readonly responses: {
          readonly [name: string]: unknown;
        };
        readonly definitions: {
          readonly [name: string]: unknown;
        };
      };
    };
    /** This document, OpenAPI 3.1.0. */
    '/api/openapi.json': {
      parameters: Record<string, never>;
      result: {
        readonly openapi: "3.1.0";
        readonly info: {
          readonly title: string;
          readonly version: string;
          readonly description: string;
          readonly license: {
            readonly name: string;
            readonly url: string;
          };
        };
        readonly servers: ReadonlyArray<{
          readonly url: string;
        }>;
        readonly security: ReadonlyArray<{
          readonly [name: string]: ReadonlyArray<string>;
        }>;
        readonly tags: ReadonlyArray<{
          readonly name: string;
          readonly description: string;
        }>;
        readonly paths: {
          readonly [name: string]: unknown;
        };
        readonly components: {
          readonly [name: string]: unknown;
        };
      };
    };
    /** The device, its network, disks and tuners, and the current service. */
    '/api/about': {
      parameters: Record<string, never>;
      result: AboutResult;
    };
    /** The device, its tuners, network and disks. */
    '/api/deviceinfo': {
      parameters: Record<string, never>;
      result: DeviceinfoResult;
    };
    /** Volume, standby, the current service and stream clients; meant for polling every few seconds. */
    '/api/statusinfo': {
      parameters: Record<string, never>;
      result: StatusinfoResult;
    };
    /** The receiver’s local time. */
    '/api/currenttime': {
      parameters: Record<string, never>;
      result: CurrenttimeResult;
    };
    /** The signal of the tuner used by the current service or, without one, by the newest stream. */
    '/api/tunersignal': {
      parameters: {
        /** select this audio track Deprecated: use selectaudiotrack. */
        readonly id?: number;
      };
      result: TunersignalResult;
    };
    /** The signal of the tuner used by the current service or, without one, by the newest stream. */
    '/api/signal': {
      parameters: {
        /** select this audio track Deprecated: use selectaudiotrack. */
        readonly id?: number;
      };
      result: TunersignalResult;
    };
    /** Every tuner: its state, what it is tuned to, its users and its signal. */
    '/api/tunerstatus': {
      parameters: Record<string, never>;
      result: TunerstatusResult;
    };
    /** Where this receiver seems to be, by its time zone. */
    '/api/setupguess': {
      parameters: Record<string, never>;
      result: SetupguessResult;
    };
    /** Sets up the tuners for a place, and starts a scan. */
    '/api/setup': {
      parameters: {
        /** a country for an aerial or a cable, satellites for a dish, or both */
        readonly place: string;
      };
      result: SimpleResult;
    };
    /** The tables of transponders on this machine with which a scan can begin. */
    '/api/scantables': {
      parameters: Record<string, never>;
      result: ScantablesResult;
    };
    /** Starts a scan of the network, which goes on by itself. */
    '/api/scanstart': {
      parameters: {
        /** where to begin: the name of a table in scantables; absent = the transponders of the lists that a front end receives, without these the channels of Europe */
        readonly table?: string;
      };
      result: SimpleResult;
    };
    /** Stops the scan; the lists stay as they are. */
    '/api/scanstop': {
      parameters: Record<string, never>;
      result: SimpleResult;
    };
    /** The scan of the network that runs, or the last one. */
    '/api/scanstatus': {
      parameters: Record<string, never>;
      result: ScanstatusResult;
    };
    /** Says how the dish is connected to a tuner. */
    '/api/tunersetup': {
      parameters: {
        /** number of the tuner in tunerstatus */
        readonly tuner: number;
        /** what lies between; absent = direct, or diseqc for several satellites */
        readonly equipment?: "direct" | "toneburst" | "diseqc" | "rotor" | "unicable" | "jess" | "nothing";
        /** orbital positions such as `19.2E`, separated by commas, in the order of the switch */
        readonly satellites?: string;
        /** where a rotor stands, degrees east */
        readonly longitude?: number;
        /** degrees north */
        readonly latitude?: number;
        /** user band of this tuner on one cable for many, from 1 */
        readonly band?: number;
        /** its middle in MHz */
        readonly frequency?: number;
        /** number of the first tuner on the same cable */
        readonly cable?: number;
      };
      result: SimpleResult;
    };
    /** Shows or changes the volume. */
    '/api/vol': {
      parameters: {
        /** `up`, `down`, `mute` (toggles), `setNN` (0 to 100); absent or `state` = show */
        readonly set?: string;
      };
      result: VolResult;
    };
    /** Shows or changes whether the receiver is in standby. */
    '/api/powerstate': {
      parameters: {
        /** 0 = toggle standby, 1 = shut down, 2 = reboot, 3 = restart, 4 = wake up, 5 = standby; absent or any other number = show */
        readonly newstate?: number;
        /** wake up without waking the television; no effect, because this receiver never wakes it */
        readonly shift?: string;
      };
      result: PowerstateResult;
    };
    /** Shows or sets the sleep timer. */
    '/api/sleeptimer': {
      parameters: {
        /** `get` or `set`; absent = get */
        readonly cmd?: string;
        /** minutes; required to turn it on */
        readonly time?: number;
        /** `standby` or `shutdown`; anything else = standby */
        readonly action?: string;
        /** `True` or `False`; required for set */
        readonly enabled?: string;
      };
      result: SleeptimerResult;
    };
    /** Shows a message, or asks a question. */
    '/api/message': {
      parameters: {
        /** text to show */
        readonly text: string;
        /** 0 question (yes or no), 1 information, 2 warning, 3 error; another number = 1 */
        readonly type: number;
        /** seconds to show it; absent, 0 or -1 = until somebody closes it */
        readonly timeout?: number;
      };
      result: SimpleResult;
    };
    /** The answer to the last question. */
    '/api/messageanswer': {
      parameters: {
        /** `now`, as clients send it; ignored */
        readonly getanswer?: string;
      };
      result: SimpleResult;
    };
    /** Presses a key of the remote control. */
    '/api/remotecontrol': {
      parameters: {
        /** Linux key code; not needed with `text` */
        readonly command?: string;
        /** `long` = held; `ascii` = `command` is a character; absent = pressed */
        readonly type?: string;
        /** kind of remote control: `standard`, `advanced`, `keyboard`; no effect */
        readonly rcu?: string;
        /** a text to type, percent-encoded a second time */
        readonly text?: string;
      };
      result: SimpleResult;
    };
    /** The stored settings, and those that clients rely on. */
    '/api/settings': {
      parameters: Record<string, never>;
      result: SettingsResult;
    };
    /** Web pages of plug-ins: always empty. */
    '/api/external': {
      parameters: Record<string, never>;
      result: ExternalResult;
    };
    /** Whether picture-in-picture is shown: always no. */
    '/api/pipinfo': {
      parameters: Record<string, never>;
      result: PipinfoResult;
    };
    /** A session id, for clients that want one before they change anything. It is never required. */
    '/api/session': {
      parameters: Record<string, never>;
      result: SessionResult;
    };
    /** Changes a setting. */
    '/api/saveconfig': {
      parameters: {
        /** `config.` and the name of the setting, as listed by settings */
        readonly key: string;
        /** a boolean: `true` = yes; a number is limited to its range */
        readonly value: string;
      };
      result: SaveconfigResult;
    };
    /** Stores preferences of web pages. */
    '/api/setwebconfig': {
      parameters: {
        /** `true`: show picons in lists */
        readonly showpicons?: string;
        /** `true`: stream.m3u zaps to its service first */
        readonly zapstream?: string;
      };
      result: SetwebconfigResult;
    };
    /** Stores whether web pages show picons in lists. */
    '/api/showchannelpicon': {
      parameters: {
        /** `true` = yes; anything else = no */
        readonly checked: string;
      };
      result: SetwebconfigResult;
    };
    /** Stores whether stream.m3u zaps to its service first. */
    '/api/zapstream': {
      parameters: {
        /** `true` = yes; anything else = no */
        readonly checked: string;
      };
      result: SetwebconfigResult;
    };
    /** The bouquets of the television or radio root, without hidden ones. */
    '/api/bouquets': {
      parameters: {
        /** which root */
        readonly stype?: "tv" | "radio";
      };
      result: BouquetsResult;
    };
    /** The entries of a bouquet, a provider, a satellite or the bouquet root. */
    '/api/getservices': {
      parameters: {
        /** the list; absent = the bouquets of the television root */
        readonly sRef?: string;
        /** include hidden entries */
        readonly hidden?: boolean;
        /** include the provider of each service (JSON) */
        readonly provider?: boolean;
        /** the same as provider */
        readonly showproviders?: boolean;
        /** include the path of each picon (JSON) */
        readonly picon?: boolean;
        /** omit the name of a renamed entry from its reference */
        readonly removenamefromsref?: boolean;
        /** omit network streams */
        readonly noiptv?: boolean;
        /** no = only plain entries, without markers and folders */
        readonly showall?: boolean;
      };
      result: GetservicesResult;
    };
    /** Every bouquet with all its entries. */
    '/api/getallservices': {
      parameters: {
        /** absent or `tv` = television, anything else = radio */
        readonly type?: string;
        /** omit the bouquet of the last scan */
        readonly nolastscanned?: boolean;
        /** what to omit, separated by commas: `program` the service ids (JSON), `vod` network films, `iptv` all network streams, `lastscanned` the bouquet of the last scan */
        readonly exclude?: string;
        /** names become `NUMBER - NAME` */
        readonly renameserviceforxmbc?: string;
        /** include the provider of each service (JSON) */
        readonly provider?: boolean;
        /** the same as provider */
        readonly showproviders?: boolean;
        /** include the path of each picon (JSON) */
        readonly picon?: boolean;
        /** omit the name of a renamed entry from its reference */
        readonly removenamefromsref?: boolean;
        /** omit network streams */
        readonly noiptv?: boolean;
        /** no = only plain entries, without markers and folders */
        readonly showall?: boolean;
      };
      result: GetallservicesResult;
    };
    /** Rereads the files in the Enigma2 folder, after an editor has changed them. */
    '/api/servicelistreload': {
      parameters: {
        /** 0 = services and bouquets, 1 = services, 2 = bouquets, 3 = transponders, 4 = parental lists */
        readonly mode: string;
      };
      result: SimpleResult;
    };
    /** Which entries of a list could be shown now, with a free tuner or a shared one. */
    '/api/servicelistplayable': {
      parameters: {
        /** the list; absent = the bouquets of the television root */
        readonly sRef?: string;
        /** assumed to be playing already: services on its multiplex are playable */
        readonly sRefPlaying?: string;
        /** include the name of each service */
        readonly includeName?: string;
      };
      result: ServicelistplayableResult;
    };
    /** Whether a service could be shown now, with a free tuner or a shared one. */
    '/api/serviceplayable': {
      parameters: {
        /** the service */
        readonly sRef: string;
        /** assumed to be playing already: services on its multiplex are playable */
        readonly sRefPlaying?: string;
      };
      result: ServiceplayableResult;
    };
    /** The satellites and other sources of services, as lists for getservices. */
    '/api/getsatellites': {
      parameters: {
        /** which services */
        readonly stype?: "tv" | "radio";
      };
      result: GetsatellitesResult;
    };
    /** The service with exactly this name. */
    '/api/getserviceref': {
      parameters: {
        /** the name */
        readonly name: string;
        /** search only the bouquets, not the whole service list */
        readonly searchinBouquetsOnly?: boolean;
        /** search only this list */
        readonly bRef?: string;
      };
      result: GetservicerefResult;
    };
    /** Every service in the service list, whether or not it is in a bouquet. */
    '/api/allservices': {
      parameters: {
        /** which services */
        readonly mode?: "all" | "tv" | "radio";
      };
      result: AllservicesResult;
    };
    /** The parental list: the locked services and bouquets, or, with a whitelist, the only ones not locked. */
    '/api/parentcontrollist': {
      parameters: Record<string, never>;
      result: ParentcontrollistResult;
    };
    /** The current service with its present and following event. */
    '/api/getcurrent': {
      parameters: Record<string, never>;
      result: GetcurrentResult;
    };
    /** The current service and its sub-services. */
    '/api/subservices': {
      parameters: Record<string, never>;
      result: SubservicesResult;
    };
    /** A service and its sub-services. */
    '/api/streamsubservices': {
      parameters: {
        /** absent = the current service */
        readonly sRef?: string;
      };
      result: SubservicesResult;
    };
    /** Zaps to a service, or plays a recording. */
    '/api/zap': {
      parameters: {
        /** the service or recording */
        readonly sRef: string;
        /** name to show while it is playing */
        readonly title?: string;
        /** code of the parental lock, for a locked service */
        readonly pin?: string;
      };
      result: SimpleResult;
    };
    /** The audio tracks of the current service. */
    '/api/getaudiotracks': {
      parameters: Record<string, never>;
      result: GetaudiotracksResult;
    };
    /** Selects an audio track of the current service. */
    '/api/selectaudiotrack': {
      parameters: {
        /** index of the track in getaudiotracks */
        readonly id?: number;
      };
      result: SelectaudiotrackResult;
    };
    /** The subtitles of the current service. */
    '/api/getsubtitles': {
      parameters: Record<string, never>;
      result: GetsubtitlesResult;
    };
    /** The events of one service: the one running at a given time and those after it. */
    '/api/epgservice': {
      parameters: {
        /** service */
        readonly sRef: string;
        /** Unix time; absent = now */
        readonly time?: number;
        /** only events that begin within this many minutes after `time`; -1 or absent = all */
        readonly endTime?: number;
      };
      result: EpgserviceResult;
    };
    /** The present event of one service. */
    '/api/epgservicenow': {
      parameters: {
        /** service */
        readonly sRef: string;
      };
      result: EpgservicenowResult;
    };
    /** The following event of one service. */
    '/api/epgservicenext': {
      parameters: {
        /** service */
        readonly sRef: string;
      };
      result: EpgservicenowResult;
    };
    /** The present and following event of one service. */
    '/api/epgservicenownext': {
      parameters: {
        /** service */
        readonly sRef: string;
      };
      result: EpgservicenowResult;
    };
    /** The present event of each service in a bouquet; one entry per service, known or not. */
    '/api/epgnow': {
      parameters: {
        /** bouquet or other list of services */
        readonly bRef: string;
      };
      result: EpgnowResult;
    };
    /** The following event of each service in a bouquet; one entry per service, known or not. */
    '/api/epgnext': {
      parameters: {
        /** bouquet or other list of services */
        readonly bRef: string;
      };
      result: EpgnowResult;
    };
    /** The present and following event of each service in a bouquet; two entries per service, known or not. */
    '/api/epgnownext': {
      parameters: {
        /** bouquet or other list of services */
        readonly bRef: string;
      };
      result: EpgnownextResult;
    };
    /** The present and following event of each given service; two entries per service, known or not. */
    '/api/epgmultichannelnownext': {
      parameters: {
        /** service references, separated by commas; invalid ones are skipped; more than 16 kB as a POST form */
        readonly sRefs: string;
        /** the same as `sRefs` */
        readonly sList?: string;
      };
      result: EpgservicenowResult;
    };
    /** The same as epgmultichannelnownext, with the list in `sList`. */
    '/api/epgservicelistnownext': {
      parameters: {
        /** service references, separated by commas; invalid ones are skipped; more than 16 kB as a POST form */
        readonly sList: string;
        /** the same as `sList` */
        readonly sRefs?: string;
      };
      result: EpgservicenowResult;
    };
    /** The events of every service in a bouquet, as in epgservice. */
    '/api/epgmulti': {
      parameters: {
        /** bouquet or other list of services */
        readonly bRef: string;
        /** Unix time; absent = now */
        readonly time?: number;
        /** only events that begin within this many minutes after `time`; -1 or absent = all */
        readonly endTime?: number;
      };
      result: EpgservicenowResult;
    };
    /** The same as epgmulti. */
    '/api/epgmultigz': {
      parameters: {
        /** bouquet or other list of services */
        readonly bRef: string;
        /** Unix time; absent = now */
        readonly time?: number;
        /** only events that begin within this many minutes after `time`; -1 or absent = all */
        readonly endTime?: number;
      };
      result: EpgservicenowResult;
    };
    /** The event running at a given time on each service in a bouquet; with `endTime`, the same as epgmulti. */
    '/api/epgbouquet': {
      parameters: {
        /** bouquet or other list of services */
        readonly bRef: string;
        /** Unix time; absent = now */
        readonly time?: number;
        /** only events that begin within this many minutes after `time`; -1 or absent = all */
        readonly endTime?: number;
      };
      result: EpgservicenowResult;
    };
    /** Events on all services whose title contains a text, or one event by its id. */
    '/api/epgsearch': {
      parameters: {
        /** text to search for, also inside words */
        readonly search?: string;
        /** Unix time: only events that begin no later */
        readonly endtime?: number;
        /** search the descriptions too */
        readonly full?: string;
        /** id of an event (integer), instead of `search` */
        readonly eventid?: string;
        /** service of that event */
        readonly sRef?: string;
        /** the same as `sRef` */
        readonly sref?: string;
        /** maximum number of events */
        readonly max?: number;
      };
      result: EpgsearchResult;
    };
    /** Other showings of the same programme. */
    '/api/epgsimilar': {
      parameters: {
        /** service */
        readonly sRef: string;
        /** id of the event */
        readonly eventid: number;
      };
      result: EpgsimilarResult;
    };
    /** One event in full. */
    '/api/event': {
      parameters: {
        /** service */
        readonly sref: string;
        /** the same as `sref` */
        readonly sRef?: string;
        /** id of the event */
        readonly idev: number;
      };
      result: EventResult;
    };
    /** Writes the guide to the disk now. */
    '/api/saveepg': {
      parameters: Record<string, never>;
      result: SaveepgResult;
    };
    /** Replaces the guide with the one on the disk. */
    '/api/loadepg': {
      parameters: Record<string, never>;
      result: SimpleResult;
    };
    /** Deletes all events. */
    '/api/clearepg': {
      parameters: Record<string, never>;
      result: SimpleResult;
    };
    /** The PIDs of the current service, in hexadecimal. */
    '/api/getpid': {
      parameters: Record<string, never>;
      result: GetpidResult;
    };
    /** The tags that may be added to recordings. */
    '/api/gettags': {
      parameters: Record<string, never>;
      result: GettagsResult;
    };
    /** The recording folders (locations). */
    '/api/getlocations': {
      parameters: Record<string, never>;
      result: GetlocationsResult;
    };
    /** The current location: the target of the last move or copy. */
    '/api/getcurrlocation': {
      parameters: Record<string, never>;
      result: GetcurrlocationResult;
    };
    /** Adds a location. */
    '/api/addlocation': {
      parameters: {
        /** absolute path */
        readonly dirname: string;
        /** create the folder */
        readonly createFolder?: boolean;
      };
      result: SimpleResult;
    };
    /** Removes a location. */
    '/api/removelocation': {
      parameters: {
        /** absolute path */
        readonly dirname: string;
        /** delete the folder if it is empty */
        readonly removeFolder?: boolean;
      };
      result: SimpleResult;
    };
    /** The recordings in a folder, newest first. */
    '/api/movielist': {
      parameters: {
        /** folder; absent = the default location */
        readonly dirname?: string;
        /** only recordings with this tag */
        readonly tag?: string;
        /** include all sub-folders, and with them deleted recordings */
        readonly recursive?: string;
        /** costly fields to return; ignored */
        readonly fields?: string;
        /** which of its parsers a box uses; ignored */
        readonly internal?: string;
      };
      result: MovielistResult;
    };
    /** The recordings in all locations, newest first. */
    '/api/fullmovielist': {
      parameters: Record<string, never>;
      result: FullmovielistResult;
    };
    /** One recording. */
    '/api/moviedetails': {
      parameters: {
        /** the recording */
        readonly sRef: string;
        /** the same as `sRef` */
        readonly sref?: string;
      };
      result: MoviedetailsResult;
    };
    /** Shows or changes the tags, title, text and marks of a recording; without one, lists all tags. */
    '/api/movieinfo': {
      parameters: {
        /** the recording */
        readonly sRef?: string;
        /** the same as `sRef` */
        readonly sref?: string;
        /** tags to add, separated by commas */
        readonly addtag?: string;
        /** tags to remove, separated by commas */
        readonly deltag?: string;
        /** new title */
        readonly title?: string;
        /** new short text */
        readonly desc?: string;
        /** new marks, TYPE:POS separated by commas, POS in 90 kHz ticks; they replace all existing ones */
        readonly cuts?: string;
      };
      result: MovieinfoResult;
    };
    /** Shows or changes the tags of a recording; without one, lists all tags. */
    '/api/movietags': {
      parameters: {
        /** the recording */
        readonly sRef?: string;
        /** the same as `sRef` */
        readonly sref?: string;
        /** tags to add, separated by commas */
        readonly add?: string;
        /** tags to remove, separated by commas */
        readonly del?: string;
      };
      result: MovietagsResult;
    };
    /** Deletes a recording. */
    '/api/moviedelete': {
      parameters: {
        /** the recording */
        readonly sRef: string;
        /** the same as `sRef` */
        readonly sref?: string;
        /** do not use the trash */
        readonly force?: string;
      };
      result: SimpleResult;
    };
    /** Moves a recording to another folder, also out of the trash. */
    '/api/moviemove': {
      parameters: {
        /** the recording */
        readonly sRef: string;
        /** the same as `sRef` */
        readonly sref?: string;
        /** existing folder inside a location */
        readonly dirname: string;
      };
      result: SimpleResult;
    };
    /** Copies a recording to another folder. */
    '/api/moviecopy': {
      parameters: {
        /** the recording */
        readonly sRef: string;
        /** the same as `sRef` */
        readonly sref?: string;
        /** existing folder inside a location */
        readonly dirname: string;
      };
      result: SimpleResult;
    };
    /** Renames a recording: its title and its files. */
    '/api/movierename': {
      parameters: {
        /** the recording */
        readonly sRef: string;
        /** the same as `sRef` */
        readonly sref?: string;
        /** the title, also used as the file name */
        readonly newname: string;
      };
      result: SimpleResult;
    };
    /** All timers: waiting, running and ended. */
    '/api/timerlist': {
      parameters: Record<string, never>;
      result: TimerlistResult;
    };
    /** Adds a timer. */
    '/api/timeradd': {
      parameters: {
        /** service, or a group of alternatives */
        readonly sRef: string;
        /** Unix time; the client adds the margins */
        readonly begin: number;
        /** Unix time; if before `begin`, `begin` */
        readonly end: number;
        /** title */
        readonly name: string;
        /** 1 = only show the service */
        readonly justplay?: number;
        /** 0 nothing, 1 standby, 2 deep standby, 3 auto; anything else = 3 */
        readonly afterevent?: number;
        /** folder; absent or empty = the folder for timers */
        readonly dirname?: string;
        /** separated by spaces */
        readonly tags?: string;
        /** 1 = also show the service; -1 = unchanged */
        readonly always_zap?: number;
        /** stored, no effect */
        readonly pipzap?: number;
        /** 1 = add it even if another timer already does the same */
        readonly allow_duplicate?: number;
        /** stored, no effect */
        readonly autoadjust?: number;
        /** normal, descrambled, scrambled */
        readonly recordingtype?: string;
        /** 1 = start earlier and end later with the event, following its running status */
        readonly vpsplugin_enabled?: number;
        /** 1 = also end with the event, without margin */
        readonly vpsplugin_overwrite?: number;
        /** stored, no effect */
        readonly vpsplugin_time?: number;
        /** `yes`: like vpsplugin_enabled; `yes_safe`: the same, but never end early */
        readonly vps_pbox?: string;
        /** short text; if absent, that of the event with the id `eit` */
        readonly description?: string;
        /** event id; if the service has no such event at that time, the event running then */
        readonly eit?: number;
        /** 1 = disabled */
        readonly disabled?: number;
        /** weekdays: 1 Monday to 64 Sunday; 0 = once */
        readonly repeated?: number;
      };
      result: TimeraddResult;
    };
    /** Adds a timer for an event in the guide, with the configured margins. */
    '/api/timeraddbyeventid': {
      parameters: {
        /** service of the event */
        readonly sRef: string;
        /** id of the event */
        readonly eventid: number;
        /** 1 = only show the service */
        readonly justplay?: number;
        /** 0 nothing, 1 standby, 2 deep standby, 3 auto; anything else = 3 */
        readonly afterevent?: number;
        /** folder; absent or empty = the folder for timers */
        readonly dirname?: string;
        /** separated by spaces */
        readonly tags?: string;
        /** 1 = also show the service; -1 = unchanged */
        readonly always_zap?: number;
        /** stored, no effect */
        readonly pipzap?: number;
        /** 1 = add it even if another timer already does the same */
        readonly allow_duplicate?: number;
        /** stored, no effect */
        readonly autoadjust?: number;
        /** normal, descrambled, scrambled */
        readonly recordingtype?: string;
        /** 1 = start earlier and end later with the event, following its running status */
        readonly vpsplugin_enabled?: number;
        /** 1 = also end with the event, without margin */
        readonly vpsplugin_overwrite?: number;
        /** stored, no effect */
        readonly vpsplugin_time?: number;
        /** `yes`: like vpsplugin_enabled; `yes_safe`: the same, but never end early */
        readonly vps_pbox?: string;
      };
      result: TimeraddResult;
    };
    /** Changes a timer, or adds one. */
    '/api/timerchange': {
      parameters: {
        /** service, or a group of alternatives */
        readonly sRef: string;
        /** Unix time; the client adds the margins */
        readonly begin: number;
        /** Unix time; if before `begin`, `begin` */
        readonly end: number;
        /** title */
        readonly name: string;
        /** 1 = only show the service */
        readonly justplay?: number;
        /** 0 nothing, 1 standby, 2 deep standby, 3 auto; anything else = 3 */
        readonly afterevent?: number;
        /** folder; absent or empty = the folder for timers */
        readonly dirname?: string;
        /** separated by spaces */
        readonly tags?: string;
        /** 1 = also show the service; -1 = unchanged */
        readonly always_zap?: number;
        /** stored, no effect */
        readonly pipzap?: number;
        /** 1 = add it even if another timer already does the same */
        readonly allow_duplicate?: number;
        /** stored, no effect */
        readonly autoadjust?: number;
        /** normal, descrambled, scrambled */
        readonly recordingtype?: string;
        /** 1 = start earlier and end later with the event, following its running status */
        readonly vpsplugin_enabled?: number;
        /** 1 = also end with the event, without margin */
        readonly vpsplugin_overwrite?: number;
        /** stored, no effect */
        readonly vpsplugin_time?: number;
        /** `yes`: like vpsplugin_enabled; `yes_safe`: the same, but never end early */
        readonly vps_pbox?: string;
        /** short text; if absent, that of the event with the id `eit` */
        readonly description?: string;
        /** event id; if the service has no such event at that time, the event running then */
        readonly eit?: number;
        /** 1 = disabled */
        readonly disabled?: number;
        /** weekdays: 1 Monday to 64 Sunday; 0 = once */
        readonly repeated?: number;
        /** service of the timer to change */
        readonly channelOld?: string;
        /** its begin, as listed */
        readonly beginOld?: number;
        /** its end, as listed */
        readonly endOld?: number;
        /** 0 = add a timer */
        readonly deleteOldOnSave?: number;
      };
      result: TimeraddResult;
    };
    /** Deletes a timer. Its recording stops; the file stays. */
    '/api/timerdelete': {
      parameters: {
        /** service of the timer */
        readonly sRef: string;
        /** its begin, as listed */
        readonly begin: number;
        /** its end, as listed */
        readonly end: number;
        /** its event id: finds the timer if the times do not */
        readonly eit?: number;
      };
      result: SimpleResult;
    };
    /** Enables or disables a timer. */
    '/api/timertogglestatus': {
      parameters: {
        /** service of the timer */
        readonly sRef: string;
        /** its begin, as listed */
        readonly begin: number;
        /** its end, as listed */
        readonly end: number;
      };
      result: TimertogglestatusResult;
    };
    /** Deletes ended timers; disabled ones stay. */
    '/api/timercleanup': {
      parameters: Record<string, never>;
      result: SimpleResult;
    };
    /** Writes the timer list to the disk. */
    '/api/timerlistwrite': {
      parameters: Record<string, never>;
      result: SimpleResult;
    };
    /** Records the current service until the end of its event plus the margin, or for ten hours. */
    '/api/recordnow': {
      parameters: {
        /** record for ten hours */
        readonly infinite?: string;
        /** the same */
        readonly undefinitely?: string;
        /** `infinite` or `undefinitely`: the same, as older clients send it */
        readonly recordnow?: "event" | "infinite" | "undefinitely";
      };
      result: RecordnowResult;
    };
    /** Starts timeshift: keeps the current service on the disk, so that it can be paused and rewound. */
    '/api/tsstart': {
      parameters: Record<string, never>;
      result: TsstartResult;
    };
    /** Stops timeshift and discards its data. */
    '/api/tsstop': {
      parameters: Record<string, never>;
      result: TsstartResult;
    };
    /** Whether timeshift is running. */
    '/api/tsstate': {
      parameters: Record<string, never>;
      result: TsstartResult;
    };
    /** Adds, deletes or changes a timer, using clock times. */
    '/api/tvbrowser': {
      parameters: {
        /** add, del or change */
        readonly command: string;
        /** a text, `|` and the service, percent-encoded a second time; or the service alone */
        readonly sRef: string;
        /** title; absent = Unknown */
        readonly name?: string;
        /** short text */
        readonly description?: string;
        /** begin, local time: year */
        readonly syear: number;
        /** month */
        readonly smonth: number;
        /** day */
        readonly sday: number;
        /** hour */
        readonly shour: number;
        /** minute */
        readonly smin: number;
        /** end: hour; if before the begin, on the next day */
        readonly ehour: number;
        /** end: minute */
        readonly emin: number;
        /** weekdays: 1 Monday to 64 Sunday; 0 = the sum of the parameters below */
        readonly repeated?: number;
        /** adds 1 to `repeated` */
        readonly mo?: number;
        /** adds 2 to `repeated` */
        readonly tu?: number;
        /** adds 4 to `repeated` */
        readonly we?: number;
        /** adds 8 to `repeated` */
        readonly th?: number;
        /** adds 16 to `repeated` */
        readonly fr?: number;
        /** adds 32 to `repeated` */
        readonly sa?: number;
        /** adds 64 to `repeated` */
        readonly su?: number;
        /** adds 127 to `repeated` */
        readonly ms?: number;
        /** adds 31 to `repeated` */
        readonly mf?: number;
        /** separated by spaces */
        readonly tags?: string;
        /** 1 = disabled */
        readonly disabled?: number;
        /** 1 = only show the service */
        readonly justplay?: number;
        /** 0 nothing, 1 standby, 2 deep standby; anything else = auto */
        readonly afterevent?: number;
        /** folder; absent or empty = the folder for timers */
        readonly dirname?: string;
      };
      result: TimeraddResult;
    };
    /** Rereads the list of plug-ins: there are none, so it always succeeds. */
    '/api/pluginlistread': {
      parameters: Record<string, never>;
      result: SimpleResult;
    };
    /** The files that the media player could play: always none. */
    '/api/mediaplayerlist': {
      parameters: Record<string, never>;
      result: MediaplayerlistResult;
    };
    /** What the media player is playing: always nothing. */
    '/api/mediaplayercurrent': {
      parameters: Record<string, never>;
      result: MediaplayercurrentResult;
    };
    /** Finds files for the media player by name: always none. */
    '/api/mediaplayerfindfile': {
      parameters: Record<string, never>;
      result: MediaplayerfindfileResult;
    };
    /** Adds a file to the media player’s playlist: always fails. */
    '/api/mediaplayeradd': {
      parameters: {
        /** the file */
        readonly file: string;
      };
      result: SimpleResult;
    };
    /** Removes a file from the media player’s playlist: always fails. */
    '/api/mediaplayerremove': {
      parameters: {
        /** the file */
        readonly file: string;
      };
      result: SimpleResult;
    };
    /** Plays a file in the media player: always fails. */
    '/api/mediaplayerplay': {
      parameters: {
        /** the file */
        readonly file: string;
      };
      result: SimpleResult;
    };
    /** Controls the media player: always fails. */
    '/api/mediaplayercmd': {
      parameters: {
        /** play, pause, stop, next, previous, shuffle, clear, exit */
        readonly command: string;
      };
      result: SimpleResult;
    };
    /** Loads a playlist into the media player: always fails. */
    '/api/mediaplayerload': {
      parameters: {
        /** the playlist */
        readonly filename: string;
      };
      result: SimpleResult;
    };
    /** Saves the media player’s playlist: always fails. */
    '/api/mediaplayerwrite': {
      parameters: {
        /** the playlist */
        readonly filename: string;
      };
      result: SimpleResult;
    };
    /** The channels known to the VPS plug-in: there is no such plug-in, so it always fails. */
    '/api/vpschannels': {
      parameters: Record<string, never>;
      result: SimpleResult;
    };
    /** Whether the receiver can wake up without waking the television: always no. */
    '/api/supports_powerup_without_waking_tv': {
      parameters: Record<string, never>;
      result: Supports_powerup_without_waking_tvResult;
    };
    /** Makes the next wake-up leave the television off: not supported. */
    '/api/set_powerup_without_waking_tv': {
      parameters: Record<string, never>;
      result: Set_powerup_without_waking_tvResult;
    };
  };
  post: {
    /** Imports a guide file. */
    '/api/epgimport': {
      parameters: Record<string, never>;
      result: EpgImport;
    };
    /** Adds an empty bouquet. */
    '/bouquets': {
      parameters: {
        /** its name */
        readonly name: string;
        /** which root */
        readonly kind?: "tv" | "radio";
      };
      result: {
        readonly file: string;
        readonly result: boolean;
      };
    };
    /** Puts the channels of an IPTV list (M3U) into a bouquet; one imported under this name is replaced. */
    '/bouquets/import': {
      parameters: {
        /** name of the bouquet */
        readonly name: string;
      };
      result: {
        readonly channels: number;
        readonly groups: number;
        /** entries that cannot be received */
        readonly skipped: number;
        readonly problems: ReadonlyArray<string>;
        readonly guides: ReadonlyArray<string>;
        readonly result: boolean;
      };
    };
    /** Sets the code of the parental lock, which then asks for it. */
    '/parentallock': {
      parameters: {
        /** the new code; 0: none, and nothing is locked */
        readonly code?: number;
        /** the present code; needed once there is one */
        readonly pin?: string;
      };
      result: {
        readonly result: boolean;
      };
    };
    /** Whether a code is that of the parental lock: for apps that ask for it before they show a locked service. */
    '/parentallock/check': {
      parameters: {
        /** the code */
        readonly pin: string;
      };
      result: {
        readonly result: boolean;
      };
    };
    /** Answers a question, or closes a message. */
    '/api/messages/{id}': {
      parameters: {
        /** number of the message */
        readonly id: number;
        /** `yes` or `no` to a question; `close` closes a message */
        readonly answer?: "close" | "yes" | "no";
      };
      result: {
        readonly result: boolean;
      };
    };
    /** Logs in. */
    '/login': {
      parameters: {
        /** name of the user */
        readonly user: string;
        /** the password */
        readonly password: string;
      };
      result: Login;
    };
    /** Adds the first administrator, and logs in. */
    '/administrator': {
      parameters: {
        /** the code */
        readonly code: string;
        /** name of the new user */
        readonly user?: string;
        /** 8 to 1024 characters */
        readonly password: string;
      };
      result: Login;
    };
    /** Creates a folder for recordings, unless it is there. */
    '/recordings': {
      parameters: {
        /** an absolute path in a location */
        readonly folder: string;
      };
      result: {
        /** its path */
        readonly folder: string;
        readonly result: boolean;
      };
    };
    /** Creates a timer, for a period or for an event in the guide. */
    '/timers': {
      parameters: {
        /** service */
        readonly service_reference: string;
        /** event id */
        readonly id?: number;
        /** Unix seconds */
        readonly start_time?: number;
        /** Unix seconds */
        readonly end_time?: number;
        /** title */
        readonly title?: string;
        /** short text */
        readonly shortinfo?: string;
        /** does nothing */
        readonly disabled?: boolean;
        /** shows the service and records nothing */
        readonly justplay?: boolean;
        /** also shows the service that it records */
        readonly zapbeforerecord?: boolean;
        /** what the receiver does after the end; default of a new timer: auto */
        readonly afterevent?: "nothing" | "standby" | "deepstandby" | "auto";
        /** weekdays: bit 0 Monday to bit 6 Sunday */
        readonly repeat_mask?: number;
        /** folder */
        readonly dirname?: string;
        /** separated by spaces */
        readonly tags?: string;
      };
      result: Timers;
    };
    /** Takes the deletion of a timer back: it is as it was, and goes on recording if its time is not over. */
    '/timers/restore': {
      parameters: {
        /** `timer_id` of the deleted timer */
        readonly timer_id: number;
      };
      result: Timers;
    };
    /** Saves timeshift as a recording. */
    '/timeshift/recording': {
      parameters: {
        /** start in Unix seconds; absent = the whole stored period */
        readonly from?: number;
        /** continue live */
        readonly follow?: boolean;
        /** default: the title of the event, otherwise the name of the service */
        readonly title?: string;
        /** recording folder; default: the folder for timers */
        readonly folder?: string;
      };
      result: {
        readonly result: boolean;
        /** path of its file */
        readonly path: string;
        /** Unix seconds */
        readonly begin: number;
      };
    };
    /** Creates a rule; its timers follow at once. */
    '/autotimers': {
      parameters: {
        readonly name?: string;
        /** text to search for */
        readonly match: string;
        readonly enabled?: boolean;
        /** partial: title contains it; exact: title equals it; start: title begins with it; description: title or texts contain it */
        readonly searchType?: "partial" | "exact" | "start" | "description";
        /** false: ignores case and accents */
        readonly caseSensitive?: boolean;
        /** only events that match all of these */
        readonly include?: string | ReadonlyArray<string>;
        /** only events that match none of these */
        readonly exclude?: string | ReadonlyArray<string>;
        /** only these services */
        readonly services?: string | ReadonlyArray<string>;
        /** and the services of these bouquets; without either, all services of the list */
        readonly bouquets?: string | ReadonlyArray<string>;
        /** HH:MM, local time: only events that begin then or later */
        readonly from?: string | null;
        /** HH:MM, local time: only events that begin then or earlier; if before `from`, on the next day */
        readonly to?: string | null;
        /** bit 0 Monday to bit 6 Sunday, 0 = every day; hours after midnight belong to the day of `from` */
        readonly weekdays?: number;
        /** Unix seconds: only events that begin then or later */
        readonly after?: number | null;
        /** Unix seconds: only events that begin earlier */
        readonly before?: number | null;
        /** minutes, 0 = any */
        readonly minimumDuration?: number;
        /** minutes, 0 = any */
        readonly maximumDuration?: number;
        /** minutes; null = as configured */
        readonly marginBefore?: number | null;
        /** minutes; null = as configured */
        readonly marginAfter?: number | null;
        readonly tags?: string | ReadonlyArray<string>;
        /** folder; null = the timer folder */
        readonly dirname?: string | null;
        /** shows the service without recording it */
        readonly justplay?: boolean;
        /** shows the service while recording it */
        readonly zapbeforerecord?: boolean;
        /** may begin earlier and end later with the event, by its running status */
        readonly vps?: boolean;
        /** with `vps`: ends with the event, without the margin */
        readonly vpsOverwrite?: boolean;
        /** what the receiver does after a timer has ended */
        readonly afterevent?: "nothing" | "standby" | "deepstandby" | "auto";
        /** skips repeats: none; of timers on the same service; of timers on any service; of timers and recordings */
        readonly avoidDuplicates?: "none" | "service" | "any" | "recording";
        /** texts that must be equal for a repeat: title; title and short text; title and all texts */
        readonly compare?: "title" | "short" | "all";
        /** timers created in each period, 0 = unlimited */
        readonly counter?: number;
        /** always: over all time; week: from Monday */
        readonly counterPeriod?: "always" | "month" | "week" | "week-from-sunday";
      };
      result: AutoTimerRules;
    };
    /** The events that a rule with these fields would match now, and what it would do with each. */
    '/autotimers/preview': {
      parameters: {
        readonly name?: string;
        /** text to search for */
        readonly match?: string;
        readonly enabled?: boolean;
        /** partial: title contains it; exact: title equals it; start: title begins with it; description: title or texts contain it */
        readonly searchType?: "partial" | "exact" | "start" | "description";
        /** false: ignores case and accents */
        readonly caseSensitive?: boolean;
        /** only events that match all of these */
        readonly include?: string | ReadonlyArray<string>;
        /** only events that match none of these */
        readonly exclude?: string | ReadonlyArray<string>;
        /** only these services */
        readonly services?: string | ReadonlyArray<string>;
        /** and the services of these bouquets; without either, all services of the list */
        readonly bouquets?: string | ReadonlyArray<string>;
        /** HH:MM, local time: only events that begin then or later */
        readonly from?: string | null;
        /** HH:MM, local time: only events that begin then or earlier; if before `from`, on the next day */
        readonly to?: string | null;
        /** bit 0 Monday to bit 6 Sunday, 0 = every day; hours after midnight belong to the day of `from` */
        readonly weekdays?: number;
        /** Unix seconds: only events that begin then or later */
        readonly after?: number | null;
        /** Unix seconds: only events that begin earlier */
        readonly before?: number | null;
        /** minutes, 0 = any */
        readonly minimumDuration?: number;
        /** minutes, 0 = any */
        readonly maximumDuration?: number;
        /** minutes; null = as configured */
        readonly marginBefore?: number | null;
        /** minutes; null = as configured */
        readonly marginAfter?: number | null;
        readonly tags?: string | ReadonlyArray<string>;
        /** folder; null = the timer folder */
        readonly dirname?: string | null;
        /** shows the service without recording it */
        readonly justplay?: boolean;
        /** shows the service while recording it */
        readonly zapbeforerecord?: boolean;
        /** may begin earlier and end later with the event, by its running status */
        readonly vps?: boolean;
        /** with `vps`: ends with the event, without the margin */
        readonly vpsOverwrite?: boolean;
        /** what the receiver does after a timer has ended */
        readonly afterevent?: "nothing" | "standby" | "deepstandby" | "auto";
        /** skips repeats: none; of timers on the same service; of timers on any service; of timers and recordings */
        readonly avoidDuplicates?: "none" | "service" | "any" | "recording";
        /** texts that must be equal for a repeat: title; title and short text; title and all texts */
        readonly compare?: "title" | "short" | "all";
        /** timers created in each period, 0 = unlimited */
        readonly counter?: number;
        /** always: over all time; week: from Monday */
        readonly counterPeriod?: "always" | "month" | "week" | "week-from-sunday";
        /** id of the rule */
        readonly id?: number;
      };
      result: AutoTimerMatches;
    };
    /** Imports the rules of a box. */
    '/autotimers/import': {
      parameters: Record<string, never>;
      result: AutoTimerImport;
    };
    /** Changes the level of the log, until the receiver restarts or reads its configuration again. */
    '/api/loglevel': {
      parameters: {
        /** the least severity that is logged */
        readonly level: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
      };
      result: {
        readonly result: boolean;
        /** the least severity that is logged */
        readonly level: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
      };
    };
    /** Runs nothing: four words return a text about the receiver. */
    '/api/evil': {
      parameters: {
        /** one of echo, platform, version, uptime */
        readonly uma?: string;
      };
      result: {
        readonly _controller: string;
        /** true for one of these words */
        readonly uma: boolean;
        readonly stdout: string;
        readonly exception?: string;
        readonly result: boolean;
        readonly supported: ReadonlyArray<string>;
      };
    };
    /** Changes settings in their files, where comments and all else stay as they are. */
    '/api/configuration': {
      parameters: {
        /** JSON object: names of settings and their new values; null is back to the default */
        readonly changes: string;
      };
      result: {
        /** what takes effect with the next restart only */
        readonly restart: ReadonlyArray<string>;
        readonly result: boolean;
      };
    };
    '/api/about': Calls['get']['/api/about'];
    '/api/deviceinfo': Calls['get']['/api/deviceinfo'];
    '/api/statusinfo': Calls['get']['/api/statusinfo'];
    '/api/currenttime': Calls['get']['/api/currenttime'];
    '/api/tunersignal': Calls['get']['/api/tunersignal'];
    '/api/signal': Calls['get']['/api/signal'];
    '/api/tunerstatus': Calls['get']['/api/tunerstatus'];
    '/api/setupguess': Calls['get']['/api/setupguess'];
    '/api/setup': Calls['get']['/api/setup'];
    '/api/scantables': Calls['get']['/api/scantables'];
    '/api/scanstart': Calls['get']['/api/scanstart'];
    '/api/scanstop': Calls['get']['/api/scanstop'];
    '/api/scanstatus': Calls['get']['/api/scanstatus'];
    '/api/tunersetup': Calls['get']['/api/tunersetup'];
    '/api/vol': Calls['get']['/api/vol'];
    '/api/powerstate': Calls['get']['/api/powerstate'];
    '/api/sleeptimer': Calls['get']['/api/sleeptimer'];
    '/api/message': Calls['get']['/api/message'];
    '/api/messageanswer': Calls['get']['/api/messageanswer'];
    '/api/remotecontrol': Calls['get']['/api/remotecontrol'];
    '/api/settings': Calls['get']['/api/settings'];
    '/api/external': Calls['get']['/api/external'];
    '/api/pipinfo': Calls['get']['/api/pipinfo'];
    '/api/session': Calls['get']['/api/session'];
    '/api/saveconfig': Calls['get']['/api/saveconfig'];
    '/api/setwebconfig': Calls['get']['/api/setwebconfig'];
    '/api/showchannelpicon': Calls['get']['/api/showchannelpicon'];
    '/api/zapstream': Calls['get']['/api/zapstream'];
    '/api/bouquets': Calls['get']['/api/bouquets'];
    '/api/getservices': Calls['get']['/api/getservices'];
    '/api/getallservices': Calls['get']['/api/getallservices'];
    '/api/servicelistreload': Calls['get']['/api/servicelistreload'];
    '/api/servicelistplayable': Calls['get']['/api/servicelistplayable'];
    '/api/serviceplayable': Calls['get']['/api/serviceplayable'];
    '/api/getsatellites': Calls['get']['/api/getsatellites'];
    '/api/getserviceref': Calls['get']['/api/getserviceref'];
    '/api/allservices': Calls['get']['/api/allservices'];
    '/api/parentcontrollist': Calls['get']['/api/parentcontrollist'];
    '/api/getcurrent': Calls['get']['/api/getcurrent'];
    '/api/subservices': Calls['get']['/api/subservices'];
    '/api/streamsubservices': Calls['get']['/api/streamsubservices'];
    '/api/zap': Calls['get']['/api/zap'];
    '/api/getaudiotracks': Calls['get']['/api/getaudiotracks'];
    '/api/selectaudiotrack': Calls['get']['/api/selectaudiotrack'];
    '/api/getsubtitles': Calls['get']['/api/getsubtitles'];
    '/api/epgservice': Calls['get']['/api/epgservice'];
    '/api/epgservicenow': Calls['get']['/api/epgservicenow'];
    '/api/epgservicenext': Calls['get']['/api/epgservicenext'];
    '/api/epgservicenownext': Calls['get']['/api/epgservicenownext'];
    '/api/epgnow': Calls['get']['/api/epgnow'];
    '/api/epgnext': Calls['get']['/api/epgnext'];
    '/api/epgnownext': Calls['get']['/api/epgnownext'];
    '/api/epgmultichannelnownext': Calls['get']['/api/epgmultichannelnownext'];
    '/api/epgservicelistnownext': Calls['get']['/api/epgservicelistnownext'];
    '/api/epgmulti': Calls['get']['/api/epgmulti'];
    '/api/epgmultigz': Calls['get']['/api/epgmultigz'];
    '/api/epgbouquet': Calls['get']['/api/epgbouquet'];
    '/api/epgsearch': Calls['get']['/api/epgsearch'];
    '/api/epgsimilar': Calls['get']['/api/epgsimilar'];
    '/api/event': Calls['get']['/api/event'];
    '/api/saveepg': Calls['get']['/api/saveepg'];
    '/api/loadepg': Calls['get']['/api/loadepg'];
    '/api/clearepg': Calls['get']['/api/clearepg'];
    '/api/getpid': Calls['get']['/api/getpid'];
    '/api/gettags': Calls['get']['/api/gettags'];
    '/api/getlocations': Calls['get']['/api/getlocations'];
    '/api/getcurrlocation': Calls['get']['/api/getcurrlocation'];
    '/api/addlocation': Calls['get']['/api/addlocation'];
    '/api/removelocation': Calls['get']['/api/removelocation'];
    '/api/movielist': Calls['get']['/api/movielist'];
    '/api/fullmovielist': Calls['get']['/api/fullmovielist'];
    '/api/moviedetails': Calls['get']['/api/moviedetails'];
    '/api/movieinfo': Calls['get']['/api/movieinfo'];
    '/api/movietags': Calls['get']['/api/movietags'];
    '/api/moviedelete': Calls['get']['/api/moviedelete'];
    '/api/moviemove': Calls['get']['/api/moviemove'];
    '/api/moviecopy': Calls['get']['/api/moviecopy'];
    '/api/movierename': Calls['get']['/api/movierename'];
    '/api/timerlist': Calls['get']['/api/timerlist'];
    '/api/timeradd': Calls['get']['/api/timeradd'];
    '/api/timeraddbyeventid': Calls['get']['/api/timeraddbyeventid'];
    '/api/timerchange': Calls['get']['/api/timerchange'];
    '/api/timerdelete': Calls['get']['/api/timerdelete'];
    '/api/timertogglestatus': Calls['get']['/api/timertogglestatus'];
    '/api/timercleanup': Calls['get']['/api/timercleanup'];
    '/api/timerlistwrite': Calls['get']['/api/timerlistwrite'];
    '/api/recordnow': Calls['get']['/api/recordnow'];
    '/api/tsstart': Calls['get']['/api/tsstart'];
    '/api/tsstop': Calls['get']['/api/tsstop'];
    '/api/tsstate': Calls['get']['/api/tsstate'];
    '/api/tvbrowser': Calls['get']['/api/tvbrowser'];
    '/api/pluginlistread': Calls['get']['/api/pluginlistread'];
    '/api/mediaplayerlist': Calls['get']['/api/mediaplayerlist'];
    '/api/mediaplayercurrent': Calls['get']['/api/mediaplayercurrent'];
    '/api/mediaplayerfindfile': Calls['get']['/api/mediaplayerfindfile'];
    '/api/mediaplayeradd': Calls['get']['/api/mediaplayeradd'];
    '/api/mediaplayerremove': Calls['get']['/api/mediaplayerremove'];
    '/api/mediaplayerplay': Calls['get']['/api/mediaplayerplay'];
    '/api/mediaplayercmd': Calls['get']['/api/mediaplayercmd'];
    '/api/mediaplayerload': Calls['get']['/api/mediaplayerload'];
    '/api/mediaplayerwrite': Calls['get']['/api/mediaplayerwrite'];
    '/api/vpschannels': Calls['get']['/api/vpschannels'];
    '/api/supports_powerup_without_waking_tv': Calls['get']['/api/supports_powerup_without_waking_tv'];
    '/api/set_powerup_without_waking_tv': Calls['get']['/api/set_powerup_without_waking_tv'];
  };
  put: {
    /** Imports a guide file. */
    '/api/epgimport': {
      parameters: Record<string, never>;
      result: EpgImport;
    };
    /** Puts the bouquets into another order. */
    '/bouquets': {
      parameters: {
        /** the bouquets in their order; those that are not named follow */
        readonly files?: string | ReadonlyArray<string>;
        /** which root */
        readonly kind?: "tv" | "radio";
      };
      result: {
        readonly result: boolean;
      };
    };
    /** Changes a bouquet: its name, whether it is hidden, its entries. */
    '/bouquets/{file}': {
      parameters: {
        /** the file of a bouquet */
        readonly file: string;
        /** its name */
        readonly name?: string;
        /** leave it out of the lists of apps */
        readonly hidden?: boolean;
        /** all entries in their order: a JSON list of objects with `reference`, and optionally `own` (its name here) and `hidden` */
        readonly entries?: string;
      };
      result: {
        readonly result: boolean;
      };
    };
    /** Locks a service or bouquet, or frees it. */
    '/parentallock': {
      parameters: {
        /** the service or bouquet */
        readonly service: string;
        /** lock it */
        readonly locked?: boolean;
        /** the present code; needed once there is one */
        readonly pin?: string;
      };
      result: {
        readonly result: boolean;
      };
    };
    /** Adds a user or a token, or changes the rights or the password of a user. */
    '/accounts/{kind}/{name}': {
      parameters: {
        /** user or token */
        readonly kind: "user" | "token";
        /** 1 to 32 characters without blanks and colons */
        readonly name: string;
        /** of a user, 8 to 1024 characters; default is the one before */
        readonly password?: string;
        /** what it may do; default is what it could, of the first account everything, of others all but `admin` */
        readonly rights?: string | ReadonlyArray<"view" | "control" | "record" | "admin">;
      };
      result: {
        readonly rights: ReadonlyArray<"view" | "control" | "record" | "admin">;
        /** the new token, which is shown only now */
        readonly token: string | null;
        readonly result: boolean;
      };
    };
    /** Changes your own password, and logs in with it. */
    '/login': {
      parameters: {
        /** name of the user */
        readonly user: string;
        /** the password */
        readonly password: string;
        /** 8 to 1024 characters */
        readonly new_password: string;
      };
      result: Login;
    };
    /** Changes a timer; fields that are not given stay as they are. */
    '/timers/{service_reference}/{item}': {
      parameters: {
        /** service reference, percent-encoded or as ten numbers separated by ":", "_" or "-" */
        readonly service_reference: string;
        /** event id of the timer, or `t` and its `timer_id`: t7 */
        readonly item: string;
        /** another service */
        readonly service?: string;
        /** Unix seconds */
        readonly start_time?: number;
        /** Unix seconds */
        readonly end_time?: number;
        /** title */
        readonly title?: string;
        /** short text */
        readonly shortinfo?: string;
        /** does nothing */
        readonly disabled?: boolean;
        /** shows the service and records nothing */
        readonly justplay?: boolean;
        /** also shows the service that it records */
        readonly zapbeforerecord?: boolean;
        /** what the receiver does after the end; default of a new timer: auto */
        readonly afterevent?: "nothing" | "standby" | "deepstandby" | "auto";
        /** weekdays: bit 0 Monday to bit 6 Sunday */
        readonly repeat_mask?: number;
        /** folder */
        readonly dirname?: string;
        /** separated by spaces */
        readonly tags?: string;
      };
      result: Timers;
    };
    /** Changes a rule; fields that are not given stay as they are. */
    '/autotimers/{id}': {
      parameters: {
        /** id of the rule */
        readonly id: number;
        readonly name?: string;
        /** text to search for */
        readonly match?: string;
        readonly enabled?: boolean;
        /** partial: title contains it; exact: title equals it; start: title begins with it; description: title or texts contain it */
        readonly searchType?: "partial" | "exact" | "start" | "description";
        /** false: ignores case and accents */
        readonly caseSensitive?: boolean;
        /** only events that match all of these */
        readonly include?: string | ReadonlyArray<string>;
        /** only events that match none of these */
        readonly exclude?: string | ReadonlyArray<string>;
        /** only these services */
        readonly services?: string | ReadonlyArray<string>;
        /** and the services of these bouquets; without either, all services of the list */
        readonly bouquets?: string | ReadonlyArray<string>;
        /** HH:MM, local time: only events that begin then or later */
        readonly from?: string | null;
        /** HH:MM, local time: only events that begin then or earlier; if before `from`, on the next day */
        readonly to?: string | null;
        /** bit 0 Monday to bit 6 Sunday, 0 = every day; hours after midnight belong to the day of `from` */
        readonly weekdays?: number;
        /** Unix seconds: only events that begin then or later */
        readonly after?: number | null;
        /** Unix seconds: only events that begin earlier */
        readonly before?: number | null;
        /** minutes, 0 = any */
        readonly minimumDuration?: number;
        /** minutes, 0 = any */
        readonly maximumDuration?: number;
        /** minutes; null = as configured */
        readonly marginBefore?: number | null;
        /** minutes; null = as configured */
        readonly marginAfter?: number | null;
        readonly tags?: string | ReadonlyArray<string>;
        /** folder; null = the timer folder */
        readonly dirname?: string | null;
        /** shows the service without recording it */
        readonly justplay?: boolean;
        /** shows the service while recording it */
        readonly zapbeforerecord?: boolean;
        /** may begin earlier and end later with the event, by its running status */
        readonly vps?: boolean;
        /** with `vps`: ends with the event, without the margin */
        readonly vpsOverwrite?: boolean;
        /** what the receiver does after a timer has ended */
        readonly afterevent?: "nothing" | "standby" | "deepstandby" | "auto";
        /** skips repeats: none; of timers on the same service; of timers on any service; of timers and recordings */
        readonly avoidDuplicates?: "none" | "service" | "any" | "recording";
        /** texts that must be equal for a repeat: title; title and short text; title and all texts */
        readonly compare?: "title" | "short" | "all";
        /** timers created in each period, 0 = unlimited */
        readonly counter?: number;
        /** always: over all time; week: from Monday */
        readonly counterPeriod?: "always" | "month" | "week" | "week-from-sunday";
      };
      result: AutoTimerRules;
    };
  };
  delete: {
    /** Deletes a bouquet; its services stay in the service list. */
    '/bouquets/{file}': {
      parameters: {
        /** the file of a bouquet */
        readonly file: string;
      };
      result: {
        readonly result: boolean;
      };
    };
    /** Removes a user or a token. */
    '/accounts/{kind}/{name}': {
      parameters: {
        /** user or token */
        readonly kind: "user" | "token";
        /** 1 to 32 characters without blanks and colons */
        readonly name: string;
      };
      result: {
        readonly result: boolean;
      };
    };
    /** Logs out. */
    '/login': {
      parameters: Record<string, never>;
      result: {
        readonly result: boolean;
      };
    };
    /** Deletes a recording with all its files. */
    '/recordings/{path}': {
      parameters: {
        /** path below the default folder, or below the named one */
        readonly path: string;
        /** no = do not use the trash, even if the settings enable it */
        readonly trash?: boolean;
        /** stop a running recording first */
        readonly force?: boolean;
        /** folder in a location, an absolute path, that `path` is below */
        readonly folder?: string;
      };
      result: {
        readonly result: boolean;
        /** their names below the location */
        readonly files: ReadonlyArray<string>;
        /** its path in the trash, from which `moviemove` takes it back; only if `folder` was given */
        readonly trashed?: string;
      };
    };
    /** Deletes a recording with all its files. */
    '/recording/{path}': {
      parameters: {
        /** path below the default folder, or below the named one */
        readonly path: string;
        /** no = do not use the trash, even if the settings enable it */
        readonly trash?: boolean;
        /** stop a running recording first */
        readonly force?: boolean;
        /** folder in a location, an absolute path, that `path` is below */
        readonly folder?: string;
      };
      result: {
        readonly result: boolean;
        /** their names below the location */
        readonly files: ReadonlyArray<string>;
        /** its path in the trash, from which `moviemove` takes it back; only if `folder` was given */
        readonly trashed?: string;
      };
    };
    /** Cancels a transfer; nothing of the copy remains. */
    '/api/transfers/{id}': {
      parameters: {
        /** number of the transfer */
        readonly id: number;
      };
      result: {
        readonly result: boolean;
        readonly id: number;
      };
    };
    /** Deletes a timer; its recording stops, and the file stays. */
    '/timers/{service_reference}/{item}': {
      parameters: {
        /** service reference, percent-encoded or as ten numbers separated by ":", "_" or "-" */
        readonly service_reference: string;
        /** event id of the timer, or `t` and its `timer_id`: t7 */
        readonly item: string;
      };
      result: Timers;
    };
    /** Stops the recordings that are continuing live. */
    '/timeshift/recording': {
      parameters: Record<string, never>;
      result: {
        readonly result: boolean;
        readonly paths: ReadonlyArray<string>;
      };
    };
    /** Deletes a rule; its timers stay unless `timers=remove`. */
    '/autotimers/{id}': {
      parameters: {
        /** id of the rule */
        readonly id: number;
        /** `remove`: also delete those of its timers that have not begun and that nobody has edited */
        readonly timers?: "keep" | "remove";
      };
      result: AutoTimerRules;
    };
  };
}

/** The events of /api/events by type: their data. */
export interface PushEvents {
  readonly service: ServiceEvent;
  readonly volume: VolumeEvent;
  readonly standby: StandbyEvent;
  readonly sleeptimer: SleeptimerEvent;
  readonly message: MessageEvent;
  readonly guide: GuideEvent;
  readonly services: ServicesEvent;
  readonly recording: RecordingEvent;
  readonly recordings: RecordingsEvent;
  readonly timeshift: TimeshiftEvent;
  readonly timers: TimersEvent;
  readonly autotimers: AutotimersEvent;
  readonly streams: StreamsEvent;
  readonly tuner: TunerEvent;
  readonly scan: ScanEvent;
  readonly signal: SignalEvent;
  readonly reset: ResetEvent;
}

export interface AboutResult {
  readonly info: {
    readonly brand: string;
    readonly model: string;
    readonly boxtype: string;
    readonly machinebuild: string;
    readonly lcd: number;
    readonly grabpip: number;
    readonly chipset: string;
    /** total memory, `512000 kB` */
    readonly mem1: string;
    /** free memory */
    readonly mem2: string;
    /** both */
    readonly mem3: string;
    /** `3d 4:05` */
    readonly uptime: string;
    readonly webifver: string;
    readonly imagedistro: string;
    readonly friendlyimagedistro: string;
    readonly oever: string;
    readonly imagever: string;
    readonly enigmaver: string;
    readonly driverdate: string;
    readonly kernelver: string;
    readonly fp_version: number | null;
    readonly friendlychipsetdescription: string;
    readonly friendlychipsettext: string;
    readonly tuners: ReadonlyArray<{
      readonly name: string;
      readonly type: string;
      readonly rec: string;
      readonly live: string;
    }>;
    readonly ifaces: ReadonlyArray<{
      readonly name: string;
      readonly friendlynic: string;
      readonly linkspeed: string;
      readonly mac: string;
      readonly dhcp: boolean;
      readonly ipv4method: string;
      readonly ip: string;
      readonly mask: string;
      readonly v4prefix: number;
      readonly gw: string;
      readonly ipv6: string;
      readonly ipmethod: string;
      readonly firstpublic: string | null;
    }>;
    readonly hdd: ReadonlyArray<{
      readonly model: string;
      readonly capacity: string;
      readonly labelled_capacity: string;
      readonly free: string;
      readonly mount: string;
      readonly friendlycapacity: string;
    }>;
    readonly shares: ReadonlyArray<Record<string, never>>;
    readonly transcoding: boolean;
    readonly EX: string;
    readonly streams: ReadonlyArray<{
      readonly ref: string;
      readonly name: string;
      readonly eventname: string;
      readonly ip: string;
      /** S = as broadcast */
      readonly type: string;
    }>;
    readonly timerpipzap: boolean;
    readonly timerautoadjust: boolean;
    readonly textinputsupport: boolean;
  };
  readonly service: {
    /** true if something is playing */
    readonly result: boolean;
    readonly name: string;
    readonly namespace: number;
    readonly aspect: number;
    readonly provider: string;
    readonly width: number | "N/A";
    readonly height: number | "N/A";
    readonly apid: number | "N/A";
    readonly vpid: number | "N/A";
    readonly pcrpid: number | "N/A";
    readonly pmtpid: number | "N/A";
    readonly txtpid: number | "N/A";
    readonly tsid: number | "N/A";
    readonly onid: number | "N/A";
    readonly sid: number | "N/A";
    readonly ref: string;
    readonly iswidescreen: boolean;
    readonly bqref: string;
    readonly bqname: string;
  };
  readonly result: boolean;
}

export interface AllservicesResult {
  readonly result: boolean;
  readonly services: ReadonlyArray<{
    readonly servicereference: string;
    readonly servicename: string;
    readonly provider: string;
  }>;
}

export interface AutoTimerImport {
  readonly result: boolean;
  /** imported rules */
  readonly imported: number;
  /** how many of these were disabled because they would otherwise record too much */
  readonly switched_off: number;
  /** ids of the imported rules, in file order */
  readonly ids: ReadonlyArray<number>;
  readonly left_out: ReadonlyArray<{
    /** line in the file */
    readonly line: number;
    /** the rule's name */
    readonly rule: string;
    /** what was not imported, and why */
    readonly message: string;
  }>;
}

export interface AutoTimerMatch {
  /** event id */
  readonly id: number;
  /** Unix seconds */
  readonly start_time: number;
  /** seconds */
  readonly duration: number;
  readonly title: string;
  /** short event text */
  readonly shortinfo: string;
  /** extended text, items included */
  readonly longinfo: string;
  readonly service_reference: string;
  readonly service_name: string;
  /** planned: it gets a timer; timer: it already has one; repeat; dismissed: somebody deleted its timer; counter: the rule has reached its number of timers for the period; refused: there is no tuner; bound: the maximum number of timers has been reached */
  readonly verdict: "planned" | "timer" | "repeat" | "dismissed" | "counter" | "refused" | "bound";
  /** id of its timer */
  readonly timer_id?: number;
  /** why it was refused */
  readonly message?: string;
}

export interface AutoTimerMatches {
  readonly result: boolean;
  readonly items: ReadonlyArray<AutoTimerMatch>;
}

export interface AutoTimerRule {
  /** stays the same for the life of the rule */
  readonly id: number;
  readonly name: string;
  /** text to search for */
  readonly match: string;
  readonly enabled: boolean;
  /** partial: title contains it; exact: title equals it; start: title begins with it; description: title or texts contain it */
  readonly searchType: "partial" | "exact" | "start" | "description";
  /** false: ignores case and accents */
  readonly caseSensitive: boolean;
  /** only events that match all of these */
  readonly include: ReadonlyArray<{
    /** title; shortdescription: the short text, or the long text if there is none; description: the long text */
    readonly where: "title" | "shortdescription" | "description";
    /** a regular expression; case-sensitive unless it begins with (?i) */
    readonly text: string;
  }>;
  /** only events that match none of these */
  readonly exclude: ReadonlyArray<{
    /** title; shortdescription: the short text, or the long text if there is none; description: the long text */
    readonly where: "title" | "shortdescription" | "description";
    /** a regular expression; case-sensitive unless it begins with (?i) */
    readonly text: string;
  }>;
  /** only these services */
  readonly services: ReadonlyArray<string>;
  /** and the services of these bouquets; without either, all services of the list */
  readonly bouquets: ReadonlyArray<string>;
  /** HH:MM, local time: only events that begin then or later */
  readonly from: string | null;
  /** HH:MM, local time: only events that begin then or earlier; if before `from`, on the next day */
  readonly to: string | null;
  /** bit 0 Monday to bit 6 Sunday, 0 = every day; hours after midnight belong to the day of `from` */
  readonly weekdays: number;
  /** Unix seconds: only events that begin then or later */
  readonly after: number | null;
  /** Unix seconds: only events that begin earlier */
  readonly before: number | null;
  /** minutes, 0 = any */
  readonly minimumDuration: number;
  /** minutes, 0 = any */
  readonly maximumDuration: number;
  /** minutes; null = as configured */
  readonly marginBefore: number | null;
  /** minutes; null = as configured */
  readonly marginAfter: number | null;
  readonly tags: ReadonlyArray<string>;
  /** folder; null = the timer folder */
  readonly dirname: string | null;
  /** shows the service without recording it */
  readonly justplay: boolean;
  /** shows the service while recording it */
  readonly zapbeforerecord: boolean;
  /** may begin earlier and end later with the event, by its running status */
  readonly vps: boolean;
  /** with `vps`: ends with the event, without the margin */
  readonly vpsOverwrite: boolean;
  /** what the receiver does after a timer has ended */
  readonly afterevent: "nothing" | "standby" | "deepstandby" | "auto";
  /** skips repeats: none; of timers on the same service; of timers on any service; of timers and recordings */
  readonly avoidDuplicates: "none" | "service" | "any" | "recording";
  /** texts that must be equal for a repeat: title; title and short text; title and all texts */
  readonly compare: "title" | "short" | "all";
  /** timers created in each period, 0 = unlimited */
  readonly counter: number;
  /** always: over all time; week: from Monday */
  readonly counterPeriod: "always" | "month" | "week" | "week-from-sunday";
  /** number of its unfinished timers */
  readonly timers: number;
}

export interface AutoTimerRules {
  readonly result: boolean;
  readonly items: ReadonlyArray<AutoTimerRule>;
}

/** an AutoTimer rule was added, changed or deleted, or the AutoTimer settings have changed */
export interface AutotimersEvent {
  /** increases with every change; valid until the receiver restarts */
  readonly generation: number;
}

export interface BouquetsResult {
  /** pairs of reference and name */
  readonly bouquets: ReadonlyArray<ReadonlyArray<string>>;
  readonly result: boolean;
}

export interface Conflicts {
  readonly result: boolean;
  readonly conflicts: ReadonlyArray<{
    /** begin of the first of its timers */
    readonly start_time: number;
    /** end of the last */
    readonly end_time: number;
    readonly timers: ReadonlyArray<{
      readonly timer_id: number;
      readonly service_reference: string;
      readonly service_name: string;
      readonly title: string;
      /** Unix seconds; of a repeated timer, the time that is in conflict */
      readonly start_time: number;
      readonly end_time: number;
      /** empty if the list does not tell */
      readonly transponder: string;
      /** the tuners that can receive it */
      readonly tuners: ReadonlyArray<string>;
      /** it gets a tuner; the earlier ones do */
      readonly served: boolean;
    }>;
  }>;
}

export interface CurrentEvent {
  /** event id */
  readonly id: number;
  /** Unix seconds */
  readonly start_time: number;
  /** seconds */
  readonly duration: number;
  readonly title: string;
  /** short event text */
  readonly shortinfo: string;
  /** extended text, items included */
  readonly longinfo: string;
  readonly service_reference: string;
  readonly service_name: string;
  /** URL path of the recording being played; null for a live service */
  readonly path: string | null;
  /** the receiver’s clock */
  readonly current_time: number;
  /** seconds until the event ends */
  readonly remaining: number;
  /** seconds into the recording being played */
  readonly position?: number;
  /** length in seconds of the recording being played; 0 = unknown */
  readonly length?: number;
  /** the following event */
  readonly next: {
    /** event id */
    readonly id: number;
    /** Unix seconds */
    readonly start_time: number;
    /** seconds */
    readonly duration: number;
    readonly title: string;
    /** short event text */
    readonly shortinfo: string;
    /** extended text, items included */
    readonly longinfo: string;
  } | null;
}

export interface CurrenttimeResult {
  readonly status: boolean;
  readonly time: string;
  readonly result: boolean;
}

export interface DeviceinfoResult {
  readonly brand: string;
  readonly model: string;
  readonly boxtype: string;
  readonly machinebuild: string;
  readonly lcd: number;
  readonly grabpip: number;
  readonly chipset: string;
  /** total memory, `512000 kB` */
  readonly mem1: string;
  /** free memory */
  readonly mem2: string;
  /** both */
  readonly mem3: string;
  /** `3d 4:05` */
  readonly uptime: string;
  readonly webifver: string;
  readonly imagedistro: string;
  readonly friendlyimagedistro: string;
  readonly oever: string;
  readonly imagever: string;
  readonly enigmaver: string;
  readonly driverdate: string;
  readonly kernelver: string;
  readonly fp_version: number | null;
  readonly friendlychipsetdescription: string;
  readonly friendlychipsettext: string;
  readonly tuners: ReadonlyArray<{
    readonly name: string;
    readonly type: string;
    readonly rec: string;
    readonly live: string;
  }>;
  readonly ifaces: ReadonlyArray<{
    readonly name: string;
    readonly friendlynic: string;
    readonly linkspeed: string;
    readonly mac: string;
    readonly dhcp: boolean;
    readonly ipv4method: string;
    readonly ip: string;
    readonly mask: string;
    readonly v4prefix: number;
    readonly gw: string;
    readonly ipv6: string;
    readonly ipmethod: string;
    readonly firstpublic: string | null;
  }>;
  readonly hdd: ReadonlyArray<{
    readonly model: string;
    readonly capacity: string;
    readonly labelled_capacity: string;
    readonly free: string;
    readonly mount: string;
    readonly friendlycapacity: string;
  }>;
  readonly shares: ReadonlyArray<Record<string, never>>;
  readonly transcoding: boolean;
  readonly EX: string;
  readonly streams: ReadonlyArray<{
    readonly ref: string;
    readonly name: string;
    readonly eventname: string;
    readonly ip: string;
    /** S = as broadcast */
    readonly type: string;
  }>;
  readonly timerpipzap: boolean;
  readonly timerautoadjust: boolean;
  readonly textinputsupport: boolean;
  readonly result: boolean;
}

/** what was imported: counts for XMLTV, or for an epg.dat */
export interface EpgImport {
  readonly result: boolean;
  readonly format: "xmltv" | "epg.dat";
  /** bytes of the document, after decompression */
  readonly bytes?: number;
  /** programmes in the document */
  readonly programmes?: number;
  /** programmes now in the guide */
  readonly imported?: number;
  /** skipped: already ended */
  readonly ended?: number;
  /** skipped: no channel, or no valid time */
  readonly malformed?: number;
  /** skipped: no known service for their channel */
  readonly programmesWithoutService?: number;
  /** batches partly rejected because the guide is full */
  readonly refused?: number;
  /** texts longer than 32 KiB, which were cut */
  readonly cutTexts?: number;
  /** texts with bytes invalid in the document’s encoding */
  readonly brokenTexts?: number;
  /** entities unknown to XML, left as they are */
  readonly unknownEntities?: number;
  readonly channels?: {
    /** channels with a service */
    readonly matched: number;
    /** channels without a service */
    readonly unmatched: number;
  };
  /** channels without a service, those with the most programmes first */
  readonly unmatched?: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    /** its programmes */
    readonly programmes: number;
  }>;
  /** version of the format, 7 or 8 */
  readonly version?: number;
  readonly byteOrder?: "little" | "big";
  /** services imported */
  readonly services?: number;
  /** events imported */
  readonly events?: number;
  /** distinct descriptors in the file */
  readonly descriptors?: number;
  /** descriptors that events refer to but the file lacks */
  readonly missingDescriptors?: number;
  /** false: events were rejected because the guide is full */
  readonly complete?: boolean;
}

export interface EpgnowResult {
  readonly events: ReadonlyArray<{
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    /** the members; only for a group of alternatives */
    readonly asrefs?: ReadonlyArray<string>;
  }>;
  readonly result: boolean;
}

export interface EpgnownextResult {
  readonly events: ReadonlyArray<{
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    /** the members; only for a group of alternatives */
    readonly asrefs?: ReadonlyArray<string>;
  }>;
  readonly result: boolean;
  readonly info: {
    /** true if something is playing */
    readonly result: boolean;
    readonly name: string;
    readonly namespace: number;
    readonly aspect: number;
    readonly provider: string;
    readonly width: number | "N/A";
    readonly height: number | "N/A";
    readonly apid: number | "N/A";
    readonly vpid: number | "N/A";
    readonly pcrpid: number | "N/A";
    readonly pmtpid: number | "N/A";
    readonly txtpid: number | "N/A";
    readonly tsid: number | "N/A";
    readonly onid: number | "N/A";
    readonly sid: number | "N/A";
    readonly ref: string;
    readonly iswidescreen: boolean;
    readonly bqref: string;
    readonly bqname: string;
  };
}

export interface EpgsearchResult {
  readonly events?: ReadonlyArray<{
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    /** Thu 01.01.2026 */
    readonly date: string;
    /** 20:15 */
    readonly begin: string;
    /** 21:45 */
    readonly end: string;
    /** minutes */
    readonly duration: number;
    /** path on this server */
    readonly picon: string;
    /** TV, RADIO, SD4, HDTV, UHD, OPT, UNKNOWN */
    readonly service_type: string;
    /** DVB-C, DVB-T or the satellite position */
    readonly ns: string;
  }>;
  readonly event?: {
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    readonly begin_str: string;
    /** Unix seconds */
    readonly begin: number;
    readonly end: string;
    /** seconds */
    readonly duration: number;
    readonly channel: string;
    readonly genreId: number;
    readonly picon: string;
    /** the timer that covers it, null = none */
    readonly timer: {
      /** 0 or 1 */
      readonly isEnabled: number;
      /** 0 or 1 */
      readonly isZapOnly: number;
      readonly basicStatus: "timer" | "timer disabled";
      /** 0 or 1; -1 = unknown */
      readonly isAutoTimer: number;
    } | null;
    readonly link: string;
    /** minutes */
    readonly recording_margin_before: number;
    /** minutes */
    readonly recording_margin_after: number;
  };
  readonly result: boolean;
}

export interface EpgserviceResult {
  readonly events: ReadonlyArray<{
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    /** Thu 01.01.2026 */
    readonly date: string;
    /** 20:15 */
    readonly begin: string;
    /** 21:45 */
    readonly end: string;
    /** minutes */
    readonly duration: number;
    /** path on this server */
    readonly picon: string;
  }>;
  readonly result: boolean;
}

export interface EpgservicenowResult {
  readonly events: ReadonlyArray<{
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
  }>;
  readonly result: boolean;
}

export interface EpgsimilarResult {
  readonly events: ReadonlyArray<{
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    /** Thu 01.01.2026 */
    readonly date: string;
    /** 20:15 */
    readonly begin: string;
    /** 21:45 */
    readonly end: string;
    /** minutes */
    readonly duration: number;
    /** path on this server */
    readonly picon: string;
    /** TV, RADIO, SD4, HDTV, UHD, OPT, UNKNOWN */
    readonly service_type: string;
    /** DVB-C, DVB-T or the satellite position */
    readonly ns: string;
  }>;
  readonly result: boolean;
}

/** A guide row: exactly the keys selected by `flags`. */
export interface Event {
  readonly id?: number | null;
  readonly start_time?: number | null;
  readonly duration?: number | null;
  readonly title?: string | null;
  readonly shortinfo?: string | null;
  readonly longinfo?: string | null;
  readonly current_time?: number | null;
  /** in a look-up as given; in a search from the service list */
  readonly service_reference?: string;
  /** <n/a> if unknown */
  readonly service_name?: string;
  /** the part of the name that the broadcaster marks as its short form, otherwise the name */
  readonly shortservice_name?: string;
  readonly parental?: {
    /** as broadcast (EN 300 468 §6.2.28) */
    readonly rating: number;
    readonly minimum_age: number | null;
    /** ISO 3166 code, three letters */
    readonly country: string;
  } | null;
  readonly genre?: ReadonlyArray<{
    readonly level1: number;
    readonly level2: number;
    readonly user: number;
    /** English name of the genre */
    readonly text: string;
  }> | null;
  readonly picture?: string | null;
}

export interface EventLookup {
  /** what is wrong with the request */
  readonly errors: ReadonlyArray<string>;
  readonly result: boolean;
  /** number of rows */
  readonly len: number;
  /** the parameters as understood; null = not given */
  readonly mangled_parameters: {
    readonly flags: string | null;
    /** the first value given */
    readonly service_reference: string | null;
    /** all values, if several were given */
    readonly service_references?: ReadonlyArray<string>;
    readonly querytype: number | null;
    readonly max_rows: number | null;
    readonly begin: number | null;
    readonly minutes: number | null;
    /** if given */
    readonly event_id?: number;
  };
  readonly events: ReadonlyArray<Event>;
}

export interface EventResult {
  readonly event: {
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    readonly begin_str: string;
    /** Unix seconds */
    readonly begin: number;
    readonly end: string;
    /** seconds */
    readonly duration: number;
    readonly channel: string;
    readonly genreId: number;
    readonly picon: string;
    /** the timer that covers it, null = none */
    readonly timer: {
      /** 0 or 1 */
      readonly isEnabled: number;
      /** 0 or 1 */
      readonly isZapOnly: number;
      readonly basicStatus: "timer" | "timer disabled";
      /** 0 or 1; -1 = unknown */
      readonly isAutoTimer: number;
    } | null;
    readonly link: string;
    /** minutes */
    readonly recording_margin_before: number;
    /** minutes */
    readonly recording_margin_after: number;
  };
  readonly result: boolean;
}

export interface EventSearch {
  /** what is wrong with the request */
  readonly errors: ReadonlyArray<string>;
  readonly result: boolean;
  /** number of rows */
  readonly len: number;
  /** the parameters as understood; null = not given */
  readonly mangled_parameters: {
    readonly case_sensitive: boolean;
    readonly flags: string | null;
    /** the first value given */
    readonly what: string | null;
    /** all values, if several were given */
    readonly whats?: ReadonlyArray<string>;
    /** the given number or name; otherwise null */
    readonly querytype: number | string | null;
    readonly max_rows: number | null;
  };
  readonly events: ReadonlyArray<Event>;
}

export interface EventSuggest {
  readonly result: boolean;
  /** number of titles */
  readonly len: number;
  readonly titles: ReadonlyArray<{
    readonly title: string;
    /** events with this title that have not ended */
    readonly count: number;
    /** Unix seconds at which the first of them begins or began */
    readonly start_time: number;
  }>;
}

export interface ExternalResult {
  readonly plugins: ReadonlyArray<ReadonlyArray<string>>;
  readonly result: boolean;
}

export interface FullmovielistResult {
  readonly movies: ReadonlyArray<{
    /** absolute path */
    readonly filename: string;
    /** without the folder */
    readonly filename_stripped: string;
    readonly serviceref: string;
    /** M:SS, minutes may exceed 59; ?:?? = unknown */
    readonly length: string;
    /** percent */
    readonly lastseen: number;
    readonly filesize_readable: string;
    /** start, in Unix time */
    readonly recordingtime: number;
    /** the same, formatted for display */
    readonly begintime: string;
    readonly eventname: string;
    /** the channel */
    readonly servicename: string;
    /** separated by spaces */
    readonly tags: string;
    /** the same as serviceref */
    readonly fullname: string;
    readonly descriptionExtended: string;
    /** short text */
    readonly description: string;
    /** bytes */
    readonly filesize: number;
  }>;
  readonly locations: ReadonlyArray<string>;
  readonly recursive: boolean;
  readonly result: boolean;
}

export interface GetallservicesResult {
  readonly result: boolean;
  readonly processingtime: string;
  readonly services: ReadonlyArray<{
    readonly servicereference: string;
    readonly servicename: string;
    readonly subservices: ReadonlyArray<{
      /** position in the list; 0 for a marker */
      readonly pos: number;
      /** numbers used up by the preceding bouquets; only in a root */
      readonly startpos?: number;
      readonly servicename: string;
      readonly servicereference: string;
      /** service id */
      readonly program?: number;
      /** path on this server */
      readonly picon?: string;
      readonly provider?: string;
    }>;
  }>;
}

export interface GetaudiotracksResult {
  /** true if there are any */
  readonly result: boolean;
  readonly tracklist: ReadonlyArray<{
    readonly description: string;
    readonly index: number;
    readonly pid: number;
    readonly active: boolean;
  }>;
}

export interface GetcurrentResult {
  readonly info: {
    /** true if something is playing */
    readonly result: boolean;
    readonly name: string;
    readonly namespace: number;
    readonly aspect: number;
    readonly provider: string;
    readonly width: number | "N/A";
    readonly height: number | "N/A";
    readonly apid: number | "N/A";
    readonly vpid: number | "N/A";
    readonly pcrpid: number | "N/A";
    readonly pmtpid: number | "N/A";
    readonly txtpid: number | "N/A";
    readonly tsid: number | "N/A";
    readonly onid: number | "N/A";
    readonly sid: number | "N/A";
    readonly ref: string;
    readonly iswidescreen: boolean;
    readonly bqref: string;
    readonly bqname: string;
  };
  readonly now: {
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    readonly provider: string;
    /** of the recording being played */
    readonly filename?: string;
  };
  readonly next: {
    readonly id: number | null;
    /** Unix seconds */
    readonly begin_timestamp: number | null;
    readonly duration_sec: number | null;
    readonly title: string | null;
    readonly shortdesc: string | null;
    readonly longdesc: string | null;
    readonly sref: string;
    readonly sname: string;
    /** Unix seconds */
    readonly now_timestamp: number | null;
    /** seconds to its end; before it begins, its duration */
    readonly remaining: number | null;
    readonly genre: string;
    /** content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none */
    readonly genreid: number;
    readonly provider: string;
    /** of the recording being played */
    readonly filename?: string;
  };
  readonly result: boolean;
}

export interface GetcurrlocationResult {
  readonly result: boolean;
  readonly location: string;
}

export interface GetlocationsResult {
  readonly result: boolean;
  readonly locations: ReadonlyArray<string>;
  readonly default: string;
}

export interface GetpidResult {
  /** PMT PID, hexadecimal; 0 if there is none */
  readonly ppid: string;
  /** video PID */
  readonly vpid: string;
  /** PID of the selected audio track */
  readonly apid: string;
  /** the receiver, as named in the request */
  readonly host: string;
  readonly result: boolean;
}

export interface GetsatellitesResult {
  readonly satellites: ReadonlyArray<{
    readonly service: string;
    readonly name: string;
  }>;
  readonly result: boolean;
}

export interface GetservicerefResult {
  readonly result: boolean;
  /** empty = none */
  readonly sRef: string;
}

export interface GetservicesResult {
  readonly result: boolean;
  readonly processingtime: string;
  /** the last number assigned */
  readonly pos: number;
  readonly services: ReadonlyArray<{
    /** position in the list; 0 for a marker */
    readonly pos: number;
    /** numbers used up by the preceding bouquets; only in a root */
    readonly startpos?: number;
    readonly servicename: string;
    readonly servicereference: string;
    /** service id */
    readonly program?: number;
    /** path on this server */
    readonly picon?: string;
    readonly provider?: string;
  }>;
}

export interface GetsubtitlesResult {
  /** true if there are any */
  readonly result: boolean;
  readonly subtitlelist: ReadonlyArray<{
    /** 0 DVB, 1 teletext */
    readonly type: number;
    readonly pid: number;
    /** DVB: composition page; teletext: last two digits of the page, four bits each */
    readonly page_nr: number;
    /** DVB: ancillary page; teletext: magazine, 0 = the eighth */
    readonly mag_nr: number;
    /** ISO 639-2 code */
    readonly lang: string;
  }>;
}

export interface GettagsResult {
  readonly result: boolean;
  readonly tags: ReadonlyArray<string>;
}

/** the events in the guide have changed: broadcast, imported or deleted */
export interface GuideEvent {
  /** increases with every change; valid until the receiver restarts */
  readonly generation: number;
}

export interface Login {
  readonly result: boolean;
  /** whether there are accounts */
  readonly accounts: boolean;
  /** whether one of them may administer; if not, POST /administrator adds one */
  readonly administrator: boolean;
  /** who is logged in; null: nobody */
  readonly user: string | null;
  /** of the account, or of clients on the local network without a login */
  readonly rights: ReadonlyArray<"view" | "control" | "record" | "admin">;
}

export interface MediaplayercurrentResult {
  readonly result: boolean;
  readonly tracks: ReadonlyArray<Record<string, never>>;
}

export interface MediaplayerfindfileResult {
  readonly result: boolean;
  readonly files: ReadonlyArray<Record<string, never>>;
}

export interface MediaplayerlistResult {
  readonly result: boolean;
  readonly files: ReadonlyArray<Record<string, never>>;
}

export interface Message {
  readonly id: number;
  readonly kind: "question" | "information" | "warning" | "error";
  readonly text: string;
  /** seconds to show it; 0 = until somebody closes it */
  readonly timeout: number;
  /** when it arrived, in Unix seconds */
  readonly since: number;
}

/** a message is to be shown, was answered or closed, or has expired */
export interface MessageEvent {
  /** id for answering it; valid until the receiver restarts */
  readonly id: number;
  readonly kind: "question" | "information" | "warning" | "error";
  readonly text: string;
  /** seconds to show it; 0 = until somebody closes it */
  readonly timeout: number;
  /** `open` while shown, then how it ended */
  readonly state: "open" | "closed" | "yes" | "no";
}

export interface MessageList {
  readonly result: boolean;
  readonly messages: ReadonlyArray<Message>;
}

export interface MoviedetailsResult {
  readonly result: boolean;
  readonly movie?: {
    /** absolute path */
    readonly filename: string;
    /** without the folder */
    readonly filename_stripped: string;
    readonly serviceref: string;
    /** M:SS, minutes may exceed 59; ?:?? = unknown */
    readonly length: string;
    /** percent */
    readonly lastseen: number;
    readonly filesize_readable: string;
    /** start, in Unix time */
    readonly recordingtime: number;
    /** the same, formatted for display */
    readonly begintime: string;
    readonly eventname: string;
    /** the channel */
    readonly servicename: string;
    /** separated by spaces */
    readonly tags: string;
    /** the same as serviceref */
    readonly fullname: string;
    readonly descriptionExtended: string;
    /** short text */
    readonly description: string;
    /** bytes */
    readonly filesize: number;
  };
}

export interface MovieinfoResult {
  readonly result: boolean;
  readonly tags?: ReadonlyArray<string>;
  /** only for a failure */
  readonly message?: string;
  /** the same, if there is no such recording */
  readonly resulttext?: string;
  readonly title?: string;
  readonly description?: string;
  readonly cuts?: ReadonlyArray<{
    /** 0 in, 1 out, 2 mark, 3 last position */
    readonly type: number;
    /** 90 kHz ticks */
    readonly pos: number;
  }>;
}

export interface MovielistResult {
  readonly movies: ReadonlyArray<{
    /** absolute path */
    readonly filename: string;
    /** without the folder */
    readonly filename_stripped: string;
    readonly serviceref: string;
    /** M:SS, minutes may exceed 59; ?:?? = unknown */
    readonly length: string;
    /** percent */
    readonly lastseen: number;
    readonly filesize_readable: string;
    /** start, in Unix time */
    readonly recordingtime: number;
    /** the same, formatted for display */
    readonly begintime: string;
    readonly eventname: string;
    /** the channel */
    readonly servicename: string;
    /** separated by spaces */
    readonly tags: string;
    /** the same as serviceref */
    readonly fullname: string;
    readonly descriptionExtended: string;
    /** short text */
    readonly description: string;
    /** bytes */
    readonly filesize: number;
  }>;
  /** names of the sub-folders */
  readonly bookmarks: ReadonlyArray<string>;
  readonly directory: string;
  readonly recursive: boolean;
  readonly result: boolean;
}

export interface MovietagsResult {
  readonly result: boolean;
  readonly tags?: ReadonlyArray<string>;
  /** only for a failure */
  readonly message?: string;
  /** the same, if there is no such recording */
  readonly resulttext?: string;
}

export interface ParentcontrollistResult {
  readonly result: boolean;
  /** whether the listed services are locked, or the only ones not locked */
  readonly type: "blacklist" | "whitelist";
  readonly services: ReadonlyArray<{
    readonly servicereference: string;
    readonly servicename: string;
  }>;
}

export interface PipinfoResult {
  readonly pip: number;
  readonly result: boolean;
}

export interface PowerstateResult {
  readonly result: boolean;
  readonly instandby: boolean;
}

/** a recording has started or stopped, or a problem with it has appeared or gone */
export interface RecordingEvent {
  /** what has changed */
  readonly state: "started" | "stopped" | "trouble";
  /** service reference */
  readonly reference: string;
  /** name of the service */
  readonly name: string;
  readonly title: string;
  /** path of its file */
  readonly path: string;
  /** the current problem, human-readable; empty if there is none */
  readonly trouble: string;
}

export interface Recordings {
  readonly result: boolean;
  /** total number, regardless of limit and offset */
  readonly total: number;
  /** names of its sub-folders, if `folder` was given */
  readonly folders?: ReadonlyArray<string>;
  readonly items: ReadonlyArray<{
    /** title */
    readonly label: string;
    /** its URL path, percent-encoded */
    readonly path: string;
    /** name of the recorded channel */
    readonly recording_servicename: string;
    /** information from the accompanying files; missing information is omitted */
    readonly meta: {
      /** short text */
      readonly Description?: string;
      /** the recorded channel */
      readonly Serviceref: string;
      /** start, Unix seconds */
      readonly TimeCreate?: number;
      /** bytes */
      readonly FileSize: number;
      /** separated by spaces */
      readonly Tags?: string;
      /** 0 or 1 */
      readonly IsScrambled?: number;
      readonly marks?: {
        /** last position, seconds */
        readonly watched: number;
        /** position of the last mark, seconds */
        readonly maximum: number;
        /** seconds and kind: 0 in, 1 out, 2 mark */
        readonly marks: ReadonlyArray<ReadonlyArray<number>>;
      };
    };
    readonly event?: {
      /** event id */
      readonly id: number;
      /** Unix seconds */
      readonly start_time: number;
      /** seconds */
      readonly duration: number;
      readonly title: string;
      /** short event text */
      readonly shortinfo: string;
      /** extended text, items included */
      readonly longinfo: string;
    };
    /** seconds */
    readonly length: number | null;
    /** bytes */
    readonly size: number;
    /** absolute path */
    readonly filename: string;
    /** the reference for playing it */
    readonly service_reference: string;
    readonly tags: ReadonlyArray<string>;
    /** Unix seconds */
    readonly begin: number;
    /** still being written */
    readonly recording: boolean;
  }>;
}

/** a recording was deleted, moved, renamed, copied or described anew through the receiver, or a copy has begun or ended */
export interface RecordingsEvent {
  /** increases with every change; valid until the receiver restarts */
  readonly generation: number;
}

export interface RecordnowResult {
  readonly result: boolean;
  readonly message: string;
  /** of a failure: what is wrong, as a stable code for programs */
  readonly error?: string;
  readonly newtimer?: {
    readonly serviceref: string;
    readonly servicename: string;
    /** event id, 0 = none */
    readonly eit: number;
    readonly name: string;
    readonly begin: number;
    readonly end: number;
    /** seconds */
    readonly duration: number;
  };
}

/** missed events are no longer available: request the state again */
export type ResetEvent = Record<string, never>;

export interface SaveconfigResult {
  readonly result: boolean;
  /** the value now stored, limited to its range */
  readonly value?: string;
  readonly oldValue?: string;
  /** why nothing was changed */
  readonly message?: string;
}

export interface SaveepgResult {
  readonly result: boolean;
  readonly message: string;
  /** of a failure: what is wrong, as a stable code for programs */
  readonly error?: string;
  readonly path: string;
}

/** a scan of the network has made a step or has ended; scanstatus tells the rest */
export interface ScanEvent {
  readonly state: "idle" | "scanning" | "done" | "stopped" | "failed";
  /** being received, `11836 MHz H` */
  readonly transponder: string;
  /** its number, from 1 */
  readonly number: number;
  /** transponders known so far */
  readonly of: number;
}

export interface ScanstatusResult {
  readonly state: "idle" | "scanning" | "done" | "stopped" | "failed";
  /** why it failed, or why the transponder before was not received */
  readonly trouble: string;
  /** being received */
  readonly transponder: string;
  /** its number, from 1 */
  readonly number: number;
  /** transponders known so far; grows with what the network names */
  readonly of: number;
  /** transponders with a signal */
  readonly received: number;
  /** which receives it; null until there is a signal */
  readonly tuner: number | null;
  /** television in standard definition */
  readonly tv: number;
  readonly hd: number;
  readonly uhd: number;
  readonly radio: number;
  readonly data: number;
  /** encrypted; counted above as well */
  readonly scrambled: number;
  /** services that are new in the lists; like the next two 0 until it is done */
  readonly added: number;
  readonly renamed: number;
  /** services that are no longer there; they stay in the lists */
  readonly vanished: ReadonlyArray<string>;
  readonly result: boolean;
}

export interface ScantablesResult {
  readonly tables: ReadonlyArray<{
    readonly name: string;
    readonly kind: "satellite" | "terrestrial" | "cable" | "atsc";
    /** of satellites: tenths of a degree east */
    readonly position: number | null;
    /** ISO 3166 code in small letters, where the name begins with one */
    readonly country: string;
  }>;
  /** files that are there but cannot be read, with the reason */
  readonly problems: ReadonlyArray<string>;
  readonly result: boolean;
}

export interface SelectaudiotrackResult {
  readonly result: boolean;
}

/** with format=object */
export interface ServiceEntry {
  readonly service_reference: string;
  readonly service_name: string;
  readonly picon_name: string;
  /** service type from the SDT */
  readonly service_type: number;
  /** their names */
  readonly bouquets: ReadonlyArray<string>;
  /** channel number */
  readonly number: number;
}

/** the current service or its audio track has changed */
export interface ServiceEvent {
  /** service reference, as listed in its bouquet */
  readonly reference: string;
  /** name, or the title given when zapping */
  readonly name: string;
  /** index of the selected audio track */
  readonly audioTrack: number;
}

export interface ServicelistplayableResult {
  readonly result: boolean;
  readonly services: ReadonlyArray<{
    readonly servicereference: string;
    /** true if the available tuners can receive it */
    readonly isplayable: boolean;
    /** only with `includeName` */
    readonly servicename?: string;
  }>;
}

export interface ServiceplayableResult {
  readonly result: boolean;
  readonly service: {
    readonly servicereference: string;
    /** true if the available tuners can receive it */
    readonly isplayable: boolean;
    /** only with `includeName` */
    readonly servicename?: string;
  };
}

export interface Services {
  readonly result: boolean;
  /** number of services */
  readonly len: number;
  /** always empty */
  readonly errors: ReadonlyArray<string>;
  readonly items: ReadonlyArray<ReadonlyArray<string> | ServiceEntry>;
  /** the same as items, with compat=1 */
  readonly services?: ReadonlyArray<ReadonlyArray<string> | ServiceEntry>;
}

/** the service list or a bouquet was changed or reread */
export interface ServicesEvent {
  /** increases with every change; valid until the receiver restarts */
  readonly generation: number;
}

export interface SessionResult {
  readonly sessionid: string;
  readonly result: boolean;
}

export type Set_powerup_without_waking_tvResult = boolean;

export interface SettingsResult {
  readonly result: boolean;
  /** pairs of key and stored text */
  readonly settings: ReadonlyArray<ReadonlyArray<string>>;
}

export interface SetupguessResult {
  /** for setup */
  readonly place: string;
  /** ISO 3166 code in small letters; empty if there is neither aerial nor cable */
  readonly country: string;
  /** tenths of a degree east */
  readonly satellites: ReadonlyArray<number>;
  readonly result: boolean;
}

export interface SetwebconfigResult {
  readonly result: boolean;
}

/** the signal of a tuner; sent only with `signal=SECONDS`, never stored */
export interface SignalEvent {
  /** index into the tuners of deviceinfo */
  readonly tuner: number;
  readonly locked: boolean;
  /** percent */
  readonly quality: number;
  /** percent */
  readonly strength: number;
  /** signal-to-noise ratio in dB; null if unknown */
  readonly snr: number | null;
  /** strength in dBm; null if unknown */
  readonly power: number | null;
  /** as counted by the hardware */
  readonly bitErrors: number;
  /** for each bit; null if unknown */
  readonly bitErrorRate: number | null;
  /** uncorrected blocks since the tuning; null if unknown */
  readonly badBlocks: number | null;
}

/** success, and a human-readable text */
export interface SimpleResult {
  readonly result: boolean;
  readonly message: string;
  /** of a failure: what is wrong, as a stable code for programs */
  readonly error?: string;
}

/** the sleep timer was set or cancelled, or has acted */
export interface SleeptimerEvent {
  readonly enabled: boolean;
  /** minutes until it acts; when off, the value it was last set to */
  readonly minutes: number;
  readonly action: "standby" | "shutdown";
}

export interface SleeptimerResult {
  readonly enabled: boolean;
  /** minutes remaining; when off, the value it was last set to */
  readonly minutes: number;
  readonly action: "standby" | "shutdown";
  readonly message: string;
  /** minutes until it acts; 0 when off */
  readonly remaining: number;
  readonly result: boolean;
}

/** the receiver has entered or left standby */
export interface StandbyEvent {
  readonly standby: boolean;
}

export interface StatusinfoResult {
  readonly volume: number;
  readonly muted: boolean;
  readonly transcoding: boolean;
  readonly currservice_filename: string;
  /** event id, -1 = no event */
  readonly currservice_id: number;
  /** title of the event, N/A = none */
  readonly currservice_name: string;
  readonly currservice_serviceref?: string;
  readonly currservice_begin: string;
  readonly currservice_begin_timestamp?: number;
  readonly currservice_end: string;
  readonly currservice_end_timestamp?: number;
  readonly currservice_description: string;
  readonly currservice_station?: string;
  readonly currservice_fulldescription: string;
  readonly inStandby: "true" | "false";
  readonly isRecording: "true" | "false";
  readonly Recording_list?: string;
  readonly isStreaming: "true" | "false";
  readonly Streaming_list: string;
  readonly result: boolean;
}

export interface Storage {
  readonly result: boolean;
  readonly folders: ReadonlyArray<{
    readonly folder: string;
    /** recordings go there unless they name another */
    readonly isDefault: boolean;
    /** bytes of its disk; null if it does not respond or is not there */
    readonly capacity: number | null;
    /** bytes that may still be written */
    readonly free: number | null;
    /** hours of recording that these are */
    readonly hours: number | null;
    /** why nothing can be recorded into it; null if it is there */
    readonly missing: string | null;
  }>;
  /** bytes of an hour of recording */
  readonly rate: number;
  /** the rate is that of the last recordings; otherwise it is assumed */
  readonly isMeasured: boolean;
}

/** a live stream client has connected or disconnected */
export interface StreamsEvent {
  /** number of clients now connected */
  readonly clients: number;
}

export interface SubservicesResult {
  readonly services: ReadonlyArray<{
    readonly servicereference: string;
    readonly servicename: string;
  }>;
  readonly result: boolean;
}

export type Supports_powerup_without_waking_tvResult = boolean;

export interface Timer {
  readonly service_reference: string;
  /** Unix seconds, including margins; for a repeated timer, its next time */
  readonly start_time: number;
  readonly end_time: number;
  /** seconds */
  readonly duration: number;
  /** event id; null for a timer without an event */
  readonly id: number | null;
  readonly title: string;
  readonly shortinfo: string;
  readonly state: "waiting" | "prepared" | "running" | "ended";
  readonly disabled: boolean;
  /** shows the service and records nothing */
  readonly justplay: boolean;
  /** always false; for clients that expect it */
  readonly justremind: boolean;
  /** shows the service that it records */
  readonly zapbeforerecord: boolean;
  readonly repeated: boolean;
  /** weekdays: bit 0 Monday to bit 6 Sunday */
  readonly repeat_mask: number;
  /** Unix seconds */
  readonly repeatedbegindate: number;
  /** it failed */
  readonly cancelled: boolean;
  /** an instant recording: stored until it is over, and not in timers.xml */
  readonly dontSave: boolean;
  /** no attempt has failed */
  readonly first_try_prepare: boolean;
  /** folder; null = the folder for timers */
  readonly dirname: string | null;
  /** always false; for clients that expect it */
  readonly dirnameHadToFallback: boolean;
  readonly tags: ReadonlyArray<string>;
  /** Unix seconds, code and text */
  readonly log_entries: ReadonlyArray<readonly [number, number, string]>;
  /** seconds before its begin at which it gets its tuner */
  readonly prepare_time: number;
  /** Unix seconds */
  readonly start_prepare: number;
  /** always false; for clients that expect it */
  readonly is_timeshift: boolean;
  /** always false; for clients that expect it */
  readonly is_transformed_timeshift: boolean;
  readonly record_ecm: boolean;
  /** always false; for clients that expect it */
  readonly pvrConvert: boolean;
  /** always false; for clients that expect it */
  readonly receiveRecordEvents: boolean;
  /** stays the same for the life of the timer */
  readonly timer_id: number;
  readonly afterevent: "nothing" | "standby" | "deepstandby" | "auto";
  /** the recording, without extension */
  readonly filename: string | null;
  readonly service_name: string;
  /** it may get no tuner alongside the others */
  readonly conflict: boolean;
  readonly event?: {
    /** event id */
    readonly id: number;
    /** Unix seconds */
    readonly start_time: number;
    /** seconds */
    readonly duration: number;
    readonly title: string;
    /** short event text */
    readonly shortinfo: string;
    /** extended text, items included */
    readonly longinfo: string;
    readonly service_reference: string;
    readonly service_name: string;
  };
}

export interface TimeraddResult {
  readonly result: boolean;
  readonly message: string;
  /** of a failure: what is wrong, as a stable code for programs */
  readonly error?: string;
  /** the timer that gets no tuner, and those that run at the same time */
  readonly conflicts?: ReadonlyArray<{
    readonly serviceref: string;
    readonly servicename: string;
    readonly name: string;
    readonly begin: number;
    readonly end: number;
    readonly realbegin: string;
    readonly realend: string;
  }>;
}

export interface TimerlistResult {
  readonly result: boolean;
  readonly timers: ReadonlyArray<{
    readonly serviceref: string;
    readonly servicename: string;
    /** event id */
    readonly eit: number | null;
    readonly name: string;
    readonly description: string;
    /** extended text of its event; N/A = unknown */
    readonly descriptionextended: string;
    readonly disabled: number;
    /** Unix seconds, including margins; for a repeated timer, its next time */
    readonly begin: number;
    readonly end: number;
    /** seconds */
    readonly duration: number;
    /** when it gets its tuner */
    readonly startprepare: number;
    readonly justplay: number;
    /** 0 nothing, 1 standby, 2 deepstandby, 3 auto */
    readonly afterevent: number;
    /** folder; None = the folder for timers */
    readonly dirname: string;
    /** separated by spaces */
    readonly tags: string;
    /** Unix time, code and text */
    readonly logentries: ReadonlyArray<ReadonlyArray<unknown>>;
    /** seconds between the last failed attempt and the next */
    readonly backoff: number;
    /** no attempt has failed */
    readonly firsttryprepare: boolean;
    /** 0 waiting, 1 prepared, 2 running, 3 ended */
    readonly state: number;
    /** weekdays: 1 Monday to 64 Sunday */
    readonly repeated: number;
    readonly dontsave: number;
    /** it failed */
    readonly cancelled: boolean;
    /** 1 = enabled */
    readonly toggledisabled: number;
    /** off = enabled, on = disabled */
    readonly toggledisabledimg: string;
    /** the recording, without extension */
    readonly filename: string | null;
    /** time of the next attempt */
    readonly nextactivation: number | null;
    readonly realbegin: string;
    readonly realend: string;
    /** the members of a group; otherwise an empty string */
    readonly asrefs: unknown;
    /** follows the running status of the event */
    readonly vpsplugin_enabled: boolean;
    /** and ends with the event, without margin */
    readonly vpsplugin_overwrite: boolean;
    readonly vpsplugin_time: number;
    readonly always_zap: number;
    readonly pipzap: number;
    readonly isAutoTimer: number;
    readonly allow_duplicate: number;
    readonly autoadjust: number;
    readonly recordingtype: "normal" | "descrambled" | "scrambled";
    /** -1 = none */
    readonly ice_timer_id: unknown;
  }>;
  readonly locations: ReadonlyArray<string>;
  readonly default: string;
}

export interface Timers {
  readonly result: boolean;
  /** if one was requested */
  readonly service_reference?: string;
  /** if one was requested */
  readonly item_id?: number | string;
  readonly items: ReadonlyArray<Timer>;
}

/** a timer was added, changed or deleted, or its state has changed */
export interface TimersEvent {
  /** increases with every change; valid until the receiver restarts */
  readonly generation: number;
}

export interface TimertogglestatusResult {
  readonly result: boolean;
  readonly message: string;
  /** of a failure: what is wrong, as a stable code for programs */
  readonly error?: string;
  /** the timer that gets no tuner, and those that run at the same time */
  readonly conflicts?: ReadonlyArray<{
    readonly serviceref: string;
    readonly servicename: string;
    readonly name: string;
    readonly begin: number;
    readonly end: number;
    readonly realbegin: string;
    readonly realend: string;
  }>;
  readonly disabled?: boolean;
}

export interface Timeshift {
  readonly result: boolean;
  readonly enabled: boolean;
  /** maximum size in bytes */
  readonly bound: number;
  readonly timeshift: {
    /** service reference */
    readonly reference: string;
    /** name of the service */
    readonly name: string;
    /** Unix seconds: start of the stored period */
    readonly begin: number;
    /** Unix seconds: end of the stored period */
    readonly end: number;
    /** bytes on the disk */
    readonly bytes: number;
    /** bytes that the disk did not accept in time */
    readonly lost: number;
    /** the current problem, human-readable; empty if there is none */
    readonly trouble: string;
    /** URL of the HTTP Live Streaming playlist */
    readonly playlist: string;
    /** URL of the plain stream */
    readonly stream: string;
  } | null;
}

/** timeshift of a service has started or stopped, or a problem with it has appeared or gone */
export interface TimeshiftEvent {
  /** what has changed */
  readonly state: "started" | "stopped" | "trouble";
  /** service reference */
  readonly reference: string;
  /** name of the service */
  readonly name: string;
  /** the current problem, human-readable; empty if there is none */
  readonly trouble: string;
}

export interface Transfer {
  readonly id: number;
  readonly kind: "move" | "copy";
  /** path of the recording */
  readonly from: string;
  /** path of the copy */
  readonly to: string;
  /** bytes copied so far */
  readonly done: number;
  /** total bytes of all its files */
  readonly total: number;
}

export interface TsstartResult {
  /** true on success */
  readonly state: boolean;
  /** true while timeshift is running */
  readonly timeshiftEnabled: boolean;
}

/** a tuner has another user or another state */
export interface TunerEvent {
  /** index into the tuners of tunerstatus and deviceinfo */
  readonly number: number;
  /** `Tuner A` */
  readonly name: string;
  readonly state: "idle" | "tuning" | "locked" | "lost" | "retuning";
  /** why it does not receive, human-readable; empty if it does */
  readonly reason: string;
  /** number of users; tunerstatus has them */
  readonly users: number;
}

export interface TunersignalResult {
  readonly tunertype?: string;
  /** index into the tuners of deviceinfo */
  readonly tunernumber?: number;
  /** percent */
  readonly snr?: number;
  /** dB with two decimals */
  readonly snr_db?: string;
  /** percent */
  readonly agc?: number;
  readonly ber?: number;
  readonly inStandby?: "true" | "false";
  readonly result: boolean;
}

export interface TunerstatusResult {
  readonly tuners: ReadonlyArray<{
    /** index into the tuners of deviceinfo */
    readonly number: number;
    readonly name: string;
    /** as in the configuration */
    readonly source: string;
    readonly model: string;
    /** delivery system; TS if the stream does not say */
    readonly type: string;
    /** idle: nobody uses it; lost: no signal; retuning: again after that */
    readonly state: "idle" | "tuning" | "locked" | "lost" | "retuning";
    /** why it does not receive, or did not the last time */
    readonly reason: string;
    /** seconds in this state; null while it is idle */
    readonly age: number | null;
    /** empty if it is not tuned, or receives one multiplex only */
    readonly transponder: string;
    readonly signal: {
      readonly locked: boolean;
      /** quality in percent */
      readonly snr: number;
      /** signal to noise ratio in dB; null if the hardware does not report it */
      readonly snr_db: number | null;
      /** strength in percent */
      readonly agc: number;
      /** strength in dBm; null if the hardware does not report it */
      readonly strength_dbm: number | null;
      /** bit errors as the hardware counts them */
      readonly ber: number;
      /** bit errors for each bit; null if the hardware does not report it */
      readonly bit_error_rate: number | null;
      /** uncorrected blocks since the tuning; null if the hardware does not report it */
      readonly uncorrected: number | null;
    } | null;
    readonly losses: {
      /** gaps in the streams, each of at least one packet */
      readonly continuity_errors: number;
      /** times that data was lost because it was not read in time */
      readonly overflows: number;
      /** of a tuner in the network: datagrams that did not come */
      readonly network_lost: number;
      /** datagrams that overtook others, and were put back */
      readonly network_reordered: number;
    } | null;
    /** the most important first */
    readonly users: ReadonlyArray<{
      /** recording, timer, live, timeshift, stream, scan or guide */
      readonly purpose: string;
      /** the address of a client, the name of a timer */
      readonly user: string;
      /** empty for the whole multiplex */
      readonly servicereference: string;
      readonly servicename: string;
    }>;
  }>;
  readonly result: boolean;
}

export interface VolResult {
  readonly result: boolean;
  readonly message: string;
  readonly current: number;
  readonly ismute: boolean;
}

/** the volume has changed, or the sound was muted or unmuted */
export interface VolumeEvent {
  readonly level: number;
  readonly muted: boolean;
}
