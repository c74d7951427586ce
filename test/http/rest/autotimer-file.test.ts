/** `/autotimers/import` and `/autotimers.xml`: importing the rules of a box, and exporting them for one. */
import { describe, expect, it } from 'vitest';
import { maxPluginFileBytes } from '../../../src/autotimer/plugin-file.ts';
import { receiver, useReceiver } from './fixture.ts';

useReceiver();

const send = async (payload: string | Buffer, headers: Record<string, string> = { 'content-type': 'text/xml' }) => {
  const reply = await receiver.app.inject({ method: 'POST', url: '/autotimers/import', payload, headers });
  return { status: reply.statusCode, body: JSON.parse(reply.body) as Record<string, unknown> };
};
const titles = () => receiver.parts.timers.all.map(({ name }) => name);
const box = `<autotimer version="7">
<timer match="weather"><exclude where="title">again</exclude></timer>
<timer name="Other" match="weather"><include where="title">(?=again)</include></timer>
<timer name="Third"/>
</autotimer>`;

describe('/autotimers/import', () => {
  it('imports the rules of a box and reports the parts that it skips', async () => {
    expect(await send(box)).toEqual({
      status: 200,
      body: {
        result: true,
        imported: 2,
        switched_off: 1,
        ids: [1, 2],
        left_out: [
          {
            line: 3,
            rule: 'Other',
            message: "The parameter 'include' contains '(?=again)': groups with (?= are not supported",
          },
          { line: 3, rule: 'Other', message: 'it is disabled: otherwise it would record more than intended' },
          { line: 4, rule: 'Third', message: expect.stringContaining('it is not a valid rule') },
        ],
      },
    });
    expect(receiver.parts.autoTimer.rules.all).toMatchObject([
      { id: 1, name: 'weather', enabled: true },
      { id: 2, name: 'Other', enabled: false },
    ]);
    expect(titles()).toEqual(['Weather']);
  });

  it('imports no rule twice', async () => {
    await send(box);
    await receiver.parts.autoTimer.rules.change(1, { enabled: false });
    const { body } = await send(box);
    expect(body).toMatchObject({ imported: 0, ids: [] });
    expect(body.left_out).toContainEqual({ line: 2, rule: 'weather', message: 'it exists already' });
    expect(receiver.parts.autoTimer.rules.all).toHaveLength(2);
  });

  it('imports no rule twice in concurrent requests', async () => {
    const imported = (await Promise.all([send(box), send(box)])).map(({ body }) => body.imported);
    expect(imported.sort()).toEqual([0, 2]);
    expect(receiver.parts.autoTimer.rules.all).toHaveLength(2);
  });

  it.each([
    ['<autotimer>\n<timer match="x">', 400, { error: 'rules-malformed', line: 2 }],
    ['', 400, { error: 'rules-malformed', line: 1 }],
    [Buffer.alloc(maxPluginFileBytes + 1, 32), 413, { error: 'too-large' }],
    [`<autotimer>${'<timer match="x"/>'.repeat(1001)}</autotimer>`, 200, { imported: 1 }],
  ] as const)('answers %.30s with status %i', async (text, status, body) => {
    expect(await send(text)).toMatchObject({ status, body });
    if (status !== 200) expect(receiver.parts.autoTimer.rules.all).toEqual([]);
  });

  it('rejects requests from pages of other sites, and accepts the file with any media type', async () => {
    expect((await send(box, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(receiver.parts.autoTimer.rules.all).toEqual([]);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send(box, form)).body).toMatchObject({ imported: 2 });
  });
});

it('/autotimers.xml exports a file that another receiver imports completely', async () => {
  await send(box);
  const rules = receiver.parts.autoTimer.rules.all;
  const reply = await receiver.app.inject({ url: '/autotimers.xml' });
  expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/xml; charset=utf-8']);
  expect(reply.body).toBe(`<?xml version="1.0" ?>
<autotimer version="8">

 <timer name="weather" match="weather" enabled="yes">
  <exclude where="title">again</exclude>
 </timer>

 <timer name="Other" match="weather" enabled="no">
 </timer>

</autotimer>
`);
  for (const { id } of rules) await receiver.parts.autoTimer.rules.remove(id);
  expect((await send(reply.body)).body).toMatchObject({ imported: 2, ids: [3, 4], left_out: [] });
  const withoutIds = receiver.parts.autoTimer.rules.all.map(({ id: _, ...rest }) => rest);
  expect(withoutIds).toEqual(rules.map(({ id: _, ...rest }) => rest));
});
