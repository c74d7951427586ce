/** How HDHomeRun's control protocol writes transponders: `auto:474000000`, `t8dvbt2:474000000`, `8vsb:57000000`. */
import { automaticBut, numberOf, type Transponder, type TransponderParameters, words } from '../transponder.ts';

/** Hertz between a requested frequency and a listed one. Terrestrial channels have offsets; cable lists are rounded. */
const toleranceHz = 500_000;

const hertzOf = ({ kind, frequency }: TransponderParameters) => (kind === 'cable' ? frequency * 1000 : frequency);

/** The modulations that a client may write, by kind. Satellites have none in the protocol. */
const modulations: Readonly<Record<TransponderParameters['kind'], RegExp | undefined>> = {
  satellite: undefined,
  terrestrial: /^(?:auto[678]?t?|t[678](?:dvbt2?|qam\d+|qpsk)?)$/,
  cable: /^(?:auto|a[678]?qam\d+(?:-\d+)?|qam\d*)$/,
  atsc: /^(?:auto6?[tc]?|8vsb|qam(?:64|256)?)$/,
};

/**
 * The transponder that a client names: the nearest listed one, or an unlisted one of terrestrial television. Undefined for a
 * text that names none.
 */
export function transponderOf(text: string, listed: readonly Transponder[]): Transponder | undefined {
  const [, modulation = '', digits] = /^([a-z0-9-]{1,20}):(\d{1,10})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const frequency = Number(digits);
  const offset = ({ parameters }: Transponder) => Math.abs(hertzOf(parameters) - frequency);
  const [nearest] = listed
    .filter((one) => modulations[one.parameters.kind]?.test(modulation) && offset(one) <= toleranceHz)
    .sort((a, b) => offset(a) - offset(b));
  if (nearest !== undefined || !modulations.terrestrial?.test(modulation)) return nearest;
  const bandwidth = numberOf(words.bandwidth, /[678]/.exec(modulation)?.[0] ?? 'auto');
  const parameters = automaticBut('terrestrial', { frequency, bandwidth });
  return { namespace: 0, transportStreamId: 0, originalNetworkId: 0, parameters };
}

/** The modulation in `lock=` of the status. Satellites have none in the protocol, so they are named plainly. */
export function modulationOf(parameters: TransponderParameters | undefined): string {
  switch (parameters?.kind) {
    case 'terrestrial': {
      const width = words.bandwidth[parameters.bandwidth] ?? 'auto';
      return `t${width === 'auto' ? '8' : width}dvbt${parameters.system === 1 ? '2' : ''}`;
    }
    case 'cable': {
      const points = Number.parseInt(words.cableModulation[parameters.modulation] ?? '', 10) || 256;
      return `a8qam${points}-${Math.round(parameters.symbolRate / 1000)}`;
    }
    case 'atsc':
      return parameters.modulation === 6 || parameters.modulation === 0 ? '8vsb' : 'qam256';
    case 'satellite':
      return parameters.system === 1 ? 'dvbs2' : 'dvbs';
    case undefined:
      return 'auto';
  }
}

/** A transponder as `/tunerN/channel` shows one that was tuned by a channel number. */
export const channelText = (parameters: TransponderParameters) => `auto:${hertzOf(parameters)}`;

/**
 * The channels by which a device receives a transponder, to be tried one after the other. Empty for satellites. Devices find
 * out by themselves whether a signal is DVB-T or T2.
 */
export function channelsFor(parameters: TransponderParameters): readonly string[] {
  const hertz = hertzOf(parameters);
  const automatic = `auto:${hertz}`;
  switch (parameters.kind) {
    case 'terrestrial': {
      const width = words.bandwidth[parameters.bandwidth] ?? '';
      return /^[678]$/.test(width) ? [`auto${width}t:${hertz}`, automatic] : [automatic];
    }
    case 'cable': {
      const points = Number.parseInt(words.cableModulation[parameters.modulation] ?? '', 10);
      const rate = Math.round(parameters.symbolRate / 1000);
      return points > 0 && rate > 0 ? [`a8qam${points}-${rate}:${hertz}`, automatic] : [automatic];
    }
    case 'atsc':
      return parameters.system === 1 ? [`qam256:${hertz}`, `qam64:${hertz}`] : [`8vsb:${hertz}`];
    case 'satellite':
      return [];
  }
}
