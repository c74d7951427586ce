/** Recordings through the interfaces: lists, details, playlists, changes, and their bytes. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatCuts } from '../../../src/recordings/files/cuts-file.ts';
import { writeRecording } from '../../fixtures/recordings.ts';
import { alpha, now, openReceiver, type TestReceiver } from '../receiver.ts';
import { all, at, get, leaves, names, parseXml } from '../reply.ts';

/** Ten packets, each filled with its number. */
const content = Buffer.concat(Array.from({ length: 10 }, (_, n) => Buffer.alloc(188, n)));
const name = '20260101 1857 - Alpha HD - Ships.ts';
const begin = now - 780;

let receiver: TestReceiver;
let folder: string;
let path: string;
beforeEach(async () => {
  receiver = await openReceiver();
  folder = join(receiver.folder, 'movie');
  path = join(folder, name);
  writeRecording(path, {
    content,
    meta: [`${alpha}:Alpha HD`, 'Ships', 'Episode 3', String(begin), 'EPG GenreId=0x23', '286200000', '1880'],
    cuts: [{ kind: 3, position: 34_344_000 }],
    event: {
      id: 4711,
      start: now - 600,
      duration: 2700,
      title: 'Ships & Harbours',
      shortText: 'Episode 3',
      extendedText: 'The pilot boats of a large river.',
    },
  });
  writeRecording(join(folder, 'series', 'Café #1 100%.ts'), {
    meta: ['', 'Café', '', String(begin - 86_400), 'Series'],
  });
});
afterEach(() => receiver.close());

const reference = () => `1:0:0:0:0:0:0:0:0:0:${path}`;
const web = async (name: string, parameters: Record<string, string> = {}) =>
  parseXml((await get(receiver, `/web/${name}`, parameters)).body);
const api = async (name: string, parameters: Record<string, string> = {}) =>
  JSON.parse((await get(receiver, `/api/${name}`, parameters)).body) as Record<string, unknown>;
const simple = async (name: string, parameters: Record<string, string> = {}) =>
  leaves(await web(name, parameters)).map(([, text]) => text);

const movie = () => ({
  filename: path,
  filename_stripped: name,
  serviceref: reference(),
  length: '53:00',
  lastseen: 12,
  filesize_readable: '1.84 KB',
  recordingtime: begin,
  begintime: 'Today 01.01., 18:57',
  eventname: 'Ships',
  servicename: 'Alpha HD',
  tags: 'EPG GenreId=0x23',
  fullname: reference(),
  descriptionExtended: 'The pilot boats of a large river.',
  description: 'Episode 3',
  filesize: 1880,
});

describe('movielist', () => {
  it('lists the recordings of a folder and the names of its sub-folders', async () => {
    const list = await web('movielist');
    expect(list.name).toBe('e2movielist');
    expect(names(list)).toEqual(['e2movie', 'e2locations']);
    expect(leaves(at(list, 'e2movie'))).toEqual([
      ['e2servicereference', reference()],
      ['e2title', 'Ships'],
      ['e2description', 'Episode 3'],
      ['e2descriptionextended', 'The pilot boats of a large river.'],
      ['e2servicename', 'Alpha HD'],
      ['e2time', String(begin)],
      ['e2length', '53:00'],
      ['e2tags', 'EPG GenreId=0x23'],
      ['e2filename', path],
      ['e2filesize', '1880'],
    ]);
    expect(leaves(at(list, 'e2locations'))).toEqual([['e2location', 'series']]);
    expect(await api('movielist')).toEqual({
      movies: [movie()],
      bookmarks: ['series'],
      directory: `${folder}/`,
      recursive: false,
      result: true,
    });
  });

  it('covers sub-folders and filters by tag on request, and knows a box’s own folder', async () => {
    const titles = async (parameters: Record<string, string>) =>
      all(await web('movielist', parameters), 'e2movie').map((one) => at(one, 'e2title').text);
    expect(await titles({ recursive: '1', internal: '1' })).toEqual(['Ships', 'Café']);
    expect(await titles({ recursive: '', tag: 'Series' })).toEqual(['Café']);
    expect(await titles({ dirname: '/hdd/movie/series/' })).toEqual(['Café']);
    expect(await titles({ dirname: `${folder}/series` })).toEqual(['Café']);
    for (const dirname of ['/media/usb/', `${folder}/none`, '/etc', `${folder}/../..`]) {
      expect(await titles({ dirname })).toEqual([]);
    }
  });

  it('marks recordings without metadata as clients expect', async () => {
    writeFileSync(join(folder, 'film.mkv'), 'x');
    const film = all(await web('movielist'), 'e2movie').find((one) => at(one, 'e2title').text === 'film');
    expect(at(film as never, 'e2length').text).toBe('?:??');
    expect(at(film as never, 'e2filesize').text).toBe('1');
    expect(at(film as never, 'e2servicereference').text).toBe(`4097:0:0:0:0:0:0:0:0:0:${join(folder, 'film.mkv')}`);
  });

  it('has readable dates: yesterday, this year, another year', async () => {
    const shown = async (begin: number) => {
      writeRecording(join(folder, 'a.ts'), { meta: ['', 'A', '', String(begin)] });
      const { movies } = (await api('movielist')) as { movies: { eventname: string; begintime: string }[] };
      return movies.find(({ eventname }) => eventname === 'A')?.begintime;
    };
    expect(await shown(now - 86_400)).toBe('Yesterday 31.12.2025, 19:10');
    expect(await shown(now + 40 * 86_400)).toBe('Tue 10.02., 19:10');
    expect(await shown(now - 400 * 86_400)).toBe('Wed 27.11.2024, 19:10');
  });
});

it('fullmovielist covers all locations', async () => {
  const { movies, locations, result } = (await api('fullmovielist')) as {
    movies: unknown[];
    locations: string[];
    result: boolean;
  };
  expect([movies.length, locations, result]).toEqual([2, [`${folder}/`], true]);
  expect(names(await web('fullmovielist'))).toEqual(['e2movie', 'e2movie', 'e2locations']);
});

describe('one recording', () => {
  it('has details', async () => {
    for (const parameters of [
      { sRef: reference() },
      { sref: path },
      { sRef: `1:0:0:0:0:0:0:0:0:0:/media/hdd/movie/${name}` },
    ]) {
      expect(await api('moviedetails', parameters)).toEqual({ result: true, movie: movie() });
    }
    const details = await web('moviedetails', { sRef: reference() });
    expect([details.name, at(details, 'e2title').text]).toEqual(['e2movie', 'Ships']);
    expect(await api('moviedetails')).toMatchObject({ result: false });
    for (const sRef of ['/etc/passwd', alpha, `${reference()}.none`]) {
      expect((await simple('moviedetails', { sRef }))[0]).toBe('False');
    }
  });

  it('grows', async () => {
    appendFileSync(path, content);
    expect(await api('moviedetails', { sRef: reference() })).toMatchObject({ movie: { filesize: 3760 } });
  });

  it('has tags, title, text and marks that can be changed', async () => {
    const info = {
      result: true,
      title: 'Ships',
      description: 'Episode 3',
      tags: ['EPG', 'GenreId=0x23'],
      cuts: [{ type: 3, pos: 34_344_000 }],
    };
    expect(await api('movieinfo', { sref: reference() })).toEqual(info);
    expect(await api('movieinfo', { sref: reference(), addtag: '', deltag: '', title: '' })).toEqual(info);
    expect(await api('movieinfo', { sref: reference(), deltag: 'EPG', addtag: 'EPG,Play count=2' })).toEqual({
      ...info,
      tags: ['GenreId=0x23', 'Play_count=2'],
    });
    expect(await api('movieinfo', { sref: reference(), title: 'Boats', desc: 'Two', cuts: '3:81000000,0:9' })).toEqual({
      result: true,
      title: 'Boats',
      description: 'Two',
      tags: ['GenreId=0x23', 'Play_count=2'],
      cuts: [
        { type: 0, pos: 9 },
        { type: 3, pos: 81_000_000 },
      ],
    });
    expect(await web('movieinfo', { sRef: reference() }).then(leaves)).toEqual([
      ['e2tag', 'GenreId=0x23'],
      ['e2tag', 'Play_count=2'],
    ]);
    expect(readFileSync(`${path}.meta`, 'utf8').split('\n').slice(0, 5)).toEqual([
      `${alpha}:Alpha HD`,
      'Boats',
      'Two',
      String(begin),
      'GenreId=0x23 Play_count=2',
    ]);
    expect(readFileSync(`${path}.cuts`)).toHaveLength(24);
    expect(await api('movieinfo', { sRef: reference(), cuts: 'x' })).toEqual({
      result: false,
      message: expect.stringMatching(
        /^The parameter 'cuts' contains '.*'; it must be a list of TYPE:POS such as 2:81000000/,
      ),
      error: 'parameter-invalid',
    });
  });

  it('counts as missing without a meta file; without a reference all tags are listed', async () => {
    writeFileSync(join(folder, 'b.ts'), '');
    for (const name of ['movieinfo', 'movietags']) {
      for (const sRef of [join(folder, 'b.ts'), '/etc/passwd', alpha]) {
        expect(await simple(name, { sRef })).toEqual(['False', 'Recording not found']);
        const message = 'Recording not found';
        expect(await api(name, { sRef })).toEqual({
          result: false,
          message,
          resulttext: message,
          error: expect.any(String),
        });
      }
      expect(await api(name)).toEqual({ result: true, tags: ['News', 'Series'] });
    }
  });

  it('gets a meta file of its own with `create`, which keeps what is known of it', async () => {
    const sRef = join(folder, 'Late ships.ts');
    writeFileSync(sRef, '');
    expect(await api('movieinfo', { sRef, create: '1' })).toMatchObject({ result: true, tags: [], cuts: [] });
    expect(existsSync(`${sRef}.meta`)).toBe(false);
    await api('movieinfo', { sRef, create: '1', cuts: '3:90000' });
    expect(existsSync(`${sRef}.meta`)).toBe(false);
    expect(await api('movieinfo', { sRef, create: '1', addtag: 'PlayCount=1' })).toEqual({
      result: true,
      tags: ['PlayCount=1'],
      title: 'Late ships',
      description: '',
      cuts: [{ type: 3, pos: 90_000 }],
    });
    const lines = readFileSync(`${sRef}.meta`, 'utf8').split('\n');
    expect(lines.map((line, index) => (index === 3 ? Number(line) > 0 : line))).toEqual([
      '1:0:0:0:0:0:0:0:0:0:',
      'Late ships',
      '',
      true,
      'PlayCount=1',
      '0',
      '0',
      'f:0',
      '188',
      '0',
      '',
    ]);
    expect(await api('movieinfo', { sRef })).toMatchObject({ title: 'Late ships', tags: ['PlayCount=1'] });
  });

  it('has tags that movietags changes, together with the list of tags', async () => {
    expect(await api('movietags', { sRef: reference(), add: 'a b', del: 'EPG' })).toEqual({
      result: true,
      tags: ['GenreId=0x23', 'a_b'],
    });
    expect(await api('movietags', { add: 'Sport,News', del: 'Series' })).toEqual({
      result: true,
      tags: ['News', 'Sport'],
    });
    expect(leaves(await web('gettags'))).toEqual([
      ['e2tag', 'News'],
      ['e2tag', 'Sport'],
    ]);
    expect(readFileSync(join(receiver.folder, 'movietags'), 'utf8')).toBe('News\nSport\n');
  });

  it('cannot be changed by a page of another site', async () => {
    const headers = { origin: 'http://evil.example', host: 'box' };
    const reply = await get(receiver, '/api/movieinfo', { sRef: reference(), title: 'X' }, { headers });
    expect(reply.status).toBe(403);
    expect((await api('movieinfo', { sRef: reference() })).title).toBe('Ships');
  });
});

describe('playlists', () => {
  const url = () => `http://box:8080/file?file=${path.split('/').map(encodeURIComponent).join('/')}`;
  const text = async (name: string, parameters: Record<string, string> = {}) => {
    const reply = await get(receiver, name, parameters, { headers: { host: 'box:8080' } });
    return { status: reply.status, type: reply.headers['content-type'], body: reply.body };
  };

  it('of one recording', async () => {
    const { type, body } = await text('/web/ts.m3u', { file: path });
    expect(type).toBe('application/x-mpegurl');
    expect(body).toBe(
      `#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTINF:3180,Ships\n#EXTVLCOPT:program=11110\n${url()}\n`,
    );
    const sidecar = readFileSync(`${path}.meta`, 'utf8');
    writeFileSync(
      `${path}.meta`,
      sidecar.replace(/^.*/, '4097:0:1:2B66:3F3:1:C00000:0:0:0:http%3a//tv.example/one.ts:One'),
    );
    expect((await text('/web/ts.m3u', { file: path })).body).toBe(
      `#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTINF:3180,Ships\n${url()}\n`,
    );
    writeFileSync(`${path}.meta`, sidecar);
    const marks = (seconds: readonly number[]) =>
      seconds.map((at, n) => ({ kind: ([1, 0, 2] as const)[n % 3] ?? 2, position: at * 90_000 }));
    writeFileSync(`${path}.cuts`, formatCuts(marks([600, 900.4, 1200])));
    expect((await text('/web/ts.m3u', { file: path })).body.split('\n').at(-3)).toBe(
      '#EXTVLCOPT:bookmarks={name=Chapter 1,time=0},{name=Advertisement,time=600},{name=Chapter 2,time=900},{name=Chapter 3,time=1200}',
    );
    writeFileSync(`${path}.cuts`, formatCuts(marks(Array.from({ length: 201 }, (_, n) => n * 5))));
    expect((await text('/web/ts.m3u', { file: path })).body).not.toContain('bookmarks');
    rmSync(`${path}.cuts`);
    writeFileSync(join(folder, 'b.ts'), '');
    expect((await text('/web/tsm3u', { file: '/media/hdd/movie/b.ts' })).body).not.toContain('EXTINF');
    for (const file of ['/media/hdd/movie/x.ts', '/etc/passwd']) {
      const missing = await text('/web/ts.m3u', { file });
      expect([missing.status, missing.body.includes(`File '${file}' not found`)]).toEqual([404, true]);
    }
  });

  it('of a folder, as M3U, feed and page', async () => {
    const m3u = await text('/web/movielist.m3u');
    expect(m3u.body).toBe(`#EXTM3U\n#EXTVLCOPT:http-reconnect=true\n#EXTINF:-1,: ${name}\n${url()}\n`);
    const rss = await text('/web/movielistrss', { recursive: '1' });
    expect(rss.type).toMatch(/^text\/xml/);
    const items = all(at(parseXml(rss.body), 'channel'), 'item');
    expect(items).toHaveLength(2);
    expect(at(items[0] as never, 'pubDate').text).toBe('Thu, 01 Jan 2026 17:57:00 +0000');
    expect(at(items[0] as never, 'enclosure').attributes).toEqual({ type: 'video/mpeg', length: '1880', url: url() });
    expect(at(items[1] as never, 'link').text).toContain('/series/Caf%C3%A9%20%231%20100%25.ts');
    const html = await text('/web/movielist.html');
    expect(html.type).toMatch(/^text\/html/);
    expect(html.body).toContain(`<a href="${url()}">Ships</a>`);
  });
});

describe('the bytes', () => {
  const file = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
    get(receiver, '/file', parameters, { headers });

  it('are sent whole, in ranges, and up to the current end', async () => {
    const whole = await receiver.app.inject({ url: '/file', query: { file: path } });
    expect(whole.rawPayload).toEqual(content);
    expect(whole.headers).toMatchObject({
      'content-type': 'video/mp2t',
      'accept-ranges': 'bytes',
      'content-length': '1880',
      'content-disposition': `attachment; filename="${name}"`,
    });
    const range = async (text: string) => {
      const reply = await receiver.app.inject({ url: '/file', query: { file: path }, headers: { range: text } });
      return [
        reply.statusCode,
        reply.headers['content-range'],
        reply.rawPayload.length,
        reply.headers['content-disposition'],
      ];
    };
    expect(await range('bytes=0-')).toEqual([206, 'bytes 0-1879/1880', 1880, undefined]);
    expect(await range('bytes=188-375')).toEqual([206, 'bytes 188-375/1880', 188, undefined]);
    expect(await range('bytes=-88')).toEqual([206, 'bytes 1792-1879/1880', 88, undefined]);
    expect((await range('bytes=1880-')).slice(0, 2)).toEqual([416, 'bytes */1880']);
    expect((await range('bytes=0-1,5-6')).slice(0, 3)).toEqual([200, undefined, 1880]);
    appendFileSync(path, content);
    expect(await range('bytes=1880-')).toEqual([206, 'bytes 1880-3759/3760', 1880, undefined]);
  });

  it.each([
    [{ 'if-match': '"another"' }, 412],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '*', 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
    [{ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 412],
    [{ 'if-unmodified-since': 'Thu, 01 Jan 2099 00:00:00 GMT' }, 200],
    [{ 'if-unmodified-since': 'nonsense' }, 200],
    [{ 'if-match': '"another"', range: 'bytes=0-9' }, 412],
    [{ 'if-none-match': '*' }, 304],
  ])('are sent under the conditions %j: %i', async (headers, status) => {
    const url = `/recording/${encodeURIComponent(name)}?stream=1`;
    for (const one of [{ url: '/file', query: { file: path } }, { url }]) {
      const reply = await receiver.app.inject({ ...one, headers });
      expect(reply.statusCode).toBe(status);
      if (status !== 412) continue;
      expect(reply.json()).toMatchObject({ result: false, error: 'precondition-failed' });
      expect(reply.headers['cache-control']).toBe('no-store');
    }
  });

  it('of an empty file are sent whole for a range from its end', async () => {
    writeFileSync(path, '');
    const reply = await receiver.app.inject({
      url: '/file',
      query: { file: path },
      headers: { range: 'bytes=-500' },
    });
    expect([reply.statusCode, reply.body]).toEqual([200, '']);
  });

  it('are found by the paths that clients send', async () => {
    const link = (text: string) => receiver.app.inject(`/file?file=${text}`).then(({ statusCode }) => statusCode);
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    expect(await link(encoded)).toBe(200);
    expect(await link(`/${encoded}`)).toBe(200);
    expect(await link(encodeURIComponent(encodeURIComponent(path)))).toBe(200);
    expect(await link(`/media/hdd/movie/${name.replaceAll(' ', '+')}`)).toBe(200);
    expect(await link(encodeURIComponent(join(folder, 'series', 'Café #1 100%.ts')))).toBe(200);
    const head = await receiver.app.inject({ method: 'HEAD', url: `/file?file=${encoded}` });
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '1880', '']);
  });

  it('are limited to recordings, picons and lists', async () => {
    symlinkSync('/etc/passwd', join(folder, 'link.ts'));
    mkdirSync(join(folder, 'deep'));
    for (const forbidden of [
      '/etc/passwd',
      join(folder, 'link.ts'),
      `${folder}/../settings`,
      '/etc/enigma2/settings',
      '/etc/enigma2/../passwd',
    ]) {
      expect((await file({ file: forbidden })).status, forbidden).toBe(403);
    }
    for (const missing of [
      `${path}.edl`,
      `${folder}/deep`,
      '/media/hdd/movie/none.ts',
      '/etc/enigma2/lamedb5',
      '/usr/share/enigma2/picon/none.png',
    ]) {
      const reply = await file({ file: missing });
      expect([reply.status, JSON.parse(reply.body).error], missing).toEqual([404, 'not-found']);
    }
    expect((await file({ file: '/etc/enigma2/lamedb' })).body).toContain('eDVB services /4/');
    expect((await file({ file: '/etc/enigma2/userbouquet.favourites.tv' })).body).toContain('#NAME Favourites');
    const picon = await file({ file: '/usr/share/enigma2/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png' });
    expect([picon.status, picon.headers['content-type']]).toEqual([200, 'image/png']);
    expect((await file({})).status).toBe(400);
    expect((await file({ file: path, action: 'delete' })).status).toBe(400);
    expect((await receiver.app.inject({ method: 'POST', url: '/file' })).statusCode).toBe(405);
  });

  it('are linked from a playlist', async () => {
    const { body, headers } = await file({ file: path, action: 'stream', name: 'Ships' }, { host: 'box:8080' });
    expect(headers['content-type']).toBe('application/x-mpegurl');
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    expect(body.split('\n').slice(2)).toEqual([
      '#EXTINF:-1,Ships',
      `http://box:8080/file?action=download&file=${encoded}`,
      '',
    ]);
  });

  it('get a playlist only if they exist', async () => {
    for (const [forbidden, status, error] of [
      ['/etc/passwd', 403, 'outside-locations'],
      [`${folder}/../settings`, 403, 'outside-locations'],
      [`${folder}/none.ts`, 404, 'not-found'],
      ['/media/hdd/movie/none.ts', 404, 'not-found'],
      [`${folder}/series`, 404, 'not-found'],
      ['/etc/enigma2/lamedb5', 404, 'not-found'],
    ] as const) {
      const reply = await file({ file: forbidden, action: 'stream' });
      expect([reply.status, JSON.parse(reply.body).error], forbidden).toEqual([status, error]);
    }
    expect((await file({ action: 'stream' })).status).toBe(400);
    for (const there of [encodeURIComponent(path), `/media/hdd/movie/${name}`, '/etc/enigma2/lamedb'])
      expect((await file({ file: there, action: 'stream' })).status, there).toBe(200);
  });

  it('are in folders that can be listed', async () => {
    const listing = async (parameters: Record<string, string>) => JSON.parse((await file(parameters)).body);
    expect(await listing({ dir: '/media/hdd/movie', pattern: '*.t?' })).toEqual({
      result: true,
      dirs: [`${folder}/series/`],
      files: [path],
    });
    expect(await listing({ dir: folder, nofiles: '' })).toMatchObject({ dirs: [`${folder}/series/`], files: [] });
    for (const pattern of ['*.ts*a', `${'*'.repeat(10_000)}.ts${'*'.repeat(10_000)}a`])
      expect(await listing({ dir: folder, pattern })).toMatchObject({ files: [`${path}.meta`] });
    expect(await listing({ dir: folder, pattern: '*?'.repeat(5000) })).toMatchObject({ files: [] });
    expect(await listing({ dir: `${folder}/none` })).toEqual({
      result: false,
      message: `path ${folder}/none not exists`,
    });
    expect((await file({ dir: '/etc' })).status).toBe(403);
  });
});

describe('/recordings', () => {
  const rest = async (url: string, headers: Record<string, string> = {}) => {
    const reply = await receiver.app.inject({ url, headers });
    return { status: reply.statusCode, headers: reply.headers, json: () => reply.json(), bytes: reply.rawPayload };
  };
  const labels = async (url: string) =>
    ((await rest(url)).json() as { items: { label: string }[] }).items.map(({ label }) => label);

  it('has an item for each recording', async () => {
    const { items, total } = (await rest('/recordings/')).json();
    expect(total).toBe(2);
    expect(items[0]).toEqual({
      label: 'Ships',
      path: `/recording/${encodeURIComponent(name)}`,
      recording_servicename: 'Alpha HD',
      meta: {
        Description: 'Episode 3',
        Serviceref: alpha,
        TimeCreate: begin,
        FileSize: 1880,
        Tags: 'EPG GenreId=0x23',
        IsScrambled: 0,
        marks: { watched: 381, maximum: 381, marks: [] },
      },
      event: {
        id: 4711,
        start_time: now - 600,
        duration: 2700,
        title: 'Ships & Harbours',
        shortinfo: 'Episode 3',
        longinfo: 'The pilot boats of a large river.',
      },
      length: 3180,
      size: 1880,
      filename: path,
      service_reference: reference(),
      tags: ['EPG', 'GenreId=0x23'],
      begin,
      recording: false,
    });
    writeFileSync(join(folder, 'plain.ts'), '');
    expect((await rest('/recordings/plain.ts')).json().items[0]).toMatchObject({
      label: 'plain',
      recording_servicename: '',
      meta: { Serviceref: '-1:0:0:0:0:0:0:0:0:0:', FileSize: 0 },
      length: null,
    });
  });

  it('reports missing and foreign files without a path of the machine', async () => {
    symlinkSync('/etc/passwd', join(folder, 'link.ts'));
    for (const root of ['/recordings', '/recording']) {
      for (const url of [`${root}/nope`, `${root}/nope.ts`, `${root}/series/nope/`]) {
        const reply = await rest(url);
        expect([reply.status, reply.json()]).toMatchObject([404, { error: 'not-found', message: 'not found' }]);
      }
      for (const outside of ['..%2F..%2Fetc', 'link.ts']) {
        const reply = await rest(`${root}/${outside}`);
        const { error, message } = reply.json();
        expect([reply.status, error]).toEqual([403, 'outside-locations']);
        expect(message).toBe(`'${decodeURIComponent(outside)}' is outside the folders of this receiver`);
      }
    }
    const bytes = await rest('/recording/nope.ts?stream=1');
    expect([bytes.status, bytes.json().message]).toEqual([404, 'not found']);
  });

  it('returns a folder, one recording, or a range of items', async () => {
    expect(await labels('/recordings')).toEqual(['Ships', 'Café']);
    expect(await labels('/recordings?recursive=0')).toEqual(['Ships']);
    expect(await labels('/recordings?limit=1&offset=1')).toEqual(['Café']);
    expect(await labels('/recordings?tag=Series')).toEqual(['Café']);
    for (const url of ['/recordings/series', '/recordings/series/', '/recording/series']) {
      expect(await labels(url)).toEqual(['Café']);
    }
    const [, item] = (await rest('/recordings')).json().items as { path: string }[];
    expect(await labels(item?.path ?? '')).toEqual(['Café']);
  });

  it('lists everything at both root paths', async () => {
    const all = (await rest('/recordings/')).json();
    for (const url of ['/recording', '/recording/']) expect((await rest(url)).json()).toEqual(all);
    expect(await labels('/recording/?recursive=0')).toEqual(['Ships']);
    expect(await labels('/recording/?tag=Series&limit=1')).toEqual(['Café']);
    // Kodi sends a range with every request.
    expect((await rest('/recording/', { range: 'bytes=0-' })).json()).toEqual(all);
    const deletion = await receiver.app.inject({ method: 'DELETE', url: '/recording/' });
    expect([deletion.statusCode, deletion.json().error]).toEqual([400, 'bad-path']);
    expect(await labels('/recording/')).toEqual(['Ships', 'Café']);
  });

  it('has an ETag', async () => {
    const { headers } = await rest('/recordings');
    const tag = String(headers.etag);
    expect((await rest('/recordings', { 'if-none-match': tag })).status).toBe(304);
    appendFileSync(path, 'x');
    expect((await rest('/recordings', { 'if-none-match': tag })).status).toBe(200);
  });

  it('refuses foreign and missing files, and other methods', async () => {
    for (const [url, status] of [
      ['/recordings/..%2f..%2fetc', 403],
      ['/recordings/none', 404],
      ['/recording/none.ts?stream=1', 404],
      ['/recordings//series', 400],
    ] as const) {
      const { status: found, json } = await rest(url);
      expect([found, json().result], url).toEqual([status, false]);
    }
    const { statusCode, headers } = await receiver.app.inject({ method: 'PUT', url: '/recordings/x.ts' });
    expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD, DELETE, OPTIONS']);
  });

  it('returns the bytes for a range or on request', async () => {
    const url = `/recording/${encodeURIComponent(name)}`;
    const part = await rest(url, { range: 'bytes=188-375' });
    expect([part.status, part.bytes]).toEqual([206, Buffer.alloc(188, 1)]);
    const whole = await rest(`${url}?stream=1`);
    expect([whole.status, whole.headers['content-type'], whole.bytes.length]).toEqual([200, 'video/mp2t', 1880]);
  });
});
