/**
 * Plays a stream of the receiver in a video element: reads its PAT and PMT, checks whether the browser can decode it,
 * otherwise requests a conversion by the receiver, and feeds it to mpegts.js.
 */
import { type Signal, signal } from '@preact/signals';
import type Mpegts from 'mpegts.js';
import { loginNeeded, receiver } from '../../shared/receiver.ts';
import { CaptionReader } from './caption-reader.ts';
import { arriving, type Choice, choose, hasMediaSource } from './codecs.ts';
import { type Feed, loaderOf, pollIntervalMs, sleep } from './feed.ts';
import { type Trouble, troubleOf, whyNothing } from './reasons.ts';
import type { Picture } from './subtitles/picture.ts';
import { SubtitleTrack } from './subtitles/track.ts';
import { type ElementaryStream, type Program, StreamChoice, TransportStreamReader } from './transport-stream.ts';

const hlsType = 'application/vnd.apple.mpegurl';

type MpegtsModule = { readonly default: typeof Mpegts };

/** A stream to play. */
export interface Source {
  /** Path and parameters on the receiver. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** The stream as HTTP Live Streaming. */
  readonly list: SourceList;
  /** Whether it arrives at the rate of the broadcast. Other streams are read ahead as far as the player needs. */
  readonly isLive: boolean;
}

export interface SourceList {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** Start of the list in seconds, on the scale of `Player.shown`. */
  readonly begin: number;
  /** Whether the receiver can convert it. */
  readonly isConvertible: boolean;
}

export type State = 'connecting' | 'playing' | 'ended' | 'trouble';

/** Streams that are not live are buffered this far ahead. */
const readAheadSeconds = 20;
/** Buffered before playback starts, to bridge short delays of the network. */
const startBufferSeconds = 0.8;
/** Playback starts after this time, even with less in the buffer. */
const maxStartDelayMs = 4000;
/** Timeout for the first video or audio, and then for a picture or sound; and for more once a live stream has stopped. */
const timeoutMs = 20_000;
/** Pictures or sound that have not arrived so long after the PMT, while the other has, are left out until they arrive. */
const maxMissingMs = 3000;
/** An error after this time is damage in the stream; before, the browser is taken to be unable to decode it. */
const minPlayedSeconds = 2;
/** PAT, PMT and the first video and audio must be within these bytes. */
const maxBytesBefore = 8 << 20;
/** A position that differs less from the one at which playback stopped is still that. */
const minMoveSeconds = 0.5;
/** Latency of live streams in seconds: beyond `max`, playback speeds up until it is back at `target`. */
const latency = { max: 4, target: 2 };

export class Player {
  readonly state: Signal<State> = signal<State>('connecting');
  readonly trouble = signal<Trouble>();
  readonly program = signal<Program>();
  readonly choice = signal<Choice>();
  /** Codecs that the receiver is converting. */
  readonly converted = signal<readonly string[]>([]);
  /** Whether the user has paused, also before a stream is open. A position that is chosen then is shown, but not played. */
  readonly isPaused = signal(false);
  /** Speed of playback. Only recordings have another than 1. */
  readonly speed = signal(1);
  /** Since when the browser requires a click before it plays, in milliseconds since the page was opened. */
  readonly blockedSince = signal<number>();
  /** Whether the video element plays an address by itself, which it can hand to another device. */
  readonly isNative = signal(false);
  /** Whether playback has stopped for lack of data. */
  readonly isWaiting = signal(false);
  /** Current position: seconds from the start of a recording, or Unix seconds in timeshift. Updated while playing. */
  readonly shown = signal(0);
  readonly subtitles = new SubtitleTrack();
  #video: HTMLVideoElement = document.createElement('video');
  #player: Mpegts.Player | undefined;
  #isOpen = false;
  #abort = new AbortController();
  /** Position at which the stream begins, in seconds. */
  #begin = 0;

  /** Sets the video element for the next `play`. */
  show(video: HTMLVideoElement): void {
    this.#video = video;
    video.addEventListener('timeupdate', () => {
      if (this.#isOpen) this.shown.value = this.position;
    });
    let stoppedAt = 0;
    video.addEventListener('waiting', () => {
      stoppedAt = video.currentTime;
      this.isWaiting.value = true;
    });
    video.addEventListener('canplay', () => {
      this.isWaiting.value = false;
    });
    // The time is also updated once when it stops.
    video.addEventListener('timeupdate', () => {
      if (Math.abs(video.currentTime - stoppedAt) > minMoveSeconds) this.isWaiting.value = false;
    });
    video.addEventListener('play', () => {
      this.blockedSince.value = undefined;
    });
    // Also by keys of the device, or in the window of a picture in picture.
    for (const event of ['play', 'pause'])
      video.addEventListener(event, () => {
        if (this.#isOpen && this.state.peek() === 'playing') this.isPaused.value = video.paused;
      });
  }

  /** Like `shown`, but exact. */
  get position(): number {
    return this.#begin + this.#video.currentTime;
  }

  /** Plays a source in place of the previous one. `audio`: PID of the audio stream. */
  async play(source: Source, audio?: number): Promise<void> {
    // From its end, a recording plays on.
    if (this.#video.ended) this.isPaused.value = false;
    this.stop();
    const { signal: aborted } = this.#abort;
    this.state.value = 'connecting';
    this.trouble.value = undefined;
    this.isWaiting.value = false;
    this.converted.value = [];
    // At once: the next step starts from there, and the position in the previous recording must not be saved for this one.
    const { time } = source.parameters;
    if (!source.isLive && time !== undefined) this.shown.value = Number(time);
    try {
      if (!hasMediaSource()) return await this.#playNatively(source, aborted);
      const opened = await this.#open(source, audio, aborted);
      if (opened !== undefined) await this.#start(opened, source, audio, aborted);
    } catch (error) {
      if (!aborted.aborted) this.#fail({ kind: 'failed', message: (error as Error).message });
    }
  }

  /** Plays HTTP Live Streaming, in browsers without Media Source Extensions (iPhones). */
  async #playNatively(source: Source, aborted: AbortSignal): Promise<void> {
    if (this.#video.canPlayType(hlsType) === '') return this.#fail({ kind: 'browser' });
    const opened = await this.#fetch(source, {}, undefined, aborted);
    if (opened === undefined) return;
    void opened.reader.cancel();
    const choice = choose(opened.program, undefined);
    await this.#playList(source, choice, choice.undecodable, aborted);
  }

  /** Plays the list, with the streams in `undecodable` converted. */
  async #playList(
    source: Source,
    choice: Choice,
    undecodable: readonly ElementaryStream[],
    aborted: AbortSignal,
  ): Promise<void> {
    const { list, parameters, isLive } = source;
    const video = this.#video;
    if (undecodable.length > 0 && !list.isConvertible)
      return this.#fail({ kind: 'codecs', codecs: undecodable.map(({ codec }) => codec) });
    const conversion = await this.#conversionOf(choice, undecodable, aborted);
    if (conversion === undefined) return;
    this.#begin = list.begin;
    this.#isOpen = true;
    const options = { signal: aborted };
    const begin = Number(parameters.time ?? 0) - list.begin;
    if (!isLive && begin > 0)
      video.addEventListener('loadedmetadata', () => Object.assign(video, { currentTime: begin }), options);
    video.addEventListener('playing', () => this.#setPlaying(), options);
    const both = [choice.video, choice.audio].filter((one) => one !== undefined);
    const fail = () => {
      const message = video.error?.message ?? '';
      // See #convertInstead.
      if (!list.isConvertible || undecodable.length === both.length) return this.#fail({ kind: 'failed', message });
      this.stop();
      void this.#playList(source, choice, both, this.#abort.signal).catch(() =>
        this.#fail({ kind: 'failed', message }),
      );
    };
    video.addEventListener('error', fail, options);
    video.src = receiver.address(list.path, { ...list.parameters, ...conversion });
    this.isNative.value = true;
    await this.#playOrWait(aborted);
  }

  /** Plays, unless the user has paused. If the browser requires a click first, the page shows a play button. */
  async #playOrWait(aborted: AbortSignal): Promise<void> {
    if (this.isPaused.peek()) return this.#setPlaying();
    await this.#video.play().catch(({ name }: Error) => {
      if (aborted.aborted) return;
      this.#setPlaying();
      if (name === 'NotAllowedError') this.blockedSince.value = performance.now();
    });
  }

  #setPlaying(): void {
    this.state.value = 'playing';
  }

  /** Width divided by height of the video. */
  get aspectRatio(): number {
    return this.#video.videoWidth / this.#video.videoHeight || 16 / 9;
  }

  /** The subtitles at the current position. */
  get subtitle(): Picture | undefined {
    return this.subtitles.at(this.#video.currentTime);
  }

  stop(): void {
    this.subtitles.clear();
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#video.removeAttribute('src');
    this.#player?.destroy();
    this.#player = undefined;
    this.#isOpen = false;
    this.isNative.value = false;
    this.blockedSince.value = undefined;
  }

  /** Opens the stream, converted if necessary; undefined if the browser cannot play it. */
  async #open(source: Source, audio: number | undefined, aborted: AbortSignal): Promise<Opened | undefined> {
    const direct = await this.#fetch(source, {}, audio, aborted);
    if (direct === undefined) return undefined;
    this.program.value = direct.program;
    const choice = choose(direct.program, audio);
    this.choice.value = choice;
    if (choice.undecodable.length === 0) return this.#playable(direct, choice);
    await direct.reader.cancel();
    return this.#convert(source, choice, choice.undecodable, aborted);
  }

  /** Opens the stream with the streams in `undecodable` converted. */
  async #convert(
    source: Source,
    choice: Choice,
    undecodable: readonly ElementaryStream[],
    aborted: AbortSignal,
  ): Promise<Opened | undefined> {
    const conversion = await this.#conversionOf(choice, undecodable, aborted);
    const converted = conversion && (await this.#fetch(source, conversion, undefined, aborted));
    return converted && this.#playable(converted, choose(converted.program, undefined));
  }

  /** Parameters that request conversion of the streams in `undecodable`; undefined if the receiver cannot convert. */
  async #conversionOf(
    { video, audio }: Choice,
    undecodable: readonly ElementaryStream[],
    aborted: AbortSignal,
  ): Promise<Readonly<Record<string, string | number>> | undefined> {
    if (undecodable.length === 0) return {};
    const codecs = undecodable.map(({ codec }) => codec);
    const { encoder } = await receiver.get('/conversion', {}, { signal: aborted });
    if (encoder === null) return this.#fail({ kind: 'codecs', codecs });
    this.converted.value = codecs;
    return { convert: video && undecodable.includes(video) ? 'all' : 'sound', ...(audio && { audio: audio.pid }) };
  }

  /**
   * Handles a decoding error. If the stream has played for a while, it is damaged here: restarts one second later. Otherwise
   * requests a conversion.
   */
  #recover(source: Source, audio: number | undefined, message: string): void {
    if (this.#video.currentTime < minPlayedSeconds) return void this.#convertInstead(source, message);
    const time = Math.ceil(this.position) + 1;
    void this.play(source.isLive ? source : { ...source, parameters: { ...source.parameters, time } }, audio);
  }

  /**
   * Converts both streams, because a browser may claim to decode a codec and then fail: many that accept `audio/mpeg` decode
   * Layer III but not Layer II, and Chromium's software decoder rejects H.264 that starts without an IDR picture, which some
   * broadcasts never send.
   */
  async #convertInstead(source: Source, message: string): Promise<void> {
    const choice = this.choice.peek();
    const both = [choice?.video, choice?.audio].filter((one) => one !== undefined);
    if (choice === undefined || both.every(({ codec }) => this.converted.peek().includes(codec)))
      return this.#fail({ kind: 'failed', message: message.replace(/\.$/, '') });
    this.stop();
    const { signal: aborted } = this.#abort;
    try {
      const opened = await this.#convert(source, choice, both, aborted);
      if (opened !== undefined) await this.#start(opened, source, choice.audio?.pid, aborted);
    } catch (error) {
      if (!aborted.aborted) this.#fail({ kind: 'failed', message: (error as Error).message });
    }
  }

  #playable(opened: Opened, choice: Choice): Opened | undefined {
    if (choice.video === undefined && choice.audio === undefined) return this.#fail({ kind: 'empty' });
    return { ...opened, choice };
  }

  /** Opens a stream. `audio`: PID of the wanted audio stream. */
  async #fetch(
    { path, parameters }: Source,
    more: Readonly<Record<string, string | number>>,
    audio: number | undefined,
    aborted: AbortSignal,
  ): Promise<Opened | undefined> {
    const ending = new AbortController();
    const end = () => ending.abort();
    aborted.addEventListener('abort', end, { once: true });
    const tables = new TransportStreamReader();
    let why: Trouble | undefined;
    let isOver = false;
    const expire = async () => {
      // While it has the tuner.
      const reason = await whyNothing(parameters, tables.program !== undefined);
      if (isOver) return;
      why = reason;
      end();
    };
    const timeout = setTimeout(() => void expire(), timeoutMs);
    try {
      const response = await fetch(receiver.address(path, { ...parameters, ...more }), { signal: ending.signal });
      if (response.status === 401) loginNeeded.value = true;
      if (!response.ok || response.body === null) return this.#fail(await troubleOf(response));
      this.#begin = Number(response.headers.get('X-Begin') ?? 0);
      const opened = await firstBytes(response.body.getReader(), tables, audio);
      return opened ?? this.#fail({ kind: 'empty' });
    } catch (error) {
      if (why === undefined || aborted.aborted) throw error;
      return this.#fail(why);
    } finally {
      isOver = true;
      clearTimeout(timeout);
    }
  }

  async #start(
    { program, missing, choice, pieces, reader }: Opened,
    source: Source,
    audio: number | undefined,
    aborted: AbortSignal,
  ): Promise<void> {
    const { isLive } = source;
    const { default: mpegts } = (await import('mpegts.js')) as MpegtsModule;
    if (aborted.aborted) return;
    mpegts.LoggingControl.applyConfig({ enableAll: false });
    const kept = [choice?.video, choice?.audio].filter((one) => one !== undefined);
    const fail = (message: string) => {
      if (!aborted.aborted) this.#fail({ kind: 'failed', message });
    };
    let hasArrived = false;
    const restart = () => {
      if (hasArrived) return;
      hasArrived = true;
      // Later, since the loader is about to pass the packets on.
      queueMicrotask(() => {
        if (aborted.aborted) return;
        if (isLive) return void this.play(source, audio);
        // Recordings are read ahead: from where it begins, once that is reached.
        const time = Math.ceil(this.#begin + feed.choice.seconds);
        const options = { signal: aborted };
        const reach = () => {
          if (this.position >= time) void this.play({ ...source, parameters: { ...source.parameters, time } }, audio);
        };
        this.#video.addEventListener('timeupdate', reach, options);
      });
    };
    const captions = new CaptionReader(choice?.video?.pid, (seconds, fields) => {
      if (!aborted.aborted) this.subtitles.takeCaptions(seconds, fields);
    });
    const feed: Feed = {
      fail,
      pieces,
      reader,
      choice: new StreamChoice(program, kept, {
        onPacket: (pid, packet) => captions.feed(pid, packet),
        awaited: missing,
        onArrival: restart,
      }),
      isLive,
      bufferedSeconds: () => this.#bufferedSeconds + this.#video.currentTime,
      hasEnough: () => !isLive && this.#bufferedSeconds > readAheadSeconds,
    };
    const player = mpegts.createPlayer(
      {
        type: 'mpegts',
        isLive: true,
        url: 'stream',
        hasVideo: choice?.video !== undefined,
        hasAudio: choice?.audio !== undefined,
      },
      {
        customLoader: loaderOf(mpegts, feed),
        enableStashBuffer: false,
        lazyLoad: false,
        autoCleanupSourceBuffer: true,
        autoCleanupMaxBackwardDuration: 60,
        autoCleanupMinBackwardDuration: 30,
        liveSync: isLive,
        liveSyncMaxLatency: latency.max,
        liveSyncTargetLatency: latency.target,
        liveSyncPlaybackRate: 1.1,
      },
    );
    this.#player = player;
    this.#isOpen = true;
    player.on(mpegts.Events.ERROR, (_type: string, _detail: string, { msg = '' }: { readonly msg?: string } = {}) => {
      // Later: mpegts.js continues with what #recover destroys.
      queueMicrotask(() => {
        if (!aborted.aborted) this.#recover(source, audio, msg);
      });
    });
    // A converted stream has no descriptors.
    this.subtitles.offer(program.subtitles, this.program.peek()?.captions ?? {});
    player.on(mpegts.Events.PES_PRIVATE_DATA_ARRIVED, ({ pid, pts, data }: PrivateData) => {
      if (!aborted.aborted && pts !== undefined) this.subtitles.take(pid, pts / 1000, data);
    });
    let hasEnded = false;
    player.on(mpegts.Events.LOADING_COMPLETE, () => {
      if (aborted.aborted || !isLive) return;
      // One that ends without a picture would be requested again and again.
      hasEnded = true;
      if (this.state.peek() === 'playing') this.state.value = 'ended';
    });
    player.attachMediaElement(this.#video);
    player.load();
    const began = performance.now();
    while (
      this.#bufferedSeconds < startBufferSeconds &&
      performance.now() - began < (this.#bufferedSeconds > 0 ? maxStartDelayMs : timeoutMs)
    ) {
      await sleep(pollIntervalMs / 4);
      if (aborted.aborted) return;
    }
    if (this.#bufferedSeconds === 0) {
      const why = feed.choice.isEncrypted ? ({ kind: 'encrypted' } as const) : await whyNothing(source.parameters);
      return aborted.aborted ? undefined : this.#fail(why);
    }
    this.state.value = hasEnded ? 'ended' : 'playing';
    if (isLive) this.#watch(source, aborted);
    await this.#playOrWait(aborted);
  }

  /** Says why a live stream has stopped, until it moves again. */
  #watch({ parameters }: Source, aborted: AbortSignal): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const explain = async () => {
      const why = await whyNothing(parameters);
      if (!aborted.aborted && this.isWaiting.peek()) this.trouble.value = why;
    };
    const end = this.isWaiting.subscribe((isWaiting) => {
      clearTimeout(timer);
      if (isWaiting) timer = setTimeout(() => void explain(), timeoutMs);
      else this.trouble.value = undefined;
    });
    aborted.addEventListener('abort', () => {
      clearTimeout(timer);
      end();
    });
  }

  /** Seconds buffered ahead of the current position. */
  get #bufferedSeconds(): number {
    const { buffered, currentTime } = this.#video;
    return buffered.length === 0 ? 0 : buffered.end(buffered.length - 1) - currentTime;
  }

  #fail(trouble: Trouble): undefined {
    this.stop();
    this.trouble.value = trouble;
    this.state.value = 'trouble';
    return undefined;
  }
}

interface Opened extends Pick<Feed, 'pieces' | 'reader'> {
  /** Without what does not arrive. */
  readonly program: Program;
  /** PIDs of pictures and sound in the PMT that do not arrive. */
  readonly missing: ReadonlySet<number>;
  readonly choice?: Choice;
}

/** Reads the tables, and the first of the pictures and sound to play. Undefined if there are none. */
async function firstBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  tables: TransportStreamReader,
  audio: number | undefined,
): Promise<Opened | undefined> {
  const pieces: Uint8Array[] = [];
  let since = Number.POSITIVE_INFINITY;
  let found: Opened | undefined;
  for (let size = 0; size < maxBytesBefore && performance.now() - since < maxMissingMs; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    pieces.push(value);
    tables.feed(value);
    if (tables.program === undefined) continue;
    const program = arriving(tables.program, tables.arrived, audio);
    const left = tables.program.streams.filter((stream) => !program.streams.includes(stream));
    const { video, audio: sound } = choose(program, audio);
    const hasNone = (video ?? sound) === undefined;
    // A service without pictures and sound, such as one of data, has nothing to wait for.
    found =
      hasNone && left.length > 0
        ? undefined
        : { program, missing: new Set(left.map(({ pid }) => pid)), pieces, reader };
    if (left.length === 0) return found;
    if (found) since = Math.min(since, performance.now());
  }
  if (found === undefined) await reader.cancel();
  return found;
}

/** Event data of mpegts.js. `pts` is in milliseconds on the time scale of the video element. */
interface PrivateData {
  readonly pid: number;
  readonly pts?: number;
  readonly data: Uint8Array;
}
