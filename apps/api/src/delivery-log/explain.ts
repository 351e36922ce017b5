import { judgeEveryRule, type Action, type MatchInput, type RuleValue } from '@callout/core';
import type { EventDetails, JudgedWebhook, LoggedVerdict } from '@callout/db';
import { publicEventId } from './event-item.ts';
import { verdictSentence } from './verdict-words.ts';

/**
 * What an event that happened meant for one webhook: the verdict that is stored, and whether the configuration it was made
 * by is still the present one. Where it is, every rule is shown with its value, by the function that the dispatcher runs.
 * @param webhook as it is now; undefined: deleted, of another entity, or never there.
 * @returns undefined when there never was such a webhook of this entity.
 */
export function explanation(event: EventDetails, webhookGUID: string, webhook: JudgedWebhook | undefined) {
  const verdict = event.verdicts.find(({ webhookGuid }) => webhookGuid === webhookGUID);
  if (verdict === undefined && webhook === undefined) return undefined;
  const isPresent = verdict !== undefined && webhook?.subscription.version === verdict.version;
  return {
    eventID: publicEventId(event),
    webhookID: verdict?.webhookId ?? webhook?.subscription.webhookId,
    webhookGUID,
    state: event.isPending ? 'pending' : 'matched',
    owed: verdict === undefined ? null : verdict.rule === 'owed',
    rule: verdict?.rule ?? null,
    message: messageOf(event, verdict),
    hasConfigurationChanged: verdict === undefined ? null : !isPresent,
    rules: isPresent ? rulesOf(judgeEveryRule(event, webhook.subscription), event) : null,
    callout: verdict?.callout ?? null,
  };
}

function messageOf(event: EventDetails, verdict: LoggedVerdict | undefined): string {
  if (verdict !== undefined) return verdictSentence(verdict.rule, event);
  return event.isPending
    ? 'The event has not been matched with webhooks yet.'
    : 'The webhook was not there when the event was matched.';
}

/** Rules with their values; those that failed also in words. */
export function rulesOf(
  rules: readonly RuleValue[],
  event: Pick<MatchInput, 'personId'> & { readonly action: Action },
) {
  return rules.map(({ rule, passed }) => ({ rule, passed, message: passed ? null : verdictSentence(rule, event) }));
}
