import { oneLine } from '@callout/domain/mail/clean-text';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { Link } from '../text/draft.rules.ts';
import type { StoredNotification } from './notification.rules.ts';

/** The settings that all mails of an installation share. */
export interface MailContext {
  readonly catalogue: Pick<Catalogue, 'byEntityType'>;
  /**
   * The address of a console of the operator, without a trailing slash; absent: mails link to the console of Callout.
   */
  readonly consoleUrl: string | undefined;
  /** Whether the API serves the console of Callout. */
  readonly hasConsole: boolean;
  /**
   * The address of the API for clients, without a trailing slash; absent: the URL of the zone, or only paths.
   */
  readonly publicUrl: string | undefined;
  /** The console for operators; undefined: no such console. */
  readonly operatorConsole: string | undefined;
  /** First segment of every path, before `/v1.0`. */
  readonly apiRoot: string;
  /** Keys for the tokens of links that confirm an address; the first makes new tokens. */
  readonly confirmationKeys: readonly Uint8Array[];
}

/** What an installation is called in mail: the host of its public URL; undefined when the URL is unknown. */
export function installationName({ publicUrl }: Pick<MailContext, 'publicUrl'>): string | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl).host;
}

/** Most programs cut subjects off after some 60 characters. */
const longestName = 40;

/**
 * The start of a subject, so that a reader can distinguish several installations: `[callout.example.com] `, or for a
 * tenant of several `[callout.example.com / Contoso] `; empty when nothing is known.
 */
export function subjectPrefix(
  context: Pick<MailContext, 'publicUrl'>,
  tenant?: { readonly name: string; readonly isOneOfSeveral: boolean } | null,
): string {
  const names = [installationName(context), tenant?.isOneOfSeveral === true ? tenant.name : undefined];
  const knownNames = names.flatMap((name) => (name === undefined ? [] : [oneLine(name, longestName)]));
  return knownNames.length === 0 ? '' : `[${knownNames.join(' / ')}] `;
}

type Place = Pick<MailContext, 'consoleUrl' | 'hasConsole' | 'publicUrl'>;

/**
 * The address of the console of Callout for a tenant, without a trailing slash; undefined when the console is off, the
 * address is unknown, or mails link to another console.
 */
function ownConsole({ consoleUrl, hasConsole, publicUrl }: Place, tenantUrl: string | null | undefined) {
  const base = publicUrl || tenantUrl || undefined;
  const ownUrl = base === undefined ? undefined : `${base}/console`;
  if (consoleUrl !== undefined) return consoleUrl === ownUrl ? ownUrl : undefined;
  return hasConsole ? ownUrl : undefined;
}

/** The page of a webhook in the console; undefined where the address is unknown. @param tenantUrl of the zone. */
export function webhookPage(
  webhook: { readonly entityType: string; readonly id: number; readonly collection: string },
  context: Place,
  tenantUrl: string | null | undefined,
): string | undefined {
  const ownUrl = ownConsole(context, tenantUrl);
  if (ownUrl !== undefined) return `${ownUrl}/webhooks/${webhook.entityType}/${webhook.id}`;
  return context.consoleUrl === undefined ? undefined : `${context.consoleUrl}/${webhook.collection}/${webhook.id}`;
}

/**
 * The page to continue on: the callout that failed, otherwise the webhook. A console of the operator has
 * the paths of the API, `{CONSOLE_URL}/CompanyWebhooks/12`.
 * @param collection such as `CompanyWebhooks`.
 */
export function consoleLink(notification: StoredNotification, collection: string, context: Place): Link | undefined {
  const { webhook, tenant, kind, facts } = notification;
  const page = webhookPage({ ...webhook, collection }, context, tenant?.url);
  if (page === undefined) return undefined;
  if (ownConsole(context, tenant?.url) === undefined) return toWebhook(page);
  if (kind === 'error') {
    return {
      say: 'The callout in the console',
      button: 'Open the callout in the console',
      url: `${page}/callouts/${facts.calloutId}`,
    };
  }
  return toWebhook(kind === 'certificateExpiring' ? `${page}?tab=settings` : page);
}

/** The console for operators, on the port of the operator API; undefined where the console is off. */
export function operatorConsoleOf(config: {
  readonly CONSOLE: 'on' | 'off';
  readonly CALLOUT_OPERATOR_URL: string;
}): string | undefined {
  return config.CONSOLE === 'on' ? `${config.CALLOUT_OPERATOR_URL}/console` : undefined;
}

/** The page of webhooks that need attention, for a mail about several webhooks. */
export function overviewLink(context: Place, tenantUrl: string | null | undefined): Link | undefined {
  const ownUrl = ownConsole(context, tenantUrl);
  if (ownUrl === undefined) return undefined;
  return { say: 'What needs attention, in the console', button: 'Open the console', url: ownUrl };
}

const toWebhook = (url: string): Link => ({
  say: 'The webhook in the console',
  button: 'Open the webhook in the console',
  url,
});
