/** `/api/notifications`: failed recordings, where notices are sent, and a test of that. */
import * as Type from 'typebox';
import { NoticeSchema } from '../../../events/notice.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { text } from '../../middleware/parameters.ts';
import { field, recordSchema, sampled } from '../../write/record.ts';

const exampleNotice = {
  ...{ id: '3f0c6c3e-6f0b-4b7c-9f57-0d2b1c1f5a10', event: 'recordingFailed', time: 1767291000, receiver: 'receiverd' },
  ...{ message: 'Recording has failed: Ships & Harbours (Alpha HD): no signal', title: 'Ships & Harbours' },
  ...{ service: 'Alpha HD', reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:', begin: 1767290400, end: 1767293100 },
  ...{ description: 'Episode 3', path: '', problem: 'no signal', ongoing: false, timer: 7, conflicts: [] },
};

const Target = recordSchema(
  {
    name: field('ntfy ntfy.sh', 'its kind and host'),
    pending: field(0, 'notices that wait to be delivered'),
    problem: field('', 'why the last attempt failed; empty if it did not'),
    delivered: field(1767291000, 'Unix seconds of the last delivery; 0: none since the start'),
  },
  { $id: 'NoticeTarget' },
);

const failures = route({
  path: '/api/notifications',
  name: 'notifications',
  summary: 'The failed recordings that nobody has dismissed, latest first.',
  responses: {
    200: {
      description: 'their notices',
      schema: recordSchema({ failures: Type.Array(sampled(NoticeSchema, exampleNotice)), result: true }),
    },
  },
  run: ({ notifications }) => ({ body: { failures: [...notifications.failures], result: true } }),
});

const targets = route({
  path: '/api/notifications/targets',
  name: 'notificationTargets',
  summary: 'Where notices are sent, and what has become of them.',
  isPrivate: true,
  permission: 'admin',
  responses: {
    200: { description: 'the targets', schema: recordSchema({ targets: Type.Array(Target), result: true }) },
  },
  run: ({ notifications }) => ({ body: { targets: [...notifications.targets], result: true } }),
});

const dismiss = route({
  method: 'POST',
  path: '/api/notifications/dismiss',
  name: 'notificationDismiss',
  summary: 'Removes a failed recording from the list.',
  permission: 'record',
  parameters: { id: text('id of the notice', { example: exampleNotice.id }).required() },
  responses: { 200: { description: 'removed', schema: recordSchema({ result: true }) } },
  run(parts, { id }) {
    parts.notifications.dismiss(id);
    return { body: { result: true } };
  },
});

const test = route({
  method: 'POST',
  path: '/api/notifications/test',
  name: 'notificationTest',
  summary: 'Sends a notice to every target, and says which have got it.',
  permission: 'admin',
  responses: {
    200: {
      description: 'the result of each target; none if the settings name no target',
      schema: recordSchema({
        targets: Type.Array(
          recordSchema({
            name: field('ntfy ntfy.sh', 'its kind and host'),
            problem: field('', 'why it has not got the notice; empty if it has'),
          }),
        ),
        result: true,
      }),
    },
  },
  async run({ notifications }) {
    return { body: { targets: [...(await notifications.test())], result: true } };
  },
});

export const notificationRoutes = group('system', [failures, targets, dismiss, test]);
