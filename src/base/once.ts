/**
 * A function that computes its value on the first call and returns the same one ever after. For slow values not needed
 * at the start, such as everything in Intl: milliseconds each.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
