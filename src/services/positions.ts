/** The origin of a service in words. */

/**
 * `DVB-T`, `DVB-C` or the orbital position (`19.2° E`), from the upper half of a namespace; empty for streams and
 * files.
 */
export function positionName(source: number): string {
  if (source === 0xeeee) return 'DVB-T';
  if (source === 0xffff) return 'DVB-C';
  if (source === 0) return '';
  return source > 1800 ? `${((3600 - source) / 10).toFixed(1)}° W` : `${(source / 10).toFixed(1)}° E`;
}
