/**
 * mpv as the receiver's screen and loudspeaker. The source and its settings are stored here, so that a restarted mpv
 * continues where the one before it ended.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Listeners } from '../../base/listeners.ts';
import type { VideoPicture } from '../../dvb/video-format.ts';
import type { Output, OutputSource, OutputTrack, StillOptions } from '../output.ts';
import type { CommandPart, MpvConnection, MpvEvent } from './connection.ts';
import { LiveSocket } from './live-socket.ts';
import { MpvProcess, type MpvProgram } from './process.ts';
import { scaled } from './scaled.ts';

export interface MpvOutputOptions extends MpvProgram {
  /** Private folder for a socket and stills, created with the first source so that nobody else can enter it. */
  readonly folder: string;
}

/** Bound of a socket path in bytes (sockaddr_un), and our file name. */
const longestSocketPath = 107;
const socketName = 'live';

/** Milliseconds until a source that ended is retried: doubled each time up to the longest. */
const shortestPause = 1000;
const longestPause = 30_000;

/** A track in mpv's property `track-list`. */
interface Track {
  readonly type: string;
  readonly id: number;
  /** The PID, in a transport stream. */
  readonly 'src-id'?: number;
  readonly codec?: string;
  readonly lang?: string;
}

export class MpvOutput implements Output {
  readonly shows = true;
  // Others see an Output, in which these are read-only.
  video: VideoPicture | undefined;
  position: number | undefined;
  length: number | undefined;
  paused = false;
  readonly #options: MpvOutputOptions;
  readonly #log: Logger;
  readonly #process: MpvProcess;
  readonly #ends = new Listeners<[]>();
  readonly onEnd = this.#ends.add;
  /** Set with the first source. */
  #folder = '';
  #live: LiveSocket | undefined;
  #source: OutputSource | undefined;
  #volume = { level: 100, muted: false };
  #audio: number | undefined;
  #subtitles: number | undefined;
  #tracks: readonly Track[] = [];
  /** mpv's number of the last entry loaded. */
  #entry: number | undefined;
  /** Position at which a new mpv resumes the file of the one before. */
  #resumeAt: number | undefined;
  #again: NodeJS.Timeout | undefined;
  #pause = shortestPause;
  #stills = 0;

  /** Starts mpv only with the first source. */
  constructor(options: MpvOutputOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#process = new MpvProcess(options, log, (connection) => this.#begin(connection));
  }

  get tracks(): readonly OutputTrack[] {
    return this.#tracks.flatMap(({ type, 'src-id': pid, codec = '', lang: language = '' }) => {
      const kind = type === 'sub' ? 'subtitles' : type;
      return kind === 'audio' || kind === 'subtitles' ? [{ kind, pid, codec, language }] : [];
    });
  }

  play(source: OutputSource): void {
    this.#source = source;
    this.#audio = undefined;
    this.#subtitles = undefined;
    this.paused = false;
    this.#resumeAt = undefined;
    this.#pause = shortestPause;
    this.#live ??= this.#listen();
    this.#show();
    this.#process.start();
  }

  stop(): void {
    this.#source = undefined;
    this.#forget();
    this.#live?.offer(undefined);
    this.#tell('stop');
  }

  setVolume(level: number, muted: boolean): void {
    this.#volume = { level, muted };
    this.#sendVolume();
  }

  selectAudio(pid: number | undefined): void {
    this.#audio = pid;
    this.#selectTracks();
  }

  selectSubtitles(pid: number | undefined): void {
    this.#subtitles = pid;
    this.#selectTracks();
  }

  pause(paused: boolean): void {
    this.paused = paused;
    this.#tell('set_property', 'pause', paused);
  }

  seek(position: number): void {
    if (this.#source?.kind !== 'live') this.#tell('seek', Math.max(0, position), 'absolute');
  }

  showText(text: string, seconds: number): void {
    this.#tell('show-text', text, Math.max(1, Math.round(seconds * 1000)));
  }

  async still({ format, width, subtitles }: StillOptions): Promise<Buffer | undefined> {
    const connection = this.#process.connection;
    if (this.video === undefined || connection === undefined) return undefined;
    this.#stills++;
    const path = join(this.#folder, `still-${this.#stills}.${format}`);
    try {
      await connection.command('screenshot-to-file', path, subtitles ? 'subtitles' : 'video');
      if (width !== undefined) await scaled(this.#options.path, path, width);
      return await readFile(path);
    } catch (error) {
      this.#log.warn(`mpv cannot take a still: ${(error as Error).message}`);
      return undefined;
    } finally {
      await rm(path, { force: true });
    }
  }

  async close(): Promise<void> {
    this.stop();
    await this.#process.close();
    if (this.#live === undefined) return;
    await this.#live.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #listen(): LiveSocket {
    this.#folder = ownFolder(this.#options.folder);
    return new LiveSocket(join(this.#folder, socketName), (error) => {
      this.#log.error(`mpv cannot get the live service: ${error.message}`);
    });
  }

  /** Sends all settings to an mpv that was just started. */
  #begin(connection: MpvConnection): void {
    this.#resumeAt = this.position;
    this.#forget();
    connection.onEvent((event) => this.#take(event));
    for (const [number, name] of observed.entries()) this.#tell('observe_property', number + 1, name);
    this.#sendVolume();
    this.#show();
  }

  #show(): void {
    this.#forget();
    const source = this.#source;
    this.#live?.offer(source?.kind === 'live' ? () => source.open() : undefined);
    const connection = this.#process.connection;
    if (source === undefined || connection === undefined) return;
    const name = this.#nameOf(source);
    connection
      .command('loadfile', name, 'replace')
      .then((answer) => {
        if (this.#source === source) this.#entry = (answer as { playlist_entry_id?: number })?.playlist_entry_id;
      })
      .catch((error: Error) => this.#log.warn(`mpv cannot show ${source.kind}: ${error.message}`));
  }

  #nameOf(source: OutputSource): string {
    return source.kind === 'file' ? source.path : (this.#live?.url ?? '');
  }

  #forget(): void {
    clearTimeout(this.#again);
    this.#entry = undefined;
    this.#tracks = [];
    this.video = undefined;
    this.position = undefined;
    this.length = undefined;
  }

  #take(event: MpvEvent): void {
    switch (event.event) {
      case 'property-change':
        this.#change(String(event.name), event.data);
        return;
      case 'file-loaded':
        if (this.#resumeAt !== undefined) this.seek(this.#resumeAt);
        this.#resumeAt = undefined;
        if (this.paused) this.pause(true);
        return;
      case 'playback-restart':
        this.#pause = shortestPause;
        return;
      case 'end-file':
        if (event.playlist_entry_id === this.#entry) this.#over(String(event.reason));
        return;
      default:
    }
  }

  #change(name: string, value: unknown): void {
    switch (name) {
      case 'track-list':
        this.#tracks = Array.isArray(value) ? (value as Track[]) : [];
        this.#selectTracks();
        return;
      case 'video-params':
        this.video = videoOf(value);
        return;
      case 'time-pos':
        this.position = typeof value === 'number' ? Math.max(0, value) : undefined;
        return;
      case 'duration':
        this.length = typeof value === 'number' && this.#source?.kind !== 'live' ? value : undefined;
        return;
      default:
    }
  }

  /** The source has ended by itself: a file is finished, anything else is retried. */
  #over(reason: string): void {
    const source = this.#source;
    if (source === undefined || (reason !== 'eof' && reason !== 'error')) return;
    if (source.kind === 'file') {
      this.#ends.call();
      return;
    }
    this.#log.warn(`the ${source.kind} picture has ended (${reason}); retrying in ${this.#pause / 1000} s`);
    this.#again = setTimeout(() => this.#show(), this.#pause);
    this.#pause = Math.min(longestPause, this.#pause * 2);
  }

  #selectTracks(): void {
    this.#select('audio', 'aid', this.#audio, 'auto');
    this.#select('sub', 'sid', this.#subtitles, 'no');
  }

  /** Does nothing while the track with this PID does not exist: the list of tracks reports it once it does. */
  #select(type: string, property: string, pid: number | undefined, otherwise: string): void {
    const tracks = this.#tracks.filter((track) => track.type === type);
    if (tracks.length === 0) return;
    const id = pid === undefined ? otherwise : tracks.find((track) => track['src-id'] === pid)?.id;
    if (id !== undefined) this.#tell('set_property', property, id);
  }

  #sendVolume(): void {
    this.#tell('set_property', 'volume', this.#volume.level);
    this.#tell('set_property', 'mute', this.#volume.muted);
  }

  /** Sends a command whose failure does not matter: mpv shows nothing, or is still starting. */
  #tell(...parts: readonly CommandPart[]): void {
    this.#process.connection?.command(...parts).catch((error: Error) => {
      this.#log.debug(`mpv ${parts.slice(0, 2).join(' ')}: ${error.message}`);
    });
  }
}

/** Creates the folder anew, or elsewhere if the path of its socket would be too long. */
function ownFolder(folder: string): string {
  if (Buffer.byteLength(join(folder, socketName)) > longestSocketPath) return mkdtempSync(join(tmpdir(), 'receiverd-'));
  // Left over from a receiver that was killed.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

const observed = ['track-list', 'video-params', 'time-pos', 'duration'] as const;

/** Until the picture is decoded there is a size but no aspect. */
function videoOf(value: unknown): VideoPicture | undefined {
  const { w, h, aspect } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof w !== 'number' || typeof h !== 'number' || typeof aspect !== 'number') return undefined;
  return { width: w, height: h, ratio: aspect };
}
