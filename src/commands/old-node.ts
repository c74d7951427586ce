export const oldestNode = '20.19';

/** Whether this Node is older than those on which the receiver is tested. */
export function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}
