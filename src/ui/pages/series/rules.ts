/** The rules that record series, and the actions on one. */
import type { AutoTimerRule, Parameters } from '../../../client/client.ts';
import { attempt, showToast } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';

export type Rule = AutoTimerRule;
/** The fields of a rule as a form edits them. */
export type Draft = Omit<Rule, 'id' | 'timers' | 'missing'>;
type Sent = Parameters<'post', '/autotimers'>;

export function useRules() {
  return useResponse(
    async (signal) => (await receiver.get('/autotimers', {}, { signal })).items,
    [],
    ['autotimers', 'timers'],
  );
}

export function draftOf({ id: _, timers: __, missing: ___, ...rule }: Rule): Draft {
  return rule;
}

export function newDraft(title: string, service: string): Draft {
  return {
    ...{ name: title, match: title, enabled: true, searchType: title ? 'exact' : 'partial', caseSensitive: false },
    ...{ include: [], exclude: [], services: service ? [service] : [], bouquets: [], from: null, to: null },
    ...{ weekdays: 0, after: null, before: null, minimumDuration: 0, maximumDuration: 0 },
    ...{ marginBefore: null, marginAfter: null, tags: [], dirname: null, justplay: false, zapbeforerecord: false },
    ...{ vps: false, vpsOverwrite: false, afterevent: 'auto', avoidDuplicates: 'recording', compare: 'short' },
    ...{ counter: 0, counterPeriod: 'always' },
  };
}

/** All fields as form parameters. An empty string clears a list; empty patterns are left out. */
export function sentOf(draft: Draft): Sent {
  const list = (all: readonly string[]) => (all.length > 0 ? all : ['']);
  const filters = (all: Draft['include']) => list(all.flatMap(({ where, text }) => (text ? `${where}:${text}` : [])));
  return {
    ...draft,
    name: draft.name || draft.match,
    include: filters(draft.include),
    exclude: filters(draft.exclude),
    services: list(draft.services),
    bouquets: list(draft.bouquets),
    tags: list(draft.tags),
  };
}

export async function switchRule({ id, enabled }: Rule): Promise<void> {
  await attempt(() => receiver.put('/autotimers/{id}', { id, enabled: !enabled }));
}

/** Deletes a rule and its timers that have not started. Undoing adds the rule again, which creates the timers again. */
export async function removeRule(rule: Rule): Promise<void> {
  const done = await attempt(() => receiver.delete('/autotimers/{id}', { id: rule.id, timers: 'remove' }));
  if (!done) return;
  const { common, series } = words.peek();
  showToast(series.deleted(rule.name), {
    label: common.undo,
    run: () => attempt(() => receiver.post('/autotimers', sentOf(draftOf(rule)))),
  });
}
