/**
 * Plays a stream of the receiver in a video element: reads its PAT and PMT, checks whether the browser can decode it,
 * otherwise requests a conversion by the receiver, and feeds it to mpegts.js.
 */
import { type Signal, signal } from '@preact/signals';
import type Mpegts from 'mpegts.js';
import { loginNeeded, receiver } from '../../shared/receiver.ts';
import { CaptionReader } from './caption-reader.ts';
import { type Choice, choose, hasMediaSource } from './codecs.ts';
import { type Feed, loaderOf, pollIntervalMs, sleep } from './feed.ts';
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

export type Trouble =
  /** The receiver refused the request. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'codecs'; readonly codecs: readonly string[] }
  | { readonly kind: 'encrypted' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'browser' }
  | { readonly kind: 'failed'; readonly message: string };

export type State = 'connecting' | 'playing' | 'ended' | 'trouble';

/** Streams that are not live are buffered this far ahead. */
const readAheadSeconds = 20;
/** Buffered before playback starts, to bridge short delays of the network. */
const startBufferSeconds = 0.8;
/** Playback starts after this time, even with less in the buffer. */
const maxStartDelayMs = 4000;
/** Timeout for PAT and PMT, and then for the first video or audio. */
const timeoutMs = 20_000;
/** An error after this time is damage in the stream; before, the browser is taken to be unable to decode it. */
const minPlayedSeconds = 2;
/** PAT and PMT must be within these bytes. */
const maxBytesBeforeTables = 8 << 20;
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
    const opened = await this.#fetch(source, {}, aborted);
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
    const direct = await this.#fetch(source, {}, aborted);
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
    const converted = conversion && (await this.#fetch(source, conversion, aborted));
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

  async #fetch(
    { path, parameters }: Source,
    more: Readonly<Record<string, string | number>>,
    aborted: AbortSignal,
  ): Promise<Opened | undefined> {
    const response = await fetch(receiver.address(path, { ...parameters, ...more }), { signal: aborted });
    if (response.status === 401) loginNeeded.value = true;
    if (!response.ok || response.body === null) {
      const answer = (await response.json().catch(() => ({}))) as {
        readonly message?: string;
        readonly error?: string;
      };
      if (answer.error === 'scrambled') return this.#fail({ kind: 'encrypted' });
      return this.#fail({ kind: 'refused', message: answer.message ?? String(response.status) });
    }
    this.#begin = Number(response.headers.get('X-Begin') ?? 0);
    const reader = response.body.getReader();
    const tables = new TransportStreamReader();
    const pieces: Uint8Array[] = [];
    const timeout = setTimeout(() => void reader.cancel(), timeoutMs);
    for (let size = 0; size < maxBytesBeforeTables; ) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      pieces.push(value);
      tables.feed(value);
      if (tables.program === undefined) continue;
      clearTimeout(timeout);
      return { program: tables.program, pieces, reader };
    }
    clearTimeout(timeout);
    await reader.cancel();
    return this.#fail({ kind: 'empty' });
  }

  async #start(
    { program, choice, pieces, reader }: Opened,
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
    const captions = new CaptionReader(choice?.video?.pid, (seconds, fields) => {
      if (!aborted.aborted) this.subtitles.takeCaptions(seconds, fields);
    });
    const feed: Feed = {
      fail,
      pieces,
      reader,
      choice: new StreamChoice(program, kept, (pid, packet) => captions.feed(pid, packet)),
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
      if (!aborted.aborted) this.#recover(source, audio, msg);
    });
    // A converted stream has no descriptors.
    this.subtitles.offer(program.subtitles, this.program.peek()?.captions ?? {});
    player.on(mpegts.Events.PES_PRIVATE_DATA_ARRIVED, ({ pid, pts, data }: PrivateData) => {
      if (!aborted.aborted && pts !== undefined) this.subtitles.take(pid, pts / 1000, data);
    });
    player.on(mpegts.Events.LOADING_COMPLETE, () => {
      if (!aborted.aborted && isLive) this.state.value = 'ended';
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
    if (this.#bufferedSeconds === 0) return this.#fail({ kind: feed.choice.isEncrypted ? 'encrypted' : 'empty' });
    this.state.value = 'playing';
    await this.#playOrWait(aborted);
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
  readonly program: Program;
  readonly choice?: Choice;
}

/** Event data of mpegts.js. `pts` is in milliseconds on the time scale of the video element. */
interface PrivateData {
  readonly pid: number;
  readonly pts?: number;
  readonly data: Uint8Array;
}
