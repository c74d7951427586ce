/** The permissions of accounts, and of clients on the local network without a login. */

/** In the order in which they are listed. Each of them includes `view`; `admin` includes all. */
export const permissions = ['view', 'control', 'record', 'admin'] as const;

export type Permission = (typeof permissions)[number];

/** What each permission allows, as the command line prints it. */
export const permissionMeanings: Readonly<Record<Permission, string>> = {
  view: 'read everything, watch streams and recordings',
  control: 'also zap, play, change volume and power, show messages, timeshift',
  record: 'also change timers, recordings and AutoTimer rules',
  admin: 'everything, also lists, scans, guide imports and settings',
};

/** Whether an account with the `granted` permissions may do what requires `permission`. */
export function permits(granted: readonly Permission[], permission: Permission): boolean {
  return granted.includes('admin') || (permission === 'view' ? granted.length > 0 : granted.includes(permission));
}
