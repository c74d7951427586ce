/**
 * Checks every operation against its own documentation: sends the documented request to /web and /api, by GET and by POST,
 * compares the structure of the response with the documented example, and both with structures/. An operation fails if
 * it has no line in the table of operations, no example, no request or no structure.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pagePath } from '../../../scripts/pages.ts';
import type { Operation } from '../../../src/http/endpoint/operation.ts';
import { operations } from '../../../src/http/operations/index.ts';
import { xmlType } from '../../../src/http/write/xml.ts';
import { get, parseXml, type Reply } from '../reply.ts';
import { requestsFor } from './requests.ts';
import { jsonDifferences, xmlDifferences } from './shape.ts';
import { jsonMismatches, type Structure, type XmlTree, xmlMismatches } from './structure.ts';
import { structures } from './structures/index.ts';
import { openWorld, type World } from './world.ts';

let receiver: World;
let requests: ReturnType<typeof requestsFor>;
beforeAll(async () => {
  receiver = await openWorld();
  requests = requestsFor(receiver.recording, receiver.other);
});
afterAll(() => receiver.close());
beforeEach(() => receiver.reset());

/** Operations with an empty response, and operations that work only by POST. */
const emptyAnswers = new Set(['restartserver', 'restarttwisted']);
const postOnly = new Set(['saveconfig']);

const table = readFileSync(pagePath('docs/operations.md'), 'utf8');

describe('every operation', () => {
  it.each(operations)('$name has a line in the table, an example and a request', ({ name, example, mediaTypes }) => {
    expect(table).toMatch(new RegExp(`^\\| \\[${name.replaceAll('.', '\\.')}\\]`, 'm'));
    const isText = mediaTypes?.every((type) => !/^(image|application\/octet)/.test(type));
    if (isText && !emptyAnswers.has(name)) expect(example).toBeTruthy();
    else expect(example).toBeDefined();
    expect(requests[name], `test/http/conformance/requests.ts lacks ${name}`).toBeDefined();
    expect(structures[name], `test/http/conformance/structures lacks ${name}`).toBeDefined();
  });

  it('exists for each of the requests and structures', () => {
    const names = new Set(operations.map(({ name }) => name));
    const given = [...Object.keys(requests), ...Object.keys(structures)];
    expect(given.filter((name) => !names.has(name))).toEqual([]);
  });
});

/** The same request in every possible way. */
async function ways(path: string, parameters: Readonly<Record<string, string>>): Promise<readonly Reply[]> {
  const operation = path.replace(/.*\//, '');
  const form = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(parameters).toString(),
  } as const;
  return [
    ...(postOnly.has(operation) ? [] : [await get(receiver, path, parameters)]),
    await get(receiver, path, {}, form),
    await get(receiver, path, parameters, { method: 'POST' }),
  ];
}

const named = (kind: (operation: Operation) => boolean) => operations.filter(kind);

const structureOf = (name: string): Structure => structures[name] ?? {};

describe('the XML of', () => {
  it.each(named(({ webType }) => webType === xmlType))('$name has the structure of its example', async (operation) => {
    const example = parseXml(operation.webExample());
    const { xml = {} } = structureOf(operation.name);
    expect(xmlMismatches(example, xml)).toEqual([]);
    for (const { status, type, body } of await ways(`/web/${operation.name}`, requests[operation.name] ?? {})) {
      expect([status, type]).toEqual([200, xmlType]);
      expect(xmlDifferences(parseXml(body), example)).toEqual([]);
      expect(xmlMismatches(parseXml(body), xml)).toEqual([]);
    }
  });
});

describe('the JSON of', () => {
  it.each(named(({ result }) => result !== undefined))(
    '$name has the structure of its example',
    async ({ name, example }) => {
      const { json = {} } = structureOf(name);
      expect(jsonMismatches(JSON.parse(JSON.stringify(example)), json)).toEqual([]);
      for (const { status, type, body } of await ways(`/api/${name}`, requests[name] ?? {})) {
        expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
        expect(jsonDifferences(JSON.parse(body), JSON.parse(JSON.stringify(example)))).toEqual([]);
        expect(jsonMismatches(JSON.parse(body), json)).toEqual([]);
      }
    },
  );
});

const texts = named(({ webType }) => webType !== undefined && webType !== xmlType);

describe('the text of', () => {
  it.each(texts)('$name matches its definition', async ({ name, webType, webExample }) => {
    const { text = /^$/ } = structureOf(name);
    expect(webExample()).toMatch(text);
    for (const { status, type, body } of await ways(`/web/${name}`, requests[name] ?? {})) {
      expect([status, type]).toEqual([200, webType]);
      expect(body).toMatch(text);
    }
  });
});

/** The differences between a document and its definition. */
function documentMismatches(body: string, structure: RegExp | XmlTree): string[] {
  if (!(structure instanceof RegExp)) return xmlMismatches(parseXml(body), structure);
  return structure.test(body) ? [] : [`${JSON.stringify(body.slice(0, 500))} is not ${structure}`];
}

describe('the document', () => {
  it.each(named(({ mediaTypes }) => mediaTypes !== undefined))('$name begins like its example', async (operation) => {
    const { name, example, mediaTypes } = operation;
    const [first = ''] = String(example).split('\n');
    if (example !== '') expect(documentMismatches(String(example), structureOf(name).document ?? /^$/)).toEqual([]);
    for (const family of ['web', 'api']) {
      for (const { status, type, body } of await ways(`/${family}/${name}`, requests[name] ?? {})) {
        expect(status).toBe(200);
        expect(mediaTypes).toContain(type);
        // The constant part of the example, before names and numbers.
        expect(body.startsWith(first.slice(0, 16)), body.slice(0, 100)).toBe(true);
        if (/xml/.test(type)) expect(parseXml(body).name).toBe(parseXml(String(example)).name);
        expect(documentMismatches(body, structureOf(name).document ?? /^$/)).toEqual([]);
      }
    }
  });
});

describe('every number', () => {
  const numbers = operations.flatMap((operation) =>
    Object.entries(operation.parameters)
      .filter(([, { schema }]) => 'type' in schema && schema.type === 'integer')
      .map(([parameter, { schema }]) => ({
        operation,
        parameter,
        schema: schema as { minimum?: number; maximum?: number },
      })),
  );

  it.each(numbers)('$parameter of $operation.name is bounded', async ({ operation, parameter, schema }) => {
    const { minimum = Number.NaN, maximum = Number.NaN } = schema;
    expect(minimum).toBeLessThan(maximum);
    const { name } = operation;
    for (const value of [minimum - 1, maximum + 1, -999_999_999_999_999, 999_999_999_999_999]) {
      const { status, body } = await get(receiver, `/api/${name}`, { ...requests[name], [parameter]: String(value) });
      expect([200, 404]).toContain(status);
      const { result, message = '' } = status === 200 && body.startsWith('{') ? JSON.parse(body) : { result: true };
      // An error that names the parameter; most operations use the nearest value or ignore it.
      if (/must be a number/.test(message))
        expect([result, message]).toEqual([false, expect.stringContaining(`'${parameter}'`)]);
    }
  });

  it.each(numbers)(
    '$parameter of $operation.name never reaches the operation out of its bounds',
    ({ operation: { parameters }, parameter: name, schema: { minimum = 0, maximum = 0 } }) => {
      const parameter = parameters[name];
      const read = (value: string) => {
        try {
          return parameter?.from(value, name);
        } catch (error) {
          return error instanceof Error && error.message.includes(name) ? undefined : error;
        }
      };
      for (const bound of [minimum, maximum]) expect(read(String(bound))).not.toBeInstanceOf(Error);
      for (const value of [minimum - 1, maximum + 1, -999_999_999_999_999, 999_999_999_999_999]) {
        const got = read(String(value));
        // Refused, or what a text that is no number counts as, or a value in bounds, which may be no number.
        if (got === undefined || got === read('nonsense') || typeof got !== 'number')
          expect(got).not.toBeInstanceOf(Error);
        else expect([got, got >= minimum && got <= maximum]).toEqual([got, true]);
      }
    },
  );

  it('of the REST family is bounded', async () => {
    const { paths } = JSON.parse((await get(receiver, '/api')).body) as {
      paths: Record<string, Record<string, { parameters?: { name: string; type?: string }[] }>>;
    };
    const unbounded = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ parameters = [] }) =>
        parameters
          .filter((one) => one.type === 'integer' && !('enum' in one) && !('minimum' in one && 'maximum' in one))
          .map(({ name }) => `${path} ${name}`),
      ),
    );
    expect(unbounded).toEqual([]);
  });
});

describe('every word', () => {
  const words = operations.flatMap((operation) =>
    Object.entries(operation.parameters)
      .filter(([, { schema }]) => 'enum' in schema)
      .map(([name, parameter]) => ({ operation: operation.name, name, parameter })),
  );

  it.each(words)('$name of $operation is one of the listed words', ({ name, parameter }) => {
    const { enum: known } = parameter.schema as { readonly enum: readonly string[] };
    for (const word of known) expect(parameter.from(word, name)).toBe(word);
    for (const other of [undefined, '', 'nonsense', `${known[0]} `]) {
      const read = () => parameter.from(other, name);
      const given = other === undefined || other === '' ? (read() ?? known[0]) : refusedOr(read, known[0], name);
      expect(known).toContain(given);
    }
  });
});

/** The value that a text counts as; `otherwise` if it is refused with a message that contains the parameter's name. */
function refusedOr(read: () => unknown, otherwise: unknown, name: string): unknown {
  try {
    return read();
  } catch (error) {
    expect((error as Error).message).toContain(`'${name}'`);
    return otherwise;
  }
}

describe('every parameter', () => {
  const all = operations.flatMap(({ name, parameters }) =>
    Object.keys(parameters).map((parameter) => ({ name, parameter })),
  );

  it.each(all)('$parameter of $name copes with nonsense and with an empty value', async ({ name, parameter }) => {
    for (const value of ['', 'nonsense', '-1', '99999999999999999999', '%00', '<&">']) {
      for (const family of ['web', 'api']) {
        const { status, type, body } = await get(receiver, `/${family}/${name}`, {
          ...requests[name],
          [parameter]: value,
        });
        expect([200, 400, 404], body.slice(0, 200)).toContain(status);
        if (type === xmlType) parseXml(body);
        else if (type.startsWith('application/json')) JSON.parse(body);
      }
    }
  });
});
