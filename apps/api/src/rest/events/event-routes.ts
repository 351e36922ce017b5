import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { ResponseForm } from '@callout/pipeline/ingest/request.rules';
import { collectUnknownNames } from '@callout/domain/input/unknown-names';
import type { ApiContext } from '../../api-context.ts';
import { eventsBodyShare } from '../../api-limits.ts';
import { warningsOf } from '../../http/api-response.ts';
import { rights } from '../../http/auth/rights.ts';
import type { OperationSchema } from '../../http/operation/operation-schema.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { idempotentWrite } from './idempotent-write.ts';
import { loadUserDefinedFields, noUserDefinedFields } from './user-defined-fields.ts';
import { eventsExample, entityEventResponses, entityEventsSchema } from './event-schemas.ts';
import { givenEvents, mayNameUserDefinedFields, readEventBatch, type EventBatch } from './event-batch.ts';

/** The most unknown names in a response. */
const MAX_UNKNOWN_NAMES = 1000;

/**
 * `POST /EntityEvents`, for products that keep records elsewhere. 202 means committed: every due callout will be sent.
 */
export function addEventRoutes(add: AddRoute, api: ApiContext): void {
  add('/EntityEvents', {
    POST: {
      schema: reportEvents(api.catalogue),
      ...idempotentWrite(api, {
        roles: rights.records.write,
        maxBodyBytes: api.config.MAX_BODY_BYTES * eventsBodyShare,
        async handle(call, key) {
          const { tenantId, personId } = call.caller;
          const names = collectUnknownNames(MAX_UNKNOWN_NAMES);
          const eventBatch = givenEvents(call.body, names);
          const userDefinedFieldsOf = mayNameUserDefinedFields(eventBatch.events)
            ? await loadUserDefinedFields(api, tenantId)
            : noUserDefinedFields;
          const context = { catalogue: api.catalogue, userDefinedFieldsOf, personId };
          const batch = await readEventBatch(eventBatch, context, names, call);
          const response = answerForm(batch);
          return api.ingest.accept({
            call,
            events: batch.events,
            key,
            isIndexed: true,
            response,
          });
        },
      }),
    },
  });
}

function reportEvents(catalogue: Catalogue): OperationSchema {
  const entityTypes = catalogue.watched.filter(({ isReadOnly }) => !isReadOnly).map(({ entityType }) => entityType);
  return {
    id: 'reportEntityEvents',
    summary: 'Report changes of records that are kept elsewhere',
    description:
      '1 to 1000 events; a bad one fails the whole batch. 202 means stored: from then on each event reaches every webhook for which a callout is due. An event with a known eventID is answered duplicate.',
    tag: {
      name: 'Events',
      group: 'Report changes',
      place: 1,
      description: 'For products that keep their records themselves: report what changed, many changes at a time.',
    },
    body: { schema: entityEventsSchema(entityTypes), example: eventsExample(catalogue) },
    isWarned: true,
    responses: { 202: { description: 'Stored, in the order given.', schema: entityEventResponses } },
    conflict: 'An eventID is known with other content.',
  };
}

function answerForm({ events, unknownNamesOf }: EventBatch): ResponseForm {
  const ofEvents = events.map((_event, index) => warningsOf(unknownNamesOf(index)));
  return { kind: 'batch', remarks: warningsOf(unknownNamesOf()), ofEvents };
}
