/**
 * The output that shows the current service with mpv. It stores the source and its settings, so that a restarted mpv
 * continues where the previous one ended.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { pathForChild } from '../../base/files.ts';
import { Listeners } from '../../base/listeners.ts';
import type { VideoPicture } from '../../dvb/video-format.ts';
import type { Output, OutputSource, OutputTrack, StillOptions } from '../output.ts';
import type { CommandPart, MpvConnection, MpvEvent } from './connection.ts';
import { LiveSocket } from './live-socket.ts';
import { MpvProcess, type MpvProgram } from './process.ts';
import { scalePicture } from './scale-picture.ts';

export interface MpvOutputOptions extends MpvProgram {
  /** Folder for a socket and stills. Created with the first source; other users cannot enter it. */
  readonly folder: string;
}

/** Bytes of a socket path (sockaddr_un). */
const maxSocketPathBytes = 107;
const socketName = 'live';

/** Milliseconds until a source that ended is retried: at first, doubled each time, and at most. */
const minRetryDelayMs = 1000;
const maxRetryDelayMs = 30_000;

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
  // Read-only in the interface `Output`.
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
  /** mpv's `playlist_entry_id` of the source loaded last. */
  #entry: number | undefined;
  /** mpv's `playlist_entry_id` of the source that it opens or shows. */
  #started = 0;
  /**
   * Files that mpv may still have to open, by `playlist_entry_id`. Closed only afterwards: mpv opens them through their
   * descriptors, whose numbers other files might get.
   */
  readonly #files = new Map<number, FileHandle>();
  /** Seconds at which a restarted mpv resumes the file. */
  #resumeAt: number | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #retryDelayMs = minRetryDelayMs;
  #stills = 0;

  /** mpv is started with the first source. */
  constructor(options: MpvOutputOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#process = new MpvProcess(options, log, (connection) => this.#onStart(connection));
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
    this.#retryDelayMs = minRetryDelayMs;
    this.#live ??= this.#listen();
    this.#show();
    this.#process.start();
  }

  stop(): void {
    this.#source = undefined;
    this.#resetState();
    this.#live?.offer(undefined);
    this.#send('stop');
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
    this.#send('set_property', 'pause', paused);
  }

  seek(position: number): void {
    if (this.#source?.kind !== 'live') this.#send('seek', Math.max(0, position), 'absolute');
  }

  showText(text: string, seconds: number): void {
    this.#send('show-text', text, Math.max(1, Math.round(seconds * 1000)));
  }

  async still({ format, width, subtitles }: StillOptions): Promise<Buffer | undefined> {
    const connection = this.#process.connection;
    if (this.video === undefined || connection === undefined) return undefined;
    this.#stills++;
    const path = join(this.#folder, `still-${this.#stills}.${format}`);
    try {
      await connection.command('screenshot-to-file', path, subtitles ? 'subtitles' : 'video');
      if (width !== undefined) await scalePicture(this.#options.path, path, width);
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
    this.#closeFiles();
    if (this.#live === undefined) return;
    await this.#live.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #listen(): LiveSocket {
    this.#folder = createSocketFolder(this.#options.folder);
    return new LiveSocket(join(this.#folder, socketName), (error) => {
      this.#log.error(`mpv cannot receive the live service: ${error.message}`);
    });
  }

  /** Sends all settings to an mpv that has just started. */
  #onStart(connection: MpvConnection): void {
    this.#resumeAt = this.position;
    this.#resetState();
    // The ones of an mpv that has ended.
    this.#closeFiles();
    connection.onEvent((event) => this.#onEvent(event));
    for (const [number, name] of observedProperties.entries()) this.#send('observe_property', number + 1, name);
    this.#sendVolume();
    this.#show();
  }

  #show(): void {
    this.#resetState();
    const source = this.#source;
    this.#live?.offer(source?.kind === 'live' ? () => source.open() : undefined);
    const connection = this.#process.connection;
    if (source === undefined || connection === undefined) return;
    this.#load(source, connection).catch((error: Error) =>
      this.#log.warn(`mpv cannot show ${source.kind}: ${error.message}`),
    );
  }

  async #load(source: OutputSource, connection: MpvConnection): Promise<void> {
    if (source.kind === 'live') {
      await this.#loadName(this.#live?.url ?? '', source, connection);
      return;
    }
    const file = await source.open().catch((error) => {
      if (this.#source === source) this.#ends.call();
      throw error;
    });
    if (this.#source !== source || this.#process.connection !== connection) {
      await file.close();
      return;
    }
    // mpv opens what was checked, even if the name leads elsewhere by now.
    const entry = await this.#loadName(pathForChild(file, source.path), source, connection).catch(async (error) => {
      await file.close();
      throw error;
    });
    this.#files.set(entry ?? 0, file);
  }

  async #loadName(name: string, source: OutputSource, connection: MpvConnection): Promise<number | undefined> {
    const answer = await connection.command('loadfile', name, 'replace');
    const entry = (answer as { playlist_entry_id?: number })?.playlist_entry_id;
    if (this.#source === source) this.#entry = entry;
    return entry;
  }

  /** Closes the files that mpv has opened, or will not open any more: those up to this entry. */
  #closeFiles(until = Number.POSITIVE_INFINITY): void {
    for (const [entry, file] of this.#files) {
      if (entry > until) continue;
      this.#files.delete(entry);
      file.close().catch((error: unknown) => this.#log.error(error, 'closing a recording failed'));
    }
  }

  #resetState(): void {
    clearTimeout(this.#retryTimer);
    this.#entry = undefined;
    this.#tracks = [];
    this.video = undefined;
    this.position = undefined;
    this.length = undefined;
  }

  #onEvent(event: MpvEvent): void {
    switch (event.event) {
      case 'property-change':
        this.#change(String(event.name), event.data);
        return;
      case 'start-file':
        this.#started = Number(event.playlist_entry_id);
        return;
      case 'file-loaded':
        this.#closeFiles(this.#started);
        if (this.#resumeAt !== undefined) this.seek(this.#resumeAt);
        this.#resumeAt = undefined;
        if (this.paused) this.pause(true);
        return;
      case 'playback-restart':
        this.#retryDelayMs = minRetryDelayMs;
        return;
      case 'end-file':
        this.#closeFiles(Number(event.playlist_entry_id));
        if (event.playlist_entry_id === this.#entry) this.#onSourceEnd(String(event.reason));
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

  /** Handles the end of the source: reports it for a file, retries anything else. */
  #onSourceEnd(reason: string): void {
    const source = this.#source;
    if (source === undefined || (reason !== 'eof' && reason !== 'error')) return;
    if (source.kind === 'file') {
      this.#ends.call();
      return;
    }
    this.#log.warn(`the ${source.kind} picture has ended (${reason}); retrying in ${this.#retryDelayMs / 1000} s`);
    this.#retryTimer = setTimeout(() => this.#show(), this.#retryDelayMs);
    this.#retryDelayMs = Math.min(maxRetryDelayMs, this.#retryDelayMs * 2);
  }

  #selectTracks(): void {
    this.#select('audio', 'aid', this.#audio, 'auto');
    this.#select('sub', 'sid', this.#subtitles, 'no');
  }

  /** Selects a track by its PID. Called again with each change of the list of tracks, because it may not exist yet. */
  #select(type: string, property: string, pid: number | undefined, otherwise: string): void {
    const tracks = this.#tracks.filter((track) => track.type === type);
    if (tracks.length === 0) return;
    const id = pid === undefined ? otherwise : tracks.find((track) => track['src-id'] === pid)?.id;
    if (id !== undefined) this.#send('set_property', property, id);
  }

  #sendVolume(): void {
    this.#send('set_property', 'volume', this.#volume.level);
    this.#send('set_property', 'mute', this.#volume.muted);
  }

  /** Sends a command. Failures are only logged: mpv may be showing nothing, or be starting. */
  #send(...parts: readonly CommandPart[]): void {
    this.#process.connection?.command(...parts).catch((error: Error) => {
      this.#log.debug(`mpv ${parts.slice(0, 2).join(' ')}: ${error.message}`);
    });
  }
}

/** Creates the folder, empty, or a temporary one if the path of the socket would be too long. */
function createSocketFolder(folder: string): string {
  if (Buffer.byteLength(join(folder, socketName)) > maxSocketPathBytes)
    return mkdtempSync(join(tmpdir(), 'receiverd-'));
  // It may be left over from a receiver that was killed.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

const observedProperties = ['track-list', 'video-params', 'time-pos', 'duration'] as const;

/** The picture format; undefined until a picture is decoded, because mpv then reports no aspect ratio. */
function videoOf(value: unknown): VideoPicture | undefined {
  const { w, h, aspect } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof w !== 'number' || typeof h !== 'number' || typeof aspect !== 'number') return undefined;
  return { width: w, height: h, ratio: aspect };
}
