/** The recordings of a folder or of a series, running recordings, transfers, folders and free space. */
import { useMemo, useState } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { Failures } from '../../shared/failures.tsx';
import { receiver } from '../../shared/receiver.ts';
import { route } from '../../shared/route.ts';
import { Running } from '../../shared/running.tsx';
import { groupBySeries, type Series, upNext } from '../../shared/series.ts';
import { useTimers } from '../../shared/timers.ts';
import { useResponse } from '../../shared/use-response.ts';
import type { Recording } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { Capture } from './capture.tsx';
import { EmptyTrash } from './empty-trash.tsx';
import { Exports } from './exports.tsx';
import { folderName, isTrash } from './library.ts';
import { List, Seasons } from './list.tsx';
import { type Filters, filtered, isFiltered, sorted } from './listing.ts';
import { Folders, Places } from './places.tsx';
import { PlayRecording } from './play-recording.tsx';
import { RecordingDialog } from './recording-dialog.tsx';
import { codeOf } from './row.tsx';
import { Selection } from './selection.tsx';
import { Space, useStorage } from './space.tsx';
import { Tools } from './tools.tsx';
import { Transfers } from './transfers.tsx';

export default function RecordingsPage() {
  const { value: storage } = useStorage();
  const { value: timers } = useTimers();
  const { folder: requested, recording, series: opened, sort, ...filters } = route.value.query;
  const locations = storage?.folders.map((one) => one.folder) ?? [];
  const folder = requested || locations[0] || '';
  const isOfTrash = isTrash(folder);
  // A series may be spread over the sub-folders.
  const isRecursive = isFiltered(filters) || opened !== undefined;
  const { value, trouble } = useResponse(
    async (signal) => {
      if (folder === '') return undefined;
      return receiver.get('/recordings', { folder, recursive: isRecursive, programme: true }, { signal });
    },
    [folder, isRecursive],
    ['recording', 'recordings', 'timeshift'],
  );
  const found = useMemo(() => {
    const recordings = filtered(value?.items ?? [], filters);
    return sorted(isOfTrash ? recordings.map(alone) : groupBySeries(recordings), sort);
  }, [value, isOfTrash, sort, ...Object.values(filters)]);
  const series = useMemo(() => {
    if (opened === undefined) return undefined;
    return groupBySeries(value?.items ?? []).find(({ key }) => key === opened);
  }, [value, opened]);
  const next = series && upNext(series);
  const listed = series ? [{ ...series, episodes: visible(series, filters) }] : found;
  // Running recordings cannot be moved or deleted here.
  const selectable = listed
    .flatMap(({ episodes }) => episodes.map((episode) => episode.recording))
    .filter((one) => !one.recording);
  const [marks, setMarks] = useState<ReadonlySet<string>>();
  const mark = (paths: readonly string[], isMarked: boolean) => {
    const others = [...(marks ?? [])].filter((other) => !paths.includes(other));
    setMarks(new Set(isMarked ? [...others, ...paths] : others));
  };
  const selecting = { marks, onMark: mark };
  const folders = (value?.folders ?? []).map((name) => `${folder}${name}/`);
  const shown = value?.items.find(({ filename }) => filename === recording);
  const { app, recordings: texts } = words.value;
  const isMain = !isOfTrash && series === undefined;
  return (
    <section class="recordings">
      <div class="page-head">
        <h1>{series?.title ?? (isOfTrash ? folderName(folder, locations) : app.recordings)}</h1>
        {isMain && <Capture />}
        {next && <PlayRecording recording={next.recording} what={codeOf(next)} />}
      </div>
      {series === undefined && <Space storage={storage} />}
      {isMain && <Failures />}
      {isMain && timers && <Running timers={timers.filter(({ justplay }) => !justplay)} />}
      <Transfers />
      <Exports />
      <Places locations={locations} folder={folder} series={series?.title} />
      <Tools
        recordings={value?.items ?? []}
        isTrash={isOfTrash}
        isSelecting={marks !== undefined}
        onSelect={(isOn) => setMarks(isOn ? new Set() : undefined)}
      />
      {trouble && <Empty text={trouble} />}
      {isMain && value && <Folders folder={folder} names={value.folders ?? []} />}
      {isOfTrash && value && value.items.length > 0 && <EmptyTrash recordings={value.items} />}
      {value && recording && !shown && (
        <p class="notice" role="status">
          {texts.gone}
        </p>
      )}
      {series && listed[0] && <Seasons series={listed[0]} {...selecting} />}
      {!series && found.length > 0 && (
        <List key={`${folder} ${sort} ${Object.values(filters).join()}`} found={found} {...selecting} />
      )}
      {marks && (
        <Selection
          chosen={selectable.filter(({ filename }) => marks.has(filename))}
          folder={folder}
          folders={folders}
          onAll={() => setMarks(new Set(selectable.map(({ filename }) => filename)))}
          onEnd={() => setMarks(undefined)}
        />
      )}
      {value && listed.every(({ episodes }) => episodes.length === 0) && (
        <NoRecordings isFiltered={isFiltered(filters)} isTrash={isOfTrash} />
      )}
      {shown && <RecordingDialog key={shown.filename} recording={shown} folders={folders} />}
    </section>
  );
}

/** A recording that belongs to no series. */
const alone = (recording: Recording): Series => ({ key: '', title: recording.label, episodes: [{ recording }] });

/** The episodes of a series that pass the filters. */
function visible({ episodes }: Series, filters: Filters): Series['episodes'] {
  const passed = new Set(
    filtered(
      episodes.map(({ recording }) => recording),
      filters,
    ),
  );
  return episodes.filter(({ recording }) => passed.has(recording));
}

function NoRecordings(props: { readonly isFiltered: boolean; readonly isTrash: boolean }) {
  const { recordings: texts } = words.value;
  if (props.isFiltered) return <Empty text={texts.nothingFound} />;
  return props.isTrash ? <Empty text={texts.trashEmpty} /> : <Empty title={texts.noneTitle} text={texts.noneText} />;
}
