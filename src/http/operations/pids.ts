/** The current service's PIDs in one line, for players that read them. */
import { area, textOperation } from '../faces/operation.ts';
import { field, record } from '../write/record.ts';

const Pids = record({
  ppid: field('64', 'PMT PID, hexadecimal; 0 if there is none'),
  vpid: field('1ff', 'video PID'),
  apid: field('280', 'PID of the selected audio track'),
  host: field('receiver', 'the receiver, as named in the request'),
  result: true,
});

const getpid = textOperation({
  name: 'getpid',
  summary: 'The PIDs of the current service, in hexadecimal.',
  description: 'For the streaming program of old receivers (port 31339), which does not exist here.',
  deprecated: 'use stream.m3u, or the live stream port',
  result: Pids,
  webType: 'text/html; charset=utf-8',
  text: ({ host, ppid, vpid, apid }) => `http://${host}:31339/0,${ppid},${vpid},${apid}\n`,
  run({ playback }, _values, { host }) {
    const { pmt, video, audio } = playback.current?.pids ?? {};
    return { ppid: hexadecimal(pmt), vpid: hexadecimal(video), apid: hexadecimal(audio), host, result: true };
  },
});

function hexadecimal(pid = 0): string {
  return pid.toString(16);
}

export const pidOperations = area('streams', [getpid]);
