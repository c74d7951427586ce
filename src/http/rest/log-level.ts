/** `/api/loglevel`: what is logged from now on, without a restart. */
import { logLevels } from '../../config/config.ts';
import { word } from '../middleware/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { oneOf, record } from '../write/record.ts';
import { route } from './route.ts';

const LogLevel = record({
  result: true,
  level: oneOf(logLevels, { description: 'the least severity that is logged', sample: 'info' }),
});

const levelOf = ({ log: { level } }: ReceiverParts) => ({ body: { result: true, level } });

export const logLevelRoutes = [
  route({
    path: '/api/loglevel',
    name: 'logLevel',
    summary: 'The least severity that is logged.',
    responses: { 200: { description: 'the level', schema: LogLevel } },
    run: levelOf,
  }),
  route({
    method: 'POST',
    path: '/api/loglevel',
    name: 'logLevelPost',
    summary: 'Changes the level of the log, until the receiver restarts or reads its configuration again.',
    fields: { level: word('the least severity that is logged', logLevels).required() },
    responses: { 200: { description: 'the new level', schema: LogLevel } },
    run(parts, { level }) {
      parts.log.level = level;
      return levelOf(parts);
    },
  }),
];
