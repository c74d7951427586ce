/** How HDHomeRun's control protocol writes transponders: `auto:474000000`, `t8dvbt2:474000000`, `8vsb:57000000`. */
import { automaticBut, type Transponder, type TransponderParameters } from '../dvb/transponder.ts';

/** Hertz between a requested frequency and a listed one. Terrestrial channels have offsets; cable lists are rounded. */
const toleranceHz = 500_000;

const hertzOf = ({ kind, frequency }: TransponderParameters) => (kind === 'cable' ? frequency * 1000 : frequency);

/** The modulations of clients, by how they begin, and the bandwidth of terrestrial ones by Enigma2's number. */
const terrestrial = /^(?:auto([678])?t?|t([678])(?:dvbt2?|qam\d+|qpsk)?)$/;
const cable = /^(?:a[678]?qam\d+(?:-\d+)?|qam\d*)$/;
const atsc = /^(?:8vsb|qam(?:64|256)?|auto6?[tc]?)$/;
const bandwidthNumbers: Readonly<Record<string, number>> = { 8: 0, 7: 1, 6: 2 };

/**
 * The transponder that a client names: the nearest listed one, or an unlisted one of terrestrial television. Undefined for a
 * text that names none.
 */
export function transponderOf(text: string, listed: readonly Transponder[]): Transponder | undefined {
  const [, modulation = '', digits] = /^([a-z0-9-]{1,20}):(\d{1,10})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const frequency = Number(digits);
  const kinds = { satellite: undefined, terrestrial, cable, atsc };
  const isMeant = ({ parameters }: Transponder) =>
    (modulation === 'auto' && parameters.kind !== 'satellite') || kinds[parameters.kind]?.test(modulation);
  const offset = ({ parameters }: Transponder) => Math.abs(hertzOf(parameters) - frequency);
  const [nearest] = listed
    .filter((one) => isMeant(one) && offset(one) <= toleranceHz)
    .sort((a, b) => offset(a) - offset(b));
  if (nearest !== undefined) return nearest;
  const [, automaticWidth, width = automaticWidth] = terrestrial.exec(modulation) ?? [undefined];
  if (!terrestrial.test(modulation)) return undefined;
  const bandwidth = bandwidthNumbers[width ?? ''];
  const parameters = automaticBut('terrestrial', { frequency, ...(bandwidth !== undefined && { bandwidth }) });
  return { namespace: 0, transportStreamId: 0, originalNetworkId: 0, parameters };
}

const widths = ['8', '7', '6'];

/** The modulation in `lock=` of the status. Satellites have none in the protocol, so they are named plainly. */
export function modulationOf(parameters: TransponderParameters | undefined): string {
  switch (parameters?.kind) {
    case 'terrestrial':
      return `t${widths[parameters.bandwidth] ?? '8'}dvbt${parameters.system === 1 ? '2' : ''}`;
    case 'cable':
      return `a8qam${[256, 16, 32, 64, 128, 256][parameters.modulation] ?? 256}-${Math.round(parameters.symbolRate / 1000)}`;
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
