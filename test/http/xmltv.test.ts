/** The guide as XMLTV over HTTP. */
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import { Guide } from '../../src/epg/guide.ts';
import { importXmltv } from '../../src/epg/xmltv.ts';
import { channelMatcher } from '../../src/services/channel-matcher.ts';
import { alpha, favourites, now, openReceiver } from './receiver.ts';

test('epgxmltv writes the guide of a bouquet, which reads back as it was', async ({ onTestFinished }) => {
  const { app, parts, close } = await openReceiver();
  onTestFinished(close);
  for (const family of ['web', 'api']) {
    const reply = await app.inject(`/${family}/epgxmltv?bRef=${encodeURIComponent(favourites)}&lang=en`);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-type']).toBe('text/xml; charset=UTF-8');
    const parser = new SaxesParser();
    const ids: unknown[] = [];
    parser.on('opentag', ({ name, attributes }) => {
      if (name === 'channel') ids.push(attributes.id);
    });
    parser.write(reply.body).close();
    expect(ids).toContain(alpha);

    const guide = new Guide({ clock: { now: () => now, synchronised: true } });
    const body = async function* () {
      yield Buffer.from(reply.body);
    };
    const { unmatched } = await importXmltv(guide, body(), { servicesOf: channelMatcher(parts.services) });
    expect(unmatched).toEqual([]);
    const service = parts.services.resolve(alpha).dvb;
    if (service === undefined) throw new Error('no service');
    const titles = async (from: Guide) => (await from.window([service], now)).map(({ title, start }) => [title, start]);
    expect(await titles(guide)).toEqual(await titles(parts.guide));
    expect(await titles(guide)).not.toEqual([]);
  }
});

test('epgxmltv of a bouquet that is not there has no channels, without one it is an error', async ({
  onTestFinished,
}) => {
  const { app, close } = await openReceiver();
  onTestFinished(close);
  const unknown = await app.inject('/web/epgxmltv?bRef=1:7:1:0:0:0:0:0:0:0:FROM%20BOUQUET%20%22x.tv%22');
  expect(unknown.body).toMatch(/<tv [^>]*>\n<\/tv>\n$/);
  const missing = await app.inject('/web/epgxmltv');
  expect(missing.statusCode).toBe(400);
  expect(missing.body).toContain("Missing mandatory parameter 'bRef'");
});
