/** The page that says what to enter in an app: each address answers with what the app expects. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Addresses, addressesOf, listsOf } from '../../src/ui/pages/connect/addresses.ts';
import { apps } from '../../src/ui/pages/connect/apps.ts';
import { browser, openTelevision, screens, type Television } from './open-page.ts';

describe.skipIf(!browser)('the page that connects apps', () => {
  let television: Television;
  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  /** The page as another device opens it, and a function that fetches one of its addresses on this machine. */
  async function openFor(app: string) {
    const { page, checkScreens } = await television.open('#/', { ...screens[0], isElsewhere: true });
    // The footer moves when the page has loaded.
    await page.getByRole('heading', { name: 'On now' }).waitFor();
    await page.getByRole('contentinfo').getByRole('link', { name: 'Connect an app' }).click();
    await page.getByRole('navigation', { name: 'Apps' }).getByRole('link', { name: app, exact: true }).click();
    const shown = page.getByRole('region', { name: app, exact: true });
    const valueFor = (label: string) => shown.getByRole('textbox', { name: label, exact: true }).inputValue();
    const answerOf = async (label: string) => {
      const address = new URL(await valueFor(label));
      expect(address.hostname).toBe('receiver.lan');
      address.hostname = '127.0.0.1';
      return (await fetch(address)).text();
    };
    return { page, shown, checkScreens, valueFor, answerOf };
  }

  it('leads other devices to the page itself', async () => {
    const { shown, answerOf, checkScreens } = await openFor('Phone or tablet');
    expect(await answerOf('Address')).toContain('<title>receiverd</title>');
    await shown.getByRole('img', { name: 'QR code: Address' }).waitFor();
    await checkScreens('connect a phone');
  });

  it('has the host and the ports for apps of Enigma2', async () => {
    const { shown, valueFor, checkScreens } = await openFor('Kodi');
    const { program } = television;
    expect(await valueFor('Host')).toBe('receiver.lan');
    expect(await valueFor('Web port')).toBe(new URL(program.http).port);
    expect(await valueFor('Streaming port')).toBe(new URL(program.stream).port);
    // Nothing to warn of.
    expect(await shown.getByRole('listitem').count()).toBe(1);
    await checkScreens('connect Kodi');
  });

  it.each(['Jellyfin', 'TiviMate'])('has a playlist and a guide with the same channels for %s', async (app) => {
    const { answerOf, checkScreens } = await openFor(app);
    const playlist = await answerOf('Playlist (M3U)');
    const ids = [...playlist.matchAll(/tvg-id="([^"]*)"/g)].map(([, id]) => id);
    const guide = await answerOf('Guide (XMLTV)');
    const known = new Set([...guide.matchAll(/<channel id="([^"]*)"/g)].map(([, id]) => id));
    expect(ids).toHaveLength(6);
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
    expect(guide).toContain('<programme ');
    await checkScreens(`connect ${app}`);
  });

  it('offers the receiver as an HDHomeRun to Plex, and switches that on', async () => {
    const { shown, valueFor, checkScreens } = await openFor('Plex');
    const { program } = television;
    const origin = `http://receiver.lan:${new URL(program.http).port}`;
    expect(await valueFor('Tuner address')).toBe(origin);
    expect(await valueFor('Guide (XMLTV)')).toBe(`${origin}/xmltv.xml`);
    await checkScreens('connect Plex');
    // Another device may not administer.
    expect(await shown.getByRole('button', { name: 'Switch on' }).count()).toBe(0);
    const { page: own } = await television.open('#/connect?app=plex', screens[0]);
    await own.getByRole('button', { name: 'Switch on' }).click();
    await own.getByRole('status').getByText('Some changes require a restart').waitFor();
    const { settings } = await program.json<{ settings: readonly { name: string; value: string }[] }>(
      '/api/configuration',
    );
    expect(settings.find(({ name }) => name === 'hdhomerun.server')?.value).toBe('true');
  });

  it('can have the channels of one bouquet', async () => {
    const { page, answerOf } = await openFor('TiviMate');
    await page.getByRole('button', { name: 'Channels: All channels' }).click();
    await page.getByRole('dialog').getByRole('listitem').nth(1).getByRole('button').click();
    await page.waitForURL(/bouquet=/);
    const playlist = await answerOf('Playlist (M3U)');
    const guide = await answerOf('Guide (XMLTV)');
    const count = playlist.match(/#EXTINF/g)?.length;
    expect(count).toBeGreaterThan(0);
    expect(guide.match(/<channel /g)).toHaveLength(count ?? 0);
  });

  it('copies a value', async () => {
    const { page, shown } = await openFor('VLC');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await shown.getByRole('button', { name: 'Copy: Playlist (M3U)' }).click();
    await page.getByRole('status').getByText('Copied').waitFor();
  });

  it('opens for each app', async () => {
    const { page } = await openFor('Phone or tablet');
    for (const { name } of Object.values(apps))
      if (name !== '') {
        await page.getByRole('navigation', { name: 'Apps' }).getByRole('link', { name, exact: true }).click();
        await page.getByRole('region', { name, exact: true }).getByRole('textbox').first().waitFor();
      }
  });
});

describe('the addresses for apps', () => {
  const home = { page: 'http://tv.lan:8080/#/connect', networkAddress: '192.0.2.7' };
  const open = { accounts: false, rights: ['admin' as const] };
  const playlistWith = (address: string) => `#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n${address}\n`;
  const playlist = playlistWith('http://tv.lan:8001/');

  it('are those of the page', () => {
    expect(addressesOf({ ...home, playlist, stranger: open })).toEqual({
      page: 'http://tv.lan:8080/',
      host: 'tv.lan',
      webPort: '8080',
      streamPort: '8001',
      isSecure: false,
      hasPath: false,
      isLocal: false,
      isOnlyHere: false,
      needsLogin: false,
    } satisfies Addresses);
  });

  it('are those of the network if the page was opened on the receiver itself', () => {
    const page = 'http://localhost:8080/';
    const local = { page, playlist: playlistWith('http://localhost:8001/'), stranger: open };
    const found = addressesOf({ ...local, networkAddress: '192.0.2.7' });
    expect(found).toMatchObject({
      page: 'http://192.0.2.7:8080/',
      host: '192.0.2.7',
      isLocal: true,
      isOnlyHere: false,
    });
    expect(addressesOf({ ...local, networkAddress: '' })).toMatchObject({ host: 'localhost', isOnlyHere: true });
  });

  it('keep the path of a proxy, and have no stream port behind one with HTTPS', () => {
    const page = 'https://example.org/tv/#/connect?app=kodi';
    const found = addressesOf({
      ...home,
      page,
      playlist: playlistWith('https://example.org/tv/live/'),
      stranger: open,
    });
    expect(found).toMatchObject({ webPort: '443', streamPort: undefined, isSecure: true, hasPath: true });
    expect(listsOf(found, undefined).playlist).toBe('https://example.org/tv/web/services.m3u?unique=1');
  });

  it('need a login if other devices may not watch without one', () => {
    const needsLogin = (rights: readonly ('view' | 'control')[], page = home.page) =>
      addressesOf({ ...home, page, playlist: `${playlist.trim()}?ticket=abc`, stranger: { accounts: true, rights } })
        .needsLogin;
    expect(needsLogin([])).toBe(true);
    expect(needsLogin(['control'])).toBe(true);
    expect(needsLogin(['view'])).toBe(false);
    expect(needsLogin(['view'], 'http://127.0.0.1:8080/')).toBe(false);
  });

  it('quote the reference of a bouquet', () => {
    const found = addressesOf({ ...home, playlist, stranger: open });
    const bouquet = '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.a&b.tv" ORDER BY bouquet';
    expect(new URL(listsOf(found, bouquet).guide).searchParams.get('bRef')).toBe(bouquet);
  });
});
