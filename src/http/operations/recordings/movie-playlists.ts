/** Lists of recordings as playlists, an RSS feed and an HTML page, for programs that read neither our XML nor JSON. */
import { fail, ReceiverError } from '../../../base/errors.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import { exportedChapters } from '../../../exports/plan.ts';
import { recordingPlaylist } from '../../../m3u/playlist.ts';
import { breaksOf, chaptersOf } from '../../../recordings/files/breaks.ts';
import type { Recording } from '../../../recordings/files/recording.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation, type RequestContext } from '../../endpoint/operation.ts';
import { withTicket } from '../../middleware/login.ts';
import { type ParameterValues, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { escapeXml } from '../../write/xml.ts';
import { listedRecordings, type Movie, movieListParameters, movieOf } from './movies.ts';

export const playlistType = 'application/x-mpegurl';

const playlistHead = '#EXTM3U\n#EXTVLCOPT:http-reconnect=true\n';

/** A playlist with one URL, for players that accept only playlists. */
export function playlistOfUrl(url: string, title?: string): string {
  return `${playlistHead}${title === undefined ? '' : `#EXTINF:-1,${title}\n`}${url}\n`;
}

const exampleUrl = 'http://receiver:8080/file?file=/media/hdd/movie/Ships.ts';

/** The URL of a file for a context: its path percent-encoded, slashes kept. */
export function fileUrl({ origin, ticket }: Pick<RequestContext, 'origin' | 'ticket'>, path: string): string {
  const url = `${origin}/file?file=${path.split('/').map(encodeURIComponent).join('/')}`;
  return withTicket(url, ticket);
}

const tsm3u = operation({
  name: 'ts.m3u',
  summary: 'The playlist of a recording.',
  parameters: {
    file: text('path of the recording', { example: '/media/hdd/movie/20260101 2000 - Alpha HD - Ships.ts' }),
  },
  contentType: playlistType,
  example: `#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTINF:3180,Ships\n#EXTVLCOPT:program=11110\n${exampleUrl}\n`,
  errorsWithStatus: ['parameter-missing', 'not-found'],
  async run({ recordings }, { file }, context) {
    if (!file) throw new ReceiverError('parameter-missing', 'Missing file parameter');
    const recording = await recordings.find(file).catch(() => {
      throw fail('not-found', `File '${file}'`);
    });
    return { body: playlistOf(recording, context) };
  },
});

/** The playlist of one recording for a context. The program in a network stream is not that of its entry. */
export function playlistOf(recording: Recording, { origin, ticket }: RequestContext): Buffer {
  const { service, described, title, length = -1, path } = recording;
  const reference = service?.isStream ? '' : service?.withoutName().format();
  const meta = described && reference !== undefined && { title, seconds: length, reference };
  const playlist = recordingPlaylist({ path, ...(meta && { meta }) }, { streams: '', web: origin, ticket });
  const url = playlist.lastIndexOf('\n', playlist.length - 2) + 1;
  return Buffer.concat([playlist.subarray(0, url), Buffer.from(bookmarksOf(recording)), playlist.subarray(url)]);
}

/** A recording with more marks gets no bookmarks: nobody could use them. */
const maxMarks = 200;

/** Its chapters and breaks in the form of VLC, which lists them and can go to each. Other players ignore it. */
function bookmarksOf({ cuts, length = 0 }: Recording): string {
  if (cuts.length > maxMarks) return '';
  const chapters = exportedChapters(chaptersOf(cuts), breaksOf(cuts, length), [{ begin: 0, end: length }]);
  const bookmarks = chapters.map(({ begin, title }) => `{name=${title},time=${Math.round(begin)}}`);
  return bookmarks.length === 0 ? '' : `#EXTVLCOPT:bookmarks=${bookmarks.join(',')}\n`;
}

/** Concatenates the texts of the recordings in a folder. */
async function textOfEach(
  parts: ReceiverParts,
  folder: ParameterValues<typeof movieListParameters>,
  textOf: (movie: Movie, recording: Recording) => string,
): Promise<string> {
  const { recordings } = await listedRecordings(parts, folder);
  const show = movieOf(parts);
  const slice = new TimeSlice();
  let text = '';
  for (const recording of recordings) {
    if (slice.isOver) await slice.next();
    text += textOf(show(recording), recording);
  }
  return text;
}

const movielistm3u = operation({
  name: 'movielist.m3u',
  summary: 'The recordings in a folder as a playlist.',
  parameters: movieListParameters,
  contentType: playlistType,
  example: playlistOfUrl(exampleUrl, ': Ships.ts'),
  async run(parts, values, context) {
    const entries = await textOfEach(parts, values, ({ filename, filename_stripped: name }) => {
      return `#EXTINF:-1,: ${name.replace(/\p{Cc}/gu, ' ')}\n${fileUrl(context, filename)}\n`;
    });
    return { body: playlistHead + entries };
  },
});

const quoted = (text: string) => escapeXml(text).replaceAll('"', '&quot;');

/** The texts that describe a recording, without empty ones. */
const about = (movie: Movie) =>
  [
    movie.servicename,
    movie.description,
    movie.descriptionExtended,
    movie.filename,
    movie.tags,
    movie.serviceref,
  ].filter(Boolean);

function item(movie: Movie, recording: Recording, context: RequestContext): string {
  const url = fileUrl(context, movie.filename);
  const leaf = (name: string, text: string) => (text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`);
  const lines = [
    leaf('title', movie.eventname),
    leaf('description', about(movie).map(escapeXml).join('<br/>')),
    leaf('link', url),
    `<enclosure type="video/mpeg" length="${movie.filesize}" url="${quoted(url)}"/>`,
    leaf('pubDate', new Date(recording.begin * 1000).toUTCString().replace('GMT', '+0000')),
    leaf('category', movie.servicename),
    leaf('author', movie.servicename),
    leaf('guid', url),
  ].filter(Boolean);
  return `\t\t<item>\n${lines.map((line) => `\t\t\t${line}\n`).join('')}\t\t</item>\n`;
}

const movielistrss = operation({
  name: 'movielist.rss',
  summary: 'The recordings in a folder as an RSS feed.',
  parameters: movieListParameters,
  contentType: 'text/xml; charset=utf-8',
  example:
    '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n\t<channel>\n\t\t<title>Recordings of receiverd</title>\n\t\t<link>http://receiver:8080/</link>\n\t\t<description>What receiverd has recorded</description>\n\t\t<generator>receiverd</generator>\n\t</channel>\n</rss>\n',
  async run(parts, values, context: RequestContext) {
    const name = parts.device.identity.model;
    let body = '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n\t<channel>\n';
    body += `\t\t<title>${escapeXml(`Recordings of ${name}`)}</title>\n\t\t<link>${escapeXml(`${context.origin}/`)}</link>\n`;
    body += `\t\t<description>${escapeXml(`What ${name} has recorded`)}</description>\n\t\t<generator>receiverd</generator>\n`;
    body += await textOfEach(parts, values, (movie, recording) => item(movie, recording, context));
    return { body: `${body}\t</channel>\n</rss>\n` };
  },
});

const movielisthtml = operation({
  name: 'movielist.html',
  summary: 'The recordings in a folder as a web page.',
  parameters: movieListParameters,
  contentType: 'text/html; charset=utf-8',
  example: `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Recordings</title></head>\n<body>\n<table>\n<tr><th><a href="${exampleUrl}">Ships</a></th></tr>\n</table>\n</body>\n</html>\n`,
  async run(parts, values, context: RequestContext) {
    const rows = await textOfEach(parts, values, (movie) => {
      const lines = [movie.description, movie.descriptionExtended, movie.begintime, movie.tags, movie.servicename];
      const title = `<a href="${quoted(fileUrl(context, movie.filename))}">${escapeXml(movie.eventname)}</a>`;
      const cells = lines.filter(Boolean).map((line) => `<tr><td>${escapeXml(line)}</td></tr>\n`);
      return `<tr><th>${title}</th></tr>\n${cells.join('')}`;
    });
    const head = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Recordings</title></head>\n';
    const body = `${head}<body>\n<table>\n${rows}</table>\n</body>\n</html>\n`;
    return { body };
  },
});

export const moviePlaylistOperations = group('recordings', [tsm3u, movielistm3u, movielistrss, movielisthtml]);
