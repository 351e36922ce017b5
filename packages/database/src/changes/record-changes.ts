import type { Actor } from '@callout/domain/changes/actor';
import type { FieldChange } from '@callout/domain/changes/field-changes';
import type { Transaction } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement/statement.ts';
import { newId } from '../schema/ids.ts';

/** What may change. Children are named with their webhook, and `webhook` is that webhook itself. */
export const changedEntities = [
  'webhook',
  'webhookField',
  'webhookUdfField',
  'webhookExcludedResource',
  'udfDefinition',
  'resource',
  'credential',
  'signingKey',
  'tenant',
] as const;

export type ChangedEntity = (typeof changedEntities)[number];

/**
 * What happened. `activated` and `deactivated` are updates of a webhook; `paused` and `resumed` change no configuration,
 * and say when a receiver was down.
 */
export const changeActions = [
  'created',
  'updated',
  'deleted',
  'activated',
  'deactivated',
  'paused',
  'resumed',
] as const;

export type ChangeAction = (typeof changeActions)[number];

/** Why it happened; `gone` is an answer 410, `notFetched` the end of a webhook whose callouts nobody fetches. */
export const changeCauses = [
  'user',
  'ownerDeactivated',
  'ownerDeleted',
  'repeatedFailure',
  'gone',
  'notFetched',
  'receiverDown',
  'receiverAnswered',
  'resourceDeleted',
  'definitionDeleted',
  'definitionRenamed',
  'rotationEnded',
] as const;

export type ChangeCause = (typeof changeCauses)[number];

/**
 * A change of a tenant's configuration, to be stored. The time is the start of the transaction, by the database's
 * clock.
 */
export interface NewChange {
  readonly tenantId: number;
  readonly entity: ChangedEntity;
  /** The webhook that the change is of, itself or a child. */
  readonly webhookKey?: number | bigint;
  /** The id of the changed thing; null for a webhook, which has a key, and for a signing key. */
  readonly entityId?: number;
  readonly action: ChangeAction;
  readonly actor: Actor;
  /** Absent: `user`, by a decision of the actor. */
  readonly cause?: ChangeCause;
  readonly fields?: readonly FieldChange[];
  /** More about the cause, as a sentence. */
  readonly detail?: string | null;
}

// A credential is only deleted with the tenant. The user name is stored, so that the entry means something in a copy of
// the tenant, where credentials have different ids.
const insert = statementFrom('database:changes/changes_insert');

const rowKeys = [
  'id',
  'tenantId',
  'webhookKey',
  'entity',
  'entityId',
  'action',
  'cause',
  'actorKind',
  'actorResourceId',
  'credentialId',
  'fields',
  'detail',
] as const;

/**
 * Stores changes, in the transaction that makes them. An update without a field that differs changes nothing, and is
 * left out. The transaction holds the locks of the changed rows, so the order of the entries is true.
 */
export async function recordChanges(transaction: Transaction, changes: readonly NewChange[]): Promise<void> {
  const real = changes.filter(({ action, fields = [] }) => action !== 'updated' || fields.length > 0);
  if (real.length > 0) await insert(transaction, columns(rowsOf(real), [...rowKeys]));
}

/** Ids in the order of the changes, also within a millisecond. */
function rowsOf(changes: readonly NewChange[]) {
  const ids = changes.map(() => newId()).toSorted();
  return changes.map(({ actor, fields = [], ...change }, nth) => ({
    ...change,
    id: ids[nth],
    webhookKey: change.webhookKey === undefined ? null : Number(change.webhookKey),
    entityId: change.entityId ?? null,
    cause: change.cause ?? 'user',
    actorKind: actor.kind,
    actorResourceId: actor.resourceId,
    credentialId: actor.credentialId === 0 ? null : actor.credentialId,
    fields: JSON.stringify(fields),
    detail: change.detail ?? null,
  }));
}
