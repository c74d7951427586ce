/**
 * Returns a function that runs actions one after the other and returns their results. A failed action does not stop the
 * next ones.
 */
export function serialQueue(): <Result>(action: () => Result | Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const done = last.then(action);
    last = done.catch(() => undefined);
    return done;
  };
}
