/** The current service, as the interfaces see it. */
import type { Recording } from '../recordings/recording.ts';
import type { ServiceReference } from '../services/reference.ts';

export interface CurrentService {
  /** As the bouquet lists it, own name included: clients compare it letter for letter with the list. */
  readonly reference: ServiceReference;
  readonly name: string;
  /** Empty when unknown. */
  readonly provider: string;
  /** The first bouquet that holds it as it is written in `reference`; undefined when it is in none. */
  readonly bouquet: { readonly reference: string; readonly name: string } | undefined;
  /** Index into the tuners of the pool; undefined for a stream from the network. */
  readonly tuner: number | undefined;
  /** From the PMT last seen; a PID is undefined when the service has none or no PMT has come yet. */
  readonly pids: ServicePids;
  /** As it is decoded; undefined until it is, and where nothing decodes it. */
  readonly video: VideoFormat | undefined;
  /** In the order of the PMT; of a recording or a stream from the network as the output finds them. */
  readonly audioTracks: readonly AudioTrack[];
  /** In the order of the PMT. */
  readonly subtitles: readonly SubtitleTrack[];
  /** Services with further pictures or sound of what runs on it, as the broadcast links them. */
  readonly subServices: readonly LinkedService[];
  /** Set while a recording is played in place of a service. */
  readonly played: PlayedRecording | undefined;
}

export interface LinkedService {
  /** With the service it belongs to as its parent, by which the guide is found. */
  readonly reference: ServiceReference;
  readonly name: string;
}

export interface PlayedRecording {
  readonly recording: Recording;
  /** Seconds from its beginning; 0 where no output shows it. */
  readonly position: number;
  /** Seconds; undefined where it cannot be told. */
  readonly length: number | undefined;
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
