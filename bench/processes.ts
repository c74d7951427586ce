/** What a process uses, as Linux tells. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time that a process has used, with all its threads. */
export function used(pid: number): number {
  const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const fields = rest.split(' ');
  // utime and stime in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Bytes of its memory that are in RAM, mapped files too. */
export function resident(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Milliseconds for which the main thread of a process could have run, but others had the processors. */
export function waited(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}
