/**
 * The record of an event in responses about a single event, with fixed keys. The rows of event lists have the fields that
 * the client selects (fields.ts).
 */
import type { GuideEvent } from '../../epg/event.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { exampleOf, field, recordSchema } from '../write/record.ts';

export const eventKeys = {
  id: field(4711, 'event id'),
  start_time: field(1767290400, 'Unix seconds'),
  duration: field(2700, 'seconds'),
  title: field('Ships & Harbours'),
  shortinfo: field('Episode 3', 'short event text'),
  longinfo: field('The pilot boats of a large river.\nThen: the weather.', 'extended text, including its items'),
};

/** The service in examples, and its events. */
export const exampleService = {
  service_reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  service_name: 'Alpha HD',
} as const;
export const exampleEvent = exampleOf(recordSchema(eventKeys));
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
