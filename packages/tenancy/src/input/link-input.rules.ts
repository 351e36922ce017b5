import { z } from 'zod';
import { Problem } from '@callout/domain/problem';
import { operatorInput, readOperatorInput, smallIdInput } from './operator-input.rules.ts';

/** The lifetime of a link in seconds: the default, the shortest and the longest. */
const USUAL_S = 300;
const LEAST_S = 10;
const MOST_S = 3_600;

/** A link that signs in to the console as a resource, only for webhooks of the resource. */
export interface PortalLinkCreate {
  readonly resourceId: number;
  readonly expiresInS: number;
  /** The only webhook of the link; undefined: all webhooks of the resource. */
  readonly webhook: WebhookOfLink | undefined;
}

/** A webhook of a tenant, by number or by GUID. */
export type WebhookOfLink = { readonly entityType: string; readonly id: number } | { readonly guid: string };

/** A link that signs in to the console with a credential. */
export interface SignInLinkCreate {
  readonly userName: string;
  readonly expiresInS: number;
}

const notSeconds = `must be a whole number from ${LEAST_S} to ${MOST_S}`;
const expiresInSeconds = z.int(notSeconds).min(LEAST_S, notSeconds).max(MOST_S, notSeconds);
const text = z.string('must be a string').min(1, 'must not be empty').max(254, 'must be 254 characters or fewer');

const portal = operatorInput({
  resourceID: smallIdInput,
  expiresInSeconds,
  entityType: text,
  webhookID: smallIdInput,
  webhookGUID: z.guid('must be a GUID'),
});
const signIn = operatorInput({ userName: text, expiresInSeconds });
const operator = operatorInput({ expiresInSeconds });

export function parsePortalLinkCreate(body: unknown): PortalLinkCreate {
  const read = readOperatorInput(body, portal, ['resourceID']);
  const { resourceID, entityType, webhookID, webhookGUID } = read;
  // Webhooks are numbered for each entity.
  if ((entityType === undefined) !== (webhookID === undefined)) {
    const field = entityType === undefined ? 'entityType' : 'webhookID';
    const message = `${field} is required: entityType and webhookID name a webhook together`;
    throw Problem.invalid([{ code: 'required', field, message }]);
  }
  if (entityType !== undefined && webhookGUID !== undefined) {
    throw Problem.invalid('webhookGUID names the webhook alone, without entityType and webhookID', 'webhookGUID');
  }
  const byGuid = webhookGUID === undefined ? undefined : { guid: webhookGUID.toLowerCase() };
  return {
    resourceId: resourceID,
    expiresInS: read.expiresInSeconds ?? USUAL_S,
    webhook: entityType === undefined || webhookID === undefined ? byGuid : { entityType, id: webhookID },
  };
}

export function parseSignInLinkCreate(body: unknown): SignInLinkCreate {
  const { userName, expiresInSeconds: seconds = USUAL_S } = readOperatorInput(body, signIn, ['userName']);
  return { userName, expiresInS: seconds };
}

/** Of a link for an operator: how long it is good for, in seconds. */
export function parseOperatorLinkCreate(body: unknown): number {
  return readOperatorInput(body ?? {}, operator).expiresInSeconds ?? USUAL_S;
}
