import type { AlertFormat } from '../alert/alert.ts';
import type { PayloadFormat } from '../callout/payload-format.ts';
import { webhookHealthType } from '../catalogue/webhook-health.ts';
import type { EntityDefinition } from '../catalogue/catalogue.ts';
import { type Body, readKeys, refuseKey, type Read, type ReadOptions } from '../input/read-keys.ts';
import { readUpdateId } from '../input/read-update-id.ts';
import { limitsOfPulled, pullUrl } from './delivery-mode.ts';
import { conditionFieldsOf, type ComparableUdf } from '../condition/condition-fields.ts';
import { readCondition } from '../condition/read-condition.ts';
import { printCondition } from '../condition/webhook-condition.ts';
import { foldKeys } from '../input/fold-keys.ts';
import { inputsOf, requiredOf } from '../metadata/field-table.ts';
import { readNestedChildren, refuseRepeatedChildren, type NestedChildren } from './nested-children.ts';
import { Problem, type ProblemDetail } from '../problem.ts';
import {
  applyReceiverChange,
  noSecrets,
  shownSettings,
  type ReceiverChange,
  type ReceiverSecrets,
} from '../receiver/receiver-settings.ts';
import { secretMask } from '../input/secret-mask.ts';
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

/** The settings of a webhook that an integrator may change, except the secret. */
export interface WebhookSettings {
  readonly name: string;
  readonly webhookUrl: string;
  readonly deactivationUrl: string;
  readonly isActive: boolean;
  readonly isSubscribedToCreateEvents: boolean;
  readonly isSubscribedToUpdateEvents: boolean;
  readonly isSubscribedToDeleteEvents: boolean;
  readonly notificationEmailAddress: string | null;
  readonly sendThresholdExceededNotification: boolean;
  readonly mergeWhileWaiting: boolean;
  /** Calls that may begin in a second; null: any number. */
  readonly maxCallsPerSecond: number | null;
  /** Calls that may be under way at once; null: the service decides. */
  readonly maxConcurrentCalls: number | null;
  /** The text of its JSON; null: none. */
  readonly condition: string | null;
  readonly includePreviousValues: boolean;
  readonly payloadFormat: PayloadFormat;
  /** `json`, except for some webhooks on `WebhookHealth`. */
  readonly alertFormat: AlertFormat;
  /** The text of its JSON, with the mask in place of each value. */
  readonly requestHeaders: string;
  /** The text of its JSON, with the mask in place of its secret. */
  readonly receiverAuth: string;
  /** PEM; null: the public authorities. */
  readonly caCertificate: string | null;
  /** One of `signatureKinds`. */
  readonly signatureKind: string;
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

/** What a create begins with and a PUT goes back to. A webhook that names none of it gets every change of its fields. */
export const defaultSettings = {
  isActive: false,
  sendThresholdExceededNotification: false,
  isSubscribedToCreateEvents: false,
  isSubscribedToUpdateEvents: false,
  isSubscribedToDeleteEvents: false,
  notificationEmailAddress: null,
  mergeWhileWaiting: false,
  maxCallsPerSecond: null,
  maxConcurrentCalls: null,
  condition: null,
  includePreviousValues: false,
  payloadFormat: 'reference' as const,
  alertFormat: 'json' as const,
  ...shownSettings(noSecrets),
  caCertificate: null,
  signatureKind: 'hmac',
};

/**
 * Reads the body of a webhook's POST: absent booleans are false, an explicit null counts as absent, `fields`,
 * `udfFields` and `excludedResources` are optional. Throws an `invalid` Problem with everything that is wrong, or a
 * `conflict` when a child occurs twice.
 */
export function parseWebhookCreate(body: unknown, context: WebhookInputContext): WebhookCreate {
  const problems: ProblemDetail[] = [];
  const folded = foldKeys(body, knownWebhookKeys);
  const { receiver: given, ...read } = readSettings(folded, context, problems, {
    nullIsAbsent: true,
    required: requiredOf(webhookFields, 'create'),
  });
  if (read.secretKey === secretMask) {
    refuseKey(problems, 'secretKey', `must not be ${secretMask}, which means an unchanged one`);
  }
  const children = readNestedChildren(folded, context, problems);
  const { name, webhookUrl, deactivationUrl, secretKey } = read;
  const url = { before: '', after: '' };
  const settings = { ...defaultSettings, ...read };
  const { alertFormat } = settings;
  const receiver = applyReceiverChange(noSecrets, given ?? {}, { url, now: context.now, alertFormat }, problems);
  if (webhookUrl !== undefined) problems.push(...limitsOfPulled({ ...settings, webhookUrl }));
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
  const { secretKey, ...settings } = readSettings(folded, context, problems, presence);
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
  return { id, changes: isNewSecret ? { ...settings, secretKey } : settings };
}

function readSettings(
  body: Body,
  context: WebhookInputContext,
  problems: ProblemDetail[],
  presence: Presence,
): Omit<Read<typeof inputs>, 'requestHeaders' | 'receiverAuth' | 'alertRoutingKey'> & WebhookChanges {
  const { requestHeaders, receiverAuth, alertRoutingKey, ...read } = readKeys(body, inputs, problems, presence);
  if (context.entity.entityType !== webhookHealthType) {
    for (const key of ['alertFormat', 'alertRoutingKey'] as const)
      if ((body[key] ?? null) !== null)
        refuseKey(problems, key, 'is for webhooks on WebhookHealth alone: leave it out');
  }
  if (typeof read.condition === 'string') read.condition = readConditionText(body['condition'], context, problems);
  for (const key of ['webhookUrl', 'deactivationUrl'] as const) {
    const url = read[key];
    if (url?.toLowerCase() === pullUrl) {
      // No request is made.
      read[key] = pullUrl;
      continue;
    }
    const check = url === undefined ? undefined : context.checkUrl(url);
    if (check?.ok === false) refuseKey(problems, key, check.message, 'invalidUrl');
  }
  const check = receiverAuth?.kind === 'oauth2' ? context.checkUrl(receiverAuth.tokenUrl) : undefined;
  if (check?.ok === false)
    refuseKey(problems, 'receiverAuth', `of the kind oauth2: tokenUrl ${check.message}`, 'invalidUrl');
  const given = { requestHeaders, receiverAuth, alertRoutingKey };
  const receiver = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as ReceiverChange;
  if (Object.keys(receiver).length === 0) return read;
  const shown = shownSettings({ ...noSecrets, ...receiver });
  return {
    ...read,
    ...(requestHeaders && { requestHeaders: shown.requestHeaders }),
    ...(receiverAuth && { receiverAuth: shown.receiverAuth }),
    receiver,
  };
}

/** The text that a condition is stored as: its names and operators have one spelling, so equal is mostly equal text. */
function readConditionText(
  given: unknown,
  { entity, userDefinedFields }: WebhookInputContext,
  problems: ProblemDetail[],
): string {
  const condition = readCondition(given, conditionFieldsOf(entity, userDefinedFields), problems);
  return JSON.stringify(printCondition(condition));
}
