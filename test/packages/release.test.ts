/** How scripts/release.ts changes the changelog and reads npm's list of packages. */
import { expect, it } from 'vitest';
import { contained, released } from '../../scripts/release.ts';

const changelog = (unreleased: string) =>
  `# Changelog\n\n## [Unreleased]\n${unreleased}\n## [0.1.0] - 2026-11-21\n\n- old\n`;

it('moves the unreleased entries under the heading of the version', () => {
  const { notes, changelog: text } = released(changelog('\n### Added\n\n- new\n'), '0.2.0', '2026-12-01');
  expect(notes).toBe('### Added\n\n- new');
  expect(text).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- new\n\n## [0.1.0] - 2026-11-21\n\n- old\n',
  );
});

it('refuses a version that exists, and one without entries', () => {
  expect(() => released(changelog('\n- new\n'), '0.1.0', '2026-12-01')).toThrow('has 0.1.0 already');
  expect(() => released(changelog(''), '0.2.0', '2026-12-01')).toThrow('nothing under [Unreleased]');
});

it('lists only packages that the build contains', () => {
  const part = (name: string) => ({ name, version: '1.0.0', 'bom-ref': `${name}@1.0.0`, properties: [] });
  const { components, dependencies } = contained(
    {
      metadata: { component: { 'bom-ref': 'receiverd@0.1.0' } },
      components: [part('yaml'), part('vitest')],
      dependencies: [
        { ref: 'receiverd@0.1.0', dependsOn: ['yaml@1.0.0', 'vitest@1.0.0'] },
        { ref: 'vitest@1.0.0', dependsOn: ['yaml@1.0.0'] },
        { ref: 'yaml@1.0.0' },
      ],
    },
    new Set(['yaml 1.0.0']),
  );
  expect(components.map(({ name }) => name)).toEqual(['yaml']);
  expect(dependencies).toEqual([
    { ref: 'receiverd@0.1.0', dependsOn: ['yaml@1.0.0'] },
    { ref: 'yaml@1.0.0', dependsOn: [] },
  ]);
});
