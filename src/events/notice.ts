/**
 * A notice: something that a person or another program may want to know at once. Hooks, webhooks, MQTT and event streams
 * get it in this form; docs/notifications.md and docs/events.md are derived from the schema.
 */
import * as Type from 'typebox';
import { noticeKinds } from '../config/config.ts';

const Text = (description: string) => Type.String({ description });
const Time = (description: string) => Type.Integer({ description });

const programme = {
  title: Text('title of the programme; empty in a test'),
  service: Text('name of the service'),
  reference: Text('service reference'),
  begin: Time('planned start of the timer, or start of the recording, Unix seconds'),
  end: Time('planned end of the timer, or end of the recording, Unix seconds; 0 if it is not known yet'),
};

export const NoticeSchema = Type.Object(
  {
    id: Text('unique; the same for repeated deliveries'),
    event: Type.String({ enum: [...noticeKinds, 'recordingResumed', 'test'], description: 'what has happened' }),
    time: Time('when it happened, Unix seconds'),
    receiver: Text('name of the receiver'),
    message: Text('one sentence for people, in English'),
    ...programme,
    description: Text('short text of the programme'),
    path: Text('path of the recording; empty if there is none'),
    problem: Text('what went wrong; empty if nothing did'),
    ongoing: Type.Boolean({ description: 'whether the receiver is still trying, or recording' }),
    timer: Type.Integer({ description: 'id of the timer; 0 if there is none' }),
    conflicts: Type.Array(Type.Object(programme), { description: 'timers that leave no tuner for this one' }),
  },
  {
    description:
      'something that hooks and webhooks report: a recording has started, ended, failed or recovered, a timer was added, or timers are in conflict',
  },
);

export type Notice = Type.Static<typeof NoticeSchema>;
export type NoticeProgramme = Notice['conflicts'][number];
export type HookKind = (typeof noticeKinds)[number];
export type NoticeKind = HookKind | 'recordingResumed';
