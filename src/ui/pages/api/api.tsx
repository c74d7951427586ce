/** The API page: every operation and path of the receiver's OpenAPI document, with a form to send requests. */
import { useMemo } from 'preact/hooks';
import { Empty } from '../../shared/empty.tsx';
import { receiver } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { type Entry, entriesOf, type OpenApi } from './interface.ts';
import { Prose } from './prose.tsx';
import { Request } from './request.tsx';

export default function Api() {
  const { find = '', entry: open } = route.value.query;
  // The client's types do not describe the contents of paths.
  const { value, trouble } = useResponse<OpenApi>(
    async (signal) => (await receiver.get('/api/openapi.json', {}, { signal })) as unknown as OpenApi,
    [],
  );
  const entries = useMemo(() => (value ? entriesOf(value) : []), [value]);
  const { api } = words.value;
  const searchWords = find.toLowerCase().split(/\s+/);
  const shown = entries.filter(({ text }) => searchWords.every((word) => text.includes(word)));
  return (
    <section class="interface">
      <div class="page-head">
        <h1>{api.title}</h1>
        <p class="count" role="status">
          {value && api.found(shown.length)}
        </p>
      </div>
      <p>
        {api.about} <a href={receiver.address('/api/openapi.json')}>OpenAPI 3.1</a>,{' '}
        <a href={receiver.address('/api/')}>OpenAPI 2.0</a>
      </p>
      <label class="filter">
        {api.filter}
        <input
          type="search"
          value={find}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={100}
          onInput={(event) => change({ find: event.currentTarget.value || undefined }, { replace: true })}
        />
      </label>
      {trouble && <Empty text={trouble} />}
      {value && shown.length === 0 && <Empty text={api.nothing} />}
      {value?.tags.map(({ name, description }) => {
        const members = shown.filter(({ tag }) => tag === name);
        if (members.length === 0) return null;
        return (
          <section key={name}>
            <h2>
              {name} <small>{description}</small>
            </h2>
            {members.map((member) => (
              <Line key={member.name} entry={member} document={value} isOpen={member.name === open} />
            ))}
          </section>
        );
      })}
    </section>
  );
}

interface LineProps {
  readonly entry: Entry;
  readonly document: OpenApi;
  readonly isOpen: boolean;
}

/** One entry. `entry` in the address names the open one. */
function Line({ entry: { name, summary, forms }, document, isOpen }: LineProps) {
  const { api } = words.value;
  const [{ method, described }] = forms;
  const toggle = (nowOpen: boolean) => {
    if (nowOpen !== isOpen) change({ entry: nowOpen ? name : undefined }, { replace: true });
  };
  return (
    <details class="entry" open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>
        <code class={described.deprecated ? 'old' : ''}>{name}</code>
        <span class="note">
          <Prose text={summary} />
        </span>
        {described.deprecated && <span class="badge">{api.deprecated}</span>}
        {described['x-changes-state'] && <span class="badge">{api.changes}</span>}
        {method !== 'get' && <span class="badge">{method.toUpperCase()}</span>}
      </summary>
      {isOpen && <Request forms={forms} document={document} />}
    </details>
  );
}
