import type { GuideEvent } from '../../epg/event.ts';
import type { Recording } from './recording.ts';

/** A recording as a guide event: its broadcast event, if known, with the recording's own title and texts. */
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
