/**
 * The paths of the AutoTimer plug-in, which Kodi and the web pages of boxes use. They belong neither to the operations nor
 * to the REST family, and always answer with XML and status 200. Other clients use the same rules at `/autotimers`.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Match } from '../../autotimer/plan.ts';
import { changesOf } from '../../autotimer/plugin-words.ts';
import type { Rule } from '../../autotimer/rule.ts';
import type { RuleSettings } from '../../autotimer/rules-file.ts';
import { fail, ReceiverError } from '../../base/errors.ts';
import { done, type SimpleResult, simpleResult } from '../endpoint/operation.ts';
import { FormBody } from '../middleware/bodies.ts';
import { contentTypes, sendError } from '../middleware/failures.ts';
import { wholeNumber } from '../middleware/parameters.ts';
import { parseQueryLists, type QueryLists, queryText } from '../middleware/query.ts';
import { refusedChange } from '../middleware/sites.ts';
import {
  type AutotimerDescription,
  type AutotimerPath,
  autotimerDescriptions,
  ruleIds,
} from '../openapi/autotimer-description.ts';
import { settingsView } from '../operations/system.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { sendPieces } from '../write/replies.ts';
import type { Piece } from '../write/written-list.ts';
import { each, element, leaves, xmlDocument } from '../write/xml.ts';
import { rulesView } from './autotimer-rules.ts';

type Handler = (parts: ReceiverParts, given: QueryLists) => Promise<Iterable<Piece>>;

/** The settings by their parameter in `/autotimer/set`. `/autotimer/get` returns them as `config.plugins.autotimer.NAME`. */
const settings: Readonly<Record<string, keyof RuleSettings>> = {
  add_autotimer_to_tags: 'addAutoTimerToTags',
  add_name_to_tags: 'addNameToTags',
};

/** The handler for an action that returns a simple result. */
const changeHandler =
  (action: (parts: ReceiverParts, given: QueryLists) => Promise<SimpleResult>): Handler =>
  async (parts, given) =>
    xmlDocument(simpleResult, await action(parts, given));

/** @throws ReceiverError `parameter-missing`, `parameter-invalid` */
function idOf(given: QueryLists): number {
  const text = given.get('id')?.[0];
  if (!text) throw fail('parameter-missing', 'id');
  return wholeNumber(text, 'id', ruleIds);
}

const unknownRule = (id: number): SimpleResult => ({
  result: false,
  message: `There is no AutoTimer with the id ${id}`,
});

const handlers: Readonly<Record<AutotimerPath, Handler>> = {
  '/autotimer': async ({ autoTimer, services }) => xmlDocument(rulesView, { rules: autoTimer.rules.all, services }),
  '/autotimer/get': async ({ autoTimer }) => {
    const values = Object.entries(settings).map(
      ([name, key]) => [`config.plugins.autotimer.${name}`, autoTimer.rules.settings[key] ? 'True' : 'False'] as const,
    );
    return xmlDocument(settingsView, { settings: values });
  },
  '/autotimer/set': changeHandler(async ({ autoTimer }, given) => {
    const changes = Object.entries(settings).flatMap(([name, key]) => {
      const text = given.get(name)?.[0];
      return text === undefined ? [] : [[key, /^(1|true|yes|on)$/i.test(text)] as const];
    });
    await autoTimer.rules.changeSettings(Object.fromEntries(changes));
    return done('config changed.');
  }),
  '/autotimer/edit': changeHandler(async ({ autoTimer }, given) => {
    if (!given.has('id')) {
      const changes = changesOf(given);
      if (!changes.match) throw fail('parameter-missing', 'match');
      await autoTimer.rules.add(changes);
    } else {
      const id = idOf(given);
      if (!(await autoTimer.rules.change(id, (rule) => changesOf(given, rule)))) return unknownRule(id);
    }
    await autoTimer.runChangedRules();
    return done(given.has('id') ? 'AutoTimer was changed successfully' : 'AutoTimer was added successfully');
  }),
  '/autotimer/change': changeHandler(async ({ autoTimer }, given) => {
    const id = idOf(given);
    const { name, ...rest } = changesOf(new Map([...given].filter(([key]) => key === 'name' || key === 'enabled')));
    const changes = { ...rest, ...(name && { name }) };
    if (!(await autoTimer.rules.change(id, changes))) return unknownRule(id);
    await autoTimer.runChangedRules();
    return done('AutoTimer was changed successfully');
  }),
  '/autotimer/remove': changeHandler(async ({ autoTimer }, given) => {
    const id = idOf(given);
    return (await autoTimer.rules.remove(id)) ? done('AutoTimer was removed') : unknownRule(id);
  }),
  '/autotimer/parse': changeHandler(async ({ autoTimer }) => {
    const { found, created, refused } = await autoTimer.run();
    return done(`Found a total of ${found} matching Events. ${created} Timer were added, ${refused} refused.`);
  }),
  '/autotimer/simulate': simulate,
  '/autotimer/test': simulate,
};

type MatchRecord = ReturnType<typeof matchRecord>;

const matchRecord = ({ services }: ReceiverParts, rule: Rule | undefined, { event, reference, verdict }: Match) => ({
  reference: reference.format(),
  service: services.nameOf(reference),
  title: event.title,
  begin: event.start,
  end: event.start + event.duration,
  rule: rule?.name ?? '',
  verdict,
});

const simulation = element<readonly MatchRecord[]>(
  'e2autotimersimulate',
  each(
    (all) => all,
    element(
      'e2simulatedtimer',
      leaves<MatchRecord>({
        e2servicereference: 'reference',
        e2servicename: 'service',
        e2name: 'title',
        e2timebegin: 'begin',
        e2timeend: 'end',
        e2autotimername: 'rule',
        e2state: 'verdict',
      }),
    ),
  ),
);

/** Shows what a run would do: of the rule with the given id, or of all enabled rules. */
async function simulate(parts: ReceiverParts, given: QueryLists): Promise<Iterable<Piece>> {
  const { autoTimer } = parts;
  const all = autoTimer.rules.all;
  const rules = given.has('id') ? all.filter(({ id }) => id === idOf(given)) : all.filter(({ enabled }) => enabled);
  const matches = await autoTimer.preview(rules);
  const records = matches.flatMap((found, index) => found.map((match) => matchRecord(parts, rules[index], match)));
  return xmlDocument(simulation, records);
}

export function registerAutotimer(app: FastifyInstance, parts: ReceiverParts): void {
  for (const [url, handle] of Object.entries(handlers)) {
    const { changesState }: AutotimerDescription = autotimerDescriptions[url as AutotimerPath];
    app.route({
      method: ['GET', 'POST'],
      url,
      async handler(request, reply) {
        reply.type(contentTypes.xml).header('Cache-Control', 'no-store');
        const refused = changesState && refusedChange(request, parts.config, url.slice(1), 'record');
        if (refused) return sendError(request, reply, refused, { family: 'web' });
        try {
          return sendPieces(reply, await handle(parts, parametersOf(request)));
        } catch (error) {
          const status = error instanceof ReceiverError ? 200 : 500;
          return sendError(request, reply, error, { family: 'web', status });
        }
      },
    });
  }
}

/** All parameters with all their values, from the URL and from the body of a POST. The URL takes precedence. */
function parametersOf({ url, body }: FastifyRequest): QueryLists {
  const query = parseQueryLists(queryText(url));
  return body instanceof FormBody ? new Map([...body.lists, ...query]) : query;
}
