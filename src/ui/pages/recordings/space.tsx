/** The free space of the locations, also in hours of recording. */
import type { Storage } from '../../../client/client.ts';
import { receiver } from '../../shared/receiver.ts';
import { numberOf, sizeOf } from '../../shared/time.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

type Folder = Storage['folders'][number];

export function useStorage() {
  return useResponse((signal) => receiver.get('/api/storage', {}, { signal }), [], ['recording', 'recordings']);
}

export function Space({ storage }: { readonly storage: Storage | undefined }) {
  const known = storage?.folders.filter(({ free }) => free !== null) ?? [];
  const missing = storage?.folders.filter((folder) => folder.missing !== null) ?? [];
  // Folders with the same figures are taken to be on the same disk.
  const isSame = (a: Folder, b: Folder) => a.free === b.free && a.capacity === b.capacity;
  const disks = known.filter((disk, at) => known.findIndex((one) => isSame(one, disk)) === at);
  if (storage === undefined || known.length + missing.length === 0) return null;
  const { recordings: texts } = words.value;
  const rate = sizeOf(storage.rate);
  const hasSeveral = storage.folders.length > 1;
  return (
    <div class="space">
      {missing.map(({ folder, missing: reason }) => (
        <p key={folder} class="notice" role="alert" title={reason ?? ''}>
          {texts.missing(folder)}
        </p>
      ))}
      {disks.map((disk) => {
        const { folder, free, capacity, hours } = disk;
        const folders = known.filter((one) => isSame(one, disk)).map((one) => one.folder);
        const names = folders.join(' · ');
        return (
          <p key={folder}>
            {hasSeveral && <small>{names}</small>}
            <span>{texts.free(sizeOf(free ?? 0), numberOf(hours ?? 0))}</span>
            <meter min={0} max={capacity ?? 1} value={(capacity ?? 1) - (free ?? 0)} aria-label={texts.used(names)} />
          </p>
        );
      })}
      <small>{storage.isMeasured ? texts.rateMeasured(rate) : texts.rateAssumed(rate)}</small>
    </div>
  );
}
