/** `/picture/live`: stills of what is on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { alpha, openReceiver } from '../receiver.ts';

it.each([
  ['', 200],
  [`${alpha}\n`, 204],
])('there is a still unless the service is locked, with the list "%s"', async (blacklist, status) => {
  const receiver = await openReceiver({ liveStills: { find: async () => Buffer.from('JPEG') } });
  try {
    writeFileSync(join(receiver.folder, 'settings'), 'config.ParentalControl.configured=True\n');
    writeFileSync(join(receiver.folder, 'blacklist'), blacklist);
    await receiver.app.inject('/api/servicelistreload?mode=4');
    const reply = await receiver.app.inject(`/picture/live?service_reference=${alpha}`);
    expect([reply.statusCode, reply.body]).toEqual([status, status === 200 ? 'JPEG' : '']);
  } finally {
    await receiver.close();
  }
});
