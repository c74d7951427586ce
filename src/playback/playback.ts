/**
 * What the receiver plays: the current service, or a recording in its place. With an output, the tuner is held for as
 * long as the service is shown. Without one, it is released half a minute after a zap; streams and recordings lease
 * tuners themselves.
 */
import type { Logger } from 'pino';
import { fail, ReceiverError } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import type { DeviceState } from '../device/state.ts';
import { noNumber } from '../dvb/pool-tuner.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { type VideoPicture, videoPictureOf } from '../dvb/video-format.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { Recording } from '../recordings/files/recording.ts';
import type { RecordingLibrary } from '../recordings/library/library.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { CurrentService } from './current-service.ts';
import type { Output, OutputSource, StillOptions } from './output.ts';
import { shareStills } from './stills.ts';
import {
  audioTracksOf,
  audioTracksShown,
  pidsOf,
  subServicesOf,
  subtitlesOf,
  subtitlesShown,
  videoFormat,
} from './tracks.ts';

export interface PlaybackParts {
  readonly services: Services;
  readonly pool: TunerPool;
  readonly network: Pick<NetworkStreams, 'tune'>;
  readonly state: DeviceState;
  readonly recordings: Pick<RecordingLibrary, 'find' | 'open'>;
  readonly output: Output;
  readonly log: Logger;
}

/** The selected service or recording. Further details are looked up for each request. */
interface Selection {
  readonly reference: ServiceReference;
  /** The service that is received: a member of alternatives, or the entry without its own name. */
  readonly service: ServiceReference;
  readonly name: string;
  readonly bouquet: CurrentService['bouquet'];
  readonly recording?: Recording;
}

/** Milliseconds for which the tuner is held after a zap without an output. */
const holdMs = 30_000;
/** Milliseconds between attempts to show the service again after its tuner was lost. */
const retryDelayMs = 2000;
/** Seconds for which the screen shows why the tuner was lost. */
const reasonSeconds = 10;

export class Playback {
  /** The output that shows the current service. */
  readonly output: Output;
  /** Captures the current picture; undefined if there is none. @throws ReceiverError `too-many-clients` */
  readonly still: (options: StillOptions) => Promise<Buffer | undefined>;
  readonly #parts: PlaybackParts;
  readonly #listeners = new Listeners<[]>();
  /** Calls `listener` after each zap and each change of the audio track; returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  #selection: Selection | undefined;
  /** The service of the last run, until it is looked up on first use, which keeps the start fast. */
  #last: ServiceReference | undefined;
  #audioTrack = 0;
  #subtitles: number | undefined;
  /** Number of zap requests so far. */
  #requests = 0;
  /** Number of the latest zap request that has succeeded. */
  #lastApplied = 0;
  /** Zap requests in progress. */
  #zapping = 0;
  /** Format of the picture, used if no output decodes it. */
  #picture: VideoPicture | undefined;
  #lease: TunerLease | undefined;
  #showsTimeshift = false;
  #holdTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;

  /** Restores the service of the last run, without tuning. */
  constructor(parts: PlaybackParts) {
    const { state, output, log } = parts;
    this.output = output;
    this.#parts = parts;
    this.still = shareStills((options) => output.still(options));
    this.#last = ServiceReference.tryParse(state.get().currentService);
    output.onEnd(() => void this.stop().catch((error: unknown) => log.error(error, 'ending the recording failed')));
  }

  /** Whether there is a current service. */
  get hasCurrent(): boolean {
    return this.#selection !== undefined || this.#last !== undefined;
  }

  /** The current service; undefined if none was ever selected. */
  get current(): CurrentService | undefined {
    const selection = this.#currentSelection();
    if (!selection) return undefined;
    const found = selection.service.placed && this.#parts.pool.find(selection.service.placed);
    return {
      reference: selection.reference,
      name: selection.name || this.#parts.services.nameOf(selection.reference),
      provider: this.#parts.services.providerOf(selection.service),
      bouquet: selection.bouquet,
      tuner: found && found.tuner.number !== noNumber ? found.tuner.number : undefined,
      pids: pidsOf(found?.broadcast, this.#audioTrack),
      video: videoFormat(this.output.video ?? this.#picture),
      audioTracks: selection.service.dvb
        ? audioTracksOf(found?.broadcast, this.#audioTrack)
        : audioTracksShown(this.output.tracks, this.#audioTrack),
      subtitles: selection.service.dvb ? subtitlesOf(found?.broadcast) : subtitlesShown(this.output.tracks),
      subServices: subServicesOf(found?.broadcast, selection.service),
      played: selection.recording && {
        recording: selection.recording,
        position: Math.floor(this.output.position ?? 0),
        length: selection.recording.length ?? roundedUp(this.output.length),
      },
    };
  }

  /**
   * Makes a service the current one, or plays a recording. If that fails, the previous one continues. `title` replaces
   * its name.
   * @throws ReceiverError `service-not-found`, `not-receivable`, `no-signal`, `unsupported`; of a network stream
   * `stream-failed`; of a file `not-found`, `outside-locations`
   */
  async zap(reference: ServiceReference, { title = '' }: { readonly title?: string } = {}): Promise<void> {
    this.#zapping++;
    try {
      await this.#zap(reference, title);
    } finally {
      this.#zapping--;
      if (this.#lease?.lost !== undefined) this.#retryLater();
    }
  }

  /** Handles the loss of the tuner: it failed, or was given to a more important user or to another zap in progress. */
  #onLost(lease: TunerLease, reason: string): void {
    if (this.#lease !== lease || this.#zapping > 0) return;
    this.output.showText(reason, reasonSeconds);
    this.#parts.log.info(`the current service is not shown: ${reason}`);
    this.#retryLater();
  }

  /** With an output, tries to show the service again until there is a tuner. */
  #retryLater(): void {
    this.#releaseTuner();
    if (!this.output.shows) return;
    const request = this.#requests;
    this.#retryTimer = setTimeout(() => {
      if (request !== this.#requests || this.#parts.state.get().standby) return;
      void this.resume().finally(() => {
        const service = this.#selection?.service;
        if (this.#lease === undefined && (service?.isBroadcast || service?.isStream)) this.#retryLater();
      });
    }, retryDelayMs).unref();
  }

  async #zap(reference: ServiceReference, title: string): Promise<void> {
    this.#requests++;
    const request = this.#requests;
    if (reference.isFile) {
      this.#apply(await this.#recording(reference, title), undefined, request);
      return;
    }
    let failure: ReceiverError = fail('service-not-found', reference.format());
    for (const service of this.#parts.services.playable(reference)) {
      try {
        const lease = await this.#tune(service);
        this.#apply(this.#select(reference, service, title), lease, request);
        return;
      } catch (error) {
        if (!(error instanceof ReceiverError)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /**
   * Makes a service current without tuning to it, at the first start. Does nothing if there is a current service.
   */
  suggest(reference: ServiceReference): void {
    if (this.hasCurrent) return;
    this.#apply(this.#select(reference, reference, ''), undefined);
  }

  /**
   * Shows the current service after the start and after standby, if there is an output. A service that cannot be
   * received is not shown.
   */
  async resume(): Promise<void> {
    if (!this.output.shows || this.#parts.state.get().standby) return;
    const selection = this.#currentSelection();
    if (!selection) return;
    try {
      await this.zap(selection.reference, { title: selection.name });
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      this.#parts.log.warn(`the current service is not shown: ${error.message}`);
    }
  }

  /** Stops the recording that plays: the previous service becomes current again. Does nothing if none plays. */
  async stop(): Promise<void> {
    if (this.#selection?.recording === undefined) return;
    this.release();
    this.#listeners.call();
    await this.resume();
  }

  /**
   * Shows the current service from another source, such as its timeshift, with the selected tracks. If `open` is
   * undefined or returns undefined, the service is shown live from the tuner. Does nothing if the service is not shown.
   */
  showFrom(open: (() => PacketStream | undefined) | undefined): void {
    const { heard, shown, source } = this.#live();
    if (source === undefined || !this.output.shows || this.#parts.state.get().standby) return;
    this.#showsTimeshift = open !== undefined;
    this.output.play({ kind: 'live', open: () => open?.() ?? source.open() });
    this.output.selectAudio(heard);
    if (shown !== undefined) this.output.selectSubtitles(shown);
  }

  /** Whether the source of `showFrom` is shown. */
  get showsTimeshift(): boolean {
    return this.#showsTimeshift;
  }

  /** Selects the track with this index in `current.audioTracks`. Returns false if there is none. */
  selectAudioTrack(index: number): boolean {
    const track = this.current?.audioTracks[index];
    if (track === undefined) return false;
    this.output.selectAudio(track.pid);
    if (index !== this.#audioTrack) {
      this.#audioTrack = index;
      this.#listeners.call();
    }
    return true;
  }

  /** Shows the subtitles with this index in `current.subtitles`, or none. Returns false if there are none. */
  selectSubtitles(index: number | undefined): boolean {
    const track = index === undefined ? undefined : this.current?.subtitles[index];
    if (index !== undefined && track === undefined) return false;
    this.#subtitles = index;
    this.output.selectSubtitles(track?.pid);
    return true;
  }

  /** Index of the selected audio track. */
  get audioTrack(): number {
    return this.#audioTrack;
  }

  /** Index of the subtitles shown; undefined: none. */
  get shownSubtitles(): number | undefined {
    return this.#subtitles;
  }

  /** Shows nothing and releases the tuner, as in standby. The current service stays selected; a recording ends. */
  release(): void {
    this.output.stop();
    this.#releaseTuner();
    if (this.#selection?.recording === undefined) return;
    this.#selection = undefined;
    this.#resetTracks();
    this.#last = ServiceReference.tryParse(this.#parts.state.get().currentService);
  }

  #live() {
    const source = this.#selection && this.#sourceOf(this.#selection, this.#lease);
    return {
      source: source?.kind === 'live' ? source : undefined,
      heard: this.current?.audioTracks[this.#audioTrack]?.pid,
      shown: this.#subtitles === undefined ? undefined : this.current?.subtitles[this.#subtitles]?.pid,
    };
  }

  #resetTracks(): void {
    this.#audioTrack = 0;
    this.#subtitles = undefined;
  }

  #releaseTuner(): void {
    clearTimeout(this.#holdTimer);
    clearTimeout(this.#retryTimer);
    this.#lease?.release();
    this.#lease = undefined;
  }

  #currentSelection(): Selection | undefined {
    if (this.#last) this.#selection = this.#select(this.#last, this.#last, '');
    this.#last = undefined;
    return this.#selection;
  }

  #select(reference: ServiceReference, service: ServiceReference, name: string): Selection {
    const listed = this.#parts.services.findInBouquets(reference);
    if (listed !== undefined) {
      const bouquet = { reference: listed.bouquet.reference.format(), name: listed.bouquet.name };
      return { reference: listed.reference, service, name, bouquet };
    }
    return {
      reference: this.#parts.services.find(reference)?.reference ?? reference,
      service,
      name,
      bouquet: undefined,
    };
  }

  async #recording({ path }: ServiceReference, title: string): Promise<Selection> {
    const recording = await this.#parts.recordings.find(path);
    const { reference } = recording;
    return { reference, service: reference, name: title || recording.title, bouquet: undefined, recording };
  }

  /**
   * Leases a tuner with the service; undefined for a network stream if there is no output. Network streams must be in a
   * bouquet, and are fetched by the receiver, never by the output: an address or a playlist could lead it to hosts of
   * the local network.
   */
  async #tune(service: ServiceReference): Promise<TunerLease | undefined> {
    const { services, network } = this.#parts;
    if (service.isStream) {
      const listed = services.listedStream(service);
      if (listed === undefined)
        throw fail('unsupported', `playing the stream '${service.streamName}', which is in no bouquet,`);
      return this.output.shows ? network.tune(listed, 'live', 'current service') : undefined;
    }
    if (!service.isBroadcast || !service.placed) throw fail('unsupported', `playing ${service.format()}`);
    return this.#parts.pool.tune(service.placed, 'live', 'current service', { instead: this.#lease });
  }

  #apply(selection: Selection, lease: TunerLease | undefined, request = this.#requests): void {
    // A later request has already succeeded.
    if (request < this.#lastApplied) {
      lease?.release();
      return;
    }
    this.#lastApplied = request;
    const before = this.#lease;
    clearTimeout(this.#holdTimer);
    this.#selection = selection;
    this.#last = undefined;
    this.#resetTracks();
    this.#lease = lease;
    lease?.onLost((reason) => this.#onLost(lease, reason));
    this.#picture = undefined;
    this.#show(selection, lease);
    // Released after the new lease exists: both may be of one tuner, which would otherwise be switched off and on.
    before?.release();
    if (selection.recording === undefined) this.#parts.state.set({ currentService: selection.reference.format() });
    this.#listeners.call();
  }

  /** Determines the service's picture format if no output reports it. */
  async #probePicture(selection: Selection, { tuner }: TunerLease): Promise<void> {
    const found = selection.service.placed && this.#parts.pool.find(selection.service.placed);
    const picture = found && (await videoPictureOf(tuner, found.broadcast));
    if (this.#selection === selection) this.#picture = picture;
  }

  #show(selection: Selection, lease: TunerLease | undefined): void {
    this.#showsTimeshift = false;
    const source = this.#parts.state.get().standby ? undefined : this.#sourceOf(selection, lease);
    if (this.output.shows && source) {
      this.output.play(source);
      if (selection.service.dvb) this.output.selectAudio(this.current?.audioTracks[0]?.pid);
      return;
    }
    this.output.stop();
    if (lease)
      void this.#probePicture(selection, lease).catch((error: unknown) =>
        this.#parts.log.error(error, 'determining the picture format of the current service failed'),
      );
    this.#holdTimer = setTimeout(() => this.#releaseTuner(), holdMs);
    this.#holdTimer.unref();
  }

  /** The source to show; undefined if there is none. */
  #sourceOf({ service, recording }: Selection, lease: TunerLease | undefined): OutputSource | undefined {
    if (recording) {
      const { path } = recording;
      return { kind: 'file', path, open: () => this.#parts.recordings.open(path) };
    }
    // The service id of a network stream is only known from the stream.
    const id = service.isStream ? lease?.serviceId : service.dvb?.serviceId;
    if (!lease || id === undefined) return undefined;
    return {
      kind: 'live',
      open() {
        // The source may have ended since, like a pipe that was closed by its writer.
        lease.tuner.start();
        return lease.tuner.openStream(id);
      },
    };
  }
}

const roundedUp = (seconds: number | undefined) => (seconds === undefined ? undefined : Math.ceil(seconds));
