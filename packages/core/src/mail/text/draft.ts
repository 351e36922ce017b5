/** What a mail says, before it is text or HTML. Everything in it is plain text on one line. */
export interface Draft {
  /** One sentence: what happened. */
  readonly headline: string;
  /** The same for a reader who wants to know more. */
  readonly opening: readonly string[];
  readonly facts: readonly Fact[];
  /** One for each webhook, when the mail is about several. */
  readonly items?: readonly Item[];
  /** What happens next without the reader. */
  readonly next: readonly string[];
  /** What the reader can do, in order. */
  readonly advice: readonly Step[];
  readonly link: Link | undefined;
  /** What this is about, and why the reader got it. */
  readonly footer: readonly string[];
}

/** What a mail about several webhooks says of one of them. */
export interface Item {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly facts: readonly Fact[];
}

export interface Link {
  /** What is there, before the address. */
  readonly say: string;
  /** The same as the words of a button. */
  readonly button: string;
  readonly url: string;
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
