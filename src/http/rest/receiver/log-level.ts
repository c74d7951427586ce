/** `/api/loglevel`: shows and changes the log level, without a restart. */
import { logLevels } from '../../../config/config.ts';
import { route } from '../../endpoint/route.ts';
import { choice } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { oneOf, recordSchema } from '../../write/record.ts';

const LogLevel = recordSchema({
  result: true,
  level: oneOf(logLevels, { description: 'the lowest severity that is logged', sample: 'info' }),
});

const levelOf = ({ log: { level } }: ReceiverParts) => ({ body: { result: true, level } });

export const logLevelRoutes = [
  route({
    path: '/api/loglevel',
    name: 'logLevel',
    summary: 'The log level: the lowest severity that is logged.',
    responses: { 200: { description: 'the level', schema: LogLevel } },
    run: levelOf,
  }),
  route({
    method: 'POST',
    path: '/api/loglevel',
    name: 'logLevelPost',
    summary: 'Changes the log level, until the receiver restarts or reloads its configuration.',
    parameters: { level: choice('the lowest severity that is logged', logLevels).required() },
    responses: { 200: { description: 'the new level', schema: LogLevel } },
    run(parts, { level }) {
      parts.log.level = level;
      return levelOf(parts);
    },
  }),
];
