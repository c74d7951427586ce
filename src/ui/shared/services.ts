/** Bouquets and their services, for all pages with channels. */
import { receiver } from './receiver.ts';
import { type Loaded, useResponse } from './use-response.ts';

const roots = {
  tv: '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.tv" ORDER BY bouquet',
  radio: '1:7:2:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.radio" ORDER BY bouquet',
} as const;

export interface Bouquet {
  readonly reference: string;
  readonly name: string;
  readonly kind: keyof typeof roots;
  /** Channel number of the last service in the previous bouquets. */
  readonly before: number;
}

export interface Service {
  readonly reference: string;
  readonly name: string;
  /** Path of the picon. */
  readonly picon: string;
  /** Channel number: 7, or 10.1 of ATSC. */
  readonly number: string;
  readonly kind: 'service' | 'marker' | 'bouquet';
}

export function useBouquets(): Loaded<readonly Bouquet[]> {
  return useResponse(
    async (signal) => (await Promise.all([loadBouquets('tv', signal), loadBouquets('radio', signal)])).flat(),
    [],
    ['services'],
  );
}

async function loadBouquets(kind: keyof typeof roots, signal: AbortSignal): Promise<readonly Bouquet[]> {
  const { services } = await receiver.get('/api/getservices', { sRef: roots[kind] }, { signal });
  return services.map(({ servicereference: reference, servicename: name, startpos: before = 0 }) => ({
    reference,
    name: name.replace(/(?<!\s)\s*\((TV|Radio)\)$/i, ''),
    kind,
    before,
  }));
}

/**
 * The entries of a bouquet: services, markers and nested bouquets. Empty without a bouquet; undefined until loaded, also after
 * another bouquet was chosen.
 */
export function useServices(bouquet: Bouquet | undefined): readonly Service[] | undefined {
  const { value } = useResponse(
    async (signal) => ({
      reference: bouquet?.reference,
      services: bouquet === undefined ? [] : await loadServices(bouquet, signal),
    }),
    [bouquet?.reference, bouquet?.before],
    ['services'],
  );
  return value?.reference === bouquet?.reference ? value?.services : undefined;
}

export async function loadServices(bouquet: Bouquet, signal?: AbortSignal): Promise<readonly Service[]> {
  const query = { sRef: bouquet.reference, picon: true };
  const { services } = await receiver.get('/api/getservices', query, signal && { signal });
  return services.map(({ servicereference: reference, servicename: name, picon = '', pos, channel }) => ({
    reference,
    name,
    picon,
    number: channel ?? `${bouquet.before + pos}`,
    kind: kindOf(reference),
  }));
}

function kindOf(reference: string): Service['kind'] {
  const flags = Number(reference.split(':', 2)[1]);
  if (flags & 64) return 'marker';
  return reference.includes('FROM BOUQUET') && (flags & 7) === 7 && !(flags & 128) ? 'bouquet' : 'service';
}
