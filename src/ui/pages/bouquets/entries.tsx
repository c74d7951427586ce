/** The entries of one bouquet: order, names, hiding, locking, adding and removing. */
import { ArrowLeft, Eye, EyeOff, Lock, LockOpen, Pencil, Plus, Trash2 } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import { serialQueue } from '../../../base/serial-queue.ts';
import type { Result } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { folded } from '../../shared/fold.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { href } from '../../shared/route.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { Rename } from './dialogs.tsx';
import { changeLock } from './lock.ts';
import { Sortable } from './sortable.tsx';
import { Tool } from './tool.tsx';

type Entry = Result<'get', '/bouquets/{file}'>['entries'][number];
type EditedEntry = Pick<Entry, 'reference' | 'own' | 'hidden'>;

export function Entries({ file }: { readonly file: string }) {
  const { value, trouble, reload } = useAnswer(
    (signal) => receiver.get('/bouquets/{file}', { file }, { signal }),
    [file],
    ['services'],
  );
  const [renamed, setRenamed] = useState<Entry>();
  const [isAdding, setAdding] = useState(false);
  const { bouquets: texts, common } = words.value;
  // The list on the screen may be older than the last edit, so each edit changes the receiver's current one, in turn.
  const edits = useMemo(serialQueue, [file]);
  const edit = (edited: (now: readonly Entry[]) => readonly EditedEntry[]) =>
    edits(async () => {
      const done = await attempt(async () => {
        const now = await receiver.get('/bouquets/{file}', { file });
        const plain = edited(now.entries).map(({ reference, own, hidden }) => ({ reference, own, hidden }));
        return receiver.put('/bouquets/{file}', { file, entries: JSON.stringify(plain) });
      });
      await reload();
      return done !== undefined;
    });
  const change = (entry: Entry, to: Partial<Entry>) =>
    edit((now) => {
      const place = placeOf(now, entry);
      return now.map((one, index) => (index === place ? { ...one, ...to } : one));
    });
  const order = (moved: readonly Entry[]) =>
    edit((now) => {
      // Another client may have added or removed entries.
      const left = [...now];
      const placed = moved.flatMap((one) => {
        const place = placeOf(left, one);
        return place < 0 ? [] : left.splice(place, 1);
      });
      return [...placed, ...left];
    });
  const remove = async (entry: Entry) => {
    let place = -1;
    const isDone = await edit((now) => {
      place = placeOf(now, entry);
      return place < 0 ? now : now.toSpliced(place, 1);
    });
    if (!isDone || place < 0) return;
    const undo = () => edit((now) => now.toSpliced(place, 0, entry));
    showToast(texts.entryRemoved(entry.name), { label: common.undo, run: undo });
  };
  return (
    <section class="narrow bouquets">
      <div class="page-head">
        <a class="button" href={href('bouquets')} aria-label={texts.back}>
          <Icon of={ArrowLeft} />
        </a>
        <h1>{value?.name ?? texts.title}</h1>
        <p class="actions">
          <button type="button" class="button strong" onClick={() => setAdding(true)}>
            <Icon of={Plus} size={16} /> {texts.addService}
          </button>
        </p>
      </div>
      {trouble && <Empty text={trouble} />}
      {value?.entries.length === 0 && <Empty title={texts.emptyTitle} text={texts.emptyText} />}
      {value && value.entries.length > 0 && (
        <Sortable
          items={value.entries}
          keyOf={identityOf}
          nameOf={({ name }) => name}
          onOrder={order}
          draw={(entry) => (
            <>
              <span class={`entry-name ${entry.kind} ${entry.hidden ? 'faded' : ''}`}>{entry.name}</span>
              <span class="tools">
                {entry.kind !== 'bouquet' && (
                  <Tool icon={Pencil} label={texts.rename(entry.name)} onClick={() => setRenamed(entry)} />
                )}
                {entry.kind !== 'marker' && (
                  <>
                    <Tool
                      icon={entry.hidden ? EyeOff : Eye}
                      label={texts.hide(entry.name)}
                      isPressed={entry.hidden}
                      onClick={() => void change(entry, { hidden: !entry.hidden })}
                    />
                    <Tool
                      icon={entry.locked ? Lock : LockOpen}
                      label={texts.lock(entry.name)}
                      isPressed={entry.locked}
                      onClick={() => void changeLock(entry.reference, entry.name, !entry.locked)}
                    />
                  </>
                )}
                <Tool icon={Trash2} label={texts.removeEntry(entry.name)} onClick={() => void remove(entry)} />
              </span>
            </>
          )}
        />
      )}
      {renamed && (
        <Rename
          name={renamed.name}
          isOptional={renamed.kind === 'service'}
          onName={(name) => change(renamed, { own: name })}
          onClose={() => setRenamed(undefined)}
        />
      )}
      {isAdding && (
        <AddService
          isListed={(reference) => value?.entries.some((entry) => entry.reference === reference) ?? false}
          onAdd={(reference) => edit((now) => [...now, { reference, own: '', hidden: false }])}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}

/** Index of an entry, also if the list was reloaded in between and the entry is now hidden or renamed; -1 if it is gone. */
function placeOf(entries: readonly Entry[], entry: Entry): number {
  const matchers = [
    (one: Entry) => one === entry,
    (one: Entry) => one.reference === entry.reference,
    (one: Entry) => one.kind !== 'marker' && identityOf(one) === identityOf(entry),
  ];
  return matchers.map((matches) => entries.findIndex(matches)).find((place) => place >= 0) ?? -1;
}

/** The reference without its flags, one of which hides the entry, and without its name. */
function identityOf({ reference }: Entry): string {
  const [type, , ...rest] = reference.split(':');
  return [type, ...rest.slice(0, 9)].join(':');
}

interface AddProps {
  readonly isListed: (reference: string) => boolean;
  readonly onAdd: (reference: string) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Services shown; a longer search text narrows them. */
const maxServices = 100;

/** Searches the service list by name and adds services to the bouquet. */
function AddService({ isListed, onAdd, onClose }: AddProps) {
  const [text, setText] = useState('');
  const { value } = useAnswer(
    async (signal) => {
      const lists = [0, 1].map((mode) =>
        receiver
          .get('/api/getservices', { sRef: allServices[mode] ?? '' }, { signal })
          .then(({ services }) => services),
      );
      return (await Promise.all(lists)).flat();
    },
    [],
    ['services'],
  );
  const { bouquets: texts } = words.value;
  const wanted = folded(text);
  const found = value?.filter(({ servicename }) => folded(servicename).includes(wanted)).slice(0, maxServices);
  return (
    <Dialog title={texts.addService} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        <label>
          {texts.nameOfService}
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      </form>
      <ol class="list found">
        {found?.map(({ servicereference, servicename }) => (
          <li key={servicereference}>
            <button
              type="button"
              class="found-service"
              disabled={isListed(servicereference)}
              onClick={() => void onAdd(servicereference)}
            >
              {servicename}
            </button>
          </li>
        ))}
      </ol>
      {found?.length === 0 && <p class="hint">{texts.nothingFound}</p>}
    </Dialog>
  );
}

/** Enigma2's references for all television and all radio services. */
const allServices = [
  '1:7:1:0:0:0:0:0:0:0:(type == 1) || (type == 17) || (type == 22) || (type == 25) || (type == 31) || (type == 32) ORDER BY name',
  '1:7:2:0:0:0:0:0:0:0:(type == 2) || (type == 10) ORDER BY name',
];
