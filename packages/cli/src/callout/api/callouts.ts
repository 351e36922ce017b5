import type { Command } from 'commander';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { type CalloutClient, listAll, type Schemas } from '@callout/client';
import type { CommandContext } from '../context.ts';
import { nameOfWebhook, parseWebhookName } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';
import { calloutTable } from '../show/shown-callout.ts';
import { readWebhook } from './webhooks.ts';

/** How many callouts a list shows unless `--limit` is given. */
export const usualLimit = 50;
const mostPerPage = 500;

interface ListedCallouts {
  readonly client: CalloutClient;
  readonly catalogue: Catalogue;
  readonly query: Readonly<Record<string, string | number>>;
  readonly limit: number;
}

/** Shows the callouts that a query finds, the newest first. */
export async function showCallouts(
  context: CommandContext,
  command: Command,
  { client, catalogue, query, limit }: ListedCallouts,
): Promise<void> {
  const maxRecords = Math.max(1, Math.min(mostPerPage, limit));
  const items: Schemas['Callout'][] = [];
  for await (const callout of listAll(client, '/v1.0/Callouts', { query: { ...query, maxRecords } })) {
    if (items.length >= limit) break;
    items.push(callout);
  }
  const nameOf = ({ entityType, webhookID: id }: Schemas['Callout']) => nameOfWebhook(catalogue, { entityType, id });
  const data = items.map((item) => ({ webhook: nameOf(item), ...item }));
  show(context, command, { data, ...calloutTable(items, nameOf, context.out.columns) });
}

/** The GUID of the webhook on a command line; a GUID may belong to a deleted webhook. Throws an ApiError 404. */
export async function guidOf(client: CalloutClient, catalogue: Catalogue, text: string): Promise<string> {
  const name = parseWebhookName(catalogue, text);
  if ('guid' in name) return name.guid;
  const entity = catalogue.byEntityType(name.entityType);
  if (entity === undefined) throw new Error(`there is no entity ${name.entityType}`);
  return (await readWebhook(client, { entity, id: name.id })).webhookGUID;
}
