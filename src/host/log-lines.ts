/** The end of the log in memory, for those who cannot see where it is written: so many lines, and so long ones. */

export interface LogLine {
  /** Counts from 1 without gaps, so that one can ask for what has come since. */
  readonly number: number;
  /** Unix milliseconds. */
  readonly time: number;
  /** As pino has them: 30 is info, 40 warn, 50 error. */
  readonly level: number;
  readonly text: string;
}

export const mostLogLines = 500;
/** Characters. */
const longestLine = 2000;

export class LogLines {
  readonly #lines: LogLine[] = [];
  #count = 0;

  /** Takes a line as pino writes it. */
  add(json: string): void {
    const { level, time, text } = read(json);
    this.#lines.push({ number: ++this.#count, level, time, text: text.slice(0, longestLine) });
    if (this.#lines.length > mostLogLines) this.#lines.shift();
  }

  /** The lines that have come after the one of this number, oldest first. */
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
