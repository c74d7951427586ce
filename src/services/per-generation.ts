/** Caches values derived from the lists, since lists are read much more often than they change. */
import type { Services } from './services.ts';

/** Memoizes `make`: it runs once per generation of the lists. */
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
