/** The error message in place of the video, with a retry button and links for other players. */
import type { ComponentChildren } from 'preact';
import { href } from '../../shared/route.ts';
import { sentence, words } from '../../shared/words.ts';
import type { Trouble } from './reasons.ts';

interface TroubleProps {
  readonly trouble: Trouble;
  readonly onRetry: () => void;
  readonly playerLinks: ComponentChildren;
}

export function TroubleText({ trouble, onRetry, playerLinks }: TroubleProps) {
  const texts = words.value.watch;
  return (
    <div class="no-picture" role="alert">
      <p>{textOf(trouble)}</p>
      {(trouble.kind === 'noSignal' || trouble.kind === 'silent') && trouble.message && (
        <p>
          <small>{sentence(trouble.message)}</small>
        </p>
      )}
      <p class="ways">
        <button type="button" class="button" onClick={onRetry}>
          {texts.retry}
        </button>
        {(trouble.kind === 'refused' || trouble.kind === 'noSignal') && (
          <a class="button" href={href('box', { view: 'tuners' })}>
            {words.value.box.tuners}
          </a>
        )}
        {playerLinks}
      </p>
    </div>
  );
}

function textOf(trouble: Trouble): string {
  const texts = words.value.watch;
  switch (trouble.kind) {
    case 'refused':
      return sentence(texts.refused(trouble.message));
    case 'codecs':
      return texts.codecs(trouble.codecs.join(', '));
    case 'encrypted':
      return texts.encrypted;
    case 'noSignal':
      return texts.noSignal;
    case 'silent':
      return texts.silent;
    case 'empty':
      return texts.nothingReceived;
    case 'browser':
      return texts.browser;
    case 'failed':
      return sentence(texts.failed(trouble.message));
  }
}
