/** Picons: candidate file names and the look-up in folders. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Picons, piconCandidates, reducedName } from '../../src/services/picons.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

describe('picons', () => {
  it('tries the reference in increasingly general forms, then the name', () => {
    const reference = ServiceReference.parse('4097:0:19:283D:3FB:1:C01234:0:0:0:http%3a//host/x:Das Erste HD');
    expect(piconCandidates(reference, 'Das Erste HD')).toEqual([
      '4097_0_19_283D_3FB_1_C01234_0_0_0',
      '4097_0_19_283D_3FB_1_C00000_0_0_0',
      '1_0_19_283D_3FB_1_C00000_0_0_0',
      '1_0_1_283D_3FB_1_C00000_0_0_0',
      'daserstehd',
      'daserste',
      'das erste hd',
    ]);
  });

  it('does not look for a radio service among television', () => {
    const radio = ServiceReference.parse('1:0:2:10:3F3:1:C00000:0:0:0:');
    expect(piconCandidates(radio, '')).toEqual(['1_0_2_10_3F3_1_C00000_0_0_0']);
  });

  it.each([
    ['Das Erste HD', 'daserstehd'],
    ['Käse & Brot+', 'kaseandbrotplus'],
    ['H*T', 'hstart'],
    ['Первый', ''],
    ['ﬁlm', 'film'],
  ])('reduces %s to %s', (name, reduced) => expect(reducedName(name)).toBe(reduced));

  it('finds files in several folders, with the first folder first', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(one, 'daserste.svg'), '');
    writeFileSync(join(two, 'daserste.png'), '');
    writeFileSync(join(two, '1_0_19_2B66_3F3_1_C00000_0_0_0.png'), '');
    writeFileSync(join(two, 'picon_default.png'), '');
    const picons = await Picons.read([one, '/nonexistent', two]);
    expect(picons.find(ServiceReference.parse('1:0:19:283D:3FB:1:C00000:0:0:0:'), 'Das Erste HD')).toBe(
      join(one, 'daserste.svg'),
    );
    expect(picons.find(ServiceReference.parse('4097:0:19:2B66:3F3:1:C00000:0:0:0:http%3a//x/y:'))).toBe(
      join(two, '1_0_19_2B66_3F3_1_C00000_0_0_0.png'),
    );
    expect(picons.find(ServiceReference.parse('1:0:1:1:1:1:1:0:0:0:'), 'Other')).toBeUndefined();
    // Too long for the name of a service or file: normalizing it could take seconds.
    const long = `${' '.repeat(300)}daserste`;
    expect(picons.find(ServiceReference.parse('1:0:1:1:1:1:1:0:0:0:'), long)).toBeUndefined();
    expect(picons.find(ServiceReference.parse('1:0:19:2B66:3F3:1:C00000:0:0:0:'), long)).toBeDefined();
    expect(picons.fallback).toBe(join(two, 'picon_default.png'));
    expect(picons.byFileName('daserste.png')).toBe(join(one, 'daserste.svg'));
  });
});
