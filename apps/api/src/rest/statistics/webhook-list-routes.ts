import { z } from 'zod';
import { webhookStatusLabels } from '@callout/history/log/webhook-status-label.rules';
import { readWebhookActivity } from '@callout/history/statistics/webhook-activity';
import { readOutlines, readStates, type WebhookOutline } from '@callout/history/statistics/webhook-states';
import type { ApiContext } from '../../api-context.ts';
import { ok } from '../../http/api-response.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { pageOf, text, whole } from '../../http/operation/wire-types.ts';
import { allCalloutsTag } from '../../http/operation/tags.ts';
import { canonical, judged, readWhole, readChoices } from '../../http/route/read-parameters.ts';
import { activityItem, listedWebhook, webhookListItem } from './listed-webhook.ts';
import { scopeOf } from './statistics-routes.ts';

const webhookPage = pageOf(listedWebhook, { totalCount: whole.describe('How many there are on all pages.') });

/** `GET /Webhooks`: the webhooks of all entities in one list. */
export function addWebhookListRoutes(add: AddRoute, api: ApiContext): void {
  const watched = api.catalogue.watched;
  const entityTypes = watched.map(({ entityType }) => entityType);
  add('/Webhooks', {
    GET: {
      roles: rights.webhooks.read,
      portal: 'open',
      schema: {
        tag: allCalloutsTag,
        id: 'listAllWebhooks',
        summary: 'List the webhooks of all entities, each with its status in one word, and why',
        description: 'Each entity has a collection of its own, where webhooks are made, read and changed.',
        query: z.object({
          search: text.describe('A part of the name or the address, in any case.').optional(),
          state: text.describe(`${webhookStatusLabels.join(', ')}; several are separated by commas.`).optional(),
          entityType: text.describe('The type of entity, such as Account.').optional(),
          sort: text.describe('name, entityType, state or createDateTime; with - before it the other way.').optional(),
          maxRecords: whole.min(1).max(500).describe('1 to 500; 100 unless given.').optional(),
          skip: whole.min(0).max(1_000_000).describe('How many to leave out at the beginning.').optional(),
        }),
        responses: { 200: { description: 'A page of webhooks.', schema: webhookPage } },
      },
      async handle(call) {
        const { caller, query } = call;
        const wanted = judged((problems) => ({
          states: readChoices(listed(query['state']), 'state', webhookStatusLabels, problems),
          entityTypes: readChoices(listed(query['entitytype']), 'entityType', entityTypes, problems),
          sort: query['sort'] ?? 'entityType',
          maxRecords: readWhole(query['maxrecords'], 'maxRecords', 1, problems, 500) ?? 100,
          skip: readWhole(query['skip'], 'skip', 0, problems, 1_000_000) ?? 0,
        }));
        const order = orderBy(wanted.sort);
        const search = (query['search'] ?? '').toLowerCase();
        const scope = scopeOf(caller);
        const foundWebhooks = (await readOutlines(api.search, scope)).filter(
          ({ entityType, name, webhookUrl }) =>
            (wanted.entityTypes?.includes(entityType) ?? true) &&
            (search === '' || `${name}\n${webhookUrl}`.toLowerCase().includes(search)),
        );
        const items = new Map<number, ListItem>();
        async function readItems(outlines: readonly WebhookOutline[]): Promise<void> {
          const keys = outlines.map(({ key }) => key).filter((key) => !items.has(key));
          for (const webhook of await readStates(api.search, scope, keys)) {
            items.set(webhook.key, webhookListItem(webhook, api.keyRing.keyIds));
          }
        }
        // An inactive webhook has no further state: only the few active webhooks are read.
        const needsStates = wanted.states !== null || order.isByState;
        if (needsStates) await readItems(foundWebhooks.filter(({ isActive }) => isActive));
        const rows = foundWebhooks
          .map((outline) => ({ ...outline, state: items.get(outline.key)?.state ?? ('inactive' as const) }))
          .filter(({ state }) => wanted.states?.includes(state) ?? true);
        const page = order.sorted(rows).slice(wanted.skip, wanted.skip + wanted.maxRecords);
        await readItems(page);
        const pageKeys = page.map(({ key }) => key);
        const activity = await readWebhookActivity(api.search, scope.tenantId, pageKeys, new Date());
        // A webhook that was deleted in between is left out.
        const shown = pageKeys.flatMap((key) => {
          const item = items.get(key);
          return item === undefined ? [] : { ...item, ...activityItem(activity.get(key)) };
        });
        const { before, after } = neighboursOf(wanted, rows.length);
        const base = before === null && after === null ? '' : await api.baseUrlOf(call);
        const urlOf = (one: Window | null) =>
          one && `${base}/${api.config.API_ROOT}/v1.0/Webhooks?${queryOf(query, one)}`;
        return ok({
          items: shown,
          pageDetails: {
            count: shown.length,
            requestCount: wanted.maxRecords,
            prevPageUrl: urlOf(before),
            nextPageUrl: urlOf(after),
          },
          totalCount: rows.length,
        });
      },
    },
  });
}

interface Window {
  readonly skip: number;
  readonly maxRecords: number;
}

/** The pages before and after; null: no page. */
function neighboursOf({ skip, maxRecords }: Window, total: number): { before: Window | null; after: Window | null } {
  return {
    before: skip === 0 ? null : { skip: Math.max(0, skip - maxRecords), maxRecords: Math.min(maxRecords, skip) },
    after: skip + maxRecords >= total ? null : { skip: skip + maxRecords, maxRecords },
  };
}

/** The address of a further page of the rows. */
function queryOf(query: Readonly<Record<string, string>>, { skip, maxRecords }: Window): string {
  const pageQuery = new URLSearchParams({ skip: String(skip), maxRecords: String(maxRecords) });
  for (const [name, value] of Object.entries(canonical(query, ['search', 'state', 'entityType', 'sort']))) {
    if (value !== undefined) pageQuery.set(name, value);
  }
  return pageQuery.toString();
}

type ListItem = ReturnType<typeof webhookListItem>;
type Row = WebhookOutline & { readonly state: ListItem['state'] };

/** Sorts by a key of the list, backwards with `-` before the key; equal rows stay in order of entity and id. */
function orderBy(sort: string) {
  const keys = new Map<string, (one: Row) => string | number>([
    ['name', ({ name }) => name.toLowerCase()],
    ['entitytype', ({ entityType }) => entityType],
    ['state', ({ state }) => webhookStatusLabels.indexOf(state)],
    ['createdatetime', ({ createdAt }) => createdAt.getTime()],
  ]);
  const word = sort.replace(/^-/u, '').toLowerCase();
  const key = judged((problems) => {
    const foundWebhooks = keys.get(word);
    if (foundWebhooks === undefined) {
      const message = 'sort must be name, entityType, state or createDateTime, or one of these with - before it';
      problems.push({ code: 'invalid', field: 'sort', message });
    }
    return foundWebhooks ?? (() => 0);
  });
  const sign = sort.startsWith('-') ? -1 : 1;
  return {
    isByState: word === 'state',
    sorted: (rows: readonly Row[]): Row[] =>
      rows
        .map((row) => ({ row, by: key(row) }))
        .toSorted((a, b) => (a.by < b.by ? -sign : a.by > b.by ? sign : 0))
        .map(({ row }) => row),
  };
}

const listed = (words: string | undefined) => (words === undefined || words === '' ? undefined : words.split(','));
