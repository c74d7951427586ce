/**
 * Channel numbers of ATSC: major and minor, written 10.1, or one number on cable. As on a box, lamedb has them before
 * the name: "10-1 KULX". These services have the original network id 0, and the source id of the VCT.
 */

/** A number that is shown, typed and exported. */
export type ChannelNumber = string;

/** What a user may type or a guide file may name: 7, or 10.1 and 10-1. */
export const channelNumberPattern = /^\d{1,5}(?:[.-]\d{1,3})?$/;

/** 10.1 for 10.1 and 10-1. */
export const channelNumberOf = (text: string): ChannelNumber => text.replace('-', '.');

/** Splits a name of lamedb into the number before it, '' if there is none, and the name itself. */
export function splitNumber(
  { originalNetworkId, sourceId }: { readonly originalNetworkId: number; readonly sourceId: number },
  name: string,
): readonly [number: ChannelNumber, name: string] {
  const [, number = '', rest = ''] =
    (originalNetworkId === 0 && /^(\d{1,4}-\d{1,3}|\d{1,5}) (\S.*)$/.exec(name)) || ([] as string[]);
  return number !== '' && (number.includes('-') || sourceId !== 0) ? [channelNumberOf(number), rest] : ['', name];
}

/** The number of a received service; '' if it is not of ATSC. */
export function broadcastNumber({
  channelNumber,
  minorNumber,
  sourceId,
}: {
  readonly channelNumber: number | null;
  readonly minorNumber: number | null;
  readonly sourceId: number;
}): ChannelNumber {
  if (channelNumber === null) return '';
  if (minorNumber !== null) return `${channelNumber}.${minorNumber}`;
  return sourceId === 0 ? '' : `${channelNumber}`;
}
