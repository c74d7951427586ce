/** Every setting of the receiver with its explanation, where its value comes from, and a field to change it. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { attempt, say } from '../../shared/attempt.ts';
import { Question } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { folded } from '../../shared/fold.ts';
import { receiver } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { type Words, words } from '../../shared/words.ts';
import { Field, type Setting } from './field.tsx';

/** New values by name; null is back to the default. */
type Changes = Readonly<Record<string, unknown>>;

const restartReceiver = 3;

/** What is not saved yet stays while other pages are looked at. */
const unsaved = signal<Changes>({});

export default function Settings() {
  // No event tells of settings; after a restart, all have happened.
  const { value, trouble, again } = useAnswer(
    (signal) => receiver.get('/api/configuration', {}, { signal }),
    [],
    ['standby'],
  );
  const [problems, setProblems] = useState<readonly string[]>([]);
  const { app, settings: said } = words.value;
  const changes = unsaved.value;
  const names = Object.keys(changes);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblems([]);
    const done = await attempt(async () => {
      try {
        return await receiver.post('/api/configuration', { changes: JSON.stringify(changes) });
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'setting-invalid') {
          setProblems(error.message.split('\n'));
          return undefined;
        }
        throw error;
      }
    });
    if (done === undefined) return;
    unsaved.value = {};
    await again();
    say(done.restart.length > 0 ? said.savedForRestart : said.saved);
  };
  const set = (name: string, to: unknown) => {
    unsaved.value = { ...unsaved.peek(), [name]: to };
  };
  const undo = (name: string) => {
    const { [name]: _, ...others } = unsaved.peek();
    unsaved.value = others;
  };
  const discard = () => {
    unsaved.value = {};
    setProblems([]);
  };
  const isPending = value?.settings.some(({ pending }) => pending) ?? false;
  return (
    <section class="narrow settings">
      <div class="page-head">
        <h1>{app.settings}</h1>
        <label class="settings-filter">
          <span class="unseen">{said.filter}</span>
          <input
            type="search"
            placeholder={said.filter}
            value={route.value.query.filter ?? ''}
            onInput={(event) => change({ filter: event.currentTarget.value }, { replace: true })}
          />
        </label>
      </div>
      {trouble && <Empty text={trouble} />}
      {value && <p class="hint">{said.savedTo(value.file)}</p>}
      {isPending && <RestartNotice />}
      <form onSubmit={(event) => void save(event)}>
        {value &&
          groupsOf(value.settings, route.value.query.filter ?? '').map(([group, members]) => (
            <section key={group} class="card" aria-label={titleOf(group, said)}>
              <h2>{titleOf(group, said)}</h2>
              {group === 'config' && <p class="hint">{said.inEnigma2}</p>}
              {members.map((setting) => (
                <Field
                  key={`${setting.name} ${setting.value}`}
                  setting={setting}
                  changed={changes[setting.name]}
                  isChanged={setting.name in changes}
                  problem={problems.find((text) => text.startsWith(setting.name)) ?? ''}
                  onChange={(to) => set(setting.name, to)}
                  onUndo={() => undo(setting.name)}
                />
              ))}
            </section>
          ))}
        {names.length > 0 && (
          <div class="save-bar">
            <p role="status">{said.unsaved(names.length)}</p>
            {problems.length > 0 && (
              <p class="trouble" role="alert">
                {problems.join(' · ')}
              </p>
            )}
            <button type="button" class="button" onClick={discard}>
              {said.discard}
            </button>
            <button type="submit" class="button strong">
              {words.value.common.save}
            </button>
          </div>
        )}
      </form>
    </section>
  );
}

function RestartNotice() {
  const { settings: said, remote } = words.value;
  const [isAsked, setAsked] = useState(false);
  const restart = async () => {
    setAsked(false);
    const done = await attempt(() => receiver.post('/api/powerstate', { newstate: restartReceiver }));
    if (done) say(said.restarting);
  };
  return (
    <p class="notice restart">
      {said.pending}{' '}
      <button type="button" class="button" onClick={() => setAsked(true)}>
        {said.restartNow}
      </button>
      {isAsked && (
        <Question
          title={remote.restartQuestion}
          effect={remote.restartEffect}
          action={remote.restart}
          onConfirm={restart}
          onClose={() => setAsked(false)}
        />
      )}
    </p>
  );
}

/** Settings outside of groups are together under an empty name. `filter`: words that must all be in name or meaning. */
function groupsOf(all: readonly Setting[], filter: string): readonly (readonly [string, readonly Setting[]])[] {
  const wanted = folded(filter).split(/\s+/);
  const groups = new Map<string, Setting[]>();
  for (const setting of all) {
    const text = folded(`${setting.name} ${setting.description}`);
    if (!wanted.every((word) => text.includes(word))) continue;
    const [first = '', second] = setting.name.split('.');
    const group = second === undefined ? '' : first;
    const members = groups.get(group);
    if (members) members.push(setting);
    else groups.set(group, [setting]);
  }
  return [...groups];
}

function titleOf(group: string, said: Words['settings']): string {
  const titles: Readonly<Record<string, string>> = {
    config: said.enigma2,
    '': said.general,
    access: said.access,
    tls: said.tls,
    guide: said.guide,
    stream: said.stream,
    satip: said.satip,
    iptv: said.iptv,
    recording: said.recording,
    timeshift: said.timeshift,
    cleaning: said.cleaning,
    power: said.power,
    remote: said.remote,
    push: said.push,
    mpv: said.mpv,
  };
  return titles[group] ?? group;
}
