/** Names and values in two columns. Empty values are left out. */
type Value = string | number | null | undefined;

export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: Value])[] }) {
  const known = of.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return (
    <dl class="facts-list">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
