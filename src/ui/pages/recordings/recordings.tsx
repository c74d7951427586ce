/** The recordings of a folder, running recordings, transfers, folders and free space. */
import { Folder, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { Icon } from '../../shared/icon.tsx';
import { RecordingPicture } from '../../shared/picture.tsx';
import { receiver } from '../../shared/receiver.ts';
import { change, href, hrefHere, route } from '../../shared/route.ts';
import { Running } from '../../shared/running.tsx';
import { dayOf, numberOf, sizeOf, timeOf } from '../../shared/time.ts';
import { useTimers } from '../../shared/timers.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { words } from '../../shared/words.ts';
import { Capture } from './capture.tsx';
import { EmptyTrash } from './empty-trash.tsx';
import { isFound, isTrash, lengthText, type Recording, resumeOf, type Sorting, sorted, sortings } from './library.ts';
import { PlayRecording } from './play-recording.tsx';
import { RecordingDialog } from './recording-dialog.tsx';
import { Selection } from './selection.tsx';
import { Space, useStorage } from './space.tsx';
import { Transfers } from './transfers.tsx';

/** Recordings shown; a search narrows them. */
const maxShown = 300;

export default function RecordingsPage() {
  const { value: storage } = useStorage();
  const { value: timers } = useTimers();
  const { folder: requested, find = '', sort, recording } = route.value.query;
  const folder = requested || storage?.folders[0]?.folder || '';
  const { value, trouble } = useAnswer(
    async (signal) => {
      if (folder === '') return undefined;
      return receiver.get('/recordings', { folder, recursive: find !== '' }, { signal });
    },
    [folder, find !== ''],
    ['recording', 'recordings', 'timeshift'],
  );
  const { app, recordings: texts } = words.value;
  const found = value && sorted(find ? value.items.filter((one) => isFound(one, find)) : value.items, sort);
  const shown = value?.items.find(({ filename }) => filename === recording);
  const listed = found?.slice(0, maxShown) ?? [];
  // Running recordings cannot be moved or deleted here.
  const selectable = listed.filter((one) => !one.recording);
  const [marks, setMarks] = useState<ReadonlySet<string>>();
  const mark = (path: string, isMarked: boolean) => {
    const others = [...(marks ?? [])].filter((other) => other !== path);
    setMarks(new Set(isMarked ? [...others, path] : others));
  };
  return (
    <section class="narrow recordings">
      <div class="page-head">
        <h1>{app.recordings}</h1>
        <Capture />
      </div>
      <Space storage={storage} />
      {timers && <Running timers={timers.filter(({ justplay }) => !justplay)} />}
      <Transfers />
      <Locations all={storage?.folders.map((one) => one.folder) ?? []} shown={folder} />
      <Filter isSelecting={marks !== undefined} onSelect={(isOn) => setMarks(isOn ? new Set() : undefined)} />
      {trouble && <Empty text={trouble} />}
      {value && <Folders folder={folder} names={value.folders ?? []} />}
      {isTrash(folder) && value && value.items.length > 0 && <EmptyTrash recordings={value.items} />}
      {listed.length > 0 && (
        <ol class="list library">
          {listed.map((one) => (
            <Row
              key={one.filename}
              recording={one}
              isMarked={marks?.has(one.filename)}
              onMark={(isMarked) => mark(one.filename, isMarked)}
            />
          ))}
        </ol>
      )}
      {found && found.length > maxShown && <p class="hint">{texts.more(numberOf(maxShown), numberOf(found.length))}</p>}
      {marks && (
        <Selection
          chosen={selectable.filter(({ filename }) => marks.has(filename))}
          folder={folder}
          folders={value?.folders ?? []}
          onAll={() => setMarks(new Set(selectable.map(({ filename }) => filename)))}
          onEnd={() => setMarks(undefined)}
        />
      )}
      {found?.length === 0 && <NoRecordings isSearch={find !== ''} isTrash={isTrash(folder)} />}
      {shown && <RecordingDialog key={shown.filename} recording={shown} folders={value?.folders ?? []} />}
    </section>
  );
}

function NoRecordings({ isSearch, isTrash: isOfTrash }: { readonly isSearch: boolean; readonly isTrash: boolean }) {
  const { recordings: texts } = words.value;
  if (isSearch) return <Empty text={texts.nothingFound} />;
  return isOfTrash ? <Empty text={texts.trashEmpty} /> : <Empty title={texts.noneTitle} text={texts.noneText} />;
}

/** Breadcrumbs: the locations, if there are several, and the folders above the current one. */
function Locations({ all, shown }: { readonly all: readonly string[]; readonly shown: string }) {
  const { recordings: texts } = words.value;
  const location = all.filter((one) => shown.startsWith(one)).sort((a, b) => b.length - a.length)[0];
  if (location === undefined) return null;
  const below = shown.slice(location.length).split('/').filter(Boolean);
  const isFirst = location === all[0];
  if (all.length < 2 && below.length === 0) return null;
  return (
    <nav class="crumbs" aria-label={texts.folders}>
      {all.map((one) => (
        <a
          key={one}
          href={href('recordings', { folder: one === all[0] ? undefined : one })}
          aria-current={one === shown ? 'page' : undefined}
        >
          {one}
        </a>
      ))}
      {below.map((name, index) => {
        const path = `${location}${below.slice(0, index + 1).join('/')}/`;
        return (
          <a
            key={path}
            href={href('recordings', { folder: isFirst && path === location ? undefined : path })}
            aria-current={path === shown ? 'page' : undefined}
          >
            {isTrash(path) ? texts.trash : name}
          </a>
        );
      })}
    </nav>
  );
}

interface FilterProps {
  readonly isSelecting: boolean;
  readonly onSelect: (isOn: boolean) => void;
}

function Filter({ isSelecting, onSelect }: FilterProps) {
  const { find = '', sort = 'newest' } = route.value.query;
  const { recordings: texts } = words.value;
  return (
    <div class="library-tools">
      <input
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={find}
        maxLength={100}
        onInput={(event) => change({ find: event.currentTarget.value || undefined }, { replace: true })}
      />
      <select
        aria-label={texts.sort}
        value={sort}
        onChange={(event) => change({ sort: event.currentTarget.value as Sorting }, { replace: true })}
      >
        {sortings.map((sorting) => (
          <option key={sorting} value={sorting}>
            {texts[sorting]}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button"
        data-needs="record"
        aria-pressed={isSelecting}
        onClick={() => onSelect(!isSelecting)}
      >
        {texts.select}
      </button>
    </div>
  );
}

/** The subfolders and the trash. */
function Folders({ folder, names }: { readonly folder: string; readonly names: readonly string[] }) {
  const { recordings: texts } = words.value;
  if (isTrash(folder)) return null;
  return (
    <nav class="folders" aria-label={texts.inFolder}>
      {names.map((name) => (
        <a key={name} href={href('recordings', { folder: `${folder}${name}/` })}>
          <Icon of={Folder} size={18} /> {name}
        </a>
      ))}
      <a href={href('recordings', { folder: `${folder}.Trash/` })}>
        <Icon of={Trash2} size={18} /> {texts.trash}
      </a>
    </nav>
  );
}

interface RowProps {
  readonly recording: Recording;
  /** Undefined outside selection mode. */
  readonly isMarked: boolean | undefined;
  readonly onMark: (isMarked: boolean) => void;
}

function Row({ recording, isMarked, onMark }: RowProps) {
  const {
    filename,
    label,
    recording_servicename: channel,
    begin,
    length,
    size,
    meta,
    recording: isRunning,
  } = recording;
  const { common, recordings: texts } = words.value;
  const resume = resumeOf(recording);
  const facts = [lengthText(recording), size > 0 && sizeOf(size), channel].filter(Boolean);
  const content = (
    <>
      <RecordingPicture of={recording} />
      <span class="when">
        <time dateTime={new Date(begin * 1000).toISOString()}>{dayOf(begin)}</time>
        <small class="length">{timeOf(begin)}</small>
      </span>
      <span class="what">
        <strong>{label || common.untitled}</strong>
        {meta.Description && <span class="sub">{meta.Description}</span>}
        <span class="sub">
          {isRunning && <b class="being-recorded">{texts.isRunning}</b>} {facts.join(' · ')}
        </span>
        {resume > 0 && length !== null && <progress max={length} value={resume} aria-hidden="true" />}
      </span>
    </>
  );
  return (
    <li class="row">
      {isMarked === undefined ? (
        <>
          <a class="event" href={hrefHere({ recording: filename })}>
            {content}
          </a>
          <PlayRecording recording={recording} />
        </>
      ) : (
        <label class="event">
          <input
            type="checkbox"
            checked={isMarked}
            disabled={isRunning}
            aria-label={texts.selectNamed(label)}
            onChange={(event) => onMark(event.currentTarget.checked)}
          />
          {content}
        </label>
      )}
    </li>
  );
}
