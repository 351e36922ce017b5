import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { conditionFieldsOf, type ComparableUdf } from '@callout/domain/condition/condition-fields';
import { readCondition } from '@callout/domain/condition/read-condition';
import { printCondition } from '@callout/domain/condition/webhook-condition';
import { foldKeys } from '@callout/domain/input/fold-keys';
import { type Body, readKeys, refuseKey, type ReadOptions } from '@callout/domain/input/read-keys';
import { readUpdateId } from '@callout/domain/input/read-update-id';
import { secretMask } from '@callout/domain/input/secret-mask';
import { inputsOf, requiredOf } from '@callout/domain/metadata/field-table';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import {
  applyReceiverChange,
  noSecrets,
  shownSettings,
  type ReceiverChange,
  type ReceiverSecrets,
} from '@callout/domain/receiver/receiver-settings';
import { modeOf, pullUrl } from '@callout/domain/target/delivery-mode';
import type { SettingType } from '../settings/setting.ts';
import { type AllSettings, defaultSettings, settings, type WebhookSettings } from '../settings/settings.ts';
import { readNestedChildren, refuseRepeatedChildren, type NestedChildren } from './nested-children.ts';
import { healthWebhookFields, nestedChildFields, webhookFields, knownWebhookKeys } from './webhook-fields.ts';

/** The context in which a webhook's body is judged. */
export interface WebhookInputContext {
  readonly entity: EntityDefinition;
  /** Judges a target URL when it is written; `message` continues a sentence that begins with the key. */
  readonly checkUrl: (text: string) => { readonly ok: true } | { readonly ok: false; readonly message: string };
  /** The user-defined fields of this tenant and entity. */
  readonly userDefinedFields: readonly ComparableUdf[];
  readonly now: Date;
}

/** A webhook to be created, with its children: everything is stored, or nothing. */
export interface WebhookCreate extends WebhookSettings, NestedChildren {
  readonly secretKey: string;
  /** The secrets of `requestHeaders` and `receiverAuth`, in clear. */
  readonly receiver: ReceiverSecrets;
}

/** Settings to change; an absent key stays as it is. */
export type WebhookChanges = Partial<WebhookSettings> & {
  readonly secretKey?: string;
  readonly receiver?: ReceiverChange;
};

/** An update of one webhook. */
export interface WebhookUpdate {
  readonly id: number;
  readonly changes: WebhookChanges;
}

const inputs = inputsOf(healthWebhookFields);

/**
 * Reads the body of a webhook's POST: absent booleans are false, an explicit null counts as absent, `fields`,
 * `udfFields` and `excludedResources` are optional. Throws an `invalid` Problem with everything that is wrong, or a
 * `conflict` when a child occurs twice.
 */
export function parseWebhookCreate(body: unknown, context: WebhookInputContext): WebhookCreate {
  const problems: ProblemDetail[] = [];
  const folded = foldKeys(body, knownWebhookKeys);
  const { receiver: receiverChange, ...read } = readSettings(folded, context, problems, {
    nullIsAbsent: true,
    required: requiredOf(webhookFields, 'create'),
  });
  if (read.secretKey === secretMask) {
    refuseKey(problems, 'secretKey', `must not be ${secretMask}, which means an unchanged one`);
  }
  const children = readNestedChildren(folded, context, problems);
  const { name, webhookUrl, deactivationUrl, secretKey } = read;
  const url = { before: '', after: '' };
  const { alertFormat } = { ...defaultSettings, ...read };
  const receiver = applyReceiverChange(
    noSecrets,
    receiverChange ?? {},
    { url, now: context.now, alertFormat },
    problems,
  );
  if (webhookUrl !== undefined) problems.push(...limitsOfPulled({ ...read, webhookUrl }));
  if (problems.length > 0 || !name || !webhookUrl || !deactivationUrl || !secretKey) throw Problem.invalid(problems);
  refuseRepeatedChildren(children);
  return {
    ...defaultSettings,
    ...read,
    name,
    webhookUrl,
    deactivationUrl,
    secretKey,
    receiver,
    ...children,
  };
}

/**
 * Reads the body of a webhook's PATCH, which changes only the keys present; an explicit null is false for a
 * subscription and no address for the address. The id is in the body, the path, or both alike. Throws an `invalid`
 * Problem.
 */
export function parseWebhookPatch(body: unknown, context: WebhookInputContext, pathId?: number): WebhookUpdate {
  return parseUpdate(body, context, pathId, {});
}

/**
 * Reads the body of a webhook's PUT, which replaces: absent subscriptions become false, an absent address or condition none,
 * an absent secret stays; null counts as absent. Throws an `invalid` Problem.
 */
export function parseWebhookPut(body: unknown, context: WebhookInputContext, pathId?: number): WebhookUpdate {
  const { id, changes } = parseUpdate(body, context, pathId, {
    nullIsAbsent: true,
    required: requiredOf(webhookFields, 'replace'),
  });
  return {
    id,
    changes: { ...defaultSettings, ...changes, receiver: { ...noSecrets, ...changes.receiver } },
  };
}

type Presence = Omit<ReadOptions, 'path'>;

/** Where children are changed, by their keys in a create. */
const childPaths: Readonly<Record<keyof typeof nestedChildFields, string>> = {
  fields: '/{id}/Fields',
  udfFields: '/{id}/UdfFields',
  excludedResources: '/{id}/ExcludedResources',
};

function parseUpdate(
  body: unknown,
  context: WebhookInputContext,
  pathId: number | undefined,
  presence: Presence,
): WebhookUpdate {
  const problems: ProblemDetail[] = [];
  const folded = foldKeys(body, knownWebhookKeys);
  const id = readUpdateId(folded, pathId, problems);
  const { secretKey, ...changes } = readSettings(folded, context, problems, presence);
  for (const key of Object.keys(nestedChildFields)) {
    const isAbsent = folded[key] === undefined || (presence.nullIsAbsent === true && folded[key] === null);
    if (!isAbsent)
      refuseKey(
        problems,
        key,
        `cannot be changed here, only under ${childPaths[key as keyof typeof nestedChildFields]} of the webhook`,
      );
  }
  if (id === undefined || problems.length > 0) throw Problem.invalid(problems);
  const isNewSecret = secretKey !== undefined && secretKey !== secretMask;
  return { id, changes: isNewSecret ? { ...changes, secretKey } : changes };
}

/** The settings that are given, with their secrets in clear. */
type GivenSettings = Partial<Omit<AllSettings, keyof ReceiverChange>> & ReceiverChange;

function readSettings(
  body: Body,
  context: WebhookInputContext,
  problems: ProblemDetail[],
  presence: Presence,
): WebhookChanges {
  const read = readKeys(body, inputs, problems, presence) as Record<string, unknown>;
  for (const { key, only } of settings) {
    if (only !== undefined && only !== context.entity.entityType && (body[key] ?? null) !== null)
      refuseKey(problems, key, `is for webhooks on ${only} alone: leave it out`);
  }
  for (const [kind, readIn] of Object.entries(readersInContext)) {
    for (const { key } of settings.filter(({ type }) => type.kind === kind)) {
      const value = read[key];
      if (typeof value === 'string') read[key] = readIn({ key, value, inBody: body[key] }, context, problems);
    }
  }
  const { requestHeaders, receiverAuth, alertRoutingKey, ...plainSettings } = read as GivenSettings;
  const check = receiverAuth?.kind === 'oauth2' ? context.checkUrl(receiverAuth.tokenUrl) : undefined;
  if (check?.ok === false)
    refuseKey(problems, 'receiverAuth', `of the kind oauth2: tokenUrl ${check.message}`, 'invalidUrl');
  const receiver: ReceiverChange = {
    ...(requestHeaders !== undefined && { requestHeaders }),
    ...(receiverAuth !== undefined && { receiverAuth }),
    ...(alertRoutingKey !== undefined && { alertRoutingKey }),
  };
  if (Object.keys(receiver).length === 0) return plainSettings;
  const shown = shownSettings({ ...noSecrets, ...receiver });
  return {
    ...plainSettings,
    ...(requestHeaders && { requestHeaders: shown.requestHeaders }),
    ...(receiverAuth && { receiverAuth: shown.receiverAuth }),
    receiver,
  };
}

/** A value that is valid by its type, and the same as the body has it. */
interface GivenValue {
  readonly key: string;
  readonly value: string;
  readonly inBody: unknown;
}

/** What the types alone cannot judge, in the order of the refusals. */
const readersInContext: Partial<
  Record<SettingType['kind'], (one: GivenValue, context: WebhookInputContext, problems: ProblemDetail[]) => string>
> = { condition: readConditionText, url: readUrl };

/** An address that may be called, or `pull:`, for which no request is made. */
function readUrl({ key, value: url }: GivenValue, context: WebhookInputContext, problems: ProblemDetail[]): string {
  if (url.toLowerCase() === pullUrl) return pullUrl;
  const check = context.checkUrl(url);
  if (!check.ok) refuseKey(problems, key, check.message, 'invalidUrl');
  return url;
}

/** The text that a condition is stored as: its names and operators have one spelling, so equal is mostly equal text. */
function readConditionText(
  { inBody }: GivenValue,
  { entity, userDefinedFields }: WebhookInputContext,
  problems: ProblemDetail[],
): string {
  const condition = readCondition(inBody, conditionFieldsOf(entity, userDefinedFields), problems);
  return JSON.stringify(printCondition(condition));
}

/** The settings about calls that a webhook may not have, since a program fetches its callouts: no call is made. */
export function limitsOfPulled(
  webhook: Pick<WebhookSettings, 'webhookUrl'> & Readonly<Record<string, unknown>>,
): ProblemDetail[] {
  if (modeOf(webhook.webhookUrl) === 'push') return [];
  const problems: ProblemDetail[] = [];
  for (const { key, isOfCalls } of settings) {
    if (isOfCalls !== true || (webhook[key] ?? null) === null) continue;
    const message = `must be null where webhookUrl is ${pullUrl}: the program that fetches the callouts decides how fast`;
    refuseKey(problems, key, message);
  }
  return problems;
}
