/** What a mail says, before it is text or HTML. Everything in it is plain text on one line. */
export interface Letter {
  /** One sentence: what happened. */
  readonly headline: string;
  /** The same for somebody who wants to know more. */
  readonly opening: readonly string[];
  readonly facts: readonly Fact[];
  /** What happens next when nobody does anything. */
  readonly next: readonly string[];
  /** What the reader can do, in order. */
  readonly advice: readonly Step[];
  /** Where to look at the webhook. */
  readonly link: string | undefined;
  /** Which webhook this is about, and why the reader got it. */
  readonly footer: readonly string[];
}

/** One thing to do. */
export interface Step {
  readonly say: string;
  /** The requests of the API that do it, to be copied. */
  readonly requests?: readonly string[];
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}
