import type { NotificationKind, StoredNotification, WaitingCallouts } from '../write/notification.rules.ts';

/** The content of a mail, before it is text or HTML. Everything in it is plain text on one line. */
export interface Draft {
  /** One sentence with the occasion. */
  readonly headline: string;
  /** The same with more details. */
  readonly opening: readonly string[];
  /** The first link to follow. */
  readonly link: Link | undefined;
  readonly facts: readonly Fact[];
  /** One for each webhook, when the mail is about several. */
  readonly items?: readonly Item[];
  /** What happens next without any action. */
  readonly next: readonly string[];
  /** What the reader can do, in order. */
  readonly advice: readonly Step[];
  /** The subject of the mail, and why the reader got it. */
  readonly footer: readonly string[];
}

/** One webhook in a mail about several. */
export interface Item {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly link?: Link | undefined;
  readonly facts: readonly Fact[];
}

export interface Link {
  /** The text before the address. */
  readonly say: string;
  /** The text of a button. */
  readonly button: string;
  readonly url: string;
}

/** One possible action. */
export interface Step {
  readonly say: string;
  /** Its commands, to be copied. */
  readonly commands?: readonly string[] | undefined;
  /** Its requests to the API. In a mail, the requests of all steps come last. */
  readonly requests?: readonly string[] | undefined;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** The heading above the requests of the steps. */
export const sameAsRequests = 'The same as requests to the API';

/** The requests of all steps, each once. */
export function requestsOf(advice: readonly Step[]): string[] {
  return [...new Set(advice.flatMap(({ requests = [] }) => requests))];
}

/** The parts of a mail that depend on its kind; the rest is the same for all. */
export interface Description extends Pick<Draft, 'opening' | 'facts' | 'next' | 'advice'> {
  /** The occasion, as a sentence without its end. */
  readonly headline: string;
  /** The end of that sentence after `because`; undefined where there is no cause, or it is unknown. */
  readonly cause?: string | undefined;
}

/** The names of a mail's subject. */
export interface NotificationNames {
  /** The webhook's name, on one line, in quotation marks. */
  readonly webhook: string;
  /** The webhook's URL in the API, such as `https://callout.example.com/atservicesrest/v1.0/CompanyWebhooks/12`. */
  readonly path: string;
  /** The webhook's name in commands, such as `CompanyWebhooks/12`. */
  readonly named: string;
  /** The base URL of the API, such as `https://callout.example.com/atservicesrest/v1.0`. */
  readonly root: string;
  /** The collection of webhooks of its entity, such as `CompanyWebhooks`. */
  readonly collection: string;
  /** The name of one record of its entity, such as `Company`. */
  readonly singular: string;
}

/** The facts of one kind of notification. */
export type FactsOf<Kind extends NotificationKind> = Extract<StoredNotification, { kind: Kind }>['facts'];

/** What a kind says beyond its facts. */
export interface WrittenWith {
  /** Now: an announced next step may have happened. */
  readonly writtenAt: Date;
  /** What waits now; undefined where it was not counted. */
  readonly waiting: WaitingCallouts | undefined;
}

/** The webhook as it was when the notification was stored. */
export type NotificationWebhook = StoredNotification['webhook'];
