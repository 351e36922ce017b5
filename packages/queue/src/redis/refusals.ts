/** Why Redis cannot be written. */
export interface RedisRefusal {
  /** The first word of the error, such as `READONLY`; `TIMEOUT` when a command got no answer. */
  readonly reason: string;
  /** The problem and its remedy, without confidential data. */
  readonly sentence: string;
}

const unwritable = 'Redis cannot be written';

/** Redis's error words (https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors), and what to do. */
const sentences: Readonly<Record<string, string>> = {
  READONLY: `${unwritable}: it is a read-only replica, perhaps since a failover. Let REDIS_URL name the primary, or make this server one with REPLICAOF NO ONE`,
  OOM: `${unwritable}: its memory is full. Raise maxmemory, or free memory that other programs use there`,
  MISCONF: `${unwritable}: it cannot save to its disk. Free space there, or switch saving off with CONFIG SET save ""`,
  NOREPLICAS: `${unwritable}: it has fewer replicas than min-replicas-to-write. Start the replicas, or lower this number`,
  NOPERM: lackOf(['a command']).sentence,
  WRONGPASS: 'Redis refuses the user and password of REDIS_URL. Set the right ones, and restart',
  NOAUTH: 'Redis asks for a password. Add it to REDIS_URL, and restart',
  LOADING: `${unwritable}: it is loading its data. Wait until this is done`,
  MASTERDOWN: `${unwritable}: it is a replica whose primary is down. Let REDIS_URL name the primary`,
  CLUSTERDOWN: `${unwritable}: its Cluster is down. Start the nodes whose slots nobody serves`,
  TIMEOUT: `${unwritable}: it accepts connections and does not answer. Look for slow commands, CLIENT PAUSE, or a frozen host`,
};

/** What the error of a command says about Redis; null for a broken connection, which says nothing about writes. */
export function refusalOf(error: unknown): RedisRefusal | null {
  const { name = '', message = '' } = error as Partial<Error>;
  if (name !== 'ReplyError') return message === 'Command timed out' ? refusal('TIMEOUT') : null;
  return refusal(/^[A-Z]+/.exec(message)?.[0] ?? 'ERR');
}

/** The user of REDIS_URL may not run these commands. */
export function lackOf(commands: readonly string[]): RedisRefusal {
  const sentence = `Redis refuses ${commands.join(', ')}: the user of REDIS_URL lacks a permission. docs/deploying.md lists the commands and keys`;
  return { reason: 'NOPERM', sentence };
}

function refusal(reason: string): RedisRefusal {
  return {
    reason,
    sentence: sentences[reason] ?? `${unwritable}: it answers ${reason}. The log of this process has the error`,
  };
}
