import { ReceiverError } from '../base/errors.ts';

interface Trouble {
  /** Of an answer that was not what was asked for. */
  readonly status?: number;
  /** It will not work later either: we cannot receive it, or must not. */
  readonly isFinal?: boolean;
  readonly code?: 'unsupported' | 'not-allowed';
}

/** A network stream cannot be received, now or at all. The message names no address: these carry passwords. */
export class StreamError extends ReceiverError {
  readonly status: number | undefined;
  readonly isFinal: boolean;

  constructor(message: string, { status, isFinal = false, code = 'unsupported' }: Trouble = {}) {
    super(isFinal ? code : 'stream-failed', message);
    this.status = status;
    this.isFinal = isFinal;
  }
}
