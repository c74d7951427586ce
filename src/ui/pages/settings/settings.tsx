/** The settings of the receiver by purpose, with a search over all of them. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Refused } from '../../../client/client.ts';
import { LanguageChoice, ThemeChoice } from '../../shared/appearance.tsx';
import { attempt, showToast } from '../../shared/attempt.ts';
import { Question } from '../../shared/dialog.tsx';
import { Empty } from '../../shared/empty.tsx';
import { folded } from '../../shared/fold.ts';
import { Check } from '../../shared/pickers.tsx';
import { reloadPrimeTime } from '../../shared/prime-time.ts';
import { receiver } from '../../shared/receiver.ts';
import { restart } from '../../shared/restart.ts';
import { change, href, hrefHere, route } from '../../shared/route.ts';
import { Sections } from '../../shared/sections.tsx';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { groups } from './arrangement.ts';
import type { Setting } from './controls.tsx';
import { Field, type NamedSetting } from './field.tsx';
import { NoticeTargets } from './notice-targets.tsx';
import { type Texts, useTexts } from './texts.ts';

/** New values by name; null resets to the default. */
type Changes = Readonly<Record<string, unknown>>;
type Group = keyof Texts['groups'];

/** Unsaved changes; they survive visits to other pages. */
const unsaved = signal<Changes>({});

/** Whether the page asks for confirmation of a restart. */
const isRestarting = signal(false);

export default function Settings() {
  // There is no event for settings. After a restart, the page reloads everything.
  const { value, trouble, reload } = useResponse(
    (signal) => receiver.get('/api/configuration', {}, { signal }),
    [],
    ['standby'],
  );
  const texts = useTexts();
  if (texts === undefined) return null;
  const { app } = words.value;
  const { filter = '' } = route.value.query;
  return (
    <section class="settings">
      <div class="page-head">
        <h1>{app.settings}</h1>
        <label class="settings-filter">
          <span class="unseen">{texts.page.filter}</span>
          <input
            type="search"
            placeholder={texts.page.filter}
            value={filter}
            onInput={(event) => change({ filter: event.currentTarget.value }, { replace: true })}
          />
        </label>
      </div>
      <Sections
        label={texts.page.groups}
        of={groupNames.map((group) => ({
          title: texts.groups[group],
          href: hrefHere({ group, filter: undefined }),
          isCurrent: !filter && group === shownGroup(),
        }))}
      />
      {trouble && <Empty text={trouble} />}
      {value && <Form file={value.file} settings={value.settings} texts={texts} reload={reload} />}
      {isRestarting.value && <RestartQuestion texts={texts} />}
    </section>
  );
}

const groupNames = Object.keys(groups) as Group[];

function shownGroup(): Group {
  const { group } = route.value.query;
  return groupNames.find((name) => name === group) ?? 'recording';
}

interface FormProps {
  readonly file: string;
  readonly settings: readonly Setting[];
  readonly texts: Texts;
  readonly reload: () => Promise<void>;
}

function Form({ file, settings, texts, reload }: FormProps) {
  const [problems, setProblems] = useState<readonly string[]>([]);
  const { page } = texts;
  const { filter = '', names } = route.value.query;
  const changes = unsaved.value;
  const count = Object.keys(changes).length;
  const all = arranged(settings, texts);
  const shown = filter.trim() === '' ? all.filter(({ group }) => group === shownGroup()) : matching(all, filter, texts);
  const { language, theme, themeLight, themeDark } = words.value.app;
  const hasAppearance = filter
    ? hasWords([page.appearance, language, theme, themeLight, themeDark], filter)
    : shownGroup() === 'picture';
  const setup = setupLinks();
  const hasSetup = filter
    ? hasWords(['IPTV XMLTV', ...setup.map(([text]) => text)], filter)
    : ['tuners', 'guide'].includes(shownGroup());
  /** A problem with the name on the page instead of that in the file. */
  const named = (problem: string) => {
    const name = nameIn(problem);
    const found = all.flatMap(({ members }) => members).find((setting) => setting.name === name);
    return found ? found.title + problem.slice(name.length) : problem;
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblems([]);
    const done = await attempt(async () => {
      try {
        return await receiver.post('/api/configuration', { changes: JSON.stringify(withoutEmptyRows(changes)) });
      } catch (error) {
        if (error instanceof Refused && /^setting-(invalid|refused)$/.test(error.code)) {
          setProblems(error.message.split('\n'));
          return undefined;
        }
        throw error;
      }
    });
    if (done === undefined) return;
    await Promise.all([reload(), reloadPrimeTime()]);
    // What was changed meanwhile is still unsaved.
    unsaved.value = Object.fromEntries(Object.entries(unsaved.peek()).filter(([name, to]) => to !== changes[name]));
    if (!done.restart.some((name) => name in changes)) showToast(page.saved);
    else showToast(words.peek().settings.savedForRestart, { label: page.restartNow, run: askForRestart });
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
  return (
    <form onSubmit={(event) => void save(event)}>
      {settings.some(({ pending }) => pending) && (
        <p class="notice restart">
          {page.pending}{' '}
          <button type="button" class="button" onClick={askForRestart}>
            {page.restartNow}
          </button>
        </p>
      )}
      {!filter && shownGroup() === 'advanced' && (
        <section class="card file-names">
          <p class="hint">{page.savedTo(file)}</p>
          <Check
            label={page.showNames}
            isOn={names !== undefined}
            onChange={(isOn) => change({ names: isOn ? 'yes' : undefined }, { replace: true })}
          />
        </section>
      )}
      {hasSetup && (
        <section class="card" aria-labelledby="setup">
          <h2 id="setup">{words.value.app.setup}</h2>
          <p class="actions">
            {setup.map(([text, link]) => (
              <a key={link} class="button" href={link}>
                {text}
              </a>
            ))}
          </p>
        </section>
      )}
      {shown.map(({ group, card, members }) => (
        <section key={`${group} ${card}`} class="card" aria-label={texts.cards[card]}>
          <h2>
            {texts.cards[card]} {filter && <small>{texts.groups[group]}</small>}
          </h2>
          {members.every(isInFileOnly) && <p class="hint">{page.fixedInFile}</p>}
          {members.map((setting) => (
            <Field
              key={setting.name}
              setting={setting}
              texts={texts}
              changed={changes[setting.name]}
              isChanged={setting.name in changes}
              problem={named(problems.find((text) => nameIn(text) === setting.name) ?? '')}
              isNoted={!members.every(isInFileOnly)}
              hasName={names !== undefined || card === 'others'}
              onChange={(to) => set(setting.name, to)}
              onUndo={() => undo(setting.name)}
            />
          ))}
          {card === 'webhooks' && <NoticeTargets />}
        </section>
      ))}
      {hasAppearance && (
        <section class="card" aria-labelledby="appearance">
          <h2 id="appearance">{page.appearance}</h2>
          <p class="fields">
            <LanguageChoice hasLabel />
            <ThemeChoice hasLabel />
          </p>
        </section>
      )}
      {shown.length === 0 && !hasAppearance && !hasSetup && (
        <Empty title={page.nothingFound(filter.trim())} text={page.nothingHint} />
      )}
      {count > 0 && (
        <div class="save-bar">
          <p role="status">{page.unsaved(count)}</p>
          {problems.length > 0 && (
            <p class="trouble" role="alert">
              {problems.map(named).join(' · ')}
            </p>
          )}
          <button type="button" class="button" onClick={discard}>
            {page.discard}
          </button>
          <button type="submit" class="button strong">
            {words.value.common.save}
          </button>
        </div>
      )}
    </form>
  );
}

/** What people look for under *Settings*, and is elsewhere. */
function setupLinks() {
  const { app, bouquets, setup } = words.value;
  return [
    [bouquets.importList, href('setup', { step: 'list' })],
    [setup.importGuide, href('setup', { step: 'guide' })],
    [app.scan, href('scan')],
    [app.bouquets, href('bouquets')],
  ] as const;
}

/** Whether a setting can be changed only in the file. */
const isInFileOnly = ({ fixed, source }: Setting) => fixed !== '' && source !== 'flag' && source !== 'environment';

const nameIn = (problem: string) => /^[\w.]*/.exec(problem)?.[0] ?? '';

function askForRestart(): void {
  isRestarting.value = true;
}

function RestartQuestion({ texts }: { readonly texts: Texts }) {
  const { remote } = words.value;
  const close = () => {
    isRestarting.value = false;
  };
  const confirm = async () => {
    close();
    if (await restart()) showToast(texts.page.restarting);
  };
  return (
    <Question
      title={remote.restartQuestion}
      effect={remote.restartEffect}
      action={remote.restart}
      onConfirm={confirm}
      onClose={close}
    />
  );
}

interface FilledCard {
  readonly group: Group;
  readonly card: keyof Texts['cards'];
  readonly members: readonly NamedSetting[];
}

/** The cards of all groups, with the settings that the receiver has. */
function arranged(settings: readonly Setting[], texts: Texts): readonly FilledCard[] {
  const left = new Map(settings.map((setting) => [setting.name, setting]));
  const take = (name: keyof Texts['settings']): readonly NamedSetting[] => {
    const setting = left.get(name);
    if (setting === undefined) return [];
    left.delete(name);
    const [title, about] = texts.settings[name];
    return [{ ...setting, title, about }];
  };
  const cards = groupNames.flatMap((group) =>
    Object.entries(groups[group]).map(([card, names]) => ({
      group,
      card: card as keyof Texts['cards'],
      members: names.flatMap(take),
    })),
  );
  const others = [...left.values()].map((setting) => ({ ...setting, title: setting.name, about: setting.description }));
  return cards
    .map((card) => (card.card === 'others' ? { ...card, members: others } : card))
    .filter(({ members }) => members.length > 0);
}

/** The settings in which all words of the filter occur. */
function matching(cards: readonly FilledCard[], filter: string, texts: Texts): readonly FilledCard[] {
  const known: Readonly<Record<string, readonly string[]>> = texts.settings;
  return cards.flatMap(({ group, card, members }) => {
    const found = members.filter((setting) => {
      const { name, title, about } = setting;
      return hasWords([name, title, about, known[name]?.[2], texts.cards[card], texts.groups[group]], filter);
    });
    return found.length > 0 ? [{ group, card, members: found }] : [];
  });
}

/** Whether all words of a filter occur in texts. */
function hasWords(texts: readonly (string | undefined)[], filter: string): boolean {
  const text = folded(texts.join(' '));
  return folded(filter)
    .trim()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Without the rows of lists that nobody has filled in. */
const withoutEmptyRows = (changes: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((row) => String(row).trim()).filter(Boolean) : value,
    ]),
  );
