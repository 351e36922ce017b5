import { Problem } from '@callout/domain/problem';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { Prisma } from '@callout/database/generated/client';

/** Every request for records reads all definitions of the tenant. */
const MOST_OF_ENTITY = 300;
const MOST_LIST_VALUES_OF_ENTITY = 3000;

/** Checks the sum of sizes. Two concurrent writes may exceed the sum, which only has to stay small. */
export async function refuseTooMany(
  models: SharedTransaction['models'],
  tenantId: number,
  entityType: string,
): Promise<void> {
  const definitions = await models.udfDefinition.findMany({
    where: { tenantId, entityType },
    select: { listValues: true },
  });
  const listValues = definitions.reduce(
    (sum, { listValues: values }) => sum + (Array.isArray(values) ? values.length : 0),
    0,
  );
  const most = (count: number, of: string) => `${entityType} may have ${count} ${of}: delete some first`;
  if (definitions.length > MOST_OF_ENTITY) {
    throw Problem.conflict(most(MOST_OF_ENTITY, 'user-defined fields'), 'entityType');
  }
  if (listValues > MOST_LIST_VALUES_OF_ENTITY) {
    throw Problem.conflict(
      most(MOST_LIST_VALUES_OF_ENTITY, 'list values in all its user-defined fields'),
      'listValues',
    );
  }
}

/** Two unique indexes keep names and labels apart; which of them refused is in the message of PostgreSQL alone. */
export async function refusingTakenNames<T>(
  definition: { readonly name: string; readonly label: string; readonly entityType: string },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
    if (!isTaken) throw error;
    const key = JSON.stringify(error.meta).includes('label_folded') ? 'label' : 'name';
    const what = `is that of another user-defined field of ${definition.entityType}`;
    throw Problem.duplicate(`${key} ${JSON.stringify(definition[key])} ${what}`, key);
  }
}
