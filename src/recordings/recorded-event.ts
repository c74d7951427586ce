import type { GuideEvent } from '../epg/event.ts';
import type { Recording } from './recording.ts';

/** What a recording is of, in the form of an event: as it was broadcast where that is known, with what its owner says of it first. */
export function recordedEvent(recording: Recording): GuideEvent {
  const { event, service, title, description, extendedText, begin, length } = recording;
  const { serviceId = 0, transportStreamId = 0, originalNetworkId = 0 } = service ?? {};
  return {
    service: { serviceId, transportStreamId, originalNetworkId },
    id: 0,
    language: '',
    genres: [],
    parental: [],
    runningStatus: 0,
    freeCa: false,
    components: [],
    crids: [],
    ...event,
    title,
    shortText: description,
    extendedText,
    start: event?.start || begin,
    duration: event?.duration || (length ?? 0),
  };
}
