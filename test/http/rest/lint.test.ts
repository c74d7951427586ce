/** Checks the OpenAPI documents with the recommended rules of `redocly lint`. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFolder, temporaryFolder } from '../../receiver/program.ts';
import { readDocument, schemaMismatches } from '../conformance/schema.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

const redocly = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');

let receiver: TestReceiver;
const folder = temporaryFolder();
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  removeFolder(folder);
});

async function problemsOf(document: string): Promise<readonly string[]> {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, document);
  const words = [redocly, 'lint', '--extends', 'recommended', '--format', 'json', '--max-problems', '10000', file];
  // Without telemetry, and without looking for a newer version.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const output = await new Promise<string>((done) => {
    execFile(process.execPath, words, { env, cwd: folder, maxBuffer: 2 ** 26 }, (_error, stdout) => done(stdout));
  });
  const { problems } = JSON.parse(output) as { readonly problems: readonly Problem[] };
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

/** Routes that always reject a request, because it names no single item to delete. */
const alwaysRefused = ['~1recordings/delete', '~1recording/delete', '~1timers~1{service_reference}/delete'].map(
  (path) => `operation-2xx-response #/paths/${path}/responses: Operation must have at least one \`2XX\` response.`,
);

it('3.1 is clean', async () => {
  const { body } = await receiver.app.inject('/api/openapi.json');
  expect(await problemsOf(body)).toEqual(alwaysRefused);
});

it('2.0 is clean', async () => {
  const { body } = await receiver.app.inject('/api/');
  // 2.0 allows any number as the bound of a parameter; redocly accepts only whole numbers.
  const half = 'struct #/paths/~1api~1events/get/parameters/1/minimum: Expected type `integer` but got `number`.';
  expect(await problemsOf(body)).toEqual([half, ...alwaysRefused]);
});

it('every parameter has an example, an enum or a default, and its examples are valid', async () => {
  const document = await readDocument();
  const unclear = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters, requestBody }]) => {
      const form = requestBody?.content['application/x-www-form-urlencoded']?.schema?.properties ?? {};
      const all = [...parameters.map(({ name, schema }) => [name, schema] as const), ...Object.entries(form)];
      return all.flatMap(([name, schema]) => {
        const value = schema.items ?? schema;
        const isSwitch = [value.type].flat().includes('boolean');
        const [example] = value.examples ?? [];
        if (example === undefined)
          return isSwitch || 'enum' in value || 'default' in value ? [] : [`${method} ${path} ${name}`];
        return schemaMismatches(document, value, example).map((why) => `${method} ${path} ${name} ${why}`);
      });
    }),
  );
  expect(unclear).toEqual([]);
});
