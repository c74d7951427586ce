/** Names and values in two columns. Empty values are left out. */
import { useTexts } from './texts.ts';

type Value = string | number | null | undefined;
export type Fact = readonly [name: string, value: Value];

/** `details`: facts for experts, which are folded. */
export function Facts({ of, details = [] }: { readonly of: readonly Fact[]; readonly details?: readonly Fact[] }) {
  return (
    <>
      <List of={of.filter(isKnown)} />
      {details.some(isKnown) && <Details of={details.filter(isKnown)} />}
    </>
  );
}

const isKnown = ([, value]: Fact) => value !== undefined && value !== null && value !== '';

function Details({ of }: { readonly of: readonly Fact[] }) {
  const texts = useTexts();
  return (
    <details class="more">
      <summary>{texts?.details ?? '…'}</summary>
      <List of={of} />
    </details>
  );
}

function List({ of }: { readonly of: readonly Fact[] }) {
  if (of.length === 0) return null;
  return (
    <dl class="facts-list">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
