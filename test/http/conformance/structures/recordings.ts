/** Responses of the operations about recordings. */
import type { Structure } from '../structure.ts';
import { document, programLine, rss, simple } from './common.ts';

const movieXml = {
  e2servicereference: 'sref',
  e2title: 'text',
  e2description: 'text',
  e2descriptionextended: 'text',
  e2servicename: 'text',
  e2time: 'unix',
  e2length: 'length',
  e2tags: 'text',
  e2filename: 'path',
  e2filesize: 'int|None',
};

const movieJson = {
  filename: 'path',
  filename_stripped: 'words',
  serviceref: 'sref',
  length: 'length',
  lastseen: 'percent',
  filesize_readable: 'bytes',
  recordingtime: 'unix',
  begintime: 'fuzzy',
  eventname: 'text',
  servicename: 'text',
  tags: 'text',
  fullname: 'sref',
  descriptionExtended: 'text',
  description: 'text',
  filesize: 'int',
};

const movieListXml = {
  e2movielist: { 'e2movie*': movieXml, e2locations: { 'e2location*': 'words' } },
};

const locationsXml = { e2locations: { 'e2location+': 'folder' } };

const tagsXml = { e2tags: { 'e2tag*': 'words' } };

export const recordings: Readonly<Record<string, Structure>> = {
  movielist: {
    xml: movieListXml,
    json: { movies: [movieJson], bookmarks: ['words'], directory: 'folder', recursive: 'bool', result: 'bool' },
  },
  fullmovielist: {
    xml: { e2movielist: { 'e2movie*': movieXml, e2locations: { 'e2location+': 'folder' } } },
    json: { movies: [movieJson], locations: ['folder'], recursive: 'bool', result: 'bool' },
  },
  moviedetails: { xml: { e2movie: movieXml }, json: { result: 'bool', movie: movieJson } },
  movieinfo: {
    xml: tagsXml,
    json: {
      result: 'bool',
      tags: ['words'],
      title: 'text',
      description: 'text',
      cuts: [{ type: 'int', pos: 'int' }],
    },
  },
  moviedelete: simple,
  moviemove: simple,
  moviecopy: simple,
  movierename: simple,
  addlocation: simple,
  removelocation: simple,
  movietags: { xml: tagsXml, json: { result: 'bool', tags: ['words'] } },
  gettags: { xml: tagsXml, json: { result: 'bool', tags: ['words'] } },
  getlocations: { xml: locationsXml, json: { result: 'bool', locations: ['folder'], default: 'folder' } },
  getcurrlocation: { xml: locationsXml, json: { result: 'bool', location: 'folder' } },
  'movielist.m3u': document(
    /^#EXTM3U\n#EXTVLCOPT:http-reconnect=true\n(#EXTINF:-1,: [^\n]+\nhttp:\/\/[^/\n]+\/file\?file=\/\S+\n)+$/,
  ),
  'movielist.rss': rss({
    title: 'words',
    description: 'words',
    link: 'words',
    enclosure: { '@type': 'words', '@url': 'words', '@length?': 'int' },
    pubDate: 'rfc822',
    'category?': 'words',
    'author?': 'words',
    'guid?': 'words',
  }),
  'movielist.html': document(/^<!DOCTYPE html>\n<html lang="en">\n.*<table>\n(<tr>.*<\/tr>\n)+<\/table>.*<\/html>\n$/s),
  'ts.m3u': document(
    new RegExp(
      `^#EXTM3U \\n#EXTVLCOPT:http-reconnect=true \\n(#EXTINF:\\d+,[^\\n]+\\n)?${programLine}http://[^/\\n]+/file\\?file=/\\S+\\n$`,
    ),
  ),
};
