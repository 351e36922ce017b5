import { collectUnknownNames, type Catalogue } from '@callout/core';
import type { IntakeItem } from '@callout/db';
import { told, type Answer } from '../../http/answer.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { Intake } from '../intake.ts';
import { safeToRepeat, type RepeatDeps } from '../safe-to-repeat.ts';
import {
  loadUserDefinedFields,
  noUserDefinedFields,
  type UserDefinedFieldDeps,
} from '../../tenants/udf/user-defined-fields.ts';
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
    POST: safeToRepeat(deps, {
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
        const { events } = batch;
        return deps.intake.take({
          tenantId,
          events,
          key,
          isIndexed: true,
          answerOf: (items) => answerOf(items, batch),
        });
      },
    }),
  });
}

function answerOf(items: readonly IntakeItem[], { unknownNamesOf }: EventBatch): Answer {
  const answers = items.map(({ eventId, status }, index) => ({
    eventID: eventId,
    status,
    ...told(unknownNamesOf(index)),
  }));
  return { status: 202, body: { items: answers, ...told(unknownNamesOf()) } };
}
