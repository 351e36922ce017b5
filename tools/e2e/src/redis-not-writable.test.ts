import { expect, it } from '@jest/globals';
import { createCompanies, eventually, everyCompanyEvent, forThisFile, registerWebhook } from '@callout/testing';
import { startOwnRedis } from './own-redis.fixture.ts';

const world = forThisFile(startOwnRedis, ({ stop }) => stop());

interface Readiness {
  checks: { redis?: string };
  notices?: string[];
}

async function readinessAt(port: number): Promise<Readiness & { httpStatus: number }> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { httpStatus: response.status, ...((await response.json()) as Readiness) };
}

it('a read-only Redis is named, and workers go on without it, also where each has a role of its own', async () => {
  const { installation, receiver } = world.setup;
  const api = installation.start('api', 'API');
  const workers = ['match', 'deliver', 'sweep'].map((role) =>
    installation.start('worker', role, {
      ...{ WORKER_ROLES: role },
      ...{ OPERATOR_MAIL: 'operators@example.com', ALERT_AFTER: '1s' },
    }),
  );
  const [port, ...workerPorts] = await Promise.all([api, ...workers].map((process) => process.ready()));
  const tenant = await world.setup.tenant();
  await registerWebhook(port ?? 0, tenant.integrator, { ...everyCompanyEvent, url: receiver.url('/in') });
  await world.command('REPLICAOF', '127.0.0.1', '1');

  await createCompanies(port ?? 0, tenant.source, { first: 1, count: 10 });
  await eventually(() => receiver.count('/in') === 10);
  for (const workerPort of workerPorts) {
    await eventually(async () => {
      const { httpStatus, checks } = await readinessAt(workerPort);
      expect(httpStatus).toBe(503);
      expect(checks.redis).toMatch(/^failed: Redis cannot be written: it is a read-only replica.*REPLICAOF NO ONE$/);
    });
    const metrics = await (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text();
    expect(metrics).toMatch(/^callout_redis_refuses_writes\{reason="READONLY"\} 1$/m);
  }
  // The API works without Redis, so it says so and stays in service.
  await eventually(async () => {
    const { httpStatus, notices } = await readinessAt(port ?? 0);
    expect(httpStatus).toBe(200);
    expect(notices).toContainEqual(expect.stringMatching(/read-only replica.*Events are accepted/));
  });

  await eventually(async () => {
    const { rows } = await world.setup.database.pool.query('SELECT name, detail FROM installation_alerts');
    expect(rows).toEqual([{ name: 'redis', detail: expect.stringMatching(/read-only replica/) }]);
  });

  await world.command('REPLICAOF', 'NO', 'ONE');
  for (const workerPort of workerPorts) {
    await eventually(async () => expect(await readinessAt(workerPort)).toMatchObject({ httpStatus: 200 }));
  }
  await createCompanies(port ?? 0, tenant.source, { first: 101, count: 10 });
  await eventually(() => receiver.count('/in') === 20);
});
