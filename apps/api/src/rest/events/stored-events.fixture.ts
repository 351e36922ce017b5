import type { TestApi } from '../../fixtures/test-api.ts';

/** The events of a tenant, those of each record in their order. */
export async function storedEvents({ database }: Pick<TestApi, 'database'>, tenantId: number) {
  return await database.prisma.event.findMany({
    where: { tenantId },
    orderBy: [{ recordId: 'asc' }, { recordVersion: 'asc' }],
  });
}
