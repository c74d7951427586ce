/**
 * The API as a page, built from the OpenAPI document that the receiver serves. Requests can be tried here; responses
 * are shown unchanged.
 */
import { element, setText } from './elements.js';
import { address, ask, LoginNeeded } from './receiver.js';

const at = (id) => document.getElementById(id);

/** Maximum characters shown of a response. */
const shownLength = 20_000;

/**
 * All entries, with the two faces of an operation and all methods of a path combined: { name, tag, summary, forms: [{
 * label, method, path, described }] }.
 */
function entriesOf({ paths }) {
  const entries = new Map();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, described] of Object.entries(methods)) {
      if (method === 'head') continue;
      const face = /^(web|api)_(?:(.*)_post|(.*))$/.exec(described.operationId);
      // Operations accept POST like GET.
      if (face && method === 'post') continue;
      const name = face ? face[3] : path;
      const entry = entries.get(name) ?? { name, tag: described.tags[0], summary: described.summary, forms: [] };
      entries.set(name, entry);
      entry.forms.push({ label: face ? path : `${method.toUpperCase()} ${path}`, method, path, described });
    }
  }
  return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function show(document) {
  setText(at('about'), document.info.description);
  const entries = entriesOf(document);
  for (const { name, description } of document.tags) {
    const members = entries.filter(({ tag }) => tag === name).map((entry) => listed(entry));
    if (members.length > 0) {
      at('main').append(element('h2', {}, name, ' ', element('span', {}, description)), ...members);
    }
  }
}

function listed(entry) {
  const { name, summary, forms } = entry;
  const [{ described }] = forms;
  const title = element('span', { class: described.deprecated ? 'old' : '' }, element('code', {}, name));
  const badges = [
    described.deprecated && 'deprecated',
    '403' in described.responses && 'changes the receiver',
    forms[0].method !== 'get' && forms[0].method.toUpperCase(),
  ].filter(Boolean);
  const line = element(
    'summary',
    {},
    title,
    element('span', { class: 'said' }, ...prose(summary)),
    ...badges.map((badge) => element('span', { class: 'badge' }, badge)),
  );
  const box = element('details', { class: 'entry' }, line);
  box.dataset.words = `${name} ${summary} ${forms.map(({ path }) => path).join(' ')}`.toLowerCase();
  // There are hundreds of them: their content is built on demand.
  box.addEventListener('toggle', () => box.open && box.children.length === 1 && box.append(inside(entry)));
  return box;
}

function inside({ forms }) {
  const box = element('div', { class: 'inside' });
  const choice = element(
    'select',
    { 'aria-label': 'form' },
    ...forms.map(({ label }, index) => element('option', { value: String(index) }, label)),
  );
  const body = element('div');
  const fill = () => body.replaceChildren(...formOf(forms[Number(choice.value)]));
  choice.addEventListener('change', fill);
  fill();
  box.append(element('div', { class: 'send' }, choice), body);
  return box;
}

function* formOf({ method, path, described }) {
  if (described.description) yield element('p', {}, ...prose(described.description));
  const fields = described.parameters.map((parameter) => ({ parameter, field: fieldOf(parameter) }));
  if (fields.length > 0) {
    yield element('h3', {}, 'Parameters');
    yield element(
      'div',
      { class: 'fields' },
      ...fields.flatMap(({ parameter: { name, required, description, deprecated }, field }) => [
        element(
          'label',
          { for: field.id, class: required ? 'must' : '' },
          element('code', {}, name),
          deprecated ? ' (deprecated)' : '',
        ),
        field,
        element('span', { class: 'said' }, ...prose(description)),
      ]),
    );
  }
  const endless = Object.keys(described.responses['200']?.content ?? {}).some((type) => /event-stream|mp2t/.test(type));
  if (method === 'get' && !endless && !described.servers) yield tryOut(path, fields);
  yield element('h3', {}, 'Responses');
  for (const [status, { description, content = {} }] of Object.entries(described.responses)) {
    yield element('p', {}, element('code', {}, status), ` ${description}`);
    for (const [type, { example }] of Object.entries(content)) {
      yield element('p', { class: 'said' }, element('code', {}, type));
      if (example !== undefined) yield element('pre', {}, typeof example === 'string' ? example : pretty(example));
    }
  }
}

let fieldsMade = 0;
function fieldOf({ name, schema = {} }) {
  const id = `field-${++fieldsMade}`;
  if (schema.enum) {
    const options = ['', ...schema.enum].map((word) => element('option', { value: word }, String(word)));
    return element('select', { id, name }, ...options);
  }
  const hint = schema.examples?.[0] ?? schema.default ?? schema.type ?? '';
  return element('input', { id, name, placeholder: String(hint), autocomplete: 'off', spellcheck: 'false' });
}

/** A button that sends the request, and its response. */
function tryOut(path, fields) {
  const line = element('code');
  const answer = element('pre', { hidden: true });
  const button = element('button', { type: 'button', class: 'button' }, 'Send');
  const urlOf = () => {
    const given = fields.filter(({ field }) => field.value !== '');
    const segment = (_, name) =>
      encodeURIComponent(given.find(({ parameter }) => parameter.name === name)?.field.value ?? '');
    const query = given.filter(({ parameter }) => parameter.in === 'query');
    const values = Object.fromEntries(query.map(({ parameter, field }) => [parameter.name, field.value]));
    return address(path.replace(/\{(\w+)\}/g, segment), values);
  };
  const tell = () => setText(line, urlOf());
  for (const { field } of fields) field.addEventListener('input', tell);
  tell();
  button.addEventListener('click', async () => {
    button.disabled = true;
    answer.hidden = false;
    setText(answer, '…');
    try {
      setText(answer, await answerOf(urlOf()));
    } catch (error) {
      setText(answer, String(error));
    }
    button.disabled = false;
  });
  return element('div', {}, element('div', { class: 'send' }, button, line), answer);
}

async function answerOf(url) {
  const response = await fetch(url, { cache: 'no-store' });
  const type = response.headers.get('content-type') ?? '';
  const head = `${response.status} ${response.statusText}\n${type}\n\n`;
  if (/^(image|video|application\/octet)/.test(type)) return `${head}${(await response.blob()).size} bytes`;
  const text = await response.text();
  const rest = text.length - shownLength;
  return head + (rest > 0 ? `${text.slice(0, shownLength)}\n… and ${rest} more characters` : text);
}

/** Text in which parts between backticks are code. */
function prose(text) {
  return text.split('`').map((piece, index) => (index % 2 === 0 ? piece : element('code', {}, piece)));
}

const pretty = (value) => JSON.stringify(value, null, 1);

at('filter').addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/);
  for (const box of document.querySelectorAll('.entry')) {
    box.hidden = !words.every((word) => box.dataset.words.includes(word));
  }
  for (const heading of document.querySelectorAll('.interface > h2')) {
    let next = heading.nextElementSibling;
    while (next?.hidden) next = next.nextElementSibling;
    heading.hidden = !next?.classList.contains('entry');
  }
});

try {
  show(await ask('/api/openapi.json'));
} catch (error) {
  if (error instanceof LoginNeeded) location.replace('/');
  setText(at('notice'), `The API document could not be loaded: ${error.message}`);
  at('notice').hidden = false;
}
