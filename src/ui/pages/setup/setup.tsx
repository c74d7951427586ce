/**
 * The setup assistant: tuner, location, scan, IPTV list, guide, favourites, recording folder, password. Each step can be
 * skipped.
 */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { countrySettings } from '../../../base/country-settings.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { CopyField } from '../../shared/copy-field.tsx';
import { FolderChooser } from '../../shared/folder-chooser.tsx';
import { session } from '../../shared/login.ts';
import { FirstPassword } from '../../shared/password-form.tsx';
import { reloadPrimeTime } from '../../shared/prime-time.ts';
import { receiver } from '../../shared/receiver.ts';
import { restart, saveForRestart } from '../../shared/restart.ts';
import { change, href, hrefHere, route } from '../../shared/route.ts';
import { Sections } from '../../shared/sections.tsx';
import { canScan, isDemoTuner, scanObstacle, type Tuner, useTuners } from '../../shared/tuners.ts';
import { useResponse } from '../../shared/use-response.ts';
import { language, words } from '../../shared/words.ts';
import { type ImportedList, ListForm, ListReport } from '../bouquets/list-form.tsx';
import { DishForm } from '../scan/dish.tsx';
import { ScanProgress } from '../scan/progress.tsx';
import { Cards } from './cards.tsx';
import { FavouritesStep } from './favourites-step.tsx';
import { GuideStep } from './guide-step.tsx';
import { NetworkTuners } from './network-tuners.tsx';
import { setupWords, useTexts } from './texts.ts';
import { isChosen, type TunerSetting, useTunerSetting } from './tuner-setting.ts';

interface Step {
  readonly name: string;
  readonly title: (texts: ReturnType<typeof setupWords>) => string;
  readonly View: ComponentType;
  /** Left out unless a tuner can scan. */
  readonly isScan?: boolean;
  /** Has a primary button of its own. */
  readonly isForm?: boolean;
}

const allSteps: readonly Step[] = [
  { name: 'tuner', title: ({ tuner }) => tuner, View: TunerStep },
  { name: 'place', title: ({ place }) => place, View: PlaceStep, isScan: true, isForm: true },
  { name: 'scan', title: ({ scan }) => scan, View: ScanStep, isScan: true },
  { name: 'list', title: ({ list }) => list, View: ListStep, isForm: true },
  { name: 'guide', title: ({ guide }) => guide, View: GuideStep, isForm: true },
  { name: 'favourites', title: ({ favourites }) => favourites, View: FavouritesStep, isForm: true },
  { name: 'recordings', title: ({ recordings }) => recordings, View: RecordingsStep, isForm: true },
  { name: 'password', title: ({ password }) => password, View: PasswordStep, isForm: true },
  { name: 'done', title: ({ done }) => done, View: DoneStep },
];

export default function Setup() {
  const isLoaded = useTexts() !== undefined;
  const { app, common } = words.value;
  const setup = setupWords();
  const mayScan = useTuners()?.some(canScan) ?? true;
  const steps = mayScan ? allSteps : allSteps.filter(({ isScan }) => !isScan);
  const here = Math.max(
    0,
    steps.findIndex(({ name }) => name === route.value.query.step),
  );
  const step = steps[here];
  const [before, after] = [steps[here - 1], steps[here + 1]];
  const sections = steps.map(({ name, title }, index) => ({
    title: `${index + 1}. ${title(setup)}`,
    href: hrefHere({ step: name }),
    isCurrent: index === here,
  }));
  useEffect(() => scrollTo({ top: 0 }), [here]);
  if (!isLoaded) return null;
  return (
    <section class="setup">
      <div class="page-head">
        <h1>{app.setup}</h1>
        <Sections label={setup.steps} of={sections} />
      </div>
      {step && <step.View key={step.name} />}
      <p class="actions">
        {before && (
          <a class="button" href={hrefHere({ step: before.name })}>
            {common.back}
          </a>
        )}
        {after && (
          <a class={`button ${step?.isForm ? '' : 'strong'}`} href={hrefHere({ step: after.name })}>
            {setup.next}
          </a>
        )}
      </p>
    </section>
  );
}

function TunerStep() {
  const tuners = useTuners();
  const setting = useTunerSetting();
  const { value: found, trouble } = useResponse(
    (signal) => receiver.get('/api/frontends', {}, { signal }),
    [],
    ['tuner'],
  );
  const setup = setupWords();
  if (tuners === undefined || setting === undefined || (found === undefined && trouble === '')) return null;
  const cards = found?.frontends ?? [];
  const isCard = ({ source }: Tuner) => cards.some((card) => card.source === source);
  const others = tuners.filter((tuner) => !isCard(tuner));
  const hasOwn = tuners.some((tuner) => !isDemoTuner(tuner));
  const hasOnlyBoxes = tuners.length === 0 && setting.running.some((spec) => spec.startsWith('enigma2:'));
  return (
    <>
      {setting.isFixed && <p class="notice">{setup.tunersFixed}</p>}
      <RestartNotice setting={setting} />
      {cards.length > 0 && <Cards cards={cards} setting={setting} />}
      {(others.length > 0 || cards.length === 0) && (
        <section class="card" aria-labelledby="found">
          <h2 id="found">{setup.tuner}</h2>
          <p>{hasOnlyBoxes ? setup.boxesOnly : (scanObstacle(tuners) ?? setup.tunerAbout)}</p>
          {others.length > 0 && (
            <ol class="users">
              {others.map(({ number, name, model, type, source, reason }) => (
                <li key={number}>
                  <strong>{name}</strong> {[model, type, source, reason].filter(Boolean).join(' · ')}
                </li>
              ))}
            </ol>
          )}
        </section>
      )}
      <NetworkTuners kind="satip" setting={setting} hasOwn={hasOwn} />
      <NetworkTuners kind="hdhomerun" setting={setting} hasOwn={hasOwn} />
      <NetworkTuners kind="enigma2" setting={setting} hasOwn={hasOwn} />
      <DishForm tuners={tuners} />
    </>
  );
}

/** Says that other tuners were chosen than those in use. */
function RestartNotice({ setting: { given, running } }: { readonly setting: TunerSetting }) {
  const { remote } = words.value;
  const now = running.filter(isChosen);
  if (given.length === now.length && given.every((spec) => now.includes(spec))) return null;
  return (
    <p class="notice offer">
      {setupWords().restartForTuners}{' '}
      <button type="button" class="button strong" onClick={() => void restart()}>
        {remote.restart}
      </button>
    </p>
  );
}

/** The progress of the scan; before one, the question where to scan. */
function ScanStep() {
  const { value } = useResponse((signal) => receiver.get('/api/scanstatus', {}, { signal }), [], ['scan']);
  if (value === undefined) return null;
  return value.state === 'idle' ? <PlaceStep /> : <ScanProgress />;
}

/** The first password. Who has one is logged in, and changes it in the foot of the page. */
function PasswordStep() {
  const setup = setupWords();
  const user = session.value?.user;
  if (!user) return <FirstPassword onSet={() => location.reload()} />;
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">{setup.password}</h2>
      <p>{setup.passwordSet(user)}.</p>
    </section>
  );
}

/** The import of a list of channels, and its report. */
function ListStep() {
  const [imported, setImported] = useState<ImportedList>();
  const { bouquets } = words.value;
  const setup = setupWords();
  return (
    <>
      <section class="card" aria-labelledby="list">
        <h2 id="list">{setup.list}</h2>
        {imported ? <ListReport {...imported} /> : <ListForm onDone={setImported} />}
        {imported && (
          <p class="actions">
            <button type="button" class="button" onClick={() => setImported(undefined)}>
              {bouquets.importList}
            </button>
          </p>
        )}
      </section>
      <OtherReceiver />
    </>
  );
}

/** How to take over the lists of an Enigma2 box: the receiver reads its files. */
function OtherReceiver() {
  const { value } = useResponse((signal) => receiver.get('/api/configuration', {}, { signal }), []);
  const setup = setupWords();
  const folder = value?.settings.find(({ name }) => name === 'enigma2Dir')?.running ?? '';
  if (folder === '') return null;
  const read = async () => {
    const done = await attempt(() => receiver.post('/api/servicelistreload', { mode: '0' }));
    if (done) showToast(setup.listsRead);
  };
  return (
    <section class="card" aria-labelledby="box-lists">
      <h2 id="box-lists">{setup.otherReceiver}</h2>
      <p>{setup.otherReceiverAbout}</p>
      <p class="actions">
        <CopyField label={setup.listFolder} text={JSON.parse(folder)} isMinor />
        <button type="button" class="button" onClick={() => void read()}>
          {setup.readLists}
        </button>
      </p>
    </section>
  );
}

/** Where to go from here. */
function DoneStep() {
  const { app } = words.value;
  const setup = setupWords();
  return (
    <section class="card" aria-labelledby="done">
      <h2 id="done">{setup.done}</h2>
      <p>{setup.doneAbout}</p>
      <p class="actions">
        <a class="button strong" href={href('')}>
          {app.home}
        </a>
        <a class="button" href={href('connect')}>
          {setup.connectApp}
        </a>
        <a class="button" href={href('settings')}>
          {app.settings}
        </a>
      </p>
    </section>
  );
}

function PlaceStep() {
  const { value: guess } = useResponse((signal) => receiver.get('/api/setupguess', {}, { signal }), []);
  const tuners = useTuners();
  const [chosen, setChosen] = useState<string>();
  const [trouble, setTrouble] = useState('');
  const { scan } = words.value;
  const setup = setupWords();
  if (guess === undefined) return null;
  const needsCountry = tuners?.some(({ type }) => !type.startsWith('DVB-S')) ?? false;
  const likely =
    guess.country || (needsCountry ? (new Intl.Locale(navigator.language).region ?? '').toLowerCase() : '');
  const country = chosen ?? likely;
  const proposed = country === '' ? undefined : countrySettings(country, ownZone());
  const begin = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const parts = [given.get('country'), given.get('satellites')].map(String);
    const place = parts.filter((part) => part.trim() !== '').join(', ');
    setTrouble(place === '' ? setup.placeMissing : '');
    if (place === '') return;
    const isStarted = await attempt(() => receiver.post('/api/setup', { place }));
    if (!isStarted) return;
    showToast(scan.started);
    if (proposed !== undefined && given.has('settings')) {
      const { timeZone, languages, primeTime } = proposed;
      const changes = { timeZone, languages, 'config.epgselection.grid.primetime': primeTime };
      await attempt(() => receiver.post('/api/configuration', { changes: JSON.stringify(changes) }));
      await reloadPrimeTime();
    }
    change({ step: 'scan' });
  };
  const satellites = guess.place.replace(/^[a-z]{2}(, )?/, '');
  return (
    <section class="card" aria-labelledby="place">
      <h2 id="place">{setup.place}</h2>
      <p>
        {setup.placeAbout} {guess.place !== '' && setup.placeGuessed}
      </p>
      <form class="fields" onSubmit={(event) => void begin(event)}>
        <label>
          {setup.country}
          <select name="country" onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            <option value="">{setup.noCountry}</option>
            {countries().map(({ code, name }) => (
              <option key={code} value={code} selected={code === likely}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {setup.satellites}
          <input name="satellites" defaultValue={satellites} placeholder={scan.satellitesHint} />
        </label>
        {proposed && (
          <label class="choice wide">
            <input type="checkbox" name="settings" defaultChecked={true} />
            {setup.countrySettings(proposed.timeZone, languageNames(proposed.languages), proposed.primeTime)}
          </label>
        )}
        <p class="trouble wide" role="alert">
          {trouble}
        </p>
        <button type="submit" class="button strong">
          {setup.startScan}
        </button>
      </form>
    </section>
  );
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function languageNames(codes: readonly string[]): string {
  const names = new Intl.DisplayNames([language.value], { type: 'language' });
  return new Intl.ListFormat(language.value).format(codes.map((code) => names.of(code) ?? code));
}

/** Whether a region code is a present country: not a group of countries, a pseudo-locale or a former country. */
const isCountry = (code: string) =>
  !/^(A[A]|E[UZ]|UN|Q[M-Z]|X[A-JL-Z]|ZZ)$/.test(code) && new Intl.Locale(`und-${code}`).region === code;

/** All countries that the browser has names for, sorted by name. */
function countries(): readonly { readonly code: string; readonly name: string }[] {
  const names = new Intl.DisplayNames([language.value], { type: 'region', fallback: 'none' });
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
  const known = letters.flatMap((first) =>
    letters.flatMap((second) => {
      const name = isCountry(first + second) ? names.of(first + second) : undefined;
      return name === undefined ? [] : { code: `${first}${second}`.toLowerCase(), name };
    }),
  );
  return known.sort((a, b) => a.name.localeCompare(b.name, language.value));
}

function RecordingsStep() {
  const { value } = useResponse((signal) => receiver.get('/api/getlocations', {}, { signal }), [], ['standby']);
  const [folder, setFolder] = useState<string>();
  const { common } = words.value;
  const setup = setupWords();
  if (value === undefined) return null;
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const [first = '', ...rest] = value.locations;
    const chosen = (folder ?? first).trim();
    await saveForRestart({ locations: [chosen, ...rest.filter((folder) => folder !== chosen)] });
  };
  return (
    <section class="card" aria-labelledby="recordings">
      <h2 id="recordings">{setup.recordings}</h2>
      <p>{setup.recordingsAbout}</p>
      <form class="fields" onSubmit={(event) => void save(event)}>
        <label class="wide">
          {setup.folder}
          <input
            name="folder"
            required
            value={folder ?? value.locations[0] ?? ''}
            onInput={({ currentTarget }) => setFolder(currentTarget.value)}
          />
        </label>
        <FolderChooser onChoose={setFolder} />
        <button type="submit" class="button strong">
          {common.save}
        </button>
      </form>
    </section>
  );
}
