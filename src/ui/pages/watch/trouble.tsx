/** Why there is no picture, in words, and what can be done about it. */
import type { ComponentChildren } from 'preact';
import { words } from '../../shared/words.ts';
import type { Trouble } from './player.ts';

interface TroubleProps {
  readonly trouble: Trouble;
  readonly onRetry: () => void;
  readonly wayOut: ComponentChildren;
}

export function TroubleText({ trouble, onRetry, wayOut }: TroubleProps) {
  const said = words.value.watch;
  return (
    <div class="no-picture" role="alert">
      <p>{textOf(trouble)}</p>
      <p class="ways">
        <button type="button" class="button" onClick={onRetry}>
          {said.retry}
        </button>
        {wayOut}
      </p>
    </div>
  );
}

function textOf(trouble: Trouble): string {
  const said = words.value.watch;
  switch (trouble.kind) {
    case 'refused':
      return said.refused(trouble.message);
    case 'codecs':
      return said.codecs(trouble.codecs.join(', '));
    case 'encrypted':
      return said.encrypted;
    case 'empty':
      return said.nothingReceived;
    case 'browser':
      return said.browser;
    case 'failed':
      return said.failed(trouble.message);
  }
}
