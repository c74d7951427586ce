/** The current service, as reported to clients. */
import type { Recording } from '../recordings/files/recording.ts';
import type { ServiceReference } from '../services/reference.ts';

export interface CurrentService {
  /** As listed in the bouquet, including its name: clients compare it literally with the list. */
  readonly reference: ServiceReference;
  readonly name: string;
  /** Empty if unknown. */
  readonly provider: string;
  /** The first bouquet that contains exactly this `reference`; undefined if there is none. */
  readonly bouquet: { readonly reference: string; readonly name: string } | undefined;
  /** Index into the tuners of the pool; undefined for a stream from the network. */
  readonly tuner: number | undefined;
  /** From the last PMT received; a PID is undefined if the service has none or no PMT has arrived yet. */
  readonly pids: ServicePids;
  /** As decoded; undefined before that, or if nothing decodes it. */
  readonly video: VideoFormat | undefined;
  /** In the order of the PMT; for a recording or a network stream, as reported by the output. */
  readonly audioTracks: readonly AudioTrack[];
  /** In the order of the PMT. */
  readonly subtitles: readonly SubtitleTrack[];
  /** Services with additional video or audio of the current event, as linked by the broadcast. */
  readonly subServices: readonly LinkedService[];
  /** The recording that plays in place of a service; undefined if none does. */
  readonly played: PlayedRecording | undefined;
}

export interface LinkedService {
  /** Contains its parent service, whose guide applies. */
  readonly reference: ServiceReference;
  readonly name: string;
}

export interface PlayedRecording {
  readonly recording: Recording;
  /** Seconds from the start; 0 without an output. */
  readonly position: number;
  /** Seconds; undefined if it cannot be determined. */
  readonly length: number | undefined;
}

export interface ServicePids {
  readonly pmt: number | undefined;
  readonly pcr: number | undefined;
  readonly video: number | undefined;
  /** PID of the active audio track. */
  readonly audio: number | undefined;
  readonly teletext: number | undefined;
}

export interface VideoFormat {
  readonly width: number;
  readonly height: number;
  /**
   * component_type of the EIT's component descriptor (EN 300 468 table 26) or its equivalent: 3 = 16:9 SD at 25 Hz, 11
   * = 16:9 HD.
   */
  readonly aspect: number;
}

export interface AudioTrack {
  readonly pid: number;
  /** `MPEG`, `AC3`, `AC3+`, `AAC`, `AAC-HE`, `DTS`, ... */
  readonly codec: string;
  /** ISO 639-2 code of the PMT, `deu`; empty if there is none. */
  readonly language: string;
  readonly active: boolean;
}

/** Subtitles: a page of a DVB subtitling stream (EN 300 468 §6.2.41) or of teletext (§6.2.43). */
export interface SubtitleTrack {
  readonly kind: 'dvb' | 'teletext';
  readonly pid: number;
  /** The composition page; for teletext 100 to 899. */
  readonly page: number;
  /** The ancillary page of DVB subtitles, else 0. */
  readonly ancillary: number;
  /** ISO 639-2 code; empty if there is none. */
  readonly language: string;
  readonly hearingImpaired: boolean;
}
