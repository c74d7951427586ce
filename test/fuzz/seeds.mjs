// Creates seed corpora for the fuzz targets: `node test/fuzz/seeds.mjs FOLDER` writes FOLDER/fuzz_NAME/ per target.
//
// Seeds come from the captures in RECEIVERD_TEST_DATA (whole sections, runs of packets, texts, bouquet lines, guide
// files) and from test/fuzz/corpus/NAME/, which stores inputs that once revealed a fault. Without captures only the
// latter are used, and what SAT>IP servers and HDHomeRuns say, which is made here.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, gunzipSync } from 'node:zlib';

const packetSize = 188;
const here = dirname(fileURLToPath(import.meta.url));
const [folder = 'build/fuzz-corpus'] = process.argv.slice(2);
const data = process.env.RECEIVERD_TEST_DATA;

const streams = data ? list(join(data, 'ts'), '.ts').map((file) => readFileSync(file)) : [];
const sections = streams.flatMap(distinctSections);
const kinds = {
  packets: streams.flatMap((stream) =>
    [0, 1000, 5000].map((n) => stream.subarray(n * packetSize, (n + 40) * packetSize)),
  ),
  sections,
  texts: sections.filter((section) => section[0] >= 0x4e && section[0] <= 0x6f).flatMap(shortEventTexts),
  guides: sections.filter((section) => section[0] >= 0x4e && section[0] <= 0x6f).map(guideFile),
  documents: data ? xmltvDocuments(join(data, 'guide')) : [],
  lines: data ? list(join(data, 'enigma2', 'cable'), '.tv').flatMap(bouquetLines) : [],
  psip: data ? psipSections(join(data, 'atsc')) : [],
  rtp: streams.flatMap(datagrams),
  rtsp: connections(),
  hdhomerun: controlConnections(),
};

for (const source of list(here, '.cc')) {
  const [, target] = /(fuzz_.*)\.cc$/.exec(basename(source)) ?? [];
  if (!target) continue;
  const corpus = join(folder, target);
  mkdirSync(corpus, { recursive: true });
  for (const [kind, seeds] of Object.entries(kinds)) {
    if (!wants(target, kind)) continue;
    for (const [index, seed] of seeds.slice(0, 400).entries()) writeFileSync(join(corpus, `${kind}-${index}`), seed);
  }
  const kept = join(here, 'corpus', target.slice('fuzz_'.length));
  if (existsSync(kept)) cpSync(kept, corpus, { recursive: true });
  // Without any seed libFuzzer tries a line feed, sees no effect and gives up.
  if (readdirSync(corpus).length === 0)
    writeFileSync(
      join(corpus, 'bytes'),
      Uint8Array.from({ length: 64 }, (_, n) => n),
    );
  console.log(`${target}: ${readdirSync(corpus).length} seeds`);
}

/** The name of a target shows its input. By default it is sections, the basis of most formats. */
function wants(target, kind) {
  if (/_(rt(p|cp|sp)|hdhomerun)$/.test(target)) return target === `fuzz_${kind}`;
  if (/psip/.test(target)) return kind === 'psip';
  if (/m3u|reference|bouquet|lamedb/.test(target)) return kind === 'lines';
  if (/xmltv/.test(target)) return kind === 'documents';
  if (/text/.test(target)) return kind === 'texts';
  if (/epg_dat/.test(target)) return kind === 'guides';
  if (/packet|demux|filter|stream|source|multiplex|video/.test(target)) return kind === 'packets';
  return kind === 'sections';
}

/** Each file of sections of PSIP, and all of them together: the tables that give the others their meaning. */
function psipSections(folder) {
  const files = list(folder, '.bin').map((file) => readFileSync(file));
  return [...files, Buffer.concat([...files].reverse())];
}

/** Complete sections of the SI PIDs (EN 300 468 §5.1.3), the first few of each table id. */
function distinctSections(stream) {
  const open = new Map();
  const seen = new Map();
  const found = [];
  for (let at = 0; at + packetSize <= stream.length; at += packetSize) {
    const pid = stream.readUInt16BE(at + 1) & 0x1fff;
    if (stream[at] !== 0x47 || pid > 0x1f || (stream[at + 3] & 0x10) === 0) continue;
    const adaptation = stream[at + 3] & 0x20 ? 1 + stream[at + 4] : 0;
    let payload = stream.subarray(Math.min(at + 4 + adaptation, at + packetSize), at + packetSize);
    if (stream[at + 1] & 0x40) {
      payload = payload.subarray(1 + (payload[0] ?? 0));
      open.set(pid, Buffer.alloc(0));
    }
    if (!open.has(pid)) continue;
    let section = Buffer.concat([open.get(pid), payload]);
    while (section.length >= 3 && section[0] !== 0xff) {
      const length = 3 + (section.readUInt16BE(1) & 0xfff);
      if (section.length < length) break;
      const known = seen.get(section[0]) ?? 0;
      if (known < 8) found.push(section.subarray(0, length));
      seen.set(section[0], known + 1);
      section = section.subarray(length);
    }
    open.set(pid, section.length >= 4096 || section[0] === 0xff ? Buffer.alloc(0) : section);
  }
  return found;
}

/** The texts of short_event_descriptors (EN 300 468 §6.2.37) in an EIT section. */
function shortEventTexts(section) {
  const texts = [];
  for (let event = 14; event + 12 < section.length - 4; event += 12 + (section.readUInt16BE(event + 10) & 0xfff)) {
    const name = event + 12 + 5;
    if (section[event + 12] !== 0x4d || name >= section.length) continue;
    const text = name + 1 + section[name];
    texts.push(section.subarray(name + 1, text), section.subarray(text + 1, text + 1 + (section[text] ?? 0)));
  }
  return texts.filter((text) => text.length > 0);
}

/** The events of an EIT section as Enigma2's epg.dat, alternating between both byte orders and both versions. */
function guideFile(section, index) {
  const [bigEndian, version] = [index % 2 === 1, index % 4 < 2 ? 8 : 7];
  const number = (value, size = 4) => {
    const bytes = Buffer.alloc(size);
    if (bigEndian) bytes.writeUIntBE(value, 0, size);
    else bytes.writeUIntLE(value, 0, size);
    return bytes;
  };
  const events = [];
  const pool = [];
  for (let event = 14; event + 12 <= section.length - 4; ) {
    const end = event + 12 + (section.readUInt16BE(event + 10) & 0xfff);
    const hashes = [];
    for (let at = event + 12; at + 2 <= end; at += 2 + section[at + 1]) {
      const descriptor = section.subarray(at, at + 2 + section[at + 1]);
      hashes.push(number(pool.length + 1));
      pool.push(Buffer.concat([number(pool.length + 1), number(1), descriptor]));
    }
    const length = Buffer.from([10 + 4 * hashes.length]);
    events.push(
      Buffer.concat([number(2, version === 8 ? 2 : 1), length, section.subarray(event, event + 10), ...hashes]),
    );
    event = end;
  }
  const service = [3, 10, 8].map((at) => number(section.readUInt16BE(at)));
  const head = [number(0x98765432), Buffer.from(`ENIGMA_EPG_V${version}`), number(1), ...service];
  const trailer = Buffer.from('PRIVATE_EPG\0\0\0\0');
  return Buffer.concat([...head, number(events.length), ...events, number(pool.length), ...pool, trailer]);
}

/** The beginning of each XMLTV file, complete as a document, after a byte that selects the chunk size. */
function xmltvDocuments(path) {
  return list(path, '.xml.gz').flatMap((file) => {
    const text = gunzipSync(readFileSync(file)).toString('utf8');
    const programmes = text.indexOf('<programme');
    const heads = [text.slice(0, text.indexOf('</channel>') + 10), text.slice(0, text.indexOf('<channel'))];
    return heads.map((head, index) => {
      const begin = programmes + 20_000 * index;
      const first = text.indexOf('<programme', begin);
      const end = text.indexOf('</programme>', first + 2000) + 12;
      return Buffer.from(`${String.fromCharCode(index + 6)}${head}${text.slice(first, end)}</tv>`);
    });
  });
}

/** Packets as a SAT>IP server sends them, for fuzz_rtp.cc: in order, and with one that is late, one twice, one lost. */
function datagrams(stream) {
  return [
    [0, 1, 2, 3],
    [0, 2, 1, 3, 3, 5],
    [65534, 65535, 0, 1],
  ].map((numbers) =>
    Buffer.concat(
      numbers.flatMap((number, index) => {
        const header = Buffer.from([20, 0, 0, 0x80, 33, number >> 8, number & 0xff, 0, 0, 0, 0, 0, 0, 0, 1]);
        const payload = stream.subarray(7 * index * packetSize, 7 * (index + 1) * packetSize);
        header.writeUInt16BE(header.length - 3 + payload.length, 1);
        return [header, payload];
      }),
    ),
  );
}

/** Connections for fuzz_rtsp.cc: a whole conversation, refusals, and what is as long as may be, or longer. */
function connections() {
  const reply = (number, lines = [], body = '', status = '200 OK') =>
    [`RTSP/1.0 ${status}`, `CSeq: ${number}`, ...lines, `Content-Length: ${body.length}`, '', body].join('\r\n');
  const frame = (channel, bytes) => `$${String.fromCharCode(channel, bytes.length >> 8, bytes.length & 0xff)}${bytes}`;
  const session = ['Session: 0012;timeout=30', 'com.ses.streamID: 3'];
  const report = 'ver=1.0;src=1;tuner=1,224,1,15,11493.75,h,dvbs2;pids=0';
  const rtcp = `\x80\xcc\0\x11\0\0\0\x01SES1\0\0\0${String.fromCharCode(report.length)}${report}\0\0`;
  const played = reply(1, session) + reply(2, ['RTP-Info: url=rtsp://h/stream=3;seq=1']);
  const refused = reply(3, [], 'No-More: frontends\r\n', '503 Service Unavailable');
  const sdp = `v=0\r\na=fmtp:33 ${report}\r\n`;
  const whole = [
    played + frame(1, rtcp) + frame(0, 'G'.padEnd(packetSize, '\xff')) + reply(3) + reply(4, [], sdp) + reply(5),
    played + refused,
    reply(1, [], '', '461 Unsupported Transport') + reply(1, ['Session: 1'], '', '404 Not Found'),
    played + reply(3, [], '', '454 Session Not Found') + played,
    reply(1, [`Session: ${'9'.repeat(257)}`, `X: ${'x'.repeat(8192)}`]) + played,
    reply(1, session, 'b'.repeat(16384)) + reply(2, session, 'b'.repeat(16385)) + played,
    played + frame(1, '\0'.repeat(65535)) + refused,
  ];
  return whole.flatMap((text) =>
    ['\x00\x02\x05', '\xff\x1f\x40', '\x27\x01\xc0'].map((how) => Buffer.from(how + text, 'latin1')),
  );
}

/**
 * Connections for fuzz_hdhomerun.cc, after a byte that selects the size of pieces: replies whose check sums are right, which a
 * fuzzer does not find, and pieces that are values and errors of a conversation.
 */
function controlConnections() {
  const text = (tag, value) => {
    const bytes = Buffer.from(`${value}\0`, 'latin1');
    const length = bytes.length < 0x80 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
    return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
  };
  const packet = (tags, type = 5) => {
    const payload = Buffer.concat(tags);
    const head = Buffer.from([0, type, payload.length >> 8, payload.length & 0xff]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(Buffer.concat([head, payload])));
    return Buffer.concat([head, payload, sum]);
  };
  const reply = (name, value) => packet([text(3, `/tuner0/${name}`), text(4, value)]);
  const status = 'ch=auto:474000000 lock=t8dvbt2 ss=83 snq=90 seq=100 bps=22394536 pps=2127';
  const target = 'rtp://192.0.2.1:5000';
  const played = [reply('lockkey', '1'), reply('target', 'none'), reply('channel', 'auto:1'), reply('target', target)];
  const refused = packet([text(3, '/tuner0/lockkey'), text(5, 'ERROR: resource locked by 192.0.2.7')]);
  const connections = [
    [...played, reply('status', status), reply('filter', '0x0000 0x0010-0x0012')],
    [refused, packet([text(5, '')]), packet([])],
    // A length of two bytes, the longest packet, and one that is too long.
    ...[0x80, 1435, 1436].map((length) => [reply('status', 'x'.repeat(length)), ...played]),
    [reply('status', `\x1b[2J${status}`), packet([text(4, 'a')], 4), ...played],
    [packet([Buffer.from([4, 0xff, 0x7f, 0])]), ...played],
  ];
  const pieceBytes = 0x80;
  const conversation = (...pieces) =>
    Buffer.from(String.fromCharCode(pieceBytes - 1) + pieces.map((one) => one.padEnd(pieceBytes)).join(''), 'latin1');
  return [
    ...connections.flatMap((all) => [0, 0x3f, 0xff].map((size) => Buffer.concat([Buffer.from([size]), ...all]))),
    conversation('V1', 'Vnone', 'Vauto:1', 'V0x0000', `V${target}`, `V${status}`, 'L', `V${status}`, 'T', 'V1'),
    conversation('V1', 'Vrtp://192.0.2.7:5000', 'T', 'Eresource locked', 'T', 'V1', 'Vnone', 'Eno'),
    conversation('V1', 'Vnone', 'Vauto:1', 'Eno filter', 'Eno rtp', `V${target}`, 'V(none) lock=(qam)'),
  ];
}

function bouquetLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('#SERVICE '))
    .slice(0, 20)
    .map((line) => `${line.slice('#SERVICE '.length)}\0Name\x001\0\0Group\0`);
}

function list(path, end) {
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith(end))
    .map((name) => join(path, name));
}
