import type { Catalogue } from '../catalogue/catalogue.ts';

/** What every mail of an installation has in common. */
export interface MailContext {
  readonly catalogue: Pick<Catalogue, 'byEntityType'>;
  /** Where a console of the operator's own is, without a slash at its end; without it mail leads to Callout's console. */
  readonly consoleUrl: string | undefined;
  /** Whether the API serves Callout's console. */
  readonly hasConsole: boolean;
  /** Where clients reach the API, without a slash at its end; without it: the URL of the tenant's zone, or only paths. */
  readonly publicUrl: string | undefined;
  /** First segment of every path, before `/v1.0`. */
  readonly apiRoot: string;
  /** What the installation is called; without it: the host of `publicUrl`. */
  readonly installation: string | undefined;
  /** Make the tokens of links that confirm an address; the one that makes new ones first. */
  readonly confirmationKeys: readonly Uint8Array[];
}

/** The name that was set, else the host under which it is reached; undefined when neither is known. */
export function installationName({
  installation,
  publicUrl,
}: Pick<MailContext, 'installation' | 'publicUrl'>): string | undefined {
  return installation ?? (publicUrl === undefined ? undefined : new URL(publicUrl).host);
}
