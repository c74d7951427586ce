/** The free space of the recording folders, and how many hours of recording that is. */
import type { Storage } from '../../../client/client.ts';
import { receiver } from '../../shared/receiver.ts';
import { numberOf, sizeOf } from '../../shared/time.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';

export function useStorage() {
  return useAnswer((signal) => receiver.get('/api/storage', {}, { signal }), [], ['recording', 'recordings']);
}

export function Space({ storage }: { readonly storage: Storage | undefined }) {
  const known = storage?.folders.filter(({ free }) => free !== null) ?? [];
  if (storage === undefined || known.length === 0) return null;
  const { recordings: said } = words.value;
  const rate = sizeOf(storage.rate);
  const hasSeveral = storage.folders.length > 1;
  return (
    <div class="space">
      {known.map(({ folder, free, capacity, hours }) => (
        <p key={folder}>
          {hasSeveral && <small>{folder}</small>}
          <span>{said.free(sizeOf(free ?? 0), numberOf(hours ?? 0))}</span>
          <meter min={0} max={capacity ?? 1} value={(capacity ?? 1) - (free ?? 0)} aria-label={said.used(folder)} />
        </p>
      ))}
      <small>{storage.isMeasured ? said.rateMeasured(rate) : said.rateAssumed(rate)}</small>
    </div>
  );
}
