/** Written by scripts/pages.ts from the schema in src/config.ts. */

/** What a settings file may contain; docs/configuration.md has the bounds and defaults. */
export interface Settings {
  /**
   * folder for state, guide and recordings, called DATA below; default `$XDG_DATA_HOME/receiverd`, or
   * `~/.local/share/receiverd` if that variable is not set
   */
  readonly dataDir?: string;
  /** Enigma2 folder: lamedb, bouquets, settings; default DATA/enigma2 */
  readonly enigma2Dir?: string;
  /** folders searched for picons; default DATA/picon */
  readonly picons?: string[];
  /**
   * folders with tables of transponders for scans: those of dtv-scan-tables, satellites.xml, cables.xml,
   * terrestrial.xml; after the Enigma2 folder
   */
  readonly scanTables?: string[];
  /** recording folders, the first is the default; default DATA/movie */
  readonly locations?: string[];
  /**
   * folders such as `/media` below which clients may add recording folders; below a recording folder they always may
   */
  readonly locationRoots?: string[];
  /**
   * tuner specifications: dvb:ADAPTER, dvb:ADAPTER/FRONTEND, dvb:* (all front ends), satip:HOST (a SAT>IP server;
   * satip.md), satip:* (all that answer), file:PATH, demo, demo:speed=N, none (IPTV only; iptv.md); nothing: all front
   * ends, or the demo if there are none
   */
  readonly tuners?: string[];
  /** source of the time: the machine, or the TDT/TOT of the stream (for captures) */
  readonly clock?: 'system' | 'broadcast';
  /** address to listen on; :: means every address */
  readonly bind?: string;
  /**
   * origins of web pages that may read responses (CORS), such as `https://panel.example`; * means every page. Pages
   * named here may also change things, all others may not
   */
  readonly origins?: string[];
  /**
   * further host names under which the receiver may be controlled, such as `tv.example.org` of a proxy; addresses,
   * names without dots, names of home networks and the machine’s own name are always allowed; * means every name (which
   * lets a page in by DNS rebinding)
   */
  readonly hostNames?: string[];
  readonly access?: {
    /**
     * addresses and prefixes at home: while there are no accounts, only they and the IPv6 networks of this machine are
     * answered
     */
    readonly allow?: string[];
    /** addresses of reverse proxies whose X-Forwarded-For, -Proto and -Host are believed (security.md) */
    readonly trustedProxies?: string[];
    /** who has to log in at the web interface once there are accounts: everybody, or only those who are not at home */
    readonly webLogin?: 'always' | 'outside';
    /** the same at the port of the live streams */
    readonly streamLogin?: 'always' | 'outside';
    /** days after which a browser has to log in again */
    readonly sessionDays?: number;
    /** hours for which the addresses in a playlist can be played without logging in */
    readonly ticketHours?: number;
  };
  readonly tls?: {
    /** port of the web interface by HTTPS, beside `httpPort`, such as 8443; 0: none */
    readonly port?: number;
    /** port of the live streams by HTTPS, beside `streamPort`, such as 8444; 0: none */
    readonly streamPort?: number;
    /**
     * PEM file of the certificate and those that it needs, read again when it changes; default is one in DATA/tls, made
     * at the first start
     */
    readonly certificate?: string;
    /** PEM file of its key */
    readonly key?: string;
    /** tell browsers to use nothing but HTTPS for this host name from then on, for a year */
    readonly hsts?: boolean;
  };
  /** port of the web interface; 0 takes a free one */
  readonly httpPort?: number;
  /** port of the live streams; 0 takes a free one */
  readonly streamPort?: number;
  /** device name that clients show */
  readonly name?: string;
  /** announce the receiver on the local network (mDNS) so that apps find it; never if bind is a loopback address */
  readonly discovery?: boolean;
  /** IANA time zone for local times; default is that of the machine */
  readonly timeZone?: string;
  /** ISO 639-2 codes of preferred guide languages, best first; default is the language sent first */
  readonly languages?: string[];
  /** multiplexes whose services are added to the list at start: those not in it yet, all, none */
  readonly scan?: 'new' | 'always' | 'never';
  readonly guide?: {
    /** seconds for which an ended event is kept */
    readonly history?: number;
    /** most events in the guide; beyond that, the events farthest ahead are refused */
    readonly maximumEvents?: number;
    /** seconds after which the guide of a transponder is collected again, with tuners that nobody uses */
    readonly collectEvery?: number;
    /** seconds after which a changed guide is written to disk; 0: only when the receiver stops */
    readonly saveEvery?: number;
    /** folder with freesat.t1 and freesat.t2 (optional) */
    readonly huffman?: string;
  };
  readonly stream?: {
    /** bytes buffered per client; a client that falls further behind is dropped */
    readonly clientBound?: number;
    /** most live stream clients at a time */
    readonly maximumClients?: number;
    /** seconds a tuner stays on after its last user has left */
    readonly linger?: number;
  };
  readonly satip?: {
    readonly server?: {
      /** let others use the tuners, by SAT>IP (EN 50585) */
      readonly enabled?: boolean;
      /** port of RTSP; TVs know no other than 554, for which the program needs a permission */
      readonly port?: number;
      /** most SAT>IP clients at a time */
      readonly clients?: number;
      /** addresses and prefixes of those who may use the SAT>IP server */
      readonly allow?: string[];
      /**
       * satellites that SAT>IP clients number from 1, such as 19.2E; default is those of the service list, in its order
       */
      readonly satellites?: string[];
    };
  };
  readonly iptv?: {
    /** network interface such as `eth0` for multicast streams; default is that of the routes */
    readonly interface?: string;
    /** User-Agent of requests for streams, for providers that know some only; default is receiverd’s own */
    readonly userAgent?: string;
    /** bits per second: of an HLS stream in several qualities, none above this is chosen; 0: the best */
    readonly maximumBandwidth?: number;
    /**
     * addresses and prefixes of servers that streams may come from although they are on this machine or otherwise
     * refused (iptv.md)
     */
    readonly allow?: string[];
  };
  readonly recording?: {
    /** bytes per recording that may wait for a slow disk; data beyond that is lost */
    readonly queueBound?: number;
    /** when recorded data is forced to disk: never (the system decides), every few seconds, or at once */
    readonly sync?: 'never' | 'interval' | 'always';
    /** seconds of recording that a power cut may cost, with `sync: interval` */
    readonly syncInterval?: number;
  };
  readonly timeshift?: {
    /**
     * folder used for timeshift only; default is a folder below the setting config.usage.timeshift_path, else
     * DATA/timeshift
     */
    readonly folder?: string;
    /**
     * megabytes of timeshift kept; a gigabyte holds about half an hour in standard definition, ten minutes in high
     * definition
     */
    readonly size?: number;
    /** megabytes that timeshift leaves free on the disk, keeping less if necessary */
    readonly minimumFree?: number;
    /** start timeshift by itself for every service that is watched */
    readonly automatic?: boolean;
  };
  readonly cleaning?: {
    /**
     * gigabytes: while a disk has less free space, its oldest recordings are deleted permanently, except those of the
     * last day; 0: never
     */
    readonly minimumFree?: number;
    /** days after which a recording is deleted permanently; 0: never */
    readonly deleteAfter?: number;
    /** recordings with this tag are never deleted automatically */
    readonly keepTag?: string;
  };
  readonly power?: {
    /** clients may shut down and reboot the machine */
    readonly shutdown?: boolean;
    /** command that shuts the machine down, with its arguments */
    readonly shutdownCommand?: string[];
    /** command that reboots the machine, with its arguments */
    readonly rebootCommand?: string[];
    /**
     * alarm that switches the machine on for a timer after a shutdown: its file (wakealarm of a real-time clock,
     * wakeup_time of a box), auto for the one the machine has, or none
     */
    readonly wakeAlarm?: string;
    /** seconds before a timer at which the machine is switched on */
    readonly wakeLead?: number;
  };
  readonly remote?: {
    /** also press the keys of the remote control on this machine, through /dev/uinput */
    readonly uinput?: boolean;
  };
  readonly push?: {
    /** most event stream clients at a time */
    readonly maximumClients?: number;
    /** bytes of events that may wait for one client; a client that falls further behind is disconnected */
    readonly clientBound?: number;
    /** events kept for clients that reconnect */
    readonly history?: number;
    /** seconds between heartbeats on the event stream */
    readonly heartbeat?: number;
  };
  /** where the current service is shown: nowhere, or in the mpv player on the screen of this machine */
  readonly output?: 'none' | 'mpv';
  readonly mpv?: {
    /** the mpv program, searched for in PATH */
    readonly path?: string;
    /** further options for mpv, such as `--vo=gpu`; they override those that receiverd sets */
    readonly options?: string[];
  };
  /** provide POST /api/evil; other receivers run code for it, this one never does */
  readonly evil?: boolean;
  /** least severity that is logged */
  readonly logLevel?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}
