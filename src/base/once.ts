/**
 * Returns a function that computes a value on its first call and returns the same value afterwards. For values that take
 * milliseconds to compute and are not needed at startup, such as those of Intl.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
