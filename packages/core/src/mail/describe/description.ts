import type { Draft } from '../text/draft.ts';
import type { NotificationKind, StoredNotification } from '../notification.ts';

/** The parts of a mail that depend on its kind; the rest is the same for all. */
export type Description = Pick<Draft, 'headline' | 'opening' | 'facts' | 'next' | 'advice'>;

/** How a mail names what it is about. */
export interface NotificationNames {
  /** The webhook's name, on one line, in quotation marks. */
  readonly webhook: string;
  /** Where the API has the webhook, such as `https://callout.example.com/atservicesrest/v1.0/CompanyWebhooks/12`. */
  readonly path: string;
  /** Where the API has everything, such as `https://callout.example.com/atservicesrest/v1.0`. */
  readonly root: string;
  /** The webhooks of its entity, such as `CompanyWebhooks`. */
  readonly collection: string;
  /** One record of its entity, such as `Company`. */
  readonly singular: string;
}

/** The facts of one kind, as they are read. */
export type FactsOf<Kind extends NotificationKind> = Extract<StoredNotification, { kind: Kind }>['facts'];

/** The webhook as it was when the notification was stored. */
export type NotificationWebhook = StoredNotification['webhook'];
