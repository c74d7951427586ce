/** The whole program in a network of its own: what other addresses may do without a login. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { output } from '../clients/run.ts';
import { canIsolate, isolated } from '../fixtures/own-network.ts';
import { root } from './program.ts';

/** Statuses of the requests that need a permission. */
type Answers = Readonly<Record<string, number>>;
type Seen = Readonly<Record<'machine' | 'neighbour' | 'stranger', Answers>>;

describe.skipIf(!canIsolate)('without a login', () => {
  let seen: { readonly before: Seen; readonly after: Seen; readonly watched: readonly number[] };
  beforeAll(async () => {
    const household = ['--import', 'tsx', join(root, 'test/receiver/permissions-household.ts')];
    seen = JSON.parse((await output('unshare', isolated(process.execPath, ...household))).toString());
  });

  const refused = (answers: Answers, status: number) => {
    expect(Object.keys(answers).length).toBeGreaterThan(60);
    expect(Object.entries(answers).filter(([, one]) => one !== status)).toEqual([]);
  };

  it('nobody but the machine itself administers, and that only until there is an administrator', () => {
    expect(Object.values(seen.before.machine).filter((status) => status === 401 || status === 403)).toEqual([]);
    refused(seen.after.machine, 401);
    refused(seen.before.neighbour, 401);
    refused(seen.after.neighbour, 401);
  });

  it('strangers get nothing', () => {
    refused(seen.before.stranger, 403);
    refused(seen.after.stranger, 401);
  });

  it('the local network watches, controls and records, before and after', () => {
    expect(seen.watched).toEqual(Array(seen.watched.length).fill(200));
  });
});
