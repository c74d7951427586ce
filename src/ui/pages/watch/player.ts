/**
 * Plays a stream of the receiver in a video element: reads what is in it, decides whether the browser can decode it, has the
 * receiver convert it if not, and feeds it to mpegts.js.
 */
import { type Signal, signal } from '@preact/signals';
import type Mpegts from 'mpegts.js';
import { loginNeeded, receiver } from '../../shared/receiver.ts';
import { type Choice, choose, hasMediaSource } from './codecs.ts';
import type { Picture } from './subtitles/picture.ts';
import { SubtitleTrack } from './subtitles/track.ts';
import { type ElementaryStream, type Programme, StreamChoice, TransportStreamReader } from './transport-stream.ts';

const hlsType = 'application/vnd.apple.mpegurl';

type MpegtsModule = { readonly default: typeof Mpegts };

/** What is to be played. */
export interface Source {
  /** Path and parameters on the receiver. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** The same as HTTP Live Streaming. */
  readonly list: SourceList;
  /** It goes on as it is broadcast. Anything else is read ahead as far as the player needs. */
  readonly isLive: boolean;
}

export interface SourceList {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** Where it begins: seconds, as `shown`. */
  readonly begin: number;
  /** The receiver converts it if asked to. */
  readonly isConvertible: boolean;
}

export type Trouble =
  /** The receiver has refused. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'codecs'; readonly codecs: readonly string[] }
  | { readonly kind: 'encrypted' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'browser' }
  | { readonly kind: 'failed'; readonly message: string };

export type State = 'connecting' | 'playing' | 'ended' | 'trouble';

/** Seconds read ahead of what is shown, and milliseconds between looks at that. */
const readAhead = 20;
const pace = 200;
/** Bytes read ahead between two looks. */
const mostBetweenLooks = 2 << 20;
/** Seconds loaded before it begins, so that the network may falter, and milliseconds that it waits for them at most. */
const headStart = 0.8;
const longestStart = 4000;
/** Milliseconds that the tables of a stream, and then its first pictures or sound, may take. */
const patience = 20_000;
/** Seconds of playing after which an error is one of the stream, and not of the way in which it is played. */
const longEnough = 2;
/** Bytes in which PAT and PMT have to be. */
const mostBeforeTables = 8 << 20;
/** Seconds that live pictures may lag behind, and to which they catch up. */
const latency = { most: 4, target: 2 };

export class Player {
  readonly state: Signal<State> = signal<State>('connecting');
  readonly trouble = signal<Trouble>();
  readonly programme = signal<Programme>();
  readonly choice = signal<Choice>();
  /** Codecs that the receiver converts at present. */
  readonly converted = signal<readonly string[]>([]);
  /** Seconds from the beginning of a recording, or Unix seconds in timeshift: what is shown. */
  readonly shown = signal(0);
  readonly subtitles = new SubtitleTrack();
  #video: HTMLVideoElement = document.createElement('video');
  #player: Mpegts.Player | undefined;
  #isOpen = false;
  #abort = new AbortController();
  /** Seconds at which the stream begins. */
  #begin = 0;

  /** Where the pictures are shown from the next `play` on. */
  show(video: HTMLVideoElement): void {
    this.#video = video;
    video.addEventListener('timeupdate', () => {
      if (this.#isOpen) this.shown.value = this.position;
    });
  }

  /** As `shown`, at this moment. */
  get position(): number {
    return this.#begin + this.#video.currentTime;
  }

  /** Plays this instead of what it has played. `audio`: PID of the sound. */
  async play(source: Source, audio?: number): Promise<void> {
    this.stop();
    const { signal: aborted } = this.#abort;
    this.state.value = 'connecting';
    this.trouble.value = undefined;
    this.converted.value = [];
    try {
      if (!hasMediaSource()) return await this.#playByItself(source, aborted);
      const opened = await this.#open(source, audio, aborted);
      if (opened !== undefined) await this.#start(opened, source, audio, aborted);
    } catch (error) {
      if (!aborted.aborted) this.#fail({ kind: 'failed', message: (error as Error).message });
    }
  }

  /** Browsers without Media Source Extensions, those of iPhones, play HTTP Live Streaming. */
  async #playByItself(source: Source, aborted: AbortSignal): Promise<void> {
    if (this.#video.canPlayType(hlsType) === '') return this.#fail({ kind: 'browser' });
    const opened = await this.#fetch(source, {}, aborted);
    if (opened === undefined) return;
    void opened.reader.cancel();
    const choice = choose(opened.programme, undefined);
    await this.#playList(source, choice, choice.foreign, aborted);
  }

  /** Has the browser play the list, with what is `foreign` converted. */
  async #playList(
    source: Source,
    choice: Choice,
    foreign: readonly ElementaryStream[],
    aborted: AbortSignal,
  ): Promise<void> {
    const { list, parameters, isLive } = source;
    const video = this.#video;
    if (foreign.length > 0 && !list.isConvertible)
      return this.#fail({ kind: 'codecs', codecs: foreign.map(({ codec }) => codec) });
    const conversion = await this.#conversionOf(choice, foreign, aborted);
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
      if (!list.isConvertible || foreign.length === both.length) return this.#fail({ kind: 'failed', message });
      this.stop();
      void this.#playList(source, choice, both, this.#abort.signal).catch(() =>
        this.#fail({ kind: 'failed', message }),
      );
    };
    video.addEventListener('error', fail, options);
    video.src = receiver.address(list.path, { ...list.parameters, ...conversion });
    // A browser that wants a click first shows the button.
    await video.play().catch(() => {
      if (!aborted.aborted) this.#setPlaying();
    });
  }

  #setPlaying(): void {
    this.state.value = 'playing';
  }

  /** Width of the pictures by their height. */
  get aspectRatio(): number {
    return this.#video.videoWidth / this.#video.videoHeight || 16 / 9;
  }

  /** The subtitles that are shown now. */
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
  }

  /** Opens the stream as the browser can play it; undefined if it cannot. */
  async #open(source: Source, audio: number | undefined, aborted: AbortSignal): Promise<Opened | undefined> {
    const direct = await this.#fetch(source, {}, aborted);
    if (direct === undefined) return undefined;
    this.programme.value = direct.programme;
    const choice = choose(direct.programme, audio);
    this.choice.value = choice;
    if (choice.foreign.length === 0) return this.#playable(direct, choice);
    await direct.reader.cancel();
    return this.#convert(source, choice, choice.foreign, aborted);
  }

  /** Opens it with what is `foreign` to the browser converted. */
  async #convert(
    source: Source,
    choice: Choice,
    foreign: readonly ElementaryStream[],
    aborted: AbortSignal,
  ): Promise<Opened | undefined> {
    const conversion = await this.#conversionOf(choice, foreign, aborted);
    const converted = conversion && (await this.#fetch(source, conversion, aborted));
    return converted && this.#playable(converted, choose(converted.programme, undefined));
  }

  /** How to ask for it with what is `foreign` converted; undefined if that cannot be. */
  async #conversionOf(
    { video, audio }: Choice,
    foreign: readonly ElementaryStream[],
    aborted: AbortSignal,
  ): Promise<Readonly<Record<string, string | number>> | undefined> {
    if (foreign.length === 0) return {};
    const codecs = foreign.map(({ codec }) => codec);
    const { encoder } = await receiver.get('/conversion', {}, { signal: aborted });
    if (encoder === null) return this.#fail({ kind: 'codecs', codecs });
    this.converted.value = codecs;
    return { convert: video && foreign.includes(video) ? 'all' : 'sound', ...(audio && { audio: audio.pid }) };
  }

  /**
   * Goes on after damaged pictures, which browsers do not forgive: from the next ones, if it has played for a while. Else
   * they are converted.
   */
  #recover(source: Source, audio: number | undefined, message: string): void {
    if (this.#video.currentTime < longEnough) return void this.#convertInstead(source, message);
    const time = Math.ceil(this.position) + 1;
    void this.play(source.isLive ? source : { ...source, parameters: { ...source.parameters, time } }, audio);
  }

  /**
   * A browser may say that it decodes what it then does not: Layer II counts as MPEG sound, of which many know Layer III
   * only; and Chromium's own decoder refuses H.264 that begins with a picture which refers to earlier ones, as that of
   * broadcasts without IDR pictures does.
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
      const answer = (await response.json().catch(() => ({}))) as { readonly message?: string };
      return this.#fail({ kind: 'refused', message: answer.message ?? String(response.status) });
    }
    this.#begin = Number(response.headers.get('X-Begin') ?? 0);
    const reader = response.body.getReader();
    const tables = new TransportStreamReader();
    const pieces: Uint8Array[] = [];
    const limit = setTimeout(() => void reader.cancel(), patience);
    for (let size = 0; size < mostBeforeTables; ) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      pieces.push(value);
      tables.feed(value);
      if (tables.programme === undefined) continue;
      clearTimeout(limit);
      return { programme: tables.programme, pieces, reader };
    }
    clearTimeout(limit);
    await reader.cancel();
    return this.#fail({ kind: 'empty' });
  }

  async #start(
    { programme, choice, pieces, reader }: Opened,
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
    const feed: Feed = {
      fail,
      pieces,
      reader,
      choice: new StreamChoice(programme, kept),
      isLive,
      hasEnough: () => !isLive && this.#ahead > readAhead,
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
        liveSyncMaxLatency: latency.most,
        liveSyncTargetLatency: latency.target,
        liveSyncPlaybackRate: 1.1,
      },
    );
    this.#player = player;
    this.#isOpen = true;
    player.on(mpegts.Events.ERROR, (_type: string, _detail: string, { msg = '' }: { readonly msg?: string } = {}) => {
      if (!aborted.aborted) this.#recover(source, audio, msg);
    });
    this.subtitles.offer(programme.subtitles);
    player.on(mpegts.Events.PES_PRIVATE_DATA_ARRIVED, ({ pid, pts, data }: PrivateData) => {
      if (!aborted.aborted && pts !== undefined) this.subtitles.take(pid, pts / 1000, data);
    });
    player.on(mpegts.Events.LOADING_COMPLETE, () => {
      if (!aborted.aborted && isLive) this.state.value = 'ended';
    });
    player.attachMediaElement(this.#video);
    player.load();
    const began = performance.now();
    while (this.#ahead < headStart && performance.now() - began < (this.#ahead > 0 ? longestStart : patience)) {
      await pause(pace / 4);
      if (aborted.aborted) return;
    }
    if (this.#ahead === 0) return this.#fail({ kind: feed.choice.isEncrypted ? 'encrypted' : 'empty' });
    this.state.value = 'playing';
    // A browser that wants a click first shows the first picture; the button says the rest.
    await this.#video.play().catch(() => undefined);
  }

  /** Seconds that are loaded ahead. */
  get #ahead(): number {
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

interface Opened {
  readonly programme: Programme;
  readonly choice?: Choice;
  /** What has been read so far. */
  readonly pieces: readonly Uint8Array[];
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
}

/** As mpegts.js tells it: `pts` in milliseconds of the video element. */
interface PrivateData {
  readonly pid: number;
  readonly pts?: number;
  readonly data: Uint8Array;
}

interface Feed extends Pick<Opened, 'pieces' | 'reader'> {
  readonly choice: StreamChoice;
  readonly isLive: boolean;
  readonly hasEnough: () => boolean;
  readonly fail: (message: string) => void;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What mpegts.js loads by: the open stream, from its beginning. */
function loaderOf({ BaseLoader, LoaderStatus }: typeof Mpegts, feed: Feed) {
  return class extends BaseLoader {
    #isOpen = false;
    #sent = 0;

    constructor() {
      super('receiver');
      this._needStash = false;
    }

    override open(): void {
      this.#isOpen = true;
      this._status = LoaderStatus.kBuffering;
      void this.#run().catch((error: Error) => {
        if (this.#isOpen) feed.fail(error.message);
      });
    }

    override abort(): void {
      this.#isOpen = false;
      this._status = LoaderStatus.kComplete;
      void feed.reader.cancel().catch(() => undefined);
    }

    override destroy(): void {
      this.abort();
      super.destroy();
    }

    async #run(): Promise<void> {
      for (const piece of feed.pieces) this.#pass(piece);
      for (let look = 0; this.#isOpen; ) {
        if (feed.hasEnough()) {
          await pause(pace);
          continue;
        }
        // What has been passed on counts as loaded only a little later.
        if (!feed.isLive && this.#sent > look + mostBetweenLooks) {
          look = this.#sent;
          await pause(pace / 2);
          continue;
        }
        const { done, value } = await feed.reader.read();
        if (!this.#isOpen) return;
        if (done) break;
        this.#pass(value);
      }
      if (!this.#isOpen) return;
      this._status = LoaderStatus.kComplete;
      this.onComplete(0, this.#sent - 1);
    }

    #pass(piece: Uint8Array): void {
      const passed = feed.choice.pass(piece);
      if (passed.length === 0) return;
      const from = this.#sent;
      this.#sent += passed.length;
      const { buffer, byteOffset, byteLength } = passed;
      this.onDataArrival(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer, from, this.#sent);
    }
  };
}
