import type { Draft } from '../text/draft.rules.ts';
import type { NotificationKind, StoredNotification } from '../write/notification.rules.ts';

/** The parts of a mail that depend on its kind; the rest is the same for all. */
export type Description = Pick<Draft, 'headline' | 'opening' | 'facts' | 'next' | 'advice'>;

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

/** The webhook as it was when the notification was stored. */
export type NotificationWebhook = StoredNotification['webhook'];
