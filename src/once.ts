/**
 * A function that makes its value when it is called first, and gives the same one ever after. For what takes long and is not needed to
 * start, such as everything of Intl: milliseconds for each.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
