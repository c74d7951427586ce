/** The channels and the recordings whose names contain the search text. */

import { useMemo } from 'preact/hooks';
import { watchHref } from '../../shared/actions.tsx';
import { folded } from '../../shared/fold.ts';
import { Marked } from '../../shared/marked.tsx';
import { loadChannels } from '../../shared/pickers.tsx';
import { receiver } from '../../shared/receiver.ts';
import { href } from '../../shared/route.ts';
import { dayOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import type { Recording } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { isFound } from '../recordings/listing.ts';
import { wordsOf } from './query.ts';

/** Channels and recordings shown. */
const maxShown = 8;

type Channels = readonly { readonly reference: string; readonly name: string; readonly difference: string }[];

interface OthersProps {
  readonly text: string;
  readonly channels: Channels;
  readonly recordings: readonly Recording[];
}

/** All channels and recordings; undefined until both are loaded. */
export function useOthers(): Omit<OthersProps, 'text'> | undefined {
  const { value: bouquets } = useResponse(loadChannels, [], ['services']);
  const { value: recordings } = useResponse(
    async (signal) => (await receiver.get('/recordings', {}, { signal })).items,
    [],
    ['recordings'],
  );
  const channels = useMemo(() => bouquets?.flatMap((bouquet) => bouquet.channels), [bouquets]);
  return channels && recordings && { channels, recordings };
}

export function Others({ text, channels, recordings }: OthersProps) {
  const marks = wordsOf({ text });
  const wanted = marks.map(folded);
  const named = channels.filter(({ name }) => wanted.every((word) => folded(name).includes(word)));
  const recorded = recordings.filter((recording) => isFound(recording, text));
  const { app } = words.value;
  return (
    <>
      {named.length > 0 && (
        <nav class="named" aria-label={app.channels}>
          <h2>{app.channels}</h2>
          {named.slice(0, maxShown).map(({ reference, name, difference }) => (
            <a key={reference} class="button" href={watchHref(reference, name)}>
              <Marked text={name} words={marks} /> {difference && <small>{difference}</small>}
            </a>
          ))}
        </nav>
      )}
      {recorded.length > 0 && (
        <nav class="named" aria-label={app.recordings}>
          <h2>
            <a href={href('recordings')}>{app.recordings}</a>
          </h2>
          {recorded.slice(0, maxShown).map(({ filename, label, begin }) => (
            <a key={filename} class="button" href={href('recordings', { recording: filename })}>
              <Marked text={label} words={marks} /> <small>{dayOf(begin)}</small>
            </a>
          ))}
        </nav>
      )}
    </>
  );
}
