/** The parameters and responses of an entry, and a form that sends a request. Responses are shown unchanged. */
import { useId, useState } from 'preact/hooks';
import { Options } from '../../shared/options.tsx';
import { receiver } from '../../shared/receiver.ts';
import { words } from '../../shared/words.ts';
import { type Field, type Form, type OpenApi, type ResponseObject, resolved } from './interface.ts';
import { Prose } from './prose.tsx';

/** Longer responses are cut. */
const maxCharacters = 20_000;

type Values = Readonly<Record<string, string>>;

interface RequestProps {
  readonly forms: readonly [Form, ...Form[]];
  readonly document: OpenApi;
}

export function Request({ forms, document }: RequestProps) {
  const [chosen, setChosen] = useState(0);
  const [values, setValues] = useState<Values>({});
  const form = forms[chosen] ?? forms[0];
  const { described, fields } = form;
  const { api } = words.value;
  return (
    <div class="inside">
      {forms.length > 1 && (
        <select aria-label={api.form} value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          <Options of={forms.map(({ label }, index) => [index, label])} />
        </select>
      )}
      {described.description && (
        <p>
          <Prose text={described.description} />
        </p>
      )}
      {fields.length > 0 && <h3>{api.parameters}</h3>}
      <div class="parameters">
        {fields.map((field) => (
          <Parameter
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            set={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
      </div>
      {form.canBeSent && <Try key={form.label} form={form} values={values} />}
      <h3>{api.responses}</h3>
      {Object.entries(described.responses).map(([status, response]) => (
        <DocumentedResponse key={status} status={status} response={response} document={document} />
      ))}
    </div>
  );
}

interface ParameterProps {
  readonly field: Field;
  readonly value: string;
  readonly set: (value: string) => void;
}

function Parameter({ field: { name, description, isRequired, isDeprecated, schema }, value, set }: ParameterProps) {
  const id = useId();
  const { enum: choices, examples, default: defaultValue, type, items } = schema;
  const hint = examples?.[0] ?? items?.examples?.[0] ?? defaultValue ?? [type].flat()[0] ?? '';
  return (
    <>
      <label for={id} class={isRequired ? 'required' : ''}>
        <code>{name}</code>
        {isDeprecated && ` (${words.value.api.deprecated})`}
      </label>
      {choices ? (
        <select id={id} value={value} onChange={(event) => set(event.currentTarget.value)}>
          <Options of={['', ...choices.filter((choice) => choice !== null)].map((choice) => [choice, `${choice}`])} />
        </select>
      ) : (
        <input
          id={id}
          value={value}
          placeholder={String(hint)}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      <span class="note">
        <Prose text={description} />
      </span>
    </>
  );
}

/** A button that sends the request, and the response. */
function Try({ form: { method, path, fields }, values }: { readonly form: Form; readonly values: Values }) {
  const [received, setReceived] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { api } = words.value;
  // Parameters in the path are required, even if empty.
  const isIncluded = ({ name }: Field) => values[name] || path.includes(`{${name}}`);
  const given = Object.fromEntries(fields.filter(isIncluded).map(({ name }) => [name, values[name] ?? '']));
  const target = new URL(receiver.address(path, given), location.href);
  const submit = async () => {
    setBusy(true);
    setReceived('…');
    setReceived(await send(method, target).catch(String));
    setBusy(false);
  };
  return (
    <>
      <div class="send">
        <button type="button" class="button" disabled={isBusy} onClick={() => void submit()}>
          {api.send}
        </button>
        <code>
          {method.toUpperCase()} {target.pathname + target.search}
        </code>
      </div>
      <div role="status">{received !== undefined && <Sample label={api.answer} text={received} />}</div>
    </>
  );
}

/** Sends a request. Returns status, type and body of the response as text. */
async function send(method: string, url: URL): Promise<string> {
  const response = await fetch(url, { method: method.toUpperCase(), cache: 'no-store' });
  const type = response.headers.get('content-type') ?? '';
  const head = `${response.status} ${response.statusText}\n${type}\n\n`;
  const { api } = words.value;
  if (/^(image|video|audio|application\/octet)/.test(type)) return head + api.bytes((await response.blob()).size);
  const text = await response.text();
  const rest = text.length - maxCharacters;
  return head + (rest > 0 ? `${text.slice(0, maxCharacters)}\n${api.more(rest)}` : text);
}

interface DocumentedResponseProps {
  readonly status: string;
  readonly response: ResponseObject;
  readonly document: OpenApi;
}

/** A documented response, with an example for each content type that has one. */
function DocumentedResponse({ status, response, document: { components } }: DocumentedResponseProps) {
  const { description = '', content = {} } = resolved(response, components.responses);
  return (
    <>
      <p>
        <code>{status}</code> <Prose text={description} />
      </p>
      {Object.entries(content).map(([type, { example, schema = {} }]) => {
        const shown = example ?? resolved(schema, components.schemas).examples?.[0];
        return shown === undefined ? (
          <p key={type} class="note">
            <code>{type}</code>
          </p>
        ) : (
          <Sample key={type} label={type} text={typeof shown === 'string' ? shown : JSON.stringify(shown, null, 1)} />
        );
      })}
    </>
  );
}

/** Preformatted text in a box that scrolls, also by keyboard. */
function Sample({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure>
      <figcaption class="note">
        <code>{label}</code>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse it could not be scrolled */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
