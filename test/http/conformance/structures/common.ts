/** The common parts of the structures. */
import type { JsonTree, Structure, XmlTree } from '../structure.ts';

/** Assigns the same form to several names of elements or keys. */
export const all = <Form extends XmlTree | JsonTree>(names: string, form: Form): Record<string, Form> =>
  Object.fromEntries(names.split(' ').map((name) => [name, form]));

export const simple: Structure = {
  xml: { e2simplexmlresult: { e2state: 'bool', e2statetext: 'words' } },
  json: { result: 'bool', message: 'words', 'error?': 'words' },
};

export const simpleXml = simple.xml as XmlTree;

/** The elements of the current service in `about` and `getcurrent`. */
export const pids = all('e2apid e2vpid e2pcrpid e2pmtpid e2txtpid e2tsid e2onid e2sid', 'int|N/A');

export const video = { e2videowidth: 'int|N/A', e2videoheight: 'int|N/A', e2servicevideosize: 'size' };

export const currentJson = {
  result: 'bool',
  name: 'text',
  namespace: 'int',
  aspect: 'int',
  provider: 'text',
  ...all('width height apid vpid pcrpid pmtpid txtpid tsid onid sid', 'int|N/A'),
  ref: 'text',
  iswidescreen: 'bool',
  bqref: 'text',
  bqname: 'text',
};

export const genreXml = { '@id': 'int', '#': 'text' };

export const eventJson = {
  id: 'int|null',
  begin_timestamp: 'unix|0|null',
  duration_sec: 'int|null',
  title: 'text|null',
  shortdesc: 'text|null',
  longdesc: 'text|null',
  sref: 'sref',
  sname: 'text',
  now_timestamp: 'unix|0|null',
  remaining: 'int|null',
  genre: 'text',
  genreid: 'int',
  'asrefs?': ['sref'],
};

/** A document: a pattern for the whole of a playlist or another text, elements for XML. */
export const document = (pattern: RegExp): Structure => ({ document: pattern });

/** The line of a playlist entry between its name and its address. */
export const programLine = '(#EXTVLCOPT:program=\\d+\\n)?';

export const rss = (item: XmlTree): Structure => ({
  document: {
    rss: {
      '@version': 'words',
      channel: { title: 'words', link: 'words', description: 'text', generator: 'words', 'item*': item },
    },
  },
});
