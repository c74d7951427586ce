/** Boxes with damaged answers. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseEnigma2Spec } from '../../src/config/enigma2-spec.ts';
import { Box } from '../../src/enigma2/box.ts';
import { guideDocument } from '../../src/enigma2/guide-document.ts';
import { merged } from '../../src/enigma2/imported-bouquets.ts';
import { Guide } from '../../src/epg/guide.ts';
import { importXmltv } from '../../src/epg/xmltv.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { damaged, damagedRuns } from '../fixtures/damage.ts';

const event = `<?xml version="1.0" encoding="UTF-8"?>
<e2eventlist>
<e2event>
<e2eventstart>1767290400</e2eventstart>
<e2eventduration>2700</e2eventduration>
<e2eventtitle>Ships &amp; Harbours</e2eventtitle>
<e2eventdescription>None</e2eventdescription>
<e2eventdescriptionextended>The pilot boats &lt;of&gt; a river.</e2eventdescriptionextended>
<e2eventservicereference>1:0:19:2B66:3F3:1:C00000:0:0:0:</e2eventservicereference>
<e2eventgenre id="35">documentary</e2eventgenre>
</e2event>
</e2eventlist>
`;
const lists = `<e2servicelistrecursive>
<e2bouquet><e2servicereference>1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.a.tv" ORDER BY bouquet</e2servicereference>
<e2servicename>A</e2servicename><e2servicelist>
<e2service><e2servicereference>1:0:19:2B66:3F3:1:C00000:0:0:0:</e2servicereference><e2servicename>One</e2servicename></e2service>
<e2service><e2servicereference>1:64:1:0:0:0:0:0:0:0::News</e2servicereference><e2servicename>News</e2servicename></e2service>
</e2servicelist></e2bouquet>
</e2servicelistrecursive>
`;
const key = (1 * 0x10000 + 0x3f3) * 0x10000 + 0x2b66;

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
}

it('a damaged guide becomes a valid guide file, or is refused as too large', async () => {
  const service = { originalNetworkId: 1, transportStreamId: 0x3f3, serviceId: 0x2b66 };
  await fc.assert(
    fc.asyncProperty(damaged(event, event + event), async (bytes) => {
      const guide = new Guide({ clock: { now: () => 1767290000, synchronised: true } });
      const servicesOf = (channels: readonly object[]) => channels.map(() => [service]);
      const imported = await importXmltv(guide, guideDocument(pieces(bytes), new Set([key])), { servicesOf }).catch(
        (error: { code: string }) => error.code,
      );
      expect(imported === 'too-large' || typeof imported === 'object').toBe(true);
    }),
    damagedRuns,
  );
});

it('damaged lists become bouquets of services and markers, or are refused with a reason', async () => {
  await fc.assert(
    fc.asyncProperty(damaged(lists), async (bytes) => {
      const box = new Box(parseEnigma2Spec('enigma2:host'), undefined, { download: () => pieces(bytes) as never });
      const found = await box.bouquets(new AbortController().signal).catch((error: Error) => {
        expect(error.message).toContain('its answer is not that of an Enigma2 box');
        return [];
      });
      for (const { entries } of found)
        for (const one of entries) expect(one.isMarker || one.isBroadcast, one.format()).toBe(true);
    }),
    damagedRuns,
  );
});

it('a box that anybody may announce is not read for long', async () => {
  const text = Buffer.from(`<e2deviceinfo>${'<a/>'.repeat(20_000)}</e2deviceinfo>`);
  const box = new Box(parseEnigma2Spec('enigma2:host'), undefined, { download: () => pieces(text) as never });
  await expect(box.describe(new AbortController().signal)).rejects.toThrow('the document');
});

it('whatever has changed at the box, no entry of a user is lost or repeated', () => {
  const entry = fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom('', 'A', 'B'))
    .map(([id, name]) => ServiceReference.parse(`1:0:1:${id.toString(16)}:1:1:0:0:0:0::${name}`));
  const list = fc.uniqueArray(entry, { selector: ({ identity }) => identity, maxLength: 12 });
  fc.assert(
    fc.property(list, list, list, (before, now, ours) => {
      const ids = (all: readonly ServiceReference[]) => all.map(({ identity }) => identity);
      const [old, current, result] = [ids(before), ids(now), ids(merged(before, now, ours))];
      expect(new Set(result).size).toBe(result.length);
      const isUnchanged = ours.map((one) => one.format()).join() === before.map((one) => one.format()).join();
      for (const id of ids(ours))
        expect(result.includes(id)).toBe(current.includes(id) || (!old.includes(id) && !isUnchanged));
      for (const id of current) expect(result.includes(id)).toBe(ids(ours).includes(id) || !old.includes(id));
    }),
  );
});
