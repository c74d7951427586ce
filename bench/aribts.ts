/** aribts from npm, on which Mirakurun and its relatives are built: from bytes to sections. */
import { createRequire } from 'node:module';

/** A stage of its pipeline. */
interface Stage {
  on(event: 'data', listener: (section: Section) => void): void;
  pipe(next: Stage): void;
  _write(chunk: Buffer, done: () => void): void;
}

export interface Section {
  readonly _buffer: Buffer;
  getPid(): number;
  checkCrc32(): boolean;
  decode(): {
    readonly service_id: number;
    readonly events: readonly {
      readonly event_id: number;
      readonly descriptors: { decode(): readonly Descriptor[] };
    }[];
  };
}

export interface Descriptor {
  readonly _buffer: Buffer;
  decode(): {
    readonly event_name?: Buffer;
    readonly text?: Buffer;
    readonly items?: readonly { readonly item_description: Buffer; readonly item: Buffer }[];
  };
}

export const aribts = createRequire(import.meta.url)('aribts') as {
  readonly TsPacketParser: new () => Stage;
  readonly TsSectionParser: new () => Stage;
  readonly TsChar: new (bytes: Buffer) => { decode(): string };
};

export const packetSize = 188;

/** Passes every section of a stream on, with the number of bytes read until then, to one chunk. */
export function sectionsOf(
  stream: Buffer,
  listener: (section: Section, read: number) => void,
  chunk = packetSize * 348,
): void {
  const packets = new aribts.TsPacketParser();
  const sections = new aribts.TsSectionParser();
  packets.pipe(sections);
  let at = 0;
  sections.on('data', (section) => listener(section, at));
  for (; at < stream.length; at += chunk) packets._write(stream.subarray(at, at + chunk), () => {});
}
