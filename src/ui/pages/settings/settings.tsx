/** All settings of the receiver, with their descriptions and sources, and fields to change them. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Question } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { folded } from '../../shared/fold.ts';
import { receiver } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { useAnswer } from '../../shared/use-answer.ts';
import { type Words, words } from '../../shared/words.ts';
import { Field, type Setting } from './field.tsx';

/** New values by name; null resets to the default. */
type Changes = Readonly<Record<string, unknown>>;

/** Value of `newstate` in /api/powerstate that restarts receiverd. */
const restartState = 3;

/** Unsaved changes; they survive visits to other pages. */
const unsaved = signal<Changes>({});

export default function Settings() {
  // There is no event for settings. After a restart, the page reloads everything.
  const { value, trouble, reload } = useAnswer(
    (signal) => receiver.get('/api/configuration', {}, { signal }),
    [],
    ['standby'],
  );
  const [problems, setProblems] = useState<readonly string[]>([]);
  const { app, settings: texts } = words.value;
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
    await reload();
    showToast(done.restart.length > 0 ? texts.savedForRestart : texts.saved);
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
          <span class="unseen">{texts.filter}</span>
          <input
            type="search"
            placeholder={texts.filter}
            value={route.value.query.filter ?? ''}
            onInput={(event) => change({ filter: event.currentTarget.value }, { replace: true })}
          />
        </label>
      </div>
      {trouble && <Empty text={trouble} />}
      {value && <p class="hint">{texts.savedTo(value.file)}</p>}
      {isPending && <RestartNotice />}
      <form onSubmit={(event) => void save(event)}>
        {value &&
          groupsOf(value.settings, route.value.query.filter ?? '').map(([group, members]) => (
            <section key={group} class="card" aria-label={titleOf(group, texts)}>
              <h2>{titleOf(group, texts)}</h2>
              {group === 'config' && <p class="hint">{texts.inEnigma2}</p>}
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
            <p role="status">{texts.unsaved(names.length)}</p>
            {problems.length > 0 && (
              <p class="trouble" role="alert">
                {problems.join(' · ')}
              </p>
            )}
            <button type="button" class="button" onClick={discard}>
              {texts.discard}
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
  const { settings: texts, remote } = words.value;
  const [isConfirming, setConfirming] = useState(false);
  const restart = async () => {
    setConfirming(false);
    const done = await attempt(() => receiver.post('/api/powerstate', { newstate: restartState }));
    if (done) showToast(texts.restarting);
  };
  return (
    <p class="notice restart">
      {texts.pending}{' '}
      <button type="button" class="button" onClick={() => setConfirming(true)}>
        {texts.restartNow}
      </button>
      {isConfirming && (
        <Question
          title={remote.restartQuestion}
          effect={remote.restartEffect}
          action={remote.restart}
          onConfirm={restart}
          onClose={() => setConfirming(false)}
        />
      )}
    </p>
  );
}

/**
 * Groups the settings by the part of the name before the dot; settings without one are in the group ''. `filter`: words that
 * must all be in the name or description.
 */
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

function titleOf(group: string, texts: Words['settings']): string {
  const titles: Readonly<Record<string, string>> = {
    config: texts.enigma2,
    '': texts.general,
    access: texts.access,
    tls: texts.tls,
    guide: texts.guide,
    stream: texts.stream,
    satip: texts.satip,
    iptv: texts.iptv,
    recording: texts.recording,
    timeshift: texts.timeshift,
    cleaning: texts.cleaning,
    power: texts.power,
    remote: texts.remote,
    push: texts.push,
    mpv: texts.mpv,
  };
  return titles[group] ?? group;
}
