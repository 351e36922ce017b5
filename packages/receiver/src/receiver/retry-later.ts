/**
 * Thrown by a handler: send the callout again in so many seconds (1 to 86,400), instead of by the schedule of attempts.
 * Counts as an attempt.
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly seconds: number;

  constructor(seconds: number, reason = 'The receiver asks for the callout later.') {
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400) {
      throw new RangeError(`RetryLater takes whole seconds from 1 to 86400, not ${seconds}.`);
    }
    super(reason);
    this.seconds = seconds;
  }
}
