import { bodyFormatOf, isMessageFormat } from '@callout/domain/callout/messages/body-format';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { foldKeys } from '@callout/domain/input/fold-keys';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import {
  readNestedChildren,
  refuseRepeatedChildren,
  type NestedChildren,
} from '@callout/domain/webhook/nested-children';
import { parseWebhookPatch, type WebhookChanges } from '@callout/domain/webhook/webhook';
import { knownWebhookKeys } from '@callout/domain/webhook/webhook-fields';
import { forNewestEvents } from '@callout/history/log/newest-events';
import { compileSubscription, type CompiledSubscription } from '@callout/pipeline/match/match.rules';
import { compileConditionText } from '@callout/pipeline/match/load';
import { createWithPermit, type WithPermit } from '@callout/runtime/concurrency/permits';
import type { ApiContext } from '../../../api-context.ts';
import { item, warningsOf } from '../../../http/api-response.ts';
import { rights } from '../../../http/auth/rights.ts';
import { problemOf } from '../../../http/limits/tenant-budget.ts';
import { itemOf } from '../../../http/operation/wire-types.ts';
import type { Endpoint } from '../../../http/route/endpoint.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { refuseWhenStrict } from '../../../http/route/strict.ts';
import { userDefinedFieldsOf, type UserDefinedFields } from '../../metadata/user-defined-fields.ts';
import { deliveryOperation, judgedWebhookOf } from '../../webhooks/webhook-endpoint.ts';
import { webhookPreviewBody } from '../../webhooks/webhook-operations.ts';
import { NO_PLACE, udfOf } from './simulated-webhook.ts';
import { preview, previewOf, type PreviewInMaking } from './preview.ts';

/** Events that are replayed. */
const REPLAYED = 100;

const refusals = {
  unavailable: 'Too many previews are running. Try again later.',
  tooManyRequests: 'A preview of this tenant is running: wait for it.',
  retryAfterS: 2,
};

/** Events with all their values may have megabytes to read: few previews run at a time, and one of a tenant. */
export function createPreviewPermits(): WithPermit<number> {
  return createWithPermit<number>(
    { total: 4, perKey: 1, maxWaiting: 50, maxWaitingPerKey: 5, maxWaitMs: 5_000 },
    (refusal) => problemOf(refusals, refusal),
  );
}

/** Previews of changes of a webhook: `POST /CompanyWebhooks/:id/preview`. Nothing is written. */
export function addPreviewRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    add(`/${entity.webhookCollection}/:id/preview`, { POST: previewChange(api, entity) });
  }
}

/** Replays the newest events of an entity. */
export function replayed(
  { search, inPreview }: ApiContext,
  tenantId: number,
  { entityType }: EntityDefinition,
  making: PreviewInMaking,
) {
  return inPreview(tenantId, async () => {
    await forNewestEvents(search, { tenantId, entityType }, REPLAYED, (event) => making.add(event));
    return making.result();
  });
}

function previewChange(api: ApiContext, entity: EntityDefinition): Endpoint {
  return {
    // Not for portals: the events and values of a tenant are not theirs.
    roles: rights.webhooks.read,
    maxBodyBytes: api.config.MAX_BODY_BYTES,
    schema: deliveryOperation(entity, {
      id: 'preview{One}',
      summary: 'What a change of {one} would make of the newest events',
      description:
        'Takes the body of an update. Lists of fields, user-defined fields and excluded resources in it replace the stored lists. The newest events of the entity, at most 100, are judged twice: by {one} as it is stored, and with the change. The webhook counts as active for all of these events. Nothing is stored or sent.',
      body: webhookPreviewBody(entity),
      isWarned: true,
      responses: { 200: { description: 'What would differ.', schema: itemOf(preview) } },
    }),
    async handle(call) {
      const { caller, body } = call;
      const { tenantId } = caller;
      const webhook = await judgedWebhookOf(api, entity, call);
      const udfs = await userDefinedFieldsOf(api, entity, tenantId);
      const change = readChange(api, entity, udfs, body, webhook.subscription.webhookId);
      const unknown = unknownKeysOf(body, knownWebhookKeys);
      refuseWhenStrict(call, unknown);
      const changed = changedSubscription(webhook.subscription, change, entity, udfs);
      const result = await replayed(api, tenantId, entity, previewOf(webhook, changed, entity));
      return item({ ...result, ...warningsOf(unknown) });
    },
  };
}

interface PreviewedChange {
  readonly settings: WebhookChanges;
  /** Lists of children in the request. A list replaces the stored one; an absent list changes nothing. */
  readonly children: Partial<NestedChildren>;
}

function readChange(
  { checkUrl }: ApiContext,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  body: unknown,
  id: number,
): PreviewedChange {
  const context = { entity, checkUrl, userDefinedFields: udfs.all, now: new Date() };
  const { fields, udfFields, excludedResources, ...settings } = foldKeys(body, knownWebhookKeys);
  const { changes } = parseWebhookPatch(settings, context, id);
  const problems: ProblemDetail[] = [];
  const given = { fields, udfFields, excludedResources };
  const children = readNestedChildren(given, context, problems);
  if (problems.length > 0) throw Problem.invalid(problems);
  refuseRepeatedChildren(children);
  const isGiven = (key: string) => (given[key as keyof typeof given] ?? null) !== null;
  return {
    settings: changes,
    children: Object.fromEntries(Object.entries(children).filter(([key]) => isGiven(key))),
  };
}

/** A webhook after a change, as match would see it; active, unless the change says otherwise. */
function changedSubscription(
  stored: CompiledSubscription,
  { settings, children }: PreviewedChange,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
): CompiledSubscription {
  const { subscribedFieldNames: _names, subscribedUdfIds: _ids, excludedResources: _resources, ...before } = stored;
  const { condition } = settings;
  const { format = 'reference', includePreviousValues = false, place = null } = before.payload ?? {};
  // The payloadFormat of a webhook whose callouts are messages is not known here.
  const known = isMessageFormat(format)
    ? { alertFormat: format, payloadFormat: 'reference' as const }
    : { alertFormat: 'json' as const, payloadFormat: format };
  const bodyFormat = bodyFormatOf({ ...known, ...settings });
  return compileSubscription({
    ...before,
    isActive: settings.isActive ?? true,
    onCreate: settings.isSubscribedToCreateEvents ?? before.onCreate,
    onUpdate: settings.isSubscribedToUpdateEvents ?? before.onUpdate,
    onDelete: settings.isSubscribedToDeleteEvents ?? before.onDelete,
    fields: children.fields ?? before.fields,
    udfFields:
      children.udfFields?.map(({ udfFieldId, ...flags }) => ({
        udfId: udfFieldId,
        ...udfOf(udfs, udfFieldId),
        ...flags,
      })) ?? before.udfFields,
    excludedResourceIds: children.excludedResources?.map(({ resourceId }) => resourceId) ?? before.excludedResourceIds,
    payload: {
      format: bodyFormat,
      includePreviousValues: settings.includePreviousValues ?? includePreviousValues,
      place: bodyFormat === 'cloudevents' ? (place ?? NO_PLACE) : null,
    },
    ...(condition !== undefined && {
      condition: condition === null ? null : compileConditionText(condition, entity, udfs.all),
    }),
  });
}
