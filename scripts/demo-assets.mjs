// Makes the pictures, sounds and subtitles of the demo multiplex, assets/demo/ (docs/streams.md). A maintainer runs it
// after changing a service; builds only read its results. It needs ffmpeg with libass, libx264 and libx265, and the
// typeface DejaVu Sans. Takes a minute or two.
//
//   node scripts/demo-assets.mjs [SERVICE...]     for example canal-oree
//
// Each file is a bare elementary stream that plays in a loop for ever (native/demo/loop.h):
//
//   SERVICE.h264, .hevc       a minute of pictures, which starts on the minute: 1500, an IDR picture every two seconds,
//                             no B pictures
//   SERVICE.LANGUAGE.aac, ... seconds of sound: whole frames, cut from the middle of three rounds, so that the end goes
//                             over into the beginning
//   SERVICE.LANGUAGE.sub      twelve DVB subtitles, one every five seconds
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const assets = fileURLToPath(new URL('../assets/demo/', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'demo-assets-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

// Colours are RRGGBB: of the picture, of the bar at its foot, of what stands out. Notes are numbers of MIDI keys, one
// for each eighth of the loop.
const services = {
  'aldermoor-one': {
    name: 'Aldermoor One',
    provider: 'Aldermoor Television',
    colours: ['1B4F8F', '0B1E45', 'FFC845'],
    video: { codec: 'h264', size: [720, 576], quality: 39 },
    sound: [{ language: 'eng', codec: 'aac', notes: [60, 64, 67, 72, 71, 67, 64, 62] }],
  },
  'talblick-24': {
    name: 'Talblick 24',
    provider: 'Talblick Medien Süd',
    colours: ['8E1F2B', '2A0A18', 'FFD9A0'],
    video: { codec: 'h264', size: [1280, 720], quality: 40 },
    sound: [{ language: 'deu', codec: 'aac', notes: [57, 64, 69, 64, 60, 64, 67, 64] }],
  },
  'canal-oree': {
    name: 'Canal Orée',
    provider: 'Orée Télévision',
    colours: ['1F6E6A', '06272F', '9BE8C8'],
    video: { codec: 'h264', size: [720, 576], quality: 39 },
    sound: [
      { language: 'fra', codec: 'aac', notes: [65, 69, 72, 76, 74, 72, 69, 67] },
      { language: 'eng', codec: 'aac', notes: [77, 76, 74, 72, 74, 72, 69, 72] },
      { language: 'fra', codec: 'ac3', notes: [53, 57, 60, 64, 62, 60, 57, 55] },
    ],
    subtitles: { language: 'fra', text: (second) => `La trotteuse passe sur ${second}.` },
  },
  brincolin: {
    name: 'Brincolín',
    provider: 'Grupo Ventolera',
    colours: ['C2447A', '6A1F52', 'F2A33A'],
    video: { codec: 'h264', size: [544, 576], quality: 39 },
    sound: [{ language: 'spa', codec: 'aac', notes: [67, 71, 74, 79, 78, 79, 74, 71] }],
  },
  clunek: {
    name: 'Člunek',
    provider: 'Člunek Média',
    colours: ['4B2E63', '140C22', 'E9B872'],
    video: { codec: 'hevc', size: [1280, 720], quality: 38 },
    sound: [{ language: 'ces', codec: 'aac', notes: [62, 65, 69, 74, 72, 69, 65, 64] }],
  },
  'pelagos-spor': {
    name: 'Πέλαγος Σπορ',
    provider: 'Πέλαγος Τηλεόραση',
    colours: ['2A8A4A', '0B3A24', 'F7F06D'],
    video: { codec: 'h264', size: [352, 288], quality: 35 },
    sound: [{ language: 'ell', codec: 'aac', mono: true, notes: [64, 71, 64, 69, 64, 67, 69, 71] }],
  },
  'radio-ozhyna': { sound: [{ language: 'ukr', codec: 'mp2', notes: [69, 72, 76, 81, 79, 76, 74, 72] }] },
  'radyo-cinaralti': {
    sound: [{ language: 'tur', codec: 'mp2', mono: true, notes: [62, 65, 68, 69, 68, 65, 64, 62] }],
  },
};

/** Sound at 48 kHz: samples in a frame, frames in the loop, which lasts whole seconds, and bits per second. */
const soundCodecs = {
  aac: { format: 'adts', samples: 1024, frames: 375, rate: 28_000 },
  ac3: { format: 'ac3', samples: 1536, frames: 125, rate: 96_000 },
  mp2: { format: 'mp2', samples: 1152, frames: 250, rate: 64_000 },
};
const subtitleSeconds = 5;
const word = (value) => [value >> 8, value & 0xff];
/** Codes for equal pixels of a subtitle: the fewest and the most, their prefix, the bits of their number. */
const runs = [
  [29, 284, '000011', 8],
  [12, 27, '000010', 4],
  [3, 10, '001', 3],
];

const wanted = process.argv.slice(2);
for (const [name, service] of Object.entries(services)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { video, sound, subtitles } = service;
  if (video) write(`${name}.${video.codec}`, pictures(service, video));
  for (const track of sound) write(`${name}.${track.language}.${track.codec}`, soundLoop(track));
  if (subtitles) write(`${name}.${subtitles.language}.sub`, subtitleLoop(subtitles));
}

function write(name, bytes) {
  writeFileSync(join(assets, name), bytes);
  console.log(`${String(bytes.length).padStart(8)}  ${name}`);
}

function ffmpeg(...args) {
  return execFileSync('ffmpeg', ['-v', 'error', ...args, '-'], { maxBuffer: 2 ** 28 });
}

/** A minute of pictures, drawn as 16:9 in square pixels and then scaled to the size that is sent. */
function pictures(service, { codec, size: [width, height], quality }) {
  const hd = height >= 720;
  const matrix = hd ? 'bt709' : 'bt470bg';
  const square = `${(height * 16) / 9}x${height}`;
  const scaled = `scale=${width}:${height}:flags=lanczos:out_color_matrix=${hd ? 'bt709' : 'bt601'}`;
  const options = 'keyint=50:min-keyint=50:scenecut=0:bframes=0:ref=1:aud=1:open-gop=0:repeat-headers=1';
  const encoders = {
    // The SEI would only name the encoder.
    h264: ['libx264', '-x264-params', options, '-preset', 'veryslow', '-bsf:v', 'filter_units=remove_types=6'],
    hevc: ['libx265', '-x265-params', `${options}:info=0:wpp=0:log-level=error`, '-preset', 'slow'],
  };
  return ffmpeg(
    ...['-f', 'lavfi', '-i', `color=c=0x${service.colours[0]}:s=${square}:r=25:d=60,format=rgb24`],
    ...['-vf', `ass=${script('scene', scene(service))},${scaled},format=yuv420p,setdar=16/9`],
    ...['-colorspace', matrix, '-color_primaries', matrix, '-color_trc', hd ? 'bt709' : 'smpte170m'],
    ...['-crf', String(quality), '-c:v', ...encoders[codec], '-f', codec],
  );
}

/** A station clock whose hand points at the second, and a ball that moves with every picture. */
function scene({ name, provider, colours: [, bar, accent] }) {
  const lines = [];
  const put = (from, until, text) => lines.push({ from, until, text });
  const colour = (rgb) => `\\1c&H${rgb.slice(4)}${rgb.slice(2, 4)}${rgb.slice(0, 2)}&`;
  const box = (rgb, left, top, right, bottom) =>
    put(0, 60, `{\\pos(0,0)${colour(rgb)}\\p1}m ${left} ${top} l ${right} ${top} ${right} ${bottom} ${left} ${bottom}`);
  const text = (y, style, words) => put(0, 60, `{\\an1\\pos(52,${y})${style}}${words}`);
  /** From the centre of the dial to the `second`. */
  const hand = (from, until, second, rgb, inner, outer, half) =>
    put(
      from,
      until,
      `{\\pos(780,252)\\org(780,252)\\frz${-6 * second}${colour(rgb)}\\p1}` +
        `m ${-half} ${-outer} l ${half} ${-outer} ${half} ${-inner} ${-half} ${-inner}`,
    );
  box(bar, 0, 500, 1024, 576);
  box(accent, 0, 496, 1024, 500);
  box(accent, 52, 206, 148, 213);
  text(186, '\\fs64\\b1', name);
  text(272, '\\fs34\\1a&H30&', provider);
  text(553, '\\fs26\\1a&H30&', 'receiverd demo');
  for (let second = 0; second < 60; second += 5) hand(0, 60, second, 'FFFFFF', 166, 190, 4);
  for (let second = 0; second < 60; second++) {
    hand(second, second + 1, second, accent, 96, 160, 5);
    put(second, second + 1, `{\\an5\\pos(780,252)\\fs110\\b1}${String(second).padStart(2, '0')}`);
  }
  const ball = `${colour(accent)}\\p1}m 12 0 b 19 0 24 5 24 12 b 24 19 19 24 12 24 b 5 24 0 19 0 12 b 0 5 5 0 12 0`;
  for (let second = 0; second < 60; second += 4) {
    put(second, second + 2, `{\\an5\\move(440,538,970,538)${ball}`);
    put(second + 2, second + 4, `{\\an5\\move(970,538,440,538)${ball}`);
  }
  return lines;
}

/** Writes a script for ffmpeg's `ass` filter and returns its path. Coordinates are 1024 x 576. */
function script(name, lines, height = 576) {
  const time = (second) => `0:0${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}.00`;
  const style = `DejaVu Sans,40,&H00FFFFFF,1,0,0,7,1`;
  const file = join(work, `${name}.ass`);
  writeFileSync(
    file,
    `[Script Info]
ScriptType: v4.00+
PlayResX: 1024
PlayResY: ${height}

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, BorderStyle, Outline, Shadow, Alignment, Encoding
Style: Default,${style}

[Events]
Format: Layer, Start, End, Style, Text
${lines.map(({ from, until, text }, layer) => `Dialogue: ${layer},${time(from)},${time(until)},Default,${text}`).join('\n')}
`,
  );
  return file;
}

/** A few bars on a marimba over a quiet bass. A note sounds through the end of the loop into its beginning. */
function soundLoop({ codec, notes, mono = false }) {
  const { format, samples, frames, rate } = soundCodecs[codec];
  const length = (samples * frames) / 48_000;
  const note = (key, index, side) => {
    const since = `mod(t+${length - (index * length) / notes.length}\\,${length})`;
    const frequency = 440 * 2 ** ((key - 69) / 12);
    const loudness = 0.1 + (index % 2 === side ? 0.03 : 0);
    const tone = (part, decay) => `exp(-${decay}*${since})*sin(${2 * Math.PI * frequency * part}*${since})`;
    return `${loudness}*(${tone(1, 3)}+0.25*${tone(4, 12)})`;
  };
  // A whole number of periods fits into the loop.
  const bass = Math.round(440 * 2 ** ((notes[0] - 24 - 69) / 12) * length) / length;
  const channel = (side) =>
    `${notes.map((key, index) => note(key, index, side)).join('+')}+0.04*sin(${2 * Math.PI * bass}*t)`;
  const channels = mono ? channel(0) : `${channel(0)}|${channel(1)}`;
  const rateUsed = mono ? (rate * 3) / 4 : rate;
  const stream = ffmpeg(
    ...['-f', 'lavfi', '-i', `aevalsrc=${channels}:s=48000:d=${3 * length + 1}`],
    ...['-c:a', codec, '-b:a', String(rateUsed), '-f', format],
  );
  const begins = frameStarts(stream, codec === 'aac' ? 0 : (rateUsed / 8) * (samples / 48_000));
  return stream.subarray(begins[frames], begins[2 * frames]);
}

/** Positions of the frames, which have all the same `size`, or state it (ADTS). */
function frameStarts(stream, size) {
  const begins = [];
  for (let at = 0; at + 7 < stream.length; ) {
    begins.push(at);
    at += size || ((stream[at + 3] & 3) << 11) | (stream[at + 4] << 3) | (stream[at + 5] >> 5);
  }
  return begins;
}

/** One display set for each five seconds (ETSI EN 300 743), of one region with four grey values. */
function subtitleLoop({ text }) {
  const [width, height] = [480, 44];
  const [page, region, colours, object] = [1, 0, 0, 0];
  const segment = (type, ...data) => {
    const body = Buffer.from(data.flat(Number.POSITIVE_INFINITY));
    return [0x0f, type, ...word(page), ...word(body.length), ...body];
  };
  const entry = (number, luma, transparency) => [number, 0x9f, luma, 128, 128, transparency];
  const sets = Array.from({ length: 60 / subtitleSeconds }, (_, index) => {
    const fields = fieldsOf(text(index * subtitleSeconds), width, height);
    return Buffer.from(
      [
        [0x20, 0x00],
        // page: time-out, version and acquisition point, the place of the region
        segment(0x10, subtitleSeconds + 1, (index << 4) | 0x08, region, 0xff, word(120), word(448)),
        // region: size, 2 bits for each pixel, the object in its upper left corner
        segment(
          0x11,
          region,
          (index << 4) | 0x08,
          word(width),
          word(height),
          0x24,
          colours,
          0,
          0,
          word(object),
          word(0),
          word(0xf000),
        ),
        segment(
          0x12,
          colours,
          (index << 4) | 0x0f,
          entry(0, 16, 96),
          entry(1, 90, 0),
          entry(2, 160, 0),
          entry(3, 235, 0),
        ),
        segment(
          0x13,
          word(object),
          (index << 4) | 0x01,
          fields.map(({ length }) => word(length)),
          fields,
        ),
        segment(0x80),
        0xff,
      ].flat(Number.POSITIVE_INFINITY),
    );
  });
  return Buffer.concat(sets);
}

/** Draws a line of text and codes both fields of it. */
function fieldsOf(text, width, height) {
  const lines = [{ from: 0, until: 1, text: `{\\an5\\pos(512,33)\\fs44}${text}` }];
  const picture = ffmpeg(
    ...['-f', 'lavfi', '-i', `color=c=black:s=${Math.round((width * 64) / 45)}x${height}:d=1`],
    ...['-vf', `ass=${script('subtitle', lines, 66)},scale=${width}:${height},format=gray`],
    ...['-frames:v', '1', '-f', 'rawvideo'],
  );
  const line = (y) => codedLine([...picture.subarray(y * width, (y + 1) * width)].map((grey) => grey >> 6));
  return [0, 1].map((field) => {
    const bytes = [];
    for (let y = field; y < height; y += 2) bytes.push(0x10, ...line(y), 0xf0);
    return bytes;
  });
}

/** Pixels 0..3 as a 2-bit/pixel code string (§7.2.5.2.1). */
function codedLine(pixels) {
  const binary = (value, width) => value.toString(2).padStart(width, '0');
  let bits = '';
  for (let at = 0; at < pixels.length; ) {
    const value = pixels[at];
    const end = pixels.findIndex((other, index) => index > at && other !== value);
    const equal = (end < 0 ? pixels.length : end) - at;
    const [least, most, prefix, width] = runs.find(([fewest]) => equal >= fewest) ?? [1, 1];
    const run = Math.min(equal, most);
    if (prefix) bits += prefix + binary(run - least, width) + binary(value, 2);
    else bits += value === 0 ? '0001' : binary(value, 2);
    at += run;
  }
  bits += '000000';
  return bits.match(/.{1,8}/g).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2));
}
