/**
 * The paths of the AutoTimer plug-in that Kodi asks for, so that it finds what it looks for and stays quiet: there are no rules, and
 * none can be made. They stand outside of the two families of operations, and are XML whatever happens.
 */
import type { FastifyInstance } from 'fastify';
import { contentTypes } from './failures.ts';
import { done, type SimpleResult, simpleResult } from './operation.ts';
import { settingsView } from './operations/system.ts';
import { sendPieces } from './replies.ts';
import type { Piece } from './written-list.ts';
import { elementWith, xmlDocument } from './xml.ts';

/** Kodi tries to change these when one is not `True`, and takes the whole answer for a failure when a value is empty. */
const settings: readonly (readonly [key: string, value: string])[] = [
  ['config.plugins.autotimer.add_autotimer_to_tags', 'True'],
  ['config.plugins.autotimer.add_name_to_tags', 'True'],
];

const unavailable: SimpleResult = { result: false, message: 'AutoTimer is not available' };

const noRules = elementWith<undefined>('autotimer', { version: '8' });

const answers: Readonly<Record<string, () => Iterable<Piece>>> = {
  '/autotimer': () => xmlDocument(noRules, undefined),
  '/autotimer/get': () => xmlDocument(settingsView, { settings }),
  '/autotimer/set': () => xmlDocument(simpleResult, done('config changed.')),
  '/autotimer/edit': () => xmlDocument(simpleResult, unavailable),
  '/autotimer/remove': () => xmlDocument(simpleResult, unavailable),
};

export function registerAutotimer(app: FastifyInstance): void {
  for (const [url, pieces] of Object.entries(answers)) {
    app.route({
      method: ['GET', 'POST'],
      url,
      handler: (_request, reply) =>
        sendPieces(reply.type(contentTypes.xml).header('Cache-Control', 'no-store'), pieces()),
    });
  }
}
