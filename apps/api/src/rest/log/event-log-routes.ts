import { userAgent } from '@callout/domain/callout/user-agent';
import { z } from 'zod';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { actions } from '@callout/domain/event';
import { idOf } from '@callout/database/schema/ids';
import {
  countEvents,
  findEvent,
  findUnchanged,
  listEvents,
  type EventDetails,
  type EventFilter,
} from '@callout/history/log/event-log';
import { readJudgedWebhook } from '@callout/history/log/simulation';
import type { ApiContext } from '../../api-context.ts';
import { item } from '../../http/api-response.ts';
import type { Endpoint } from '../../http/route/endpoint.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { Tag } from '../../http/operation/tags.ts';
import { itemOf } from '../../http/operation/wire-types.ts';
import { userDefinedFieldsOf } from '../events/user-defined-fields.ts';
import { eventDetailsItem, listedEventItem, publicEventId } from './event-item.ts';
import { eventLogSchemas } from './event-schemas.ts';
import { eventOutcome } from './check/event-outcome.ts';
import { outcomeOf } from './check/outcome-of.ts';
import { eventParameters, webhookGUIDParameter } from './filter-parameters.ts';
import { addCountedList, type CountedList, type Parameters } from './filtered-list.ts';
import { MAX_SMALL_ID } from '../../http/route/path-id.ts';
import { canonical, judged, listOf, readPeriod, readWhole, readChoices } from '../../http/route/read-parameters.ts';

const PATH = '/EntityEvents';

const tag: Tag = {
  name: 'Event log',
  group: 'Follow deliveries',
  place: 2,
  description: 'Whether an event arrived, and its result for every webhook.',
};

/** Whether an event arrived, and the result. */
export function addEventLogRoutes(add: AddRoute, api: ApiContext): void {
  const entityTypes = api.catalogue.watched.map((one) => one.entityType);
  const schemas = eventLogSchemas(entityTypes);
  addCountedList(add, `${PATH}/query`, PATH, events(api, entityTypes, schemas.loggedEvent), api);
  add(`${PATH}/:eventID`, { GET: read(api, schemas.loggedEventDetails) });
  add(`${PATH}/:eventID/explain`, { GET: explain(api) });
}

const parameterNames = Object.keys(eventParameters.shape);

function events({ search }: ApiContext, entityTypes: readonly string[], row: z.ZodType): CountedList {
  return {
    roles: rights.records.read,
    parameters: eventParameters,
    row,
    rows: 'events',
    name: 'EntityEvents',
    described: (template) => ({ ...template, tag }),
    schema: {
      list: 'List events, newest first',
      count: 'Count events',
      description: 'A filter that takes too long is refused: narrow it with since and until.',
    },
    async rowsFor({ caller: { tenantId } }, query) {
      const filter = eventFilterOf(query, entityTypes);
      return {
        name: 'EntityEvents',
        async page(maxRecords, position) {
          const page = await listEvents(search, tenantId, filter, maxRecords, position);
          return { ...page, items: page.items.map(listedEventItem) };
        },
        count: () => countEvents(search, tenantId, filter),
      };
    },
  };
}

function eventFilterOf(query: Parameters, entityTypes: readonly string[]): EventFilter {
  const parameterTexts = canonical(query, parameterNames);
  return judged((problems) => {
    const types = readChoices(listOf(parameterTexts['entityType']), 'entityType', entityTypes, problems);
    if (types !== null && types.length > 1) {
      problems.push({ code: 'invalid', field: 'entityType', message: 'entityType must be one entity type' });
    }
    return {
      eventId: parameterTexts['eventID'] ?? null,
      entityType: types?.[0] ?? null,
      actions: readChoices(listOf(parameterTexts['action']), 'action', actions, problems),
      recordId: readWhole(parameterTexts['recordID'], 'recordID', 1, problems),
      personId: readWhole(parameterTexts['resourceID'], 'resourceID', 1, problems, MAX_SMALL_ID),
      ...readPeriod(parameterTexts, problems),
    };
  });
}

function read(api: ApiContext, loggedEventDetails: z.ZodType): Endpoint {
  return {
    roles: rights.records.read,
    schema: {
      tag,
      id: 'getEntityEvent',
      summary: 'Read an event and its result for every webhook',
      description:
        'By the eventID of its caller, or that of the service. An update that changed nothing created no event: it is shown as unchanged for a day.',
      responses: { 200: { description: 'The event.', schema: itemOf(loggedEventDetails) } },
    },
    async handle({ caller: { tenantId }, params }) {
      const eventId = params['eventID'] ?? '';
      const event = await findEvent(api.search, tenantId, eventId);
      if (event === undefined) return item(await unchangedItem(api, tenantId, eventId));
      const udfs = await userDefinedFieldsOf(api, entityOf(api, event), tenantId);
      return item(eventDetailsItem(event, udfs));
    },
  };
}

/** The service does not store updates without changes, but knows the eventID for a day. */
async function unchangedItem({ search }: ApiContext, tenantId: number, eventID: string) {
  const acceptedAt = await findUnchanged(search, tenantId, eventID);
  if (acceptedAt === undefined) throw Problem.notFound();
  return { eventID, createDateTime: acceptedAt.toISOString(), state: 'unchanged' };
}

function givenGuid(text: string): string {
  if (text === '') {
    const message = 'webhookGUID is required: the GUID of the webhook in question';
    throw Problem.invalid([{ code: 'required', field: 'webhookGUID', message }]);
  }
  const guid = idOf(text);
  if (guid === undefined) throw Problem.invalid('webhookGUID must be the GUID of a webhook', 'webhookGUID');
  return guid;
}

function explain(api: ApiContext): Endpoint {
  return {
    roles: rights.webhooks.read,
    schema: {
      tag,
      id: 'explainEntityEvent',
      summary: 'Why an event caused a callout for a webhook, or did not',
      description:
        'The verdict as it was stored, and whether the configuration of the webhook has changed since. If not, every rule is shown with its value, and the request that the event makes by itself.',
      query: z.object({ webhookGUID: webhookGUIDParameter }),
      responses: { 200: { description: 'The verdict.', schema: itemOf(eventOutcome) } },
    },
    async handle({ caller: { tenantId }, params, query }) {
      const guid = givenGuid(query['webhookguid'] ?? '');
      const event = await findEvent(api.search, tenantId, params['eventID'] ?? '');
      if (event === undefined) throw Problem.notFound();
      const webhook = await readJudgedWebhook(api, event, guid);
      const entity = entityOf(api, event);
      const udfs = await userDefinedFieldsOf(api, entity, tenantId);
      const verdict = event.verdicts.find(({ webhookGuid }) => webhookGuid === guid);
      if (verdict === undefined && webhook === undefined) throw Problem.notFound();
      const publicEvent = { ...event, eventID: publicEventId(event) };
      const decided = { isPending: event.isPending, verdict };
      return item(outcomeOf({ event: publicEvent, webhook, decided, entity, udfs, userAgent }));
    },
  };
}

function entityOf({ catalogue }: ApiContext, { entityType, id }: EventDetails): EntityDefinition {
  const entity = catalogue.byEntityType(entityType);
  if (entity === undefined) throw new Error(`the catalogue has no entity ${entityType}: event ${id} cannot be shown`);
  return entity;
}
