/** Returns a function that runs actions one by one, each after the one before has ended, and gives back their results. */
export function oneByOne(): <Result>(action: () => Result | Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const done = last.then(action);
    last = done.catch(() => undefined);
    return done;
  };
}
