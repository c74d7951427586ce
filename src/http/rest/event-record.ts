/**
 * An event in responses that show a single one: a record with fixed keys. Event lists have rows of chosen fields
 * (fields.ts).
 */
import Type from 'typebox';
import type { GuideEvent } from '../../epg/event.ts';
import { cleaned } from '../write/cleaned-text.ts';

export const eventKeys = {
  id: Type.Integer({ description: 'event id' }),
  start_time: Type.Integer({ description: 'Unix seconds' }),
  duration: Type.Integer({ description: 'seconds' }),
  title: Type.String(),
  shortinfo: Type.String({ description: 'short event text' }),
  longinfo: Type.String({ description: 'extended text, items included' }),
};

/** The service and the events of the examples. */
export const exampleService = {
  service_reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  service_name: 'Alpha HD',
} as const;
export const exampleEvent = {
  id: 4711,
  start_time: 1767290400,
  duration: 2700,
  title: 'Ships & Harbours',
  shortinfo: 'Episode 3',
  longinfo: 'The pilot boats of a large river.\nThen: the weather.',
} as const;
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
