/** The program as a SAT>IP server, for benchmarks. */
import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from './http-program.ts';

/** At most at a time. */
export const clients = 20;

/** A multiplex that the program serves by SAT>IP at 498 MHz, in `folder`; returns its port. `more`: further settings. */
export async function served(tuner: string, folder: string, more = '') {
  const program = await startProgram(folder, {
    tuner,
    scan: 'always',
    more: `satip:\n  server:\n    enabled: true\n    port: 0\n    clients: ${clients}\n${more}`,
  });
  for (;;) {
    const description = await fetch(`${program.url}/satip/desc.xml`);
    // Known, once its tables have come.
    if (/>DVBT-1</.test(await description.text()))
      return { program, port: Number(description.headers.get('x-satip-rtsp-port')) };
    await pause(100);
  }
}
