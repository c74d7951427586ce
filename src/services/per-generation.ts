/** What is made of the lists once for each of their states, since a list is asked for much more often than it changes. */
import type { Services } from './services.ts';

/** Gives `make` a memory: for the same lists in the same state it is not called again. */
export function perGeneration<Value>(make: (services: Services) => Value): (services: Services) => Value {
  const made = new WeakMap<Services, { readonly generation: number; readonly value: Value }>();
  return (services) => {
    const { generation } = services;
    const known = made.get(services);
    if (known?.generation === generation) return known.value;
    const value = make(services);
    made.set(services, { generation, value });
    return value;
  };
}
