import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package.ts';
import { deviceIdentity } from '../../src/device/identity.ts';

const textOf = (file: string) => readFileSync(join(packageRoot, file), 'utf8');

describe('the identity of the receiver', () => {
  const identity = deviceIdentity('Living room');

  it('has a text for every field, short enough for the 256-byte buffers of clients', () => {
    const texts = Object.values(identity) as readonly string[];
    expect(texts).not.toContain('');
    expect(Buffer.byteLength(texts.join(''))).toBeLessThan(240);
  });

  it('reports the version of package.json and the date of that version', () => {
    expect(identity.version).toBe((JSON.parse(textOf('package.json')) as { version: string }).version);
    expect(identity.released).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it('agrees with the newest release in CHANGELOG.md', () => {
    const newest = /^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$/m.exec(textOf('CHANGELOG.md'));
    // There is none before the first release.
    if (newest !== null) expect([identity.version, identity.released]).toEqual(newest.slice(1));
  });
});
