/** The bouquet editor: order, names, entries, hiding, locking, new bouquets and import of M3U lists. */
import { Eye, EyeOff, Lock, LockOpen, Pencil, Plus, Trash2, Upload } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import { serialQueue } from '../../../base/serial-queue.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Empty } from '../../shared/empty.tsx';
import { folded } from '../../shared/fold.ts';
import { Icon } from '../../shared/icon.tsx';
import { receiver } from '../../shared/receiver.ts';
import { href, route } from '../../shared/route.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { BoxHead } from '../box/head.tsx';
import { type BouquetFile, DeleteQuestion, ImportDialog, NewBouquet, PinForm, Rename } from './dialogs.tsx';
import { Entries } from './entries.tsx';
import { changeLock } from './lock.ts';
import { Sortable } from './sortable.tsx';
import { Tool } from './tool.tsx';

export default function Bouquets() {
  const { file } = route.value.query;
  return file ? <Entries key={file} file={file} /> : <Overview />;
}

/** A longer list gets a filter: fewer bouquets fit on a screen. */
const minFiltered = 8;

type Opened = 'new' | 'import' | 'code' | { readonly rename: BouquetFile } | { readonly remove: BouquetFile };

function Overview() {
  const { value, trouble, reload } = useResponse(
    (signal) => receiver.get('/bouquets', {}, { signal }),
    [],
    ['services'],
  );
  const [opened, setOpened] = useState<Opened>();
  const { bouquets: texts } = words.value;
  const [filter, setFilter] = useState('');
  const edits = useMemo(serialQueue, []);
  const wanted = folded(filter.trim());
  const isShown = ({ name }: BouquetFile) => folded(name).includes(wanted);
  const close = () => {
    setOpened(undefined);
    void reload();
  };
  const order = async (kind: BouquetFile['kind'], moved: readonly BouquetFile[]) => {
    await attempt(() => receiver.put('/bouquets', { kind, files: moved.map(({ file }) => file) }));
    await reload();
  };
  return (
    <section class="box bouquets">
      <BoxHead />
      <p class="actions">
        <button type="button" class="button strong" onClick={() => setOpened('new')}>
          <Icon of={Plus} size={16} /> {texts.add}
        </button>
        <button type="button" class="button" onClick={() => setOpened('import')}>
          <Icon of={Upload} size={16} /> {texts.importList}
        </button>
        <button type="button" class="button" onClick={() => setOpened('code')}>
          <Icon of={Lock} size={16} /> {texts.parentalLock}
        </button>
        {value && value.bouquets.length > minFiltered && (
          <input
            type="search"
            class="filter"
            aria-label={texts.filter}
            placeholder={texts.filter}
            autocomplete="off"
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
      </p>
      {trouble && <Empty text={trouble} />}
      {value && value.bouquets.length > 0 && !value.bouquets.some(isShown) && <Empty text={texts.noBouquetFound} />}
      {(['tv', 'radio'] as const).map((kind) => {
        const members = value?.bouquets.filter((bouquet) => bouquet.kind === kind) ?? [];
        if (!members.some(isShown)) return null;
        return (
          <section key={kind} class="kind-of-bouquets" aria-labelledby={`kind-${kind}`}>
            <h2 id={`kind-${kind}`}>{kind === 'tv' ? texts.television : texts.radio}</h2>
            <Sortable
              items={members}
              keyOf={(one) => one.file}
              nameOf={(one) => one.name}
              // The order of a part says nothing about the rest.
              onOrder={wanted === '' ? (moved) => edits(() => order(kind, moved)) : undefined}
              isShown={isShown}
              draw={(one) => <Row bouquet={one} onOpen={setOpened} onChange={() => void reload()} />}
            />
          </section>
        );
      })}
      {opened === 'new' && <NewBouquet onClose={close} />}
      {opened === 'import' && <ImportDialog onClose={close} />}
      {opened === 'code' && <PinForm onClose={close} />}
      {typeof opened === 'object' && 'rename' in opened && (
        <Rename
          name={opened.rename.name}
          onClose={close}
          onName={async (name) =>
            (await attempt(() => receiver.put('/bouquets/{file}', { file: opened.rename.file, name }))) !== undefined
          }
        />
      )}
      {typeof opened === 'object' && 'remove' in opened && <DeleteQuestion bouquet={opened.remove} onClose={close} />}
    </section>
  );
}

interface RowProps {
  readonly bouquet: BouquetFile;
  readonly onOpen: (opened: Opened) => void;
  readonly onChange: () => void;
}

function Row({ bouquet, onOpen, onChange }: RowProps) {
  const { file, name, hidden, locked, reference } = bouquet;
  const { bouquets: texts } = words.value;
  const hide = async () => {
    const done = await attempt(() => receiver.put('/bouquets/{file}', { file, hidden: !hidden }));
    if (done) showToast(hidden ? texts.shownAgain(name) : texts.nowHidden(name));
    onChange();
  };
  return (
    <>
      <a class={`entry-name ${hidden ? 'faded' : ''}`} href={href('bouquets', { file })}>
        {name}
      </a>
      <span class="tools">
        <Tool icon={Pencil} label={texts.rename(name)} onClick={() => onOpen({ rename: bouquet })} />
        <Tool icon={hidden ? EyeOff : Eye} label={texts.hide(name)} isPressed={hidden} onClick={() => void hide()} />
        <Tool
          icon={locked ? Lock : LockOpen}
          label={texts.lock(name)}
          isPressed={locked}
          onClick={() => void changeLock(reference, name, !locked)}
        />
        <Tool icon={Trash2} label={texts.remove(name)} onClick={() => onOpen({ remove: bouquet })} />
      </span>
    </>
  );
}
