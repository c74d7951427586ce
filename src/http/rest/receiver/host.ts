/** Routes for the program around the receiver: the end of its log, the doctor's findings, and its settings. */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { logLevels } from '../../../config/config.ts';
import { settingKinds } from '../../../config/configuration-check.ts';
import { type Finding, findingKinds, type Host, type ListedSetting, settingSources } from '../../../host/host.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type Route, route } from '../../endpoint/route.ts';
import { integer, text } from '../../middleware/parameters.ts';
import { field, nullable, oneOf, recordSchema, sampled } from '../../write/record.ts';
import { enigma2Changes, listEnigma2Settings } from './enigma2-settings.ts';

const levels = logLevels.filter((level) => level !== 'silent');
/** The names of pino's numeric levels. */
const levelNames: ReadonlyMap<number, (typeof levels)[number]> = new Map([
  [60, 'fatal'],
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
  [20, 'debug'],
  [10, 'trace'],
]);

const Line = recordSchema({
  number: field(42, 'number of the line, from 1 at each start'),
  time: sampled(Type.Number({ description: 'Unix seconds' }), 1767291000.25),
  level: oneOf(levels, { sample: 'info' }),
  text: 'the guide was written to disk',
});

const FindingSchema = recordSchema({
  kind: sampled(oneOf(findingKinds), 'port'),
  subject: field('port 8080 for the web interface', 'what was examined'),
  ok: false,
  problem: nullable(field('address already in use', 'what is wrong; null if it works')),
  remedy: nullable(field('stop the program that uses it', 'how to fix it; null if it works')),
});

const findingRecord = ({ kind, what, trouble, remedy }: Finding) => {
  const ok = trouble === '';
  return { kind, subject: what, ok, problem: ok ? null : trouble, remedy: ok ? null : remedy };
};

const Setting = recordSchema({
  name: 'guide.history',
  description: 'seconds for which an ended event is kept',
  kind: sampled(oneOf(settingKinds), 'integer'),
  allowed: field('a whole number from 0 to 604800', 'the allowed values, human-readable'),
  words: field(['new'], 'the allowed values, if there are only these; otherwise empty'),
  minimum: sampled(nullable(Type.Integer()), 0),
  maximum: sampled(nullable(Type.Integer()), 604_800),
  default: field('0', 'the default as JSON; empty if it depends on the machine'),
  value: field('3600', 'the current value as JSON; empty if it is secret'),
  secret: field(false, 'whether the setting has a value that is not shown'),
  source: sampled(oneOf(settingSources), 'file'),
  fixed: field('', 'why the setting cannot be changed here; empty if it can'),
  restart: field(true, 'whether a change takes effect only after a restart'),
  pending: field(false, 'whether the running receiver still uses another value'),
  running: field('3600', 'the value that the running receiver uses, as JSON; empty if it is secret'),
});

const settingRecord = (setting: ListedSetting) => ({
  name: setting.name,
  description: setting.meaning,
  kind: setting.kind,
  allowed: setting.allowed,
  words: [...setting.words],
  minimum: setting.minimum ?? null,
  maximum: setting.maximum ?? null,
  default: jsonOf(setting.default),
  value: jsonOf(setting.value),
  secret: setting.isSecret,
  source: setting.source,
  fixed: setting.guard,
  restart: setting.needsRestart,
  pending: setting.isPending,
  running: jsonOf(setting.running),
});

const jsonOf = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));

/** Parses the changes of settings. @throws ReceiverError `parameter-invalid` */
function changesOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const changes: unknown = JSON.parse(json);
    if (typeof changes === 'object' && changes !== null && !Array.isArray(changes)) return { ...changes };
  } catch {
    // Invalid JSON is reported like a value that is not an object.
  }
  throw fail('parameter-invalid', 'changes', 'must be a JSON object: names of settings and their new values');
}

export const hostRoutes = ({ logLines, settings, examine }: Host): readonly Route[] =>
  group('system', [
    route({
      path: '/api/log',
      name: 'log',
      isPrivate: true,
      summary: 'The end of the log, oldest line first.',
      parameters: {
        after: integer('only lines after this number', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }).or(0),
      },
      responses: { 200: { description: 'the lines', schema: recordSchema({ lines: Type.Array(Line), result: true }) } },
      run(_parts, { after }) {
        const lines = logLines.after(after).map(({ number, time, level, text }) => {
          return { number, time: time / 1000, level: levelNames.get(level) ?? 'info', text };
        });
        return { body: { lines, result: true } };
      },
    }),
    route({
      path: '/api/doctor',
      name: 'doctor',
      isPrivate: true,
      summary: 'What works on this machine, what does not, and how to fix it, as `receiverd doctor` prints it.',
      responses: {
        200: {
          description: 'the findings',
          schema: recordSchema({ healthy: false, findings: Type.Array(FindingSchema), result: true }),
        },
      },
      async run() {
        const findings = (await examine()).map(findingRecord);
        return { body: { healthy: findings.every(({ ok }) => ok), findings, result: true } };
      },
    }),
    route({
      path: '/api/configuration',
      name: 'configuration',
      isPrivate: true,
      summary: 'All settings of the receiver, with their values and where those come from.',
      responses: {
        200: {
          description:
            'the settings: first those of the Enigma2 folder, then those of the configuration in the order of docs/configuration.md',
          schema: recordSchema({
            file: field('/etc/receiverd/receiverd.yaml', 'the configuration file, which changes are written to'),
            settings: Type.Array(Setting),
            result: true,
          }),
        },
      },
      failures: { 500: 'the configuration file is invalid' },
      run(parts) {
        const listed = [...listEnigma2Settings(parts.settings), ...settings.list()];
        return { body: { file: settings.file, settings: listed.map(settingRecord), result: true } };
      },
    }),
    route({
      method: 'POST',
      path: '/api/configuration',
      name: 'configurationPost',
      summary: 'Changes settings in their files. Comments and everything else in the files stay as they are.',
      description: 'All values are checked first. If one is invalid, nothing is changed.',
      parameters: {
        changes: text('JSON object: names of settings and their new values; null restores the default', {
          example: '{"cleaning.deleteAfter": 30}',
        }).required(),
      },
      responses: {
        200: {
          description: 'the settings are changed',
          schema: recordSchema({
            restart: field(['name'], 'the changed settings that take effect only after a restart'),
            result: true,
          }),
        },
      },
      failures: {
        403: 'the command line or the environment sets it, or it can only be changed in the file',
        404: 'no such setting',
        500: 'the file cannot be written',
      },
      async run(parts, { changes }) {
        const { others, write } = enigma2Changes(changesOf(changes));
        const hasOthers = Object.keys(others).length > 0;
        const restart = hasOthers ? await settings.change(others) : [];
        await write(parts.settings);
        return { body: { restart: [...restart], result: true } };
      },
    }),
  ]);
