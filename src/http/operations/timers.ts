/** Timers: the list, which is empty as long as none can be set. */
import Type, { type Static } from 'typebox';
import { operation } from '../operation.ts';
import { element } from '../xml.ts';

const TimerList = Type.Object({
  result: Type.Boolean(),
  timers: Type.Array(Type.Object({})),
  locations: Type.Array(Type.String()),
  default: Type.String(),
});

const timerlist = operation({
  name: 'timerlist',
  since: '0.1',
  tag: 'timers',
  summary: 'The timers, finished ones too.',
  parameters: {},
  result: TimerList,
  xml: element<Static<typeof TimerList>>('e2timerlist'),
  example: { result: true, timers: [], locations: ['/media/hdd/movie/'], default: '/media/hdd/movie/' },
  run: ({ locations }) => ({
    result: true,
    timers: [],
    locations: [...locations.all],
    default: locations.default,
  }),
});

export const timerOperations = [timerlist];
