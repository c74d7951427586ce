/** What somebody may do at the receiver. */

/** In the order in which they are listed. Whoever has any of them may view; `admin` includes all. */
export const rights = ['view', 'control', 'record', 'admin'] as const;

export type Right = (typeof rights)[number];

export const meanings: Readonly<Record<Right, string>> = {
  view: 'read everything, watch streams and recordings',
  control: 'also zap, play, change volume and power, show messages, timeshift',
  record: 'also change timers, recordings and AutoTimer rules',
  admin: 'everything, also lists, scans, guide imports and settings',
};

/** Whether somebody with the `given` rights may do what needs `right`. */
export function permits(given: readonly Right[], right: Right): boolean {
  return given.includes('admin') || (right === 'view' ? given.length > 0 : given.includes(right));
}
