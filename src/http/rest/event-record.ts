/**
 * An event in responses that show a single one: a record with fixed keys. Event lists have rows of chosen fields
 * (fields.ts).
 */
import type { GuideEvent } from '../../epg/event.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { exampleOf, field, record } from '../write/record.ts';

export const eventKeys = {
  id: field(4711, 'event id'),
  start_time: field(1767290400, 'Unix seconds'),
  duration: field(2700, 'seconds'),
  title: field('Ships & Harbours'),
  shortinfo: field('Episode 3', 'short event text'),
  longinfo: field('The pilot boats of a large river.\nThen: the weather.', 'extended text, items included'),
};

/** The service and the events of the examples. */
export const exampleService = {
  service_reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  service_name: 'Alpha HD',
} as const;
export const exampleEvent = exampleOf(record(eventKeys));
export const exampleNextEvent = {
  id: 4712,
  start_time: 1767293100,
  duration: 1800,
  title: 'Weather',
  shortinfo: '',
  longinfo: 'Outlook for the week.',
} as const;

type ShownEvent = Pick<GuideEvent, 'id' | 'start' | 'duration' | 'title' | 'shortText' | 'extendedText'>;

export function eventRecord({ id, start, duration, title, shortText, extendedText }: ShownEvent) {
  return {
    id,
    start_time: start,
    duration,
    title: cleaned(title),
    shortinfo: cleaned(shortText),
    longinfo: cleaned(extendedText),
  };
}
