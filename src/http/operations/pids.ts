/** The current service's PIDs in one line, for players that read them. */
import Type from 'typebox';
import { textOperation } from '../faces/operation.ts';

const Pids = Type.Object({
  ppid: Type.String({ description: 'PMT PID, hexadecimal; 0 if there is none' }),
  vpid: Type.String({ description: 'video PID' }),
  apid: Type.String({ description: 'PID of the selected audio track' }),
  host: Type.String({ description: 'the receiver, as named in the request' }),
  result: Type.Boolean(),
});

const getpid = textOperation({
  name: 'getpid',
  since: '0.1',
  tag: 'streams',
  summary: 'The PIDs of the current service, in hexadecimal.',
  description: 'For the streaming program of old receivers (port 31339), which does not exist here.',
  deprecated: 'use stream.m3u, or the live stream port',
  parameters: {},
  result: Pids,
  webType: 'text/html; charset=utf-8',
  text: ({ host, ppid, vpid, apid }) => `http://${host}:31339/0,${ppid},${vpid},${apid}\n`,
  example: { ppid: '64', vpid: '1ff', apid: '280', host: 'receiver', result: true },
  run({ playback }, _values, { host }) {
    const { pmt, video, audio } = playback.current?.pids ?? {};
    return { ppid: hexadecimal(pmt), vpid: hexadecimal(video), apid: hexadecimal(audio), host, result: true };
  },
});

function hexadecimal(pid = 0): string {
  return pid.toString(16);
}

export const pidOperations = [getpid];
