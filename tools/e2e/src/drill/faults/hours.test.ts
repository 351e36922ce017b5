import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { insertTenant } from '@callout/database/fixtures/tenant';
import { expect, it } from '@jest/globals';
import { passHours } from './hours.ts';

const database = useDatabase(createDisposableDatabase);

it('makes the first attempts of an hour older than it, in the window and before it', async () => {
  const tenantId = await insertTenant(database.pool);
  const group = [tenantId, 'Account'];
  await database.pool.query(
    `INSERT INTO threshold_windows (tenant_id, entity_type, used, second, second_used) VALUES ($1, $2, 3, now(), 1)`,
    group,
  );
  await database.pool.query(
    `INSERT INTO threshold_use (tenant_id, entity_type, second, used) VALUES ($1, $2, now() - interval '1 s', 2)`,
    group,
  );
  let looks = 0;
  expect(await passHours(database, tenantId, () => (looks += 1) > 1)).toBe(0);
  const { rows } = await database.pool.query(
    `SELECT second < now() - interval '1 hour' AS "isPast" FROM threshold_windows
     UNION ALL SELECT second < now() - interval '1 hour' FROM threshold_use`,
  );
  expect(rows).toEqual([{ isPast: true }, { isPast: true }]);
  const tenant = await database.prisma.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  expect(tenant).toMatchObject({ calloutThreshold: 40 });
});
