/**
 * What is watched on this receiver: one current service. Without a video output nobody looks at it here, so the tuner is held only
 * until the service was seen on the air and a little longer; streams and recordings hold their own.
 */
import type { DeviceState } from '../device/state.ts';
import type { BroadcastService, ElementaryStream } from '../dvb/tuner.ts';
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { fail, ReceiverError } from '../errors.ts';
import { Listeners } from '../listeners.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';

export interface CurrentService {
  /** As the bouquet lists it, own name included: clients compare it letter for letter with the list. */
  readonly reference: ServiceReference;
  readonly name: string;
  /** Empty when unknown. */
  readonly provider: string;
  /** The first bouquet that holds it; undefined when it is in none. */
  readonly bouquet: { readonly reference: string; readonly name: string } | undefined;
  /** Index into the tuners of the pool; undefined for a stream from the network. */
  readonly tuner: number | undefined;
  /** From the PMT last seen; a PID is undefined when the service has none or no PMT has come yet. */
  readonly pids: ServicePids;
  /** From the video's sequence header or SPS; undefined until one has been seen. */
  readonly video: VideoFormat | undefined;
  /** In the order of the PMT. */
  readonly audioTracks: readonly AudioTrack[];
  /** In the order of the PMT. */
  readonly subtitles: readonly SubtitleTrack[];
}

export interface ServicePids {
  readonly pmt: number | undefined;
  readonly pcr: number | undefined;
  readonly video: number | undefined;
  /** The active audio track's. */
  readonly audio: number | undefined;
  readonly teletext: number | undefined;
}

export interface VideoFormat {
  readonly width: number;
  readonly height: number;
  /** component_type of the EIT's component descriptor (EN 300 468 table 26) or its equal: 3 = 16:9 SD at 25 Hz, 11 = 16:9 HD. */
  readonly aspect: number;
}

export interface AudioTrack {
  readonly pid: number;
  /** `MPEG`, `AC3`, `AC3+`, `AAC`, `AAC-HE`, `DTS`, ... */
  readonly codec: string;
  /** ISO 639-2 code of the PMT, `deu`; empty when none is given. */
  readonly language: string;
  readonly active: boolean;
}

/** Subtitles: a page of a DVB subtitling stream (EN 300 468 §6.2.41) or of teletext (§6.2.43). */
export interface SubtitleTrack {
  readonly kind: 'dvb' | 'teletext';
  readonly pid: number;
  /** The composition page; of teletext 100 to 899. */
  readonly page: number;
  /** The ancillary page; of DVB subtitles only, else 0. */
  readonly ancillary: number;
  /** ISO 639-2 code; empty when none is given. */
  readonly language: string;
  readonly hearingImpaired: boolean;
}

export interface PlaybackParts {
  readonly services: Services;
  readonly pool: TunerPool;
  readonly state: DeviceState;
}

/** What was chosen, before it is looked up for each question. */
interface Choice {
  readonly reference: ServiceReference;
  /** The service behind it: a group's member, an entry without its own name. */
  readonly service: ServiceReference;
  readonly name: string;
  readonly bouquet: CurrentService['bouquet'];
}

/** Milliseconds the tuner is held after a zap when there is no video output. */
const holdTime = 30_000;

export class Playback {
  readonly #services: Services;
  readonly #pool: TunerPool;
  readonly #state: DeviceState;
  readonly #listeners = new Listeners<[]>();
  #choice: Choice | undefined;
  /** Of the last session, until somebody asks what it is: a receiver that starts has more urgent things to look up. */
  #last: ServiceReference | undefined;
  #audioTrack = 0;
  #lease: TunerLease | undefined;
  #hold: NodeJS.Timeout | undefined;

  /** Takes up the service of the last session, without tuning. */
  constructor({ services, pool, state }: PlaybackParts) {
    this.#services = services;
    this.#pool = pool;
    this.#state = state;
    this.#last = ServiceReference.tryParse(state.get().currentService);
  }

  /** True when there is a current service. */
  get hasCurrent(): boolean {
    return this.#choice !== undefined || this.#last !== undefined;
  }

  /** The current service, or undefined when nothing was ever chosen. */
  get current(): CurrentService | undefined {
    if (this.#last) this.#choice = this.#choose(this.#last, this.#last, '');
    this.#last = undefined;
    const choice = this.#choice;
    if (!choice) return undefined;
    const seen = choice.service.dvb && this.#pool.find(choice.service.dvb);
    return {
      reference: choice.reference,
      name: choice.name || this.#services.nameOf(choice.reference),
      provider: this.#services.providerOf(choice.service),
      bouquet: choice.bouquet,
      tuner: seen?.tuner.number,
      pids: pidsOf(seen?.broadcast, this.#audioTrack),
      video: undefined,
      audioTracks: audioTracksOf(seen?.broadcast, this.#audioTrack),
      subtitles: subtitlesOf(seen?.broadcast),
    };
  }

  /**
   * Makes a service the current one. What played before goes on when this fails. `title` is shown in place of its name.
   * @throws ReceiverError `service-not-found`, `no-free-tuner`, `no-signal`, `unsupported`
   */
  async zap(reference: ServiceReference, { title = '' }: { readonly title?: string } = {}): Promise<void> {
    if (reference.isStream) {
      this.#take(this.#choose(reference, reference, title), undefined);
      return;
    }
    let failure: ReceiverError = fail('service-not-found', reference.format());
    for (const service of this.#services.playable(reference)) {
      if (!service.isBroadcast || !service.dvb) {
        failure = fail('unsupported', `playing ${service.format()}`);
        continue;
      }
      try {
        const lease = await this.#pool.tune(service.dvb, 'live', 'current service');
        this.#take(this.#choose(reference, service, title), lease);
        return;
      } catch (error) {
        if (!(error instanceof ReceiverError)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** Makes the service current without tuning to it: what a receiver shows at its first start. Nothing when one is current. */
  suggest(reference: ServiceReference): void {
    if (this.hasCurrent) return;
    this.#take(this.#choose(reference, reference, ''), undefined);
  }

  /** Makes the track with this index of `current.audioTracks` the heard one; false when there is no such track. */
  selectAudioTrack(index: number): boolean {
    if (this.current?.audioTracks[index] === undefined) return false;
    if (index !== this.#audioTrack) {
      this.#audioTrack = index;
      this.#listeners.call();
    }
    return true;
  }

  /** Index of the heard audio track. */
  get audioTrack(): number {
    return this.#audioTrack;
  }

  /** Calls `listener` after each zap and each change of the audio track; returns what takes it off again. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Gives the tuner back, as in standby. The current service stays chosen. */
  release(): void {
    clearTimeout(this.#hold);
    this.#lease?.release();
    this.#lease = undefined;
  }

  #choose(reference: ServiceReference, service: ServiceReference, name: string): Choice {
    for (const kind of ['tv', 'radio'] as const) {
      for (const bouquet of this.#services.allBouquets(kind)) {
        const entry = bouquet.entries.find((one) => one.reference.equals(reference));
        if (!entry) continue;
        const listed = { reference: bouquet.reference.format(), name: bouquet.name };
        return { reference: entry.reference, service, name, bouquet: listed };
      }
    }
    return { reference: this.#services.find(reference)?.reference ?? reference, service, name, bouquet: undefined };
  }

  #take(choice: Choice, lease: TunerLease | undefined): void {
    this.release();
    this.#choice = choice;
    this.#last = undefined;
    this.#audioTrack = 0;
    this.#lease = lease;
    if (lease) {
      this.#hold = setTimeout(() => this.release(), holdTime);
      this.#hold.unref();
    }
    this.#state.set({ currentService: choice.reference.format() });
    this.#listeners.call();
  }
}

function pidsOf(service: BroadcastService | undefined, audioTrack: number): ServicePids {
  const first = (kind: ElementaryStream['kind']) => service?.streams.find((stream) => stream.kind === kind)?.pid;
  const audio = service?.streams.filter((stream) => stream.kind === 'audio');
  return {
    pmt: service?.pmtPid,
    pcr: service?.pcrPid === 0x1fff ? undefined : service?.pcrPid,
    video: first('video'),
    audio: (audio?.[audioTrack] ?? audio?.[0])?.pid,
    teletext: first('teletext'),
  };
}

/** Where clients know a codec by another name than the standard's. */
const codecNames: Readonly<Record<string, string>> = {
  'AC-3': 'AC3',
  'E-AC-3': 'AC3+',
  'AC-4': 'AC4',
  'HE-AAC': 'AAC-HE',
};

function audioTracksOf(service: BroadcastService | undefined, active: number): AudioTrack[] {
  const streams = service?.streams.filter((stream) => stream.kind === 'audio') ?? [];
  return streams.map((stream, index) => ({
    pid: stream.pid,
    codec: codecNames[stream.codec] ?? stream.codec,
    language: stream.languages[0] ?? '',
    active: index === active,
  }));
}

/** teletext_type of subtitle pages: for everybody, and for the hearing impaired (EN 300 468 table 100). */
const teletextSubtitles: ReadonlySet<number> = new Set([2, 5]);

function subtitlesOf(service: BroadcastService | undefined): SubtitleTrack[] {
  return (service?.streams ?? []).flatMap(({ kind, pid, pages }) => {
    if (kind !== 'subtitles' && kind !== 'teletext') return [];
    const shown = kind === 'subtitles' ? pages : pages.filter(({ type }) => teletextSubtitles.has(type));
    return shown.map(({ page, ancillary, language, hearingImpaired }) => ({
      kind: kind === 'subtitles' ? ('dvb' as const) : kind,
      pid,
      page,
      ancillary,
      language,
      hearingImpaired,
    }));
  });
}
