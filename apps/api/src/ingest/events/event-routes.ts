import type { Catalogue } from '@callout/core';
import type { IntakeItem } from '@callout/db';
import type { Answer } from '../../http/answer.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { Intake } from '../intake.ts';
import { safeToRepeat, type RepeatDeps } from '../safe-to-repeat.ts';
import {
  loadUserDefinedFields,
  noUserDefinedFields,
  type UserDefinedFieldDeps,
} from '../../tenants/udf/user-defined-fields.ts';
import { givenEvents, mayNameUserDefinedFields, readEventBatch } from './event-batch.ts';

export interface EventRouteDeps extends UserDefinedFieldDeps, RepeatDeps {
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
      async handle({ caller, body }, key) {
        const { tenantId, personId } = caller;
        const given = givenEvents(body);
        const userDefinedFieldsOf = mayNameUserDefinedFields(given)
          ? await loadUserDefinedFields(deps, tenantId)
          : noUserDefinedFields;
        const events = readEventBatch(given, { catalogue: deps.catalogue, userDefinedFieldsOf, personId });
        return deps.intake.take({ tenantId, events, key, isIndexed: true, answerOf });
      },
    }),
  });
}

function answerOf(items: readonly IntakeItem[]): Answer {
  return { status: 202, body: { items: items.map(({ eventId, status }) => ({ eventID: eventId, status })) } };
}
