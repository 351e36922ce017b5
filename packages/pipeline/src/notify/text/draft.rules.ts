import type { NotificationKind, StoredNotification, WaitingCallouts } from '../write/notification.rules.ts';

/** The content of a mail, before it is text or HTML. Everything is plain text on a single line. */
export interface Draft {
  /** A sentence with the occasion. */
  readonly headline: string;
  /** The occasion with more details. */
  readonly opening: readonly string[];
  /** The first link to follow. */
  readonly link: Link | undefined;
  readonly facts: readonly Fact[];
  /** An entry for each webhook, when the mail is about several. */
  readonly items?: readonly Item[];
  /** What happens next without any action. */
  readonly next: readonly string[];
  /** What the reader can do, in order. */
  readonly advice: readonly Step[];
  /** The subject of the mail, and why the reader got it. */
  readonly footer: readonly string[];
}

/** A webhook in a mail about several. */
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

/** A possible action. */
export interface Step {
  readonly say: string;
  /** Commands to be copied. */
  readonly commands?: readonly string[] | undefined;
  /** Requests to the API. In a mail, the requests of all steps come last. */
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

/** The parts of a mail that depend on the kind; the rest is equal for all kinds. */
export interface Description extends Pick<Draft, 'opening' | 'facts' | 'next' | 'advice'> {
  /** The occasion, as a sentence without the end. */
  readonly headline: string;
  /** The end of the sentence after `because`; undefined without a known cause. */
  readonly cause?: string | undefined;
}

/** The names of the webhook that a mail is about. */
export interface NotificationNames {
  /** The name of the webhook, on a single line, in quotation marks. */
  readonly webhook: string;
  /** The webhook's URL in the API, such as `https://callout.example.com/atservicesrest/v1.0/CompanyWebhooks/12`. */
  readonly path: string;
  /** The webhook's name in commands, such as `CompanyWebhooks/12`. */
  readonly named: string;
  /** The base URL of the API, such as `https://callout.example.com/atservicesrest/v1.0`. */
  readonly root: string;
  /** The collection of webhooks of the entity, such as `CompanyWebhooks`. */
  readonly collection: string;
  /** The name of a record of the entity, such as `Company`. */
  readonly singular: string;
}

/** The facts of a kind of notification. */
export type FactsOf<Kind extends NotificationKind> = Extract<StoredNotification, { kind: Kind }>['facts'];

/** What a kind says beyond the facts. */
export interface WrittenWith {
  /** Now: an announced next step may have happened. */
  readonly writtenAt: Date;
  /** What waits now; undefined where nothing was counted. */
  readonly waiting: WaitingCallouts | undefined;
}

/** The webhook at the time when the notification was stored. */
export type NotificationWebhook = StoredNotification['webhook'];
