import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { steadyPort } from '@callout/local/process';
import { eventually } from '../eventually.ts';
import { commonLines, type FailingRedis, type FailingRedisOptions } from './failing-redis.ts';
import { type RedisProcess, startRedisProcess } from './redis-process.ts';

const SLOTS = 16_384;
const MASTERS = 3;

/** A Cluster of three masters, and a replica of the one that has the queues. */
export async function startRedisCluster({ program, dir, prefix }: FailingRedisOptions): Promise<FailingRedis> {
  const password = randomBytes(12).toString('hex');
  const lines = [...commonLines(password), 'cluster-enabled yes', 'cluster-node-timeout 1000', 'appendonly yes'];
  const nodes = await Promise.all(
    Array.from({ length: MASTERS + 1 }, async (_, nth) =>
      startRedisProcess({ program, dir: path.join(dir, `node-${nth}`), port: await steadyPort(), password, lines }),
    ),
  );
  const [first] = nodes;
  if (first === undefined) throw new Error('there are no nodes');
  for (const [nth, node] of nodes.slice(0, MASTERS).entries()) {
    const begin = Math.ceil((nth * SLOTS) / MASTERS);
    const end = Math.ceil(((nth + 1) * SLOTS) / MASTERS);
    await node.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: end - begin }, (_, slot) => String(begin + slot)));
    // A new Cluster settles who may speak for which slots by these.
    await node.call('CLUSTER', 'SET-CONFIG-EPOCH', String(nth + 1));
  }
  for (const node of nodes.slice(1)) await node.call('CLUSTER', 'MEET', '127.0.0.1', String(first.port));
  const isWell = (node: RedisProcess) => async () => {
    const info = String(await node.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${MASTERS + 1}`);
  };
  for (const node of nodes) await eventually(isWell(node));
  const slot = Number(await first.call('CLUSTER', 'KEYSLOT', `{${prefix}}`));
  const ownerPort = async (asked: RedisProcess): Promise<number> => {
    const ranges = (await asked.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1] ?? 0;
  };
  const byPort = (port: number) => nodes.find((node) => node.port === port) ?? first;
  const replica = nodes[MASTERS] ?? first;
  const owner = byPort(await ownerPort(first));
  await replica.call('CLUSTER', 'REPLICATE', String(await owner.call('CLUSTER', 'MYID')));
  const follows = (node: RedisProcess) => async () =>
    String(await node.call('INFO', 'replication')).includes('master_link_status:up');
  await eventually(follows(replica));
  let killed: RedisProcess | undefined;
  return {
    url: `redis+cluster://:${password}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    async failOver() {
      const witness = nodes.find((node) => node !== owner && node !== replica) ?? first;
      const dying = byPort(await ownerPort(witness));
      await dying.kill();
      killed = dying;
      await eventually(async () => (await ownerPort(witness)) !== dying.port);
      await eventually(async () => String(await witness.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    },
    async repair() {
      await killed?.start();
      if (killed !== undefined) await eventually(follows(killed));
    },
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}
