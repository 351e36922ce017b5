import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { steadyPort } from '@callout/local/process';
import { eventually } from '../eventually.ts';
import { commonLines, type FailingRedis, type FailingRedisOptions } from './failing-redis.ts';
import { startRedisProcess } from './redis-process.ts';

const SET = 'callout-set';

/** A master with a replica, and three Sentinels that watch over them. */
export async function startRedisSentinels({ program, dir }: FailingRedisOptions): Promise<FailingRedis> {
  const password = randomBytes(12).toString('hex');
  const server = async (name: string, ...more: readonly string[]) => {
    const lines = [...commonLines(password), 'appendonly yes', ...more];
    return startRedisProcess({ program, dir: path.join(dir, name), port: await steadyPort(), password, lines });
  };
  const master = await server('one');
  const replica = await server('two', `replicaof 127.0.0.1 ${master.port}`);
  const watching = [
    `sentinel monitor ${SET} 127.0.0.1 ${master.port} 2`,
    `sentinel auth-pass ${SET} ${password}`,
    `sentinel down-after-milliseconds ${SET} 1000`,
    `sentinel failover-timeout ${SET} 5000`,
  ];
  const sentinels = await Promise.all(
    [1, 2, 3].map(async (nth) =>
      startRedisProcess({
        ...{ program, dir: path.join(dir, `sentinel-${nth}`), port: await steadyPort() },
        ...{ lines: watching, isSentinel: true },
      }),
    ),
  );
  const servers = [master, replica];
  const [witness] = sentinels;
  if (witness === undefined) throw new Error('there are no Sentinels');
  const masterPort = async (): Promise<number> => {
    const address = (await witness.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', SET)) as [string, string];
    return Number(address[1]);
  };
  /** A failover needs a replica that the Sentinels know, and a majority of Sentinels that know each other. */
  const canFailOver = async () => {
    const known = String(await witness.call('SENTINEL', 'MASTER', SET)).split(',');
    const numberOf = (name: string) => Number(known[known.indexOf(name) + 1]);
    return numberOf('num-slaves') >= 1 && numberOf('num-other-sentinels') === 2;
  };
  await eventually(canFailOver);
  let killed = master;
  return {
    url: `redis+sentinel://:${password}@${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${SET}`,
    async failOver() {
      const port = await masterPort();
      killed = servers.find((one) => one.port === port) ?? master;
      await killed.kill();
      await eventually(async () => (await masterPort()) !== port);
    },
    async repair() {
      await killed.start();
      // It begins in its old role, until the Sentinels change it.
      await eventually(async () => String(await killed.call('INFO', 'replication')).includes('master_link_status:up'));
    },
    stop: async () => void (await Promise.all([...servers, ...sentinels].map((one) => one.stop()))),
  };
}
