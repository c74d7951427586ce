/** `/autotimers/import` imports the `autotimer.xml` of a box; `/autotimers.xml` exports the rules as such a file. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { parseRulesOfBox } from '../../../autotimer/import-rules.ts';
import { missingWarning } from '../../../autotimer/missing.ts';
import {
  formatPluginFile,
  type ImportedRule,
  maxPluginFileBytes,
  RulesMalformed,
  type SkippedPart,
} from '../../../autotimer/plugin-file.ts';
import type { RuleSpec } from '../../../autotimer/rule.ts';
import { fail } from '../../../base/errors.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import type { Services } from '../../../services/services.ts';
import { group } from '../../endpoint/endpoint.ts';
import { errorKeys, exampleError, type RestResponse, route } from '../../endpoint/route.ts';
import { DetailedError } from '../../middleware/failures.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, recordSchema } from '../../write/record.ts';
import { documentBytes } from '../../write/replies.ts';

const lineOptions = { minimum: 1, description: 'line in the file' };
const ImportSchema = recordSchema(
  {
    result: true,
    imported: field(1, { minimum: 0, description: 'number of imported rules' }),
    switched_off: field(0, {
      minimum: 0,
      description: 'number of imported rules that were disabled, because they would record more than intended',
    }),
    ids: field([1], 'ids of the imported rules, in file order'),
    left_out: Type.Array(
      recordSchema({
        line: field(3, lineOptions),
        rule: field('Third', 'name of the rule'),
        message: field(
          "it is not a valid rule: The parameter 'match' must be string",
          'what was not imported, and why',
        ),
      }),
    ),
  },
  { $id: 'AutoTimerImport' },
);
const DamagedSchema = Type.Object(
  { ...errorKeys, line: Type.Optional(Type.Integer(lineOptions)) },
  { $id: 'AutoTimerImportError' },
);

const autotimersImport = route({
  method: 'POST',
  path: '/autotimers/import',
  name: 'autotimersImport',
  summary: 'Imports the rules of a box.',
  description:
    'The body is the `autotimer.xml` of the box. Rules that already exist, enabled or not, are not imported again. With curl: ' +
    '`curl --data-binary @autotimer.xml http://receiver:8080/autotimers/import`.',
  requestBody: {
    description: 'the file',
    types: ['application/xml', 'text/xml', 'application/octet-stream'],
    example:
      '<autotimer version="8">\n <timer name="Weather" match="weather"/>\n <timer name="Third"/>\n</autotimer>\n',
  },
  responses: {
    200: { description: 'what was imported and what was not', schema: ImportSchema },
    400: {
      description: 'the file is damaged; nothing was imported',
      schema: DamagedSchema,
      example: exampleError(
        'rules-malformed',
        'the list of rules is damaged in line 2: it ends in the middle',
        { path: '/autotimers/import', method: 'POST' },
        { line: 2 },
      ),
    },
  },
  failures: {
    413: 'the file is too large',
    500: 'the rules cannot be written',
    507: 'the maximum number of rules has been reached',
  },
  async run({ autoTimer, services }, _values, { body }: FastifyRequest): Promise<RestResponse> {
    const { rules, skipped } = await parseRules(await bytesOf(body));
    let partition: PartitionedRules = { newRules: [], duplicates: [] };
    const added = await autoTimer.rules.addAll(async (existing) => {
      partition = await partitionRules(rules, existing);
      return partition.newRules.map(({ spec }) => spec);
    });
    const { newRules, duplicates } = partition;
    await autoTimer.runChangedRules();
    const warnings = await warningsOf(services, newRules);
    return {
      body: {
        result: true,
        imported: newRules.length,
        switched_off: newRules.filter(({ isDisabledByImport }) => isDisabledByImport).length,
        ids: added.map(({ id }) => id),
        left_out: [...skipped, ...duplicates, ...warnings]
          .sort((a, b) => a.line - b.line)
          .map(({ text, ...part }) => ({ ...part, message: text })),
      },
    };
  },
});

const autotimersXml = route({
  path: '/autotimers.xml',
  name: 'autotimersXml',
  summary: 'The rules as the `autotimer.xml` of a box.',
  responses: {
    200: {
      description: 'the file',
      types: ['application/xml; charset=utf-8'],
      schema: Type.String(),
      example: '<?xml version="1.0" ?>\n<autotimer version="8">\n\n</autotimer>\n',
    },
  },
  async run({ autoTimer }: ReceiverParts) {
    const body = await documentBytes(formatPluginFile(autoTimer.rules.all));
    return {
      document: { contentType: 'application/xml; charset=utf-8', body },
      headers: { 'Content-Disposition': 'attachment; filename="autotimer.xml"' },
    };
  },
});

export const autotimerFileRoutes = group('timers', [autotimersImport, autotimersXml], 'record');

/** The bytes of a request body; none if it is absent. @throws ReceiverError `too-large` */
async function bytesOf(body: unknown): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  if (!(body instanceof Readable)) return Buffer.alloc(0);
  // Leaving the loop early must not destroy the stream, because the response still uses its socket.
  for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxPluginFileBytes) throw fail('too-large', 'the list of rules', maxPluginFileBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function parseRules(bytes: Buffer) {
  try {
    return await parseRulesOfBox(bytes);
  } catch (error) {
    throw error instanceof RulesMalformed ? new DetailedError(error, { keys: { line: error.line } }) : error;
  }
}

/** Reports for the imported rules with services or bouquets that do not exist here. */
async function warningsOf(services: Services, rules: readonly ImportedRule[]): Promise<SkippedPart[]> {
  const warnings: SkippedPart[] = [];
  for (const { line, spec } of rules) {
    const text = await missingWarning(services, spec);
    if (text !== undefined && warnings.length < maxWarnings) warnings.push({ line, rule: spec.name, text });
  }
  return warnings;
}

const maxWarnings = 100;

interface PartitionedRules {
  readonly newRules: readonly ImportedRule[];
  /** Reports for the rules that already exist, or that the file has twice. */
  readonly duplicates: readonly SkippedPart[];
}

async function partitionRules(
  rules: readonly ImportedRule[],
  existing: readonly RuleSpec[],
): Promise<PartitionedRules> {
  const slice = new TimeSlice();
  const keys = new Set<string>();
  for (const rule of existing) {
    if (slice.isOver) await slice.next();
    keys.add(keyOf(rule));
  }
  const newRules: ImportedRule[] = [];
  const duplicates: SkippedPart[] = [];
  for (const rule of rules) {
    if (slice.isOver) await slice.next();
    const key = keyOf(rule.spec);
    if (keys.has(key)) duplicates.push({ line: rule.line, rule: rule.spec.name, text: 'it exists already' });
    else newRules.push(rule);
    keys.add(key);
  }
  return { newRules, duplicates };
}

/** A key that is equal for rules with the same fields, apart from `id` and `enabled`. */
function keyOf(rule: RuleSpec): string {
  const fields = Object.entries(rule).filter(([name]) => name !== 'id' && name !== 'enabled');
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
