import { byOperator } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { type NewChange, recordChanges } from '@callout/database/changes/record-changes';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { Credential, Prisma } from '@callout/database/generated/client';
import { valuesOfCredential } from './configuration-values.ts';

// Operators alone write credentials.

/** Stores a new credential. */
export async function storeCredential(
  { models, sets }: SharedTransaction,
  data: Prisma.CredentialUncheckedCreateInput,
): Promise<Credential> {
  const credential = await models.credential.create({ data });
  const { tenantId, id: entityId } = credential;
  const fields = fieldChanges(null, valuesOfCredential(credential));
  await recordChanges(sets, [
    { tenantId, entity: 'credential', entityId, action: 'created', actor: byOperator, fields },
  ]);
  return credential;
}

const lock = statementFrom<{ id: number }>('tenancy:credential_lock');

/** Revokes all credentials of a tenant. */
export async function revokeAll({ models, sets }: SharedTransaction, tenantId: number, now: Date): Promise<void> {
  const where = { tenantId, revokedAt: null };
  const revoked = await models.credential.updateManyAndReturn({ where, data: { revokedAt: now } });
  await recordChanges(
    sets,
    revoked.map((after) => changed({ ...after, revokedAt: null }, after)),
  );
}

/** A credential of a tenant, by id or user name. */
export interface NamedCredential {
  readonly tenantId: number;
  readonly id?: number;
  readonly userName?: string;
}

/** Changes a credential, if there is one. @returns its id, or nothing. */
export async function changeCredential(
  { models, sets }: SharedTransaction,
  { tenantId, id: givenId = 0, userName = '' }: NamedCredential,
  changeOf: (before: { readonly revokedAt: Date | null }) => Prisma.CredentialUncheckedUpdateInput,
): Promise<number[]> {
  const [locked] = await lock(sets, [tenantId, givenId, userName.toLowerCase()]);
  if (locked === undefined) return [];
  const { id } = locked;
  const before = await models.credential.findUniqueOrThrow({ where: { id } });
  const after = await models.credential.update({ where: { id }, data: changeOf(before) });
  await recordChanges(sets, [changed(before, after)]);
  return [id];
}

function changed(before: Credential, after: Credential): NewChange {
  const { tenantId, id: entityId } = after;
  const fields = fieldChanges(valuesOfCredential(before), valuesOfCredential(after));
  return { tenantId, entity: 'credential', entityId, action: 'updated', actor: byOperator, fields };
}
