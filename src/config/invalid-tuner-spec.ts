/** The error for an invalid tuner specification. */
import { errors, ReceiverError } from '../base/errors.ts';

export class InvalidTunerSpec extends ReceiverError {
  /** Which part is wrong, and what is allowed. */
  readonly why: string;

  constructor(text: string, why: string) {
    super('parameter-invalid', errors['parameter-invalid'].text('tuner', `'${text}': ${why}`));
    this.why = why;
  }
}
