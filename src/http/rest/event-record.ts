/** An event in answers that show one: a record under names, where lists of events are rows of chosen fields (fields.ts). */
import Type from 'typebox';
import type { GuideEvent } from '../../epg/event.ts';
import { cleaned } from './text.ts';

export const eventKeys = {
  id: Type.Integer({ description: 'event id' }),
  start_time: Type.Integer({ description: 'Unix seconds' }),
  duration: Type.Integer({ description: 'seconds' }),
  title: Type.String(),
  shortinfo: Type.String({ description: 'short event text' }),
  longinfo: Type.String({ description: 'extended text, items included' }),
};

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
