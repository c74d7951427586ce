/** What the program around the receiver offers: the end of its log, the doctor's findings, its settings. */
import * as Type from 'typebox';
import { fail } from '../../base/errors.ts';
import { logLevels } from '../../config/config.ts';
import { settingKinds } from '../../config/configuration-check.ts';
import { findingKinds, type Host, type ListedSetting, settingSources } from '../../host/host.ts';
import { text, whole } from '../middleware/parameters.ts';
import { field, nullable, oneOf, record, sampled } from '../write/record.ts';
import { enigma2Changes, listEnigma2Settings } from './enigma2-settings.ts';
import { area, type Route, route } from './route.ts';

const levels = logLevels.filter((level) => level !== 'silent');
/** As pino has them. */
const numbers: ReadonlyMap<number, (typeof levels)[number]> = new Map([
  [60, 'fatal'],
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
  [20, 'debug'],
  [10, 'trace'],
]);

const Line = record({
  number: field(42, 'counts from 1 since the start'),
  time: sampled(Type.Number({ description: 'Unix seconds' }), 1767291000.25),
  level: oneOf(levels, { sample: 'info' }),
  text: 'the guide was written to disk',
});

const Finding = record({
  kind: sampled(oneOf(findingKinds), 'port'),
  subject: field('port 8080 for the web interface', 'the thing examined'),
  ok: false,
  problem: field('address already in use', 'empty if it works'),
  remedy: field('stop the program that uses it', 'empty if it works'),
});

const Setting = record({
  name: 'guide.history',
  description: 'seconds for which an ended event is kept',
  kind: sampled(oneOf(settingKinds), 'integer'),
  allowed: field('a whole number from 0 to 604800', 'in words'),
  words: field(['new'], 'the only values; empty: there are others'),
  minimum: sampled(nullable(Type.Integer()), 0),
  maximum: sampled(nullable(Type.Integer()), 604_800),
  default: field('0', 'as JSON; empty if it depends on the machine'),
  value: field('3600', 'as JSON; empty if it is secret'),
  secret: field(false, 'it is set, and not shown'),
  source: sampled(oneOf(settingSources), 'file'),
  fixed: field('', 'why it cannot be changed here; empty if it can'),
  restart: field(true, 'it takes effect with a restart only'),
  pending: field(false, 'the receiver still runs with another value'),
});

const shown = (setting: ListedSetting) => ({
  name: setting.name,
  description: setting.meaning,
  kind: setting.kind,
  allowed: setting.allowed,
  words: [...setting.words],
  minimum: setting.minimum ?? null,
  maximum: setting.maximum ?? null,
  default: jsonOf(setting.preset),
  value: jsonOf(setting.value),
  secret: setting.isSecret,
  source: setting.source,
  fixed: setting.guard,
  restart: setting.needsRestart,
  pending: setting.isPending,
});

const jsonOf = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));

/** @throws ReceiverError `parameter-invalid` */
function changesOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const changes: unknown = JSON.parse(json);
    if (typeof changes === 'object' && changes !== null && !Array.isArray(changes)) return { ...changes };
  } catch {
    // The same as another value than an object.
  }
  throw fail('parameter-invalid', 'changes', 'must be a JSON object: names of settings and their new values');
}

export const hostRoutes = ({ logLines, settings, examine }: Host): readonly Route[] =>
  area('system', [
    route({
      path: '/api/log',
      name: 'log',
      isPrivate: true,
      summary: 'The end of the log, oldest line first.',
      query: { after: whole('only lines after this number', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }).or(0) },
      responses: { 200: { description: 'the lines', schema: record({ lines: Type.Array(Line), result: true }) } },
      run(_parts, { after }) {
        const lines = logLines.after(after).map(({ number, time, level, text }) => {
          return { number, time: time / 1000, level: numbers.get(level) ?? 'info', text };
        });
        return { body: { lines, result: true } };
      },
    }),
    route({
      path: '/api/doctor',
      name: 'doctor',
      isPrivate: true,
      summary: 'What works on this machine, what does not, and how to fix it: what `receiverd doctor` prints.',
      responses: {
        200: {
          description: 'the findings',
          schema: record({ healthy: false, findings: Type.Array(Finding), result: true }),
        },
      },
      async run() {
        const findings = (await examine()).map(({ kind, what, trouble, remedy }) => {
          const ok = trouble === '';
          return { kind, subject: what, ok, problem: trouble, remedy: ok ? '' : remedy };
        });
        return { body: { healthy: findings.every(({ ok }) => ok), findings, result: true } };
      },
    }),
    route({
      path: '/api/configuration',
      name: 'configuration',
      isPrivate: true,
      summary: 'Every setting of the receiver: what it is, its value, and where that comes from.',
      responses: {
        200: {
          description:
            'the settings: those of the Enigma2 folder, then the others in the order of docs/configuration.md',
          schema: record({
            file: field('/etc/receiverd/receiverd.yaml', 'into which changes go'),
            settings: Type.Array(Setting),
            result: true,
          }),
        },
      },
      failures: { 500: 'the file is wrong' },
      run(parts) {
        const listed = [...listEnigma2Settings(parts.settings), ...settings.list()];
        return { body: { file: settings.file, settings: listed.map(shown), result: true } };
      },
    }),
    route({
      method: 'POST',
      path: '/api/configuration',
      name: 'configurationPost',
      summary: 'Changes settings in their files, where comments and all else stay as they are.',
      description: 'All are checked first; if one is wrong, nothing is changed.',
      fields: {
        changes: text(
          'JSON object: names of settings and their new values; null is back to the default',
          '{"cleaning.deleteAfter": 30}',
        ).required(),
      },
      responses: {
        200: {
          description: 'the file is written',
          schema: record({ restart: field(['name'], 'what takes effect with the next restart only'), result: true }),
        },
      },
      failures: {
        403: 'the command line or the environment gives the setting, or only the file can change it',
        404: 'no such setting',
        500: 'the file cannot be written',
      },
      async run(parts, { changes }) {
        const { others, write } = enigma2Changes(changesOf(changes));
        const isOnlyThem = Object.keys(others).length === 0;
        const restart = isOnlyThem ? [] : await settings.change(others);
        await write(parts.settings);
        return { body: { restart: [...restart], result: true } };
      },
    }),
  ]);
