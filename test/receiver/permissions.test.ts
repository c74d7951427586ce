/** The whole program in a network of its own: what other addresses and accounts may not do. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { output } from '../clients/run.ts';
import { canIsolate, isolated } from '../fixtures/own-network.ts';
import type { Household, Seen } from './permissions-household.ts';
import { root } from './program.ts';

describe.skipIf(!canIsolate)('every request of the interface', () => {
  let household: Household;
  beforeAll(async () => {
    const script = ['--import', 'tsx', join(root, 'test/receiver/permissions-household.ts')];
    household = JSON.parse((await output('unshare', isolated(process.execPath, ...script))).toString());
  });

  /** The statuses of users at an address, each once. */
  const statusesOf = (users: Seen['machine']) =>
    Object.fromEntries(
      Object.entries(users).map(([user, answers]) => [user, [...new Set(Object.values(answers))].sort()]),
    );
  const limited = { view: [403], control: [403], record: [403] };

  it('is refused without its permission before there is an administrator, but to nobody on the machine', () => {
    const { machine, neighbour, stranger } = household.before;
    expect(statusesOf(machine)).toEqual({ nobody: [], ...limited });
    expect(statusesOf(neighbour)).toEqual({ nobody: [401], ...limited });
    expect(statusesOf(stranger)).toEqual({ nobody: [401], ...limited });
  });

  it('is refused without its permission from everywhere once there is one', () => {
    for (const users of Object.values(household.after))
      expect(statusesOf(users)).toEqual({ nobody: [401], ...limited });
  });

  it('is asked for by each user', () => {
    for (const { view, control, record, nobody } of Object.values(household.after)) {
      const counts = [view, control, record, nobody].map((answers = {}) => Object.keys(answers).length);
      expect(Math.min(...counts)).toBeGreaterThan(60);
      expect(Math.max(...counts)).toBeGreaterThan(200);
    }
  });

  it('of the machine and of the local network that needs no login is allowed, before and after', () => {
    expect(new Set([...household.administered, ...household.watched])).toEqual(new Set([200]));
  });
});
