/** The oldest version of Node with which the receiver is tested. */
export const oldestNode = '20.19';

/** Whether this process runs on an older version. */
export function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}
