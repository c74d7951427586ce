/** Reads and writes orbital positions of satellites. */

/**
 * The name of a reception source, given by the upper half of an Enigma2 namespace: `DVB-T`, `DVB-C` or the orbital
 * position (`19.2° E`); empty for streams, files and IPTV channels.
 */
export function positionName(source: number): string {
  if (source === 0xeeee) return 'DVB-T';
  if (source === 0xffff) return 'DVB-C';
  if (source === 0 || source >= 3600) return '';
  return positionText(source);
}

/**
 * Parses a text that is only an orbital position, such as `19.2E` or `30° W`, to tenths of a degree east, 0 to 3599.
 */
export function positionOf(text: string): number | undefined {
  return /^\d{1,3}(\.\d)?\s?\u00b0?\s?[EW]$/i.test(text) ? positionIn(text) : undefined;
}

/** Finds an orbital position in a text such as `Hispasat-30.0W`: tenths of a degree east, 0 to 3599. */
export function positionIn(text: string): number | undefined {
  const [, degrees, side] = /(?:^|[^\d.])(\d{1,3}(?:\.\d)?)\s?\u00b0?\s?([EW])/i.exec(text) ?? [];
  const tenths = Math.round(Number(degrees) * 10);
  if (degrees === undefined || tenths > 1800) return undefined;
  return side?.toUpperCase() === 'W' ? (3600 - tenths) % 3600 : tenths;
}

/** Formats an orbital position for messages: `19.2° E`. `tenths`: of a degree east, 0 to 3599. */
export function positionText(tenths: number): string {
  return tenths > 1800 ? `${((3600 - tenths) / 10).toFixed(1)}° W` : `${(tenths / 10).toFixed(1)}° E`;
}
