import type { z } from 'zod';
import type { Action } from '@callout/domain/event';
import { shownPrevious } from '@callout/domain/callout/payload';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { layoutOf } from '@callout/pipeline/match/match-events.rules';
import {
  firedFields,
  judgeEveryRule,
  type MatchInput,
  type RuleValue,
  type Subscription,
} from '@callout/pipeline/match/match.rules';
import type { EventDetails } from '@callout/history/log/event-log';
import type { LoggedVerdict } from '@callout/history/log/event-verdicts';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import type { UserDefinedFields } from '../../metadata/user-defined-fields.ts';
import type { explanation as explanationSchema } from '../event-schemas.ts';
import { calloutOfEvent, publicEventId, udfName, verdictMessage } from '../event-item.ts';
import { ruleSentence } from '../verdict-sentences.ts';
import { conditionResultOf } from './condition-result.ts';

/**
 * Explains the effect of an event on one webhook: the stored verdict, and whether its configuration is still current.
 * If it is, every rule is shown with its value, by the function that the dispatcher runs. Changed and subscribed fields
 * are listed side by side; the subscribed ones are those of the current configuration.
 * @param webhook as it is now; undefined: deleted, of another entity, or unknown.
 * @returns undefined when there never was such a webhook of this entity.
 */
export function explanation(
  event: EventDetails,
  webhookGUID: string,
  webhook: JudgedWebhook | undefined,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
): z.infer<typeof explanationSchema> | undefined {
  const verdict = event.verdicts.find(({ webhookGuid }) => webhookGuid === webhookGUID);
  const webhookID = verdict?.webhookId ?? webhook?.subscription.webhookId;
  if (webhookID === undefined) return undefined;
  const isPresent = verdict !== undefined && webhook?.subscription.version === verdict.version;
  return {
    eventID: publicEventId(event),
    webhookID,
    webhookGUID,
    state: event.isPending ? 'pending' : 'matched',
    owed: verdict === undefined ? null : verdict.rule === 'owed',
    rule: verdict?.rule ?? null,
    message: messageOf(event, verdict),
    hasConfigurationChanged: verdict === undefined ? null : !isPresent,
    changedFields: [...event.changedFields],
    changedUserDefinedFields: event.changedUdfs.map((id) => udfName(udfs, id)),
    ...(webhook === undefined ? noSubscription : subscribedFieldsOf(webhook.subscription, udfs)),
    ...(isPresent ? firedFieldsOf(event, webhook.subscription, udfs) : nothingFired),
    ...(isPresent ? previousOf(event, webhook.subscription, entity, udfs) : noPrevious),
    rules: isPresent ? rulesOf(judgeEveryRule(event, webhook.subscription), event) : null,
    condition: isPresent ? conditionResultOf(event, webhook.subscription.condition) : null,
    callout: verdict?.callout ? calloutOfEvent(verdict.callout) : null,
  };
}

function messageOf(event: EventDetails, verdict: LoggedVerdict | undefined): string {
  if (verdict !== undefined) return verdictMessage(event, verdict);
  return event.isPending
    ? 'The event has not been matched with webhooks yet.'
    : 'The webhook was not there when the event was matched.';
}

/** Rules with their values. A rule is named after its failure, so its value is whether it blocks the callout. */
export function rulesOf(
  rules: readonly RuleValue[],
  event: Pick<MatchInput, 'personId'> & { readonly action: Action; readonly personEmail?: string | null },
) {
  return rules.map((value) => ({ rule: value.rule, blocks: !value.passed, message: ruleSentence(value, event) }));
}

/** The fields whose changes a webhook subscribes to, by name. */
export function subscribedFieldsOf(subscription: Pick<Subscription, 'fields' | 'udfFields'>, udfs: UserDefinedFields) {
  const { fields, udfFields } = subscription;
  return {
    subscribedFields: fields.filter((one) => one.isSubscribed).map((one) => one.name),
    subscribedUserDefinedFields: udfFields.filter((one) => one.isSubscribed).map((one) => udfName(udfs, one.udfId)),
  };
}

/** The changed fields that a webhook is subscribed to, by name. */
export function firedFieldsOf(
  event: Pick<MatchInput, 'changedFields' | 'changedUdfs'>,
  subscription: Subscription,
  udfs: UserDefinedFields,
) {
  const fired = firedFields(event, subscription);
  return {
    firedFields: fired.fields,
    firedUserDefinedFields: fired.udfIds.map((id) => udfName(udfs, id)),
  };
}

/** What callouts about the event say the changed fields were before; null: the webhook does not include that. */
function previousOf(
  event: EventDetails,
  subscription: Subscription,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
): Pick<z.infer<typeof explanationSchema>, 'previousFields' | 'previousUserDefinedFields'> {
  const layout = layoutOf(subscription, entity);
  if (layout.withPrevious !== true) return noPrevious;
  const { fields, udfFields } = shownPrevious(event, layout);
  return {
    previousFields: Object.fromEntries(fields.map(([{ name }, value]) => [name, value])),
    previousUserDefinedFields: Object.fromEntries(udfFields.map(([{ udfId }, value]) => [udfName(udfs, udfId), value])),
  };
}

const noPrevious = { previousFields: null, previousUserDefinedFields: null };
const noSubscription = { subscribedFields: null, subscribedUserDefinedFields: null };
const nothingFired = { firedFields: null, firedUserDefinedFields: null };
