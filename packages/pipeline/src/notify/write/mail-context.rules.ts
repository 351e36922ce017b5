import { oneLine } from '@callout/domain/mail/clean-text';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';

/** The settings that all mails of an installation share. */
export interface MailContext {
  readonly catalogue: Pick<Catalogue, 'byEntityType'>;
  /**
   * The address of the operator's own console, without a trailing slash; without it, mails link to Callout's console.
   */
  readonly consoleUrl: string | undefined;
  /** Whether the API serves Callout's console. */
  readonly hasConsole: boolean;
  /**
   * The address of the API for clients, without a trailing slash; without it: the URL of the tenant's zone, or only
   * paths.
   */
  readonly publicUrl: string | undefined;
  /** First segment of every path, before `/v1.0`. */
  readonly apiRoot: string;
  /** The name of the installation; without it: the host of `publicUrl`. */
  readonly installation: string | undefined;
  /** Keys for the tokens of links that confirm an address; the first makes new tokens. */
  readonly confirmationKeys: readonly Uint8Array[];
}

/** The configured name, otherwise the host of the public URL; undefined when neither is known. */
export function installationName({
  installation,
  publicUrl,
}: Pick<MailContext, 'installation' | 'publicUrl'>): string | undefined {
  return installation ?? (publicUrl === undefined ? undefined : new URL(publicUrl).host);
}

/** Most programs cut subjects off after some 60 characters. */
const longestName = 40;

/**
 * The start of a subject, so that a reader of several installations can tell them apart: `[staging] `, or for one of
 * several tenants `[staging / Contoso] `; empty when nothing is known.
 */
export function subjectPrefix(
  context: Pick<MailContext, 'installation' | 'publicUrl'>,
  tenant?: { readonly name: string; readonly isOneOfSeveral: boolean } | null,
): string {
  const names = [installationName(context), tenant?.isOneOfSeveral === true ? tenant.name : undefined];
  const known = names.flatMap((name) => (name === undefined ? [] : [oneLine(name, longestName)]));
  return known.length === 0 ? '' : `[${known.join(' / ')}] `;
}
