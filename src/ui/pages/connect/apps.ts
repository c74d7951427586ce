/** The apps that the page offers, and where in each of them the values belong. Menus have their English names. */

export type Value = 'page' | 'host' | 'webPort' | 'streamPort' | 'playlist' | 'guide' | 'tuner';

export interface Step {
  /** The menus of the app that lead to the form. */
  readonly menus?: string;
  readonly values: readonly Value[];
}

export interface ConnectedApp {
  readonly name: string;
  /** Whether the app speaks the interface of Enigma2, so needs a host and ports. */
  readonly isEnigma2?: boolean;
  /** Whether the app sees the receiver as an HDHomeRun. */
  readonly isHdhomerun?: boolean;
  readonly steps: readonly Step[];
}

const enigma2 = ['host', 'webPort', 'streamPort'] as const;

export const apps = {
  browser: { name: '', steps: [{ values: ['page'] }] },
  kodi: {
    name: 'Kodi',
    isEnigma2: true,
    steps: [{ menus: 'Add-ons › My add-ons › PVR clients › Enigma2 Client › Configure', values: enigma2 }],
  },
  vlc: { name: 'VLC', steps: [{ menus: 'Media › Open Network Stream', values: ['playlist'] }] },
  jellyfin: {
    name: 'Jellyfin',
    steps: [
      { menus: 'Dashboard › Live TV › Tuner Devices › Add › M3U Tuner', values: ['playlist'] },
      { menus: 'Dashboard › Live TV › TV Guide Data Providers › Add › XMLTV', values: ['guide'] },
    ],
  },
  plex: {
    name: 'Plex',
    isHdhomerun: true,
    steps: [
      { menus: 'Settings › Live TV & DVR › Set Up Plex Tuner', values: ['tuner'] },
      { menus: 'Have an XMLTV guide on your server? Click here to use it', values: ['guide'] },
    ],
  },
  iptv: { name: 'TiviMate', steps: [{ menus: 'Add playlist › M3U playlist', values: ['playlist', 'guide'] }] },
  homeAssistant: {
    name: 'Home Assistant',
    isEnigma2: true,
    steps: [
      { menus: 'Settings › Devices & services › Add integration › Enigma2 (OpenWebif)', values: ['host', 'webPort'] },
    ],
  },
  dreamDroid: { name: 'dreamDroid', isEnigma2: true, steps: [{ menus: 'Profiles › Add', values: enigma2 }] },
} satisfies Readonly<Record<string, ConnectedApp>>;

export type AppName = keyof typeof apps;
