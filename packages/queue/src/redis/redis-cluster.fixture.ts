import { startRedisFacade, type Command, type RedisFacade } from './redis-facade.fixture.ts';

export interface FakeCluster {
  /** `host:port` of each node. */
  readonly nodes: readonly string[];
  /** Commands that were refused because their keys are in several slots. */
  readonly crossed: readonly string[];
  /** Commands with keys that each node accepted. */
  readonly taken: readonly number[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const KEYLESS =
  /^(hello|auth|select|client|info|ping|quit|readonly|script|cluster|multi|exec|subscribe|unsubscribe|scan)$/;

/**
 * Two nodes of a Cluster in front of one server: each has half of the slots, redirects others with MOVED, and refuses
 * a command whose keys are in several slots, as the nodes of a real one do.
 */
export async function startFakeCluster(upstreamPort: number): Promise<FakeCluster> {
  const nodes: RedisFacade[] = [];
  const crossed: string[] = [];
  const taken = [0, 0];
  const ownerOf = (slot: number) => (slot < SLOTS / 2 ? 0 : 1);

  function answer(node: number, command: Command): string | undefined {
    const [name = '', sub = ''] = command.map((word) => word.toLowerCase());
    if (name === 'cluster' && sub === 'info') return "return 'cluster_state:ok'";
    if (name === 'cluster' && sub === 'slots') return `return {${nodes.map(slotsOf).join(',')}}`;
    if (KEYLESS.test(name)) return undefined;
    const slots = new Set(keysOf(name, command).map(slotOf));
    const [slot = 0] = slots;
    if (slots.size > 1) {
      crossed.push(command.join(' '));
      return "return redis.error_reply('CROSSSLOT Keys in request do not hash to the same slot')";
    }
    const owner = ownerOf(slot);
    if (owner !== node) return `return redis.error_reply('MOVED ${slot} 127.0.0.1:${nodes[owner]?.port}')`;
    taken[node] = (taken[node] ?? 0) + 1;
    return undefined;
  }

  for (const node of [0, 1]) {
    nodes.push(await startRedisFacade({ upstreamPort, answer: (command) => answer(node, command) }));
  }
  return {
    nodes: nodes.map(({ port }) => `127.0.0.1:${port}`),
    crossed,
    taken,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

/** One line of CLUSTER SLOTS, as Lua. */
function slotsOf({ port }: RedisFacade, node: number): string {
  const first = (node * SLOTS) / 2;
  return `{${first},${first + SLOTS / 2 - 1},{'127.0.0.1',${port},'${String(node).repeat(40)}'}}`;
}

/** The keys of the commands that queues and counters use. */
function keysOf(name: string, command: Command): readonly string[] {
  if (name === 'eval' || name === 'evalsha') return command.slice(3, 3 + Number(command[2]));
  if (/^(del|unlink|exists)$/.test(name)) return command.slice(1);
  if (name === 'bzpopmin') return command.slice(1, -1);
  if (name === 'mset') return command.slice(1).filter((_, nth) => nth % 2 === 0);
  return command.slice(1, 2);
}

/** CRC16 (XMODEM) of the key, or of the part of it in braces. */
function slotOf(key: string): number {
  const hashed = /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return (crc & 0xffff) % SLOTS;
}
