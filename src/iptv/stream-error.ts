import { ReceiverError } from '../base/errors.ts';

interface Trouble {
  /** HTTP status of a failed request. */
  readonly status?: number;
  /** Retrying is useless: the stream is unsupported or not allowed. */
  readonly isFinal?: boolean;
  readonly code?: 'unsupported' | 'not-allowed';
}

/** A network stream cannot be received, for now or at all. The message contains no address: it may have a password. */
export class StreamError extends ReceiverError {
  readonly status: number | undefined;
  readonly isFinal: boolean;

  constructor(message: string, { status, isFinal = false, code = 'unsupported' }: Trouble = {}) {
    super(isFinal ? code : 'stream-failed', message);
    this.status = status;
    this.isFinal = isFinal;
  }
}
