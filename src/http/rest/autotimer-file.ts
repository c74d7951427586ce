/** The rules as the `autotimer.xml` of a box: `/autotimers/import` reads one, `/autotimers.xml` writes one. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import {
  type ForeignRule,
  formatForeignRules,
  type LeftOut,
  longestForeignFile,
  RulesMalformed,
} from '../../autotimer/plugin-file.ts';
import type { RuleOrder } from '../../autotimer/rule.ts';
import { foreignRules } from '../../autotimer/take-over.ts';
import { fail } from '../../base/errors.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { field, record } from '../write/record.ts';
import { documentBytes } from '../write/replies.ts';
import { area, errorKeys, exampleError, Refusal, type RestAnswer, route } from './route.ts';

const about = { minimum: 1, description: 'line in the file' };
const ImportSchema = record(
  {
    result: true,
    imported: field(1, { minimum: 0, description: 'imported rules' }),
    switched_off: field(0, {
      minimum: 0,
      description: 'how many of these were disabled because they would otherwise record too much',
    }),
    ids: field([1], 'ids of the imported rules, in file order'),
    left_out: Type.Array(
      record({
        line: field(3, about),
        rule: field('Third', "the rule's name"),
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
  { ...errorKeys, line: Type.Optional(Type.Integer(about)) },
  { $id: 'AutoTimerImportError' },
);

const autotimersImport = route({
  method: 'POST',
  path: '/autotimers/import',
  name: 'autotimersImport',
  summary: 'Imports the rules of a box.',
  description:
    'The body is its `autotimer.xml`. Rules that already exist, enabled or not, are not imported again. With curl: ' +
    '`curl --data-binary @autotimer.xml http://box/autotimers/import`.',
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
  async run({ autoTimer }, _values, { body }: FastifyRequest): Promise<RestAnswer> {
    const { rules, leftOut } = await readRules(await bytesOf(body));
    let found: SortedRules = { fresh: [], known: [] };
    const added = await autoTimer.rules.addAll(async (present) => {
      found = await sorted(rules, present);
      return found.fresh.map(({ order }) => order);
    });
    const { fresh, known } = found;
    await autoTimer.settle();
    return {
      body: {
        result: true,
        imported: fresh.length,
        switched_off: fresh.filter(({ isSwitchedOff }) => isSwitchedOff).length,
        ids: added.map(({ id }) => id),
        left_out: [...leftOut, ...known]
          .sort((a, b) => a.line - b.line)
          .map(({ text, ...place }) => ({ ...place, message: text })),
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
    const body = await documentBytes(formatForeignRules(autoTimer.rules.all));
    return {
      document: { contentType: 'application/xml; charset=utf-8', body },
      headers: { 'Content-Disposition': 'attachment; filename="autotimer.xml"' },
    };
  },
});

export const autotimerFileRoutes = area('timers', [autotimersImport, autotimersXml], 'record');

/** @throws ReceiverError `too-large` */
async function bytesOf(body: unknown): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  if (!(body instanceof Readable)) return Buffer.alloc(0);
  // Leaving the loop early must not destroy the stream: the socket below it still has to carry the response.
  for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > longestForeignFile) throw fail('too-large', 'the list of rules', longestForeignFile);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function readRules(bytes: Buffer) {
  try {
    return await foreignRules(bytes);
  } catch (error) {
    throw error instanceof RulesMalformed ? new Refusal(error, { line: error.line }) : error;
  }
}

interface SortedRules {
  readonly fresh: readonly ForeignRule[];
  /** Rules that exist already. */
  readonly known: readonly LeftOut[];
}

async function sorted(rules: readonly ForeignRule[], present: readonly RuleOrder[]): Promise<SortedRules> {
  const slice = new TimeSlice();
  const there = new Set<string>();
  for (const rule of present) {
    if (slice.isOver) await slice.next();
    there.add(keyOf(rule));
  }
  const fresh: ForeignRule[] = [];
  const known: LeftOut[] = [];
  for (const rule of rules) {
    if (slice.isOver) await slice.next();
    const key = keyOf(rule.order);
    if (there.has(key)) known.push({ line: rule.line, rule: rule.order.name, text: 'it exists already' });
    else fresh.push(rule);
    there.add(key);
  }
  return { fresh, known };
}

/** The content of a rule, whether enabled or not. */
function keyOf(rule: RuleOrder): string {
  const said = Object.entries(rule).filter(([name]) => name !== 'id' && name !== 'enabled');
  return JSON.stringify(said.sort(([a], [b]) => (a < b ? -1 : 1)));
}
