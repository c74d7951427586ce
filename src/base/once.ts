/**
 * Returns a function that computes a value on its first call and returns the same value afterwards. For slow values
 * that are not needed at the start, such as those of Intl, which take milliseconds each.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
