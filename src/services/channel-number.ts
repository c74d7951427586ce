/**
 * Channel numbers that the broadcaster sets and viewers know.
 *
 *   ATSC    major and minor, written 10.1, or one number on cable. As on a box, lamedb has them before the name:
 *           "10-1 KULX". These services have the original network id 0, and the source id of the VCT.
 *   Japan   three digits: 011, 101. Boxes know none: lamedb has them in an entry of our own, n:011.
 *   Brazil  5.1, in the same entry
 */

/** A number that is shown, typed and exported. */
export type ChannelNumber = string;

/** What a user may type or a guide file may name: 7 and 007, or 10.1 and 10-1. */
export const channelNumberPattern = /^\d{1,5}(?:[.-]\d{1,3})?$/;

/** 10.1 for 10.1 and 10-1. */
export const channelNumberOf = (text: string): ChannelNumber => text.replace('-', '.');

/** Without the zeros before it, which viewers may leave out: 11 for 011. */
export const typedNumber = (number: ChannelNumber) => number.replace(/^0+(?=\d)/, '');

/** Splits a name of lamedb into the number before it, '' if there is none, and the name itself. */
export function splitNumber(
  { originalNetworkId, sourceId }: { readonly originalNetworkId: number; readonly sourceId: number },
  name: string,
): readonly [number: ChannelNumber, name: string] {
  const [, number = '', rest = ''] =
    (originalNetworkId === 0 && /^(\d{1,4}-\d{1,3}|\d{1,5}) (\S.*)$/.exec(name)) || ([] as string[]);
  return number !== '' && (number.includes('-') || sourceId !== 0) ? [channelNumberOf(number), rest] : ['', name];
}

const entryMark = 'n:';

/** The number in the entries of lamedb that have no meaning on a box; '' if it is in none. */
export function entryNumber(entries: readonly string[]): ChannelNumber {
  const number = entries.find((one) => one.startsWith(entryMark))?.slice(entryMark.length) ?? '';
  return channelNumberPattern.test(number) ? channelNumberOf(number) : '';
}

/** These entries with the number of a received service. */
export function withEntryNumber(entries: readonly string[], service: NumberedService): readonly string[] {
  const number = isAtsc(service) ? '' : broadcastNumber(service);
  return number === '' ? entries : [...entries.filter((one) => !one.startsWith(entryMark)), `${entryMark}${number}`];
}

/** The number of a received service of ATSC for the name in lamedb, `10-1`; '' for other services. */
export const nameNumber = (service: NumberedService) =>
  isAtsc(service) ? broadcastNumber(service).replace('.', '-') : '';

export interface NumberedService {
  readonly originalNetworkId: number;
  readonly channelNumber: number | null;
  readonly minorNumber: number | null;
  readonly sourceId: number;
}

/** The number of a received service; '' if viewers know none, as in DVB. */
export function broadcastNumber(service: NumberedService): ChannelNumber {
  const { channelNumber, minorNumber } = service;
  if (channelNumber === null) return '';
  if (minorNumber !== null) return `${channelNumber}.${minorNumber}`;
  if (isJapanese(service)) return `${channelNumber}`.padStart(3, '0');
  return isAtsc(service) && service.sourceId !== 0 ? `${channelNumber}` : '';
}

const isAtsc = ({ originalNetworkId }: NumberedService) => originalNetworkId === 0;

/** Terrestrial networks, and those of the satellites (ARIB STD-B10 part 2, annex N). */
const isJapanese = ({ originalNetworkId: id }: NumberedService) =>
  (id >= 0x7880 && id <= 0x7fef) || [4, 6, 7].includes(id);
