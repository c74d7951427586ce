/** The picture of a recording at the start of its row, with its progress and whether it was watched. */
import { Check, Play } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from '../../shared/icon.tsx';
import { RecordingPicture } from '../../shared/picture.tsx';
import { href } from '../../shared/route.ts';
import { isWatched, type Recording, resumeOf } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { playText } from './play-recording.tsx';

interface StillProps {
  readonly recording: Recording;
  readonly isSeen?: boolean;
  readonly children?: ComponentChildren;
}

export function Still({ recording, isSeen = isWatched(recording), children }: StillProps) {
  const { length } = recording;
  const resume = resumeOf(recording);
  return (
    <span class="still">
      <RecordingPicture of={recording} />
      {isSeen && (
        <span class="seen">
          <Icon of={Check} size={14} />
          <span class="unseen">{words.value.recordings.watched}</span>
        </span>
      )}
      {resume > 0 && length !== null && <progress max={length} value={resume} aria-hidden="true" />}
      {children}
    </span>
  );
}

/** A still that plays the recording. */
export function PlayStill({ recording, ...rest }: StillProps) {
  const { filename, label } = recording;
  return (
    <a class="play-still" href={href('watch', { recording: filename })}>
      <span class="unseen">
        {playText(recording)}: {label}
      </span>
      <Still recording={recording} {...rest} />
      <Icon of={Play} size={18} />
    </a>
  );
}
