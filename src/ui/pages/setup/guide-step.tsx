/** The step for the guide: import of a guide file, which channels have a guide, and their channels in the file by hand. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Result } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { receiver } from '../../shared/receiver.ts';
import { importTimeoutMs, SourceForm, type SourceGiven } from '../../shared/source-form.tsx';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { guideOfList } from '../bouquets/list-form.tsx';
import { GuideSources } from './guide-sources.tsx';
import { setupWords } from './texts.ts';

/** A file, or the id of a guide source. */
type Source = { readonly file: File } | { readonly id: string };
type Imported = { readonly events: number; readonly unmatched: number };
type Channel = Result<'get', '/api/guidechannels'>['services'][number];

/** Channels shown at first, and with each *Show more*. */
const pageLength = 100;

/** The guide file imported last: choices of channels take effect when it is imported again. */
const lastSource = signal<Source | undefined>(undefined);

/** Imports a file, or an address, which becomes a guide source. */
async function importFirst({ url = '', file }: SourceGiven): Promise<Imported> {
  const timeoutMs = importTimeoutMs;
  if (file === undefined) {
    const { id, imported, unmatched } = await receiver.post('/api/guidesources', { url }, { timeoutMs });
    lastSource.value = { id };
    return { events: imported, unmatched };
  }
  const {
    programmes,
    imported = 0,
    events = 0,
    channels,
  } = await receiver.post('/api/epgimport', {}, { body: file, timeoutMs });
  lastSource.value = { file };
  return { events: programmes === undefined ? events : imported, unmatched: channels?.unmatched ?? 0 };
}

const importAgain = async (source: Source) =>
  'file' in source
    ? void (await importFirst({ file: source.file, form: new FormData() }))
    : void (await receiver.post('/api/guidesources/{id}/refresh', source, { timeoutMs: importTimeoutMs }));

/** Says when a choice takes effect: the receiver reads the sources again by itself. */
async function tellWhen(): Promise<void> {
  const { sources } = await receiver.get('/api/guidesources', {});
  const setup = setupWords();
  showToast(sources.length > 0 ? setup.readAgainSoon : setup.chosenForLater);
}

export function GuideStep() {
  const [imported, setImported] = useState<Imported>();
  const [chosen, setChosen] = useState<Channel>();
  const [what, setWhat] = useState('');
  const [max, setMax] = useState(pageLength);
  const [isAll, setAll] = useState(false);
  const { value, reload } = useResponse(
    (signal) => receiver.get('/api/guidechannels', { what, all: isAll || what !== '', max }, { signal }),
    [what, isAll, max],
    ['services'],
  );
  const { bouquets } = words.value;
  const setup = setupWords();
  const send = async (given: SourceGiven) => {
    guideOfList.value = { ...guideOfList.peek(), isWanted: false };
    setImported(await importFirst(given));
    await reload();
  };
  const choose = async ({ servicereference: service_reference }: Channel, channel: string) => {
    const done = await attempt(() => receiver.post('/api/guidechannels', { service_reference, channel }));
    if (done === undefined) return;
    setChosen(undefined);
    const source = lastSource.value;
    if (source) await attempt(() => importAgain(source));
    else await attempt(tellWhen);
    await reload();
  };
  return (
    <>
      <section class="card" aria-labelledby="guide-file">
        <h2 id="guide-file">{setup.guide}</h2>
        <SourceForm
          about={setup.guideAbout}
          file={setup.guideFile}
          accept=".xml,.gz,.xz,.xmltv,.dat"
          action={setup.importGuide}
          {...guideOfList.peek()}
          onSend={send}
        />
        <p role="status">{imported && setup.guideImported(imported.events, imported.unmatched)}</p>
      </section>
      <GuideSources version={imported} onChange={reload} />
      {value && value.withGuide + value.withoutGuide > 0 && (
        <section class="card" aria-labelledby="matches">
          <h2 id="matches">{setup.matches}</h2>
          <p>{setup.guideCounts(value.withGuide, value.withoutGuide)}</p>
          {value.known > 0 ? (
            <p class="hint">{setup.matchesAbout}</p>
          ) : (
            value.services.length > 0 && <p class="hint">{setup.noneKnown}</p>
          )}
          <form class="fields" onSubmit={(event) => event.preventDefault()}>
            <label>
              {setup.findChannel}
              <input type="search" value={what} onInput={({ currentTarget }) => setWhat(currentTarget.value)} />
            </label>
            <label>
              {setup.shownChannels}
              <select
                value={String(isAll || what !== '')}
                disabled={what !== ''}
                onChange={({ currentTarget }) => setAll(currentTarget.value === 'true')}
              >
                <option value="false">{setup.openChannels}</option>
                <option value="true">{setup.allChannels}</option>
              </select>
            </label>
          </form>
          {what !== '' && value.found === 0 && <p role="status">{setup.nothingFound}</p>}
          {value.services.length > 0 && (
            <ul class="matches">
              {value.services.map((channel) => (
                <li key={channel.servicereference}>
                  <span>
                    {channel.servicename} <small>{matchText(channel)}</small>
                  </span>
                  {value.known > 0 && (
                    <button
                      type="button"
                      class="button"
                      aria-label={setup.chooseFor(channel.servicename)}
                      onClick={() => setChosen(channel)}
                    >
                      {setup.choose}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
          {value.services.length < value.found && (
            <button type="button" class="button" onClick={() => setMax(max + pageLength)}>
              {bouquets.moreChannels(value.found - value.services.length)}
            </button>
          )}
        </section>
      )}
      {chosen && (
        <ChannelDialog
          channel={chosen}
          onClose={() => setChosen(undefined)}
          onChoose={(channel) => choose(chosen, channel)}
        />
      )}
    </>
  );
}

/** `one.example · matched by name`. */
function matchText({ channel, match, matched_by: by, guide }: Channel): string {
  const setup = setupWords();
  const ways = { id: setup.byId, name: setup.byName, number: setup.byNumber, file: setup.byFile };
  const way = by === '' ? guide && setup.fromBroadcast : ways[by];
  return [channel || match, channel ? setup.byHand : way, !guide && setup.noGuide].filter(Boolean).join(' · ');
}

interface ChannelDialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
  /** Called with the id of a channel of the guide; empty for none. */
  readonly onChoose: (id: string) => Promise<void>;
}

function ChannelDialog({ channel, onClose, onChoose }: ChannelDialogProps) {
  const [what, setWhat] = useState(channel.servicename);
  const { value } = useResponse(
    (signal) => receiver.get('/api/guidechannels/search', { what, max: 30 }, { signal }),
    [what],
  );
  const setup = setupWords();
  return (
    <Dialog title={setup.chooseFor(channel.servicename)} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        <label>
          {setup.findGuideChannel}
          <input type="search" value={what} onInput={({ currentTarget }) => setWhat(currentTarget.value)} />
        </label>
      </form>
      {value?.channels.length === 0 && <p role="status">{setup.nothingFound}</p>}
      <ul class="channel-choices">
        {value?.channels.map(({ id, name }) => (
          <li key={id}>
            <button type="button" class="button" onClick={() => void onChoose(id)}>
              {name} {name !== id && <small>{id}</small>}
            </button>
          </li>
        ))}
      </ul>
      {channel.channel && (
        <button type="button" class="button" onClick={() => void onChoose('')}>
          {setup.matchAutomatically}
        </button>
      )}
    </Dialog>
  );
}
