import type { Catalogue } from '@callout/core/catalogue';
import type { AnswerForm } from '@callout/core/ingest';
import { collectUnknownNames } from '@callout/core/input';
import { told } from '../../http/answer.ts';
import { rights } from '../../http/auth/rights.ts';
import type { OperationSchema } from '../../http/operation/operation-schema.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { Intake } from '../intake.ts';
import { safeToRepeat, type RepeatDeps } from '../safe-to-repeat.ts';
import {
  loadUserDefinedFields,
  noUserDefinedFields,
  type UserDefinedFieldDeps,
} from '../../tenants/udf/user-defined-fields.ts';
import { eventsExample } from './events-example.ts';
import { entityEventAnswers, entityEventsSchema } from './event-schemas.ts';
import { givenEvents, mayNameUserDefinedFields, readEventBatch, type EventBatch } from './event-batch.ts';

/** Most unknown names that one answer tells. */
const MAX_UNKNOWN_NAMES = 1000;

interface EventRouteDeps extends UserDefinedFieldDeps, RepeatDeps {
  readonly catalogue: Catalogue;
  readonly maxEventsBodyBytes: number;
  readonly intake: Pick<Intake, 'take'>;
}

/**
 * `POST /EntityEvents`, for products that own their records. 202 means committed: from then on every webhook that is owed
 * a callout gets it.
 */
export function addEventRoutes(add: AddRoute, deps: EventRouteDeps): void {
  add('/EntityEvents', {
    POST: {
      schema: reportEvents(deps.catalogue),
      ...safeToRepeat(deps, {
        roles: rights.records.write,
        maxBodyBytes: deps.maxEventsBodyBytes,
        async handle(call, key) {
          const { tenantId, personId } = call.caller;
          const names = collectUnknownNames(MAX_UNKNOWN_NAMES);
          const given = givenEvents(call.body, names);
          const userDefinedFieldsOf = mayNameUserDefinedFields(given.events)
            ? await loadUserDefinedFields(deps, tenantId)
            : noUserDefinedFields;
          const context = { catalogue: deps.catalogue, userDefinedFieldsOf, personId };
          const batch = readEventBatch(given, context, names, call);
          const answer = answerForm(batch);
          return deps.intake.take({
            tenantId,
            events: batch.events,
            key,
            signIn: call.signIn,
            traceParent: call.traceParent,
            isIndexed: true,
            answer,
          });
        },
      }),
    },
  });
}

function reportEvents(catalogue: Catalogue): OperationSchema {
  const entityTypes = catalogue.entities
    .filter((entity) => entity.supportsWebhookCallouts)
    .map(({ entityType }) => entityType);
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
    answers: { 202: { description: 'Stored, in the order given.', schema: entityEventAnswers } },
    conflict: 'An eventID is known with other content.',
  };
}

function answerForm({ events, unknownNamesOf }: EventBatch): AnswerForm {
  const ofEvents = events.map((_event, index) => told(unknownNamesOf(index)));
  return { kind: 'batch', remarks: told(unknownNamesOf()), ofEvents };
}
