/** Formats times, days, lengths, numbers and sizes in the chosen language and the browser's time zone. */
import { computed } from '@preact/signals';
import { now } from './receiver.ts';
import { language, words } from './words.ts';

/** The chosen language with the browser's region, which decides between 12 and 24 hours. */
const tag = computed(() => navigator.languages.find((one) => one.startsWith(language.value)) ?? language.value);

const formats = computed(() => {
  const format = (options: Intl.DateTimeFormatOptions, locale = tag.value) => new Intl.DateTimeFormat(locale, options);
  return {
    time: format({ timeStyle: 'short' }),
    preciseTime: format({ timeStyle: 'medium' }),
    weekday: format({ weekday: 'long' }),
    shortWeekday: format({ weekday: 'short' }),
    // The pattern for the United States is `26 Thu`, which nobody writes.
    shortDay: format({ weekday: 'short', day: 'numeric' }, tag.value.startsWith('en') ? 'en-GB' : tag.value),
    date: format({ day: 'numeric', month: 'long' }),
    fullDate: format({ weekday: 'short', day: 'numeric', month: 'short' }),
    number: new Intl.NumberFormat(tag.value),
  };
});

/** `20:15`. Times are Unix seconds throughout. */
export function timeOf(seconds: number): string {
  return formats.value.time.format(seconds * 1000);
}

/** `Thu, 26 Nov 20:15`, or today, tomorrow or yesterday and the time. */
export function momentOf(seconds: number): string {
  return `${dayOf(seconds)} ${timeOf(seconds)}`;
}

/** `20:15:09`. */
export function preciseTimeOf(seconds: number): string {
  return formats.value.preciseTime.format(seconds * 1000);
}

/** `20:15 – 21:45`. */
export function spanOf(start: number, duration: number): string {
  return `${timeOf(start)} – ${timeOf(start + duration)}`;
}

/** `Thu, 26 Nov`, or today, tomorrow or yesterday in the chosen language. */
export function dayOf(seconds: number): string {
  const named = dayNames().get(dayKey(seconds));
  return named ?? formats.value.fullDate.format(seconds * 1000);
}

/** `Thu 26`, or today in the chosen language. */
export function shortDayOf(seconds: number): string {
  return dayKey(seconds) === dayKey(now()) ? words.value.time.today : formats.value.shortDay.format(seconds * 1000);
}

/** `26 November`. */
export function dateOf(seconds: number): string {
  return formats.value.date.format(seconds * 1000);
}

/** `Thursday`, or today, tomorrow or yesterday in the chosen language. */
export function weekdayOf(seconds: number): string {
  return dayNames().get(dayKey(seconds)) ?? formats.value.weekday.format(seconds * 1000);
}

function dayNames(): ReadonlyMap<string, string> {
  const { yesterday, today, tomorrow } = words.value.time;
  const midday = startOfDay(now()) + 43_200;
  return new Map([
    [dayKey(midday - 86_400), yesterday],
    [dayKey(midday), today],
    [dayKey(midday + 86_400), tomorrow],
  ]);
}

/** `2026-11-26`: a key for the local day. */
export function dayKey(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Local midnight at the start of the day, `later` days later. */
export function startOfDay(seconds: number, later = 0): number {
  const date = new Date(seconds * 1000);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime() / 1000;
}

/** `1 h 30 min`, `45 min`. */
export function lengthOf(seconds: number): string {
  const minutes = Math.max(0, Math.round(seconds / 60));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const { hours: inHours, minutes: inMinutes } = words.value.time;
  if (hours === 0) return inMinutes(rest);
  return rest === 0 ? inHours(hours) : `${inHours(hours)} ${inMinutes(rest)}`;
}

/** `45 min left`; never 0 min. */
export function timeLeft(seconds: number): string {
  return words.value.time.left(lengthOf(Math.max(60, seconds)));
}

/** `1:05:09`: a position in a recording. */
export function positionOf(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  return `${hours > 0 ? `${hours}:` : ''}${hours > 0 ? two((seconds / 60) % 60) : Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/** `12,345` or `12.345`. */
export function numberOf(value: number): string {
  return formats.value.number.format(value);
}

/** `4.1 GB`. */
export function sizeOf(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const unit = units[step] ?? 'byte';
  return new Intl.NumberFormat(tag.value, { style: 'unit', unit, maximumFractionDigits: step > 2 ? 1 : 0 }).format(
    bytes / 1000 ** step,
  );
}

/** Short names of the weekdays, starting with the locale's first; `day` is 0 for Monday. */
export function weekdays(): readonly { readonly day: number; readonly name: string }[] {
  const locale = new Intl.Locale(tag.value) as Intl.Locale & {
    getWeekInfo?(): { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  const first = ((locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1) - 1;
  // 5 January 2026 is a Monday.
  return Array.from({ length: 7 }, (_, index) => {
    const day = (first + index) % 7;
    return { day, name: formats.value.shortWeekday.format(new Date(2026, 0, 5 + day)) };
  });
}

/** `2026-11-26T20:15`: the value of a `datetime-local` field. */
export function fieldOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${dayKey(seconds)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Unix seconds of a `datetime-local` value; 0 if it is empty. */
export function secondsOf(field: string): number {
  return Math.floor(new Date(field).getTime() / 1000) || 0;
}
