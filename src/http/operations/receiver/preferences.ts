/** Settings that clients may change, and preferences of web pages. */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { showPicons, zapForStreams } from '../../../config/enigma2-setting-keys.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation, type SimpleResult, simpleResult } from '../../endpoint/operation.ts';
import { text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, recordSchema } from '../../write/record.ts';
import { part } from '../../write/xml.ts';

const Saved = recordSchema({
  result: true,
  value: Type.Optional(field('5', 'the value now stored, limited to its range')),
  oldValue: Type.Optional(field('3')),
  message: Type.Optional(Type.String({ description: 'why nothing was changed' })),
});

const saveconfig = operation({
  name: 'saveconfig',
  summary: 'Changes a setting.',
  description:
    'POST only: a GET returns False. Key and value may come from the URL, a form, a multipart form or a JSON object. Only keys that the ' +
    'receiver knows can be changed, but not paths, ports, logins or locks. The settings file is written immediately; the rest of it stays unchanged.',
  parameters: {
    key: text('`config.` and the name of the setting, as listed by settings', {
      example: 'config.recording.margin_before',
    }).required(),
    value: text('a boolean: `true` = yes; a number is limited to its range', { example: '5' }).required(),
  },
  changesState: true,
  result: Saved,
  xml: part<Type.Static<typeof Saved>, SimpleResult>(
    ({ result, value, message = `saved: ${value}` }) => ({ result, message }),
    simpleResult,
  ),
  failed: ({ message }) => ({ result: false, message }),
  async run({ settings }, { key, value }, { method }) {
    if (method !== 'POST') throw fail('method-not-allowed', method);
    return { result: true, ...(await settings.change(key, value)) };
  },
});

const Stored = recordSchema({ result: true });
type Stored = Type.Static<typeof Stored>;

const storingOperation = {
  result: Stored,
  xml: part<Stored, SimpleResult>(
    ({ result }) => ({ result, message: result ? 'saved' : 'no known preference' }),
    simpleResult,
  ),
  changesState: true,
} as const;

/** Stores a preference. Only `true` counts as yes. */
async function store({ settings }: ReceiverParts, key: string, given: string): Promise<Stored> {
  await settings.change(key, given === 'true' ? 'true' : 'false');
  return { result: true };
}

const setwebconfig = operation({
  ...storingOperation,
  name: 'setwebconfig',
  summary: 'Stores preferences of web pages.',
  parameters: {
    showpicons: text('`true`: show picons in lists', { example: 'true' }),
    zapstream: text('`true`: stream.m3u zaps to its service first', { example: 'true' }),
  },
  async run(parts, { showpicons, zapstream }) {
    if (showpicons !== undefined) await store(parts, showPicons, showpicons);
    if (zapstream !== undefined) await store(parts, zapForStreams, zapstream);
    return { result: showpicons !== undefined || zapstream !== undefined };
  },
});

/** Defines an operation that stores one preference. */
const storing = (name: string, summary: string, key: string) =>
  operation({
    ...storingOperation,
    name,
    summary,
    deprecated: 'use setwebconfig',
    parameters: { checked: text('`true` = yes; anything else = no', { example: 'true' }).required() },
    run: (parts, { checked }) => store(parts, key, checked),
  });

export const preferenceOperations = group('system', [
  saveconfig,
  setwebconfig,
  storing('showchannelpicon', 'Stores whether web pages show picons in lists.', showPicons),
  storing('zapstream', 'Stores whether stream.m3u zaps to its service first.', zapForStreams),
]);
