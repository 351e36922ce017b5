import { z } from 'zod';
import type { Catalogue } from '@callout/core/catalogue';
import type { ProblemDetail } from '@callout/core/errors';
import {
  attentionKinds,
  attentionOf,
  remedyKinds,
  type AttentionItem,
  type Remedy,
  statusWordOf,
  webhookWords,
} from '@callout/core/log';
import { isReady } from '@callout/core/match';
import { timeOfId, type ReadThresholds } from '@callout/db/log';
import type { ReadWebhookStates, WebhookState } from '@callout/db/statistics';
import { ok } from '../http/answer.ts';
import { rights } from '../http/auth/rights.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import { anyId, flag, moment, pageOf, text, webhookGUID, webhookID, whole } from '../http/operation/wire-types.ts';
import { allCalloutsTag } from '../log/all-callouts-tag.ts';
import { judged, readWords } from '../log/filter/filters.ts';
import { scopeOf } from './statistics-routes.ts';

export interface OverviewRouteDeps {
  readonly catalogue: Catalogue;
  readonly webhookStates: ReadWebhookStates;
  readonly thresholds: ReadThresholds;
  /** The installation's, for tenants without one of their own; 0 = none. */
  readonly calloutThreshold: number;
  readonly keyIds: readonly string[];
  readonly now: () => Date;
}

const remedySchema = z.object({
  kind: z.enum(remedyKinds).describe('What can be done.'),
  label: text.describe('The same for a button.'),
  method: text.nullable().describe('Of the request that does it; null: no request does.'),
  path: text.nullable().describe('Its path below /v1.0.'),
});

const attention = z
  .object({
    kind: z.enum(attentionKinds).describe('What it is.'),
    entityType: text.describe('The type of entity, such as Account.'),
    webhookID: webhookID.nullable().describe('The id of the webhook; null: it is about the entity.'),
    name: text.nullable().describe('The name of the webhook.'),
    sinceDateTime: moment.nullable().describe('Since when; null: not known.'),
    sentence: text.describe('What is wrong, and what it means.'),
    remedy: remedySchema.meta({ id: 'Remedy' }).describe('What can be done about it.'),
  })
  .meta({ id: 'Attention' });

const listedWebhook = z
  .object({
    entityType: text.describe('The type of entity, such as Account.'),
    webhookID,
    webhookGUID,
    name: text.describe('The name of the webhook.'),
    webhookUrl: text.describe('Where its callouts go.'),
    ownerResourceID: anyId.describe('The resource that owns it.'),
    isActive: flag.describe('Whether it is active.'),
    isReady: flag.describe('Whether it has everything that it needs to get callouts.'),
    state: z.enum(webhookWords).describe('The status, in one word.'),
    sinceDateTime: moment.nullable().describe('Since when, if that is known.'),
    sentence: text.describe('Why, and what to do.'),
    held: whole.describe('Callouts that the threshold holds.'),
    createDateTime: moment.describe('When it was made.'),
  })
  .meta({ id: 'ListedWebhook' });

/** `GET /Overview`: what needs attention first. `GET /Webhooks`: those of all entities in one list. */
export function addOverviewRoutes(add: AddRoute, deps: OverviewRouteDeps): void {
  const watched = deps.catalogue.entities.filter((one) => one.supportsWebhookCallouts);
  const collections = new Map(watched.map(({ entityType, webhookCollection }) => [entityType, webhookCollection]));
  const entityTypes = [...collections.keys()];

  add('/Overview', {
    GET: {
      roles: rights.webhooks.read,
      schema: {
        tag: allCalloutsTag,
        id: 'getOverview',
        summary: 'What needs attention, in words, the most urgent first, each with what to do about it',
        answers: { 200: { description: 'Empty while all is well.', schema: pageOf(attention) } },
      },
      async handle({ caller }) {
        const scope = scopeOf(caller);
        const [webhooks, thresholds] = await Promise.all([
          deps.webhookStates(scope),
          // A portal sees no more of them than what they hold of its own webhooks.
          caller.portal === undefined ? deps.thresholds(caller.tenantId, entityTypes) : [],
        ]);
        const items = attentionOf({
          webhooks,
          thresholds: thresholds.map(({ entityType, ownLimit, used, held, oldestHeldId, episodeStartedAt }) => ({
            entityType,
            limit: ownLimit ?? deps.calloutThreshold,
            used,
            held,
            heldSince: episodeStartedAt ?? (oldestHeldId === null ? null : timeOfId(oldestHeldId)),
          })),
          ring: deps.keyIds,
          now: deps.now(),
        });
        return listOf(items.map((one) => attentionItem(one, collections.get(one.entityType) ?? '')));
      },
    },
  });

  add('/Webhooks', {
    GET: {
      roles: rights.webhooks.read,
      schema: {
        tag: allCalloutsTag,
        id: 'listWebhooks',
        summary: 'List the webhooks of all entities, each with its status in one word, and why',
        description: 'Each entity has a collection of its own, where webhooks are made, read and changed.',
        query: z.object({
          search: text.describe('A part of the name or the address, in any case.').optional(),
          state: text.describe(`${webhookWords.join(', ')}; several are separated by commas.`).optional(),
          entityType: text.describe('The type of entity, such as Account.').optional(),
          sort: text.describe('name, entityType, state or createDateTime; with - before it the other way.').optional(),
          maxRecords: text.describe('1 to 500; 100 unless given.').optional(),
          skip: text.describe('How many to leave out at the beginning.').optional(),
        }),
        answers: { 200: { description: 'A page of webhooks; count is that of all found.', schema: webhookPage } },
      },
      async handle({ caller, query }) {
        const wanted = judged((problems) => ({
          states: readWords(listed(query['state']), 'state', webhookWords, problems),
          entityTypes: readWords(listed(query['entitytype']), 'entityType', entityTypes, problems),
          sort: query['sort'] ?? 'entityType',
          maxRecords: numberOf('maxRecords', query['maxrecords'] ?? '100', 1, 500, problems),
          skip: numberOf('skip', query['skip'] ?? '0', 0, 1_000_000, problems),
        }));
        const search = (query['search'] ?? '').toLowerCase();
        const items = (await deps.webhookStates(scopeOf(caller)))
          .map((webhook) => webhookListItem(webhook, deps.keyIds))
          .filter(
            (one) =>
              (wanted.states?.includes(one.state) ?? true) &&
              (wanted.entityTypes?.includes(one.entityType) ?? true) &&
              (search === '' || `${one.name}\n${one.webhookUrl}`.toLowerCase().includes(search)),
          )
          .toSorted(orderBy(wanted.sort));
        const page = items.slice(wanted.skip, wanted.skip + wanted.maxRecords);
        return ok({ items: page, totalCount: items.length });
      },
    },
  });
}

const webhookPage = z.object({
  items: z.array(listedWebhook).describe('The webhooks of this page.'),
  totalCount: whole.describe('How many there are on all pages.'),
});

function listOf(items: readonly unknown[]) {
  const count = items.length;
  return ok({ items, pageDetails: { count, requestCount: count, prevPageUrl: null, nextPageUrl: null } });
}

function attentionItem({ since, remedy, ...one }: AttentionItem, webhookCollection: string) {
  return {
    ...one,
    sinceDateTime: since,
    remedy: { ...remedy, ...requestOf(remedy, webhookCollection, one.webhookID) },
  };
}

function requestOf({ kind }: Remedy, webhookCollection: string, id: number | null) {
  const path = `/${webhookCollection}/${id}`;
  if (id === null) return { method: null, path: null };
  if (kind === 'test') return { method: 'POST', path: `${path}/test` };
  return kind === 'activate' || kind === 'edit' ? { method: 'PATCH', path } : { method: null, path: null };
}

function webhookListItem(webhook: WebhookState, ring: readonly string[]) {
  const { status } = webhook;
  const { state, since, sentence } = statusWordOf(status, ring);
  return {
    entityType: webhook.entityType,
    webhookID: status.id,
    webhookGUID: status.guid,
    name: webhook.name,
    webhookUrl: webhook.webhookUrl,
    ownerResourceID: webhook.ownerResourceId,
    isActive: status.isActive,
    isReady: isReady(status),
    state,
    sinceDateTime: since,
    sentence,
    held: status.held,
    createDateTime: webhook.createdAt,
  };
}

type ListedWebhook = ReturnType<typeof webhookListItem>;

/** By a key of the list, backwards with `-` before it; what is equal stays in order of entity and id. */
function orderBy(sort: string): (one: ListedWebhook, other: ListedWebhook) => number {
  const isBackwards = sort.startsWith('-');
  const keys: Readonly<Record<string, (one: ListedWebhook) => string | number>> = {
    name: ({ name }) => name.toLowerCase(),
    entitytype: ({ entityType }) => entityType,
    state: ({ state }) => webhookWords.indexOf(state),
    createdatetime: ({ createDateTime }) => createDateTime.getTime(),
  };
  const key = keys[sort.replace(/^-/u, '').toLowerCase()];
  return judged((problems) => {
    if (key === undefined) {
      const message = 'sort must be name, entityType, state or createDateTime, or one of these with - before it';
      problems.push({ code: 'invalid', field: 'sort', message });
      return () => 0;
    }
    return (one, other) => {
      const [a, b] = [key(one), key(other)];
      const order = a < b ? -1 : a > b ? 1 : 0;
      return isBackwards ? -order : order;
    };
  });
}

const listed = (words: string | undefined) => (words === undefined || words === '' ? undefined : words.split(','));

function numberOf(field: string, given: string, least: number, most: number, problems: ProblemDetail[]): number {
  const value = /^\d{1,7}$/u.test(given) ? Number(given) : -1;
  if (value >= least && value <= most) return value;
  problems.push({ code: 'invalid', field, message: `${field} must be a whole number from ${least} to ${most}` });
  return least;
}
