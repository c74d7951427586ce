/** Keeps the last lines of the log in memory, for clients that cannot read the log itself. */

export interface LogLine {
  /** Counts from 1 without gaps, so that clients can request the lines after the last one they have. */
  readonly number: number;
  /** Unix milliseconds. */
  readonly time: number;
  /** Levels of pino: 30 is info, 40 warn, 50 error. */
  readonly level: number;
  readonly text: string;
}

export const maxLogLines = 500;
/** Characters of a line that are kept. */
const maxLineLength = 2000;

export class LogLines {
  readonly #lines: LogLine[] = [];
  #count = 0;

  /** Adds a line as pino writes it, in JSON. */
  add(json: string): void {
    const { level, time, text } = read(json);
    this.#lines.push({ number: ++this.#count, level, time, text: text.slice(0, maxLineLength) });
    if (this.#lines.length > maxLogLines) this.#lines.shift();
  }

  /** The lines with a higher number, oldest first. */
  after(number: number): readonly LogLine[] {
    return this.#lines.filter((line) => line.number > number);
  }
}

function read(json: string): Omit<LogLine, 'number'> {
  const { level, time, msg, err, ...others } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const parts = [msg, reasonOf(err), ...Object.entries(others).map(([name, value]) => `${name}=${shown(value)}`)];
  return { level: Number(level), time: Number(time), text: parts.filter((part) => part !== undefined).join(' ') };
}

function reasonOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  return `(${String(error.message)})`;
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
