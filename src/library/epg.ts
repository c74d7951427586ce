/** `receiverd/epg`: the guide engine alone, without a receiver. See docs/embedding.md. */
export type { Clock, UnixSeconds } from '../base/clock.ts';
export { ReceiverError } from '../base/errors.ts';
export type { DvbTriplet } from '../dvb/triplet.ts';
export * from '../epg/guide.ts';
export { type ImportedGuide, importGuideFile } from '../epg/guide-file.ts';
export {
  type ExportedService,
  exportXmltv,
  type XmltvChannel,
  type XmltvExportOptions,
  type XmltvImportOptions,
} from '../epg/xmltv.ts';
