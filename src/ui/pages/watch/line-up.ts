/** The channels that one zaps through: those of the bouquet one comes from. */
import { useEffect, useMemo } from 'preact/hooks';
import { isSameService } from '../../shared/event-timers.ts';
import { receiver } from '../../shared/receiver.ts';
import { change, route } from '../../shared/route.ts';
import { type Bouquet, type Service, useBouquets, useServices } from '../../shared/services.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

export interface LineUp {
  readonly bouquets: readonly Bouquet[];
  /** Undefined until known. */
  readonly bouquet: Bouquet | undefined;
  /** The channels of the bouquet. */
  readonly services: readonly Service[];
  /** Goes to the next (1) or previous (-1) channel. */
  readonly step: (step: 1 | -1) => void;
  /** Goes to the channel with a number, also in another bouquet. Returns whether there is one. */
  readonly goTo: (number: string) => Promise<boolean>;
}

/** Whether a number is the one that was typed: the zeros before it may be left out. */
export const isTyped = (number: string, typed: string) => withoutZeros(number) === withoutZeros(typed);

const withoutZeros = (number: string) => number.replace(/^0+(?=\d)/, '');

const isRadio = (reference: string) => /^\d+:\d+:[2A]:/i.test(reference);

/** Shows a channel in place of the current one: the back button leads to the page from which one came. */
export function show({ reference, name }: Pick<Service, 'reference' | 'name'>, bouquet: string | undefined): void {
  change({ service: reference, name, bouquet }, { replace: true });
}

export function useLineUp(reference: string): LineUp {
  const { value: bouquets = [] } = useBouquets();
  const bouquet = useBouquet(reference, bouquets);
  const entries = useServices(bouquet);
  const services = useMemo(() => entries?.filter(({ kind }) => kind === 'service') ?? [], [entries]);
  return {
    bouquets,
    bouquet,
    services,
    step(step) {
      // From the address, because keys may come faster than the page renders.
      const { service = reference } = route.peek().query;
      const here = services.findIndex((one) => isSameService(one.reference, service));
      // A channel outside the bouquet is followed by the first one, and preceded by the last one.
      const next = services.at(here < 0 ? Math.min(0, step) : (here + step) % services.length);
      if (next) show(next, bouquet?.reference);
    },
    async goTo(number) {
      const listed = services.find((one) => isTyped(one.number, number));
      if (listed) show(listed, bouquet?.reference);
      if (listed || bouquet === undefined) return listed !== undefined;
      const { page, query } = route.peek();
      const { items } = await receiver.get(`/services/${bouquet.kind}`, { format: 'object' });
      const found = items
        .flatMap((item) => ('service_reference' in item ? [item] : []))
        .find((one) => isTyped(one.channel ?? `${one.number}`, number));
      // The user has gone elsewhere meanwhile.
      if (route.peek().page !== page || route.peek().query.service !== query.service) return true;
      if (!found) return false;
      const home = bouquets.findLast(({ kind, before }) => kind === bouquet.kind && before < found.number);
      show({ reference: found.service_reference, name: found.service_name }, home?.reference);
      return true;
    },
  };
}

/** The bouquet in the address; otherwise the first one that has the service, which is then put into the address. */
function useBouquet(reference: string, bouquets: readonly Bouquet[]): Bouquet | undefined {
  const { bouquet: wanted } = route.value.query;
  const isUnknown = !wanted && bouquets.length > 0;
  const { value: found } = useResponse(
    async (signal) => (isUnknown ? bouquetOf(reference, bouquets, signal) : undefined),
    [isUnknown, reference],
  );
  useEffect(() => {
    if (isUnknown && found) change({ bouquet: found.reference }, { replace: true });
  }, [isUnknown, found]);
  if (!wanted) return found;
  // A nested bouquet is not in the list.
  const inner: Bouquet = { reference: wanted, name: words.value.channels.bouquet, kind: 'tv', before: 0 };
  return bouquets.length === 0 ? undefined : (bouquets.find((one) => one.reference === wanted) ?? inner);
}

async function bouquetOf(
  reference: string,
  bouquets: readonly Bouquet[],
  signal: AbortSignal,
): Promise<Bouquet | undefined> {
  const kind = isRadio(reference) ? 'radio' : 'tv';
  const { items } = await receiver.get(`/services/${kind}`, { format: 'object' }, { signal });
  const listed = items.flatMap((item) => ('service_reference' in item ? [item] : []));
  const { number } = listed.find((one) => isSameService(one.service_reference, reference)) ?? {};
  const ofKind = bouquets.filter((one) => one.kind === kind);
  return ofKind.findLast(({ before }) => before < (number ?? 1)) ?? ofKind[0] ?? bouquets[0];
}
