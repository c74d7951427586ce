/** All pages. Pages with an icon are in the menu, in this order. */
import {
  CalendarClock,
  CalendarDays,
  Film,
  Gamepad2,
  House,
  type IconNode,
  Repeat,
  Server,
  Settings,
  Tv,
} from 'lucide';
import type { ComponentType } from 'preact';
import type { Permission } from '../shared/login.ts';
import type { Words } from '../shared/words.ts';

interface PageEntry {
  readonly title: (words: Words['app']) => string;
  readonly icon?: IconNode;
  /** Always shown in the menu of a phone, which has room for four. */
  readonly isDaily?: boolean;
  /** Permission that the page requires. Without it, the page is neither in the menu nor shown. */
  readonly needs?: Permission;
  /** The page in the menu that is highlighted while this one is open. */
  readonly of?: string;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

const entries: Readonly<Record<string, PageEntry>> = {
  '': { title: ({ home }) => home, icon: House, isDaily: true, load: () => import('../pages/home/home.tsx') },
  channels: {
    title: ({ channels }) => channels,
    icon: Tv,
    isDaily: true,
    load: () => import('../pages/channels/channels.tsx'),
  },
  guide: {
    title: ({ guide }) => guide,
    icon: CalendarDays,
    isDaily: true,
    load: () => import('../pages/guide/guide.tsx'),
  },
  channel: { title: ({ channels }) => channels, of: 'channels', load: () => import('../pages/channel/channel.tsx') },
  timers: {
    title: ({ timers }) => timers,
    icon: CalendarClock,
    load: () => import('../pages/timers/timers.tsx'),
  },
  recordings: {
    title: ({ recordings }) => recordings,
    icon: Film,
    isDaily: true,
    load: () => import('../pages/recordings/recordings.tsx'),
  },
  series: { title: ({ series }) => series, icon: Repeat, load: () => import('../pages/series/series.tsx') },
  watch: { title: ({ channels }) => channels, of: 'channels', load: () => import('../pages/watch/watch.tsx') },
  api: { title: ({ api }) => api, load: () => import('../pages/api/api.tsx') },
  search: { title: ({ search }) => search, load: () => import('../pages/search/search.tsx') },
  remote: {
    title: ({ remote }) => remote,
    icon: Gamepad2,
    needs: 'control',
    load: () => import('../pages/remote/remote.tsx'),
  },
  box: { title: ({ box }) => box, icon: Server, load: () => import('../pages/box/box.tsx') },
  scan: { title: ({ scan }) => scan, of: 'box', needs: 'admin', load: () => import('../pages/scan/scan.tsx') },
  setup: { title: ({ setup }) => setup, of: 'box', needs: 'admin', load: () => import('../pages/setup/setup.tsx') },
  bouquets: {
    title: ({ bouquets }) => bouquets,
    of: 'box',
    needs: 'admin',
    load: () => import('../pages/bouquets/bouquets.tsx'),
  },
  connect: { title: ({ connect }) => connect, of: 'box', load: () => import('../pages/connect/connect.tsx') },
  settings: {
    title: ({ settings }) => settings,
    icon: Settings,
    needs: 'admin',
    load: () => import('../pages/settings/settings.tsx'),
  },
};

/** Pages by their name in the address; the first page has an empty name. */
export const pages: ReadonlyMap<string, PageEntry> = new Map(Object.entries(entries));
