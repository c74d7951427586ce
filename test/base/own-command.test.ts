/** Commands of the program that messages advise to run. */
import { afterEach, expect, it } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import { ownCommand, ownCommandInError, setCommandFlags } from '../../src/base/own-command.ts';

afterEach(() => setCommandFlags({}, { serves: false }));

it('include the flags that select the configuration and the data folder', () => {
  expect(ownCommand('doctor')).toBe('receiverd doctor');
  setCommandFlags({ config: '/etc/tv.yaml', dataDir: "/mnt/it's here" }, { serves: false });
  expect(ownCommand('doctor')).toBe("receiverd doctor --config /etc/tv.yaml --data-dir '/mnt/it'\\''s here'");
  setCommandFlags({ dataDir: 'tv' }, { serves: false });
  expect(ownCommandInError('doctor')).toBe(`receiverd doctor --data-dir ${process.cwd()}/tv`);
});

it('do not reveal folders to clients of a running receiver', () => {
  setCommandFlags({ dataDir: '/mnt/secret' }, { serves: true });
  expect(ownCommand('doctor')).toContain('/mnt/secret');
  expect(fail('outside', '203.0.113.9').message).not.toContain('/mnt/secret');
});
