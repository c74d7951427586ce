/**
 * What this receiver plays: one current service, or a recording in its place. With an output, the tuner is held as long
 * as it shows the service. Without one nobody watches here, so the tuner is held only until the service was received
 * and a little longer; streams and recordings hold their own.
 */
import type { Logger } from 'pino';
import { fail, ReceiverError } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import type { DeviceState } from '../device/state.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { type VideoPicture, videoPictureOf } from '../dvb/video-format.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { RecordingLibrary } from '../recordings/library.ts';
import type { Recording } from '../recordings/recording.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { CurrentService } from './current-service.ts';
import type { Output, OutputSource, StillOptions } from './output.ts';
import { sharedStills } from './stills.ts';
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
  readonly recordings: Pick<RecordingLibrary, 'find'>;
  readonly output: Output;
  readonly log: Logger;
}

/** The service chosen, before its details are looked up for each request. */
interface Choice {
  readonly reference: ServiceReference;
  /** The service behind it: the member of a group, or an entry without its own name. */
  readonly service: ServiceReference;
  readonly name: string;
  readonly bouquet: CurrentService['bouquet'];
  readonly recording?: Recording;
}

/** Milliseconds the tuner is held after a zap if there is no output. */
const holdTime = 30_000;
/** Milliseconds between attempts to show the service again after its tuner was lost. */
const retryAfter = 2000;
/** Seconds for which the screen shows why it was. */
const shownFor = 10;

export class Playback {
  /** The output that shows it. */
  readonly output: Output;
  /** Captures the current picture; undefined if there is none. @throws ReceiverError `too-many-clients` */
  readonly still: (options: StillOptions) => Promise<Buffer | undefined>;
  readonly #parts: PlaybackParts;
  readonly #listeners = new Listeners<[]>();
  /** Calls `listener` after each zap and each change of the audio track; returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  #choice: Choice | undefined;
  /** From the last session, until it is looked up on first use: a starting receiver has more urgent work. */
  #last: ServiceReference | undefined;
  #audioTrack = 0;
  #subtitles: number | undefined;
  /** Number of the last request, and of the latest one that succeeded. */
  #requests = 0;
  #taken = 0;
  #zapping = 0;
  /** Used if no output decodes it. */
  #picture: VideoPicture | undefined;
  #lease: TunerLease | undefined;
  #showsKept = false;
  #hold: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** Restores the service of the last session, without tuning. */
  constructor(parts: PlaybackParts) {
    const { state, output, log } = parts;
    this.output = output;
    this.#parts = parts;
    this.still = sharedStills((options) => output.still(options));
    this.#last = ServiceReference.tryParse(state.get().currentService);
    output.onEnd(
      () => void this.stop().catch((error: unknown) => log.error(error, 'the current service did not stop')),
    );
  }

  /** True if there is a current service. */
  get hasCurrent(): boolean {
    return this.#choice !== undefined || this.#last !== undefined;
  }

  /** The current service; undefined if none was ever chosen. */
  get current(): CurrentService | undefined {
    const choice = this.#chosen();
    if (!choice) return undefined;
    const seen = choice.service.placed && this.#parts.pool.find(choice.service.placed);
    return {
      reference: choice.reference,
      name: choice.name || this.#parts.services.nameOf(choice.reference),
      provider: this.#parts.services.providerOf(choice.service),
      bouquet: choice.bouquet,
      tuner: seen?.tuner.number,
      pids: pidsOf(seen?.broadcast, this.#audioTrack),
      video: videoFormat(this.output.video ?? this.#picture),
      audioTracks: choice.service.dvb
        ? audioTracksOf(seen?.broadcast, this.#audioTrack)
        : audioTracksShown(this.output.tracks, this.#audioTrack),
      subtitles: choice.service.dvb ? subtitlesOf(seen?.broadcast) : subtitlesShown(this.output.tracks),
      subServices: subServicesOf(seen?.broadcast, choice.service),
      played: choice.recording && {
        recording: choice.recording,
        position: Math.floor(this.output.position ?? 0),
        length: choice.recording.length ?? roundedUp(this.output.length),
      },
    };
  }

  /**
   * Makes a service the current one, or plays a recording. If this fails, the previous one continues. `title` is shown
   * instead of its name.
   * @throws ReceiverError `service-not-found`, `not-receivable`, `no-signal`, `unsupported`; of a network stream
   *   `stream-failed`; of a file `not-found`, `outside-locations`
   */
  async zap(reference: ServiceReference, { title = '' }: { readonly title?: string } = {}): Promise<void> {
    this.#zapping++;
    try {
      await this.#zap(reference, title);
    } finally {
      this.#zapping--;
      if (this.#lease?.lost !== undefined) this.#recover();
    }
  }

  /** The tuner has failed, or was given to somebody more important, or to a request of our own that is under way. */
  #lost(lease: TunerLease, reason: string): void {
    if (this.#lease !== lease || this.#zapping > 0) return;
    this.output.showText(reason, shownFor);
    this.#parts.log.info(`the current service is not shown: ${reason}`);
    this.#recover();
  }

  /** Tries to show the service again until there is a tuner, for those who watch. */
  #recover(): void {
    this.#free();
    if (!this.output.shows) return;
    const request = this.#requests;
    this.#retry = setTimeout(() => {
      if (request !== this.#requests || this.#parts.state.get().standby) return;
      void this.resume().finally(() => {
        const service = this.#choice?.service;
        if (this.#lease === undefined && (service?.isBroadcast || service?.isStream)) this.#recover();
      });
    }, retryAfter).unref();
  }

  async #zap(reference: ServiceReference, title: string): Promise<void> {
    this.#requests++;
    const request = this.#requests;
    if (reference.isFile) {
      this.#take(await this.#recording(reference, title), undefined, request);
      return;
    }
    let failure: ReceiverError = fail('service-not-found', reference.format());
    for (const service of this.#parts.services.playable(reference)) {
      try {
        const lease = await this.#tune(service);
        this.#take(this.#choose(reference, service, title), lease, request);
        return;
      } catch (error) {
        if (!(error instanceof ReceiverError)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /**
   * Makes the service current without tuning to it, for the first start. Does nothing if there is a current service.
   */
  suggest(reference: ServiceReference): void {
    if (this.hasCurrent) return;
    this.#take(this.#choose(reference, reference, ''), undefined);
  }

  /**
   * Shows the current service if there is an output and the receiver is awake: at the start, and after standby. A
   * service that cannot be received is not shown.
   */
  async resume(): Promise<void> {
    if (!this.output.shows || this.#parts.state.get().standby) return;
    const choice = this.#chosen();
    if (!choice) return;
    try {
      await this.zap(choice.reference, { title: choice.name });
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      this.#parts.log.warn(`the current service is not shown: ${error.message}`);
    }
  }

  /** Ends a recording: the service watched before becomes current again. Does nothing while a service is. */
  async stop(): Promise<void> {
    if (this.#choice?.recording === undefined) return;
    this.release();
    this.#listeners.call();
    await this.resume();
  }

  /**
   * Shows the current service from another source, such as its timeshift, with the tracks that were chosen. Undefined,
   * or if `open` has nothing left: live from the tuner again. Does nothing if it is not shown.
   */
  showFrom(open: (() => PacketStream | undefined) | undefined): void {
    const { heard, shown, source } = this.#live();
    if (source === undefined || !this.output.shows || this.#parts.state.get().standby) return;
    this.#showsKept = open !== undefined;
    this.output.play({ kind: 'live', open: () => open?.() ?? source.open() });
    this.output.selectAudio(heard);
    if (shown !== undefined) this.output.selectSubtitles(shown);
  }

  /** True while the source set by `showFrom` is shown. */
  get showsKept(): boolean {
    return this.#showsKept;
  }

  /** Selects the track with this index of `current.audioTracks`; false if there is none. */
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

  /** Shows the subtitles with this index of `current.subtitles`, or none; false if they do not exist. */
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

  /** Shows nothing and releases the tuner, as in standby. The current service stays chosen; a recording ends. */
  release(): void {
    this.output.stop();
    this.#free();
    if (this.#choice?.recording === undefined) return;
    this.#choice = undefined;
    this.#forgetTracks();
    this.#last = ServiceReference.tryParse(this.#parts.state.get().currentService);
  }

  #live() {
    const source = this.#choice && sourceOf(this.#choice, this.#lease);
    return {
      source: source?.kind === 'live' ? source : undefined,
      heard: this.current?.audioTracks[this.#audioTrack]?.pid,
      shown: this.#subtitles === undefined ? undefined : this.current?.subtitles[this.#subtitles]?.pid,
    };
  }

  #forgetTracks(): void {
    this.#audioTrack = 0;
    this.#subtitles = undefined;
  }

  #free(): void {
    clearTimeout(this.#hold);
    clearTimeout(this.#retry);
    this.#lease?.release();
    this.#lease = undefined;
  }

  #chosen(): Choice | undefined {
    if (this.#last) this.#choice = this.#choose(this.#last, this.#last, '');
    this.#last = undefined;
    return this.#choice;
  }

  #choose(reference: ServiceReference, service: ServiceReference, name: string): Choice {
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

  async #recording({ path }: ServiceReference, title: string): Promise<Choice> {
    const recording = await this.#parts.recordings.find(path);
    const { reference } = recording;
    return { reference, service: reference, name: title || recording.title, bouquet: undefined, recording };
  }

  /**
   * Leases a tuner with the service; undefined for a network stream that is shown nowhere. Only entries of bouquets are
   * fetched, and by the receiver itself, never by the output: an address or a playlist could lead it into this network.
   */
  async #tune(service: ServiceReference): Promise<TunerLease | undefined> {
    const { services, network } = this.#parts;
    if (service.isStream) {
      const listed = services.listedStream(service);
      if (listed === undefined) throw fail('unsupported', `'${service.name}', which is in no bouquet,`);
      return this.output.shows ? network.tune(listed, 'live', 'current service') : undefined;
    }
    if (!service.isBroadcast || !service.placed) throw fail('unsupported', `playing ${service.format()}`);
    return this.#parts.pool.tune(service.placed, 'live', 'current service', { instead: this.#lease });
  }

  #take(choice: Choice, lease: TunerLease | undefined, request = this.#requests): void {
    // A later request succeeded first.
    if (request < this.#taken) {
      lease?.release();
      return;
    }
    this.#taken = request;
    const before = this.#lease;
    clearTimeout(this.#hold);
    this.#choice = choice;
    this.#last = undefined;
    this.#forgetTracks();
    this.#lease = lease;
    lease?.onLost((reason) => this.#lost(lease, reason));
    this.#picture = undefined;
    this.#show(choice, lease);
    // Only after the new lease is held: it may be of the same tuner, which would be switched off and on.
    before?.release();
    if (choice.recording === undefined) this.#parts.state.set({ currentService: choice.reference.format() });
    this.#listeners.call();
  }

  /** Determines the service's picture format if no output reports it. */
  async #look(choice: Choice, { tuner }: TunerLease): Promise<void> {
    const seen = choice.service.placed && this.#parts.pool.find(choice.service.placed);
    const picture = seen && (await videoPictureOf(tuner, seen.broadcast));
    if (this.#choice === choice) this.#picture = picture;
  }

  #show(choice: Choice, lease: TunerLease | undefined): void {
    this.#showsKept = false;
    const source = this.#parts.state.get().standby ? undefined : sourceOf(choice, lease);
    if (this.output.shows && source) {
      this.output.play(source);
      if (choice.service.dvb) this.output.selectAudio(this.current?.audioTracks[0]?.pid);
      return;
    }
    this.output.stop();
    if (lease)
      void this.#look(choice, lease).catch((error: unknown) =>
        this.#parts.log.error(error, 'reading the current service failed'),
      );
    this.#hold = setTimeout(() => this.#free(), holdTime);
    this.#hold.unref();
  }
}

/** The source to show; undefined if there is none. */
function sourceOf({ service, recording }: Choice, lease: TunerLease | undefined): OutputSource | undefined {
  if (recording) return { kind: 'file', path: recording.path };
  // Of a network stream it is known from the stream only.
  const id = service.isStream ? lease?.serviceId : service.dvb?.serviceId;
  if (!lease || id === undefined) return undefined;
  return {
    kind: 'live',
    open() {
      // It may have ended since, like a pipe whose writer has closed it.
      lease.tuner.start();
      return lease.tuner.openStream(id);
    },
  };
}

const roundedUp = (seconds: number | undefined) => (seconds === undefined ? undefined : Math.ceil(seconds));
