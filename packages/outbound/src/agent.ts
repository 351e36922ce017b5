import type { ClientRequest, ClientRequestArgs } from 'node:http';
import { Agent, type RequestOptions } from 'node:https';
import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { OutboundProxy } from '@callout/runtime/config/settings/outbound';
import { canonicalAddress } from '@callout/domain/target/address';
import { LRUCache } from 'lru-cache';
import type { Route } from './guard.ts';
import { countAnew, endTooMuch, hasTooManyCertificates } from './received-bytes.ts';
import { createContext } from './tls-contexts.ts';
import { openTunnel } from './tunnel.ts';

/** Options of `http.request` for a request through the outbound agent, which refuses any other. */
export type RoutedOptions = RequestOptions & { readonly route: Route };

/** The progress of a connection. */
export type ConnectionPhase = 'connecting' | 'handshaking' | 'ready';

export interface OutboundAgentOptions {
  /** Maximum number of open connections, including idle ones. */
  maxSockets: number;
  /** How long an unused connection is kept. */
  idleMs: number;
  /** Certificate authorities to trust in place of the system's, in PEM. */
  certificateAuthorities: readonly string[] | undefined;
  /** What every connection goes through, and how long it may take to connect; absent: nothing. */
  proxy?: (OutboundProxy & { timeoutMs: number }) | undefined;
}

/** The connection leads to an address that was not judged. */
export class UnjudgedAddress extends Error {}

/** Tried one after the other; the last address gets all the remaining time. */
const addressAttemptMs = 1_000;
/** A receiver that announces how long a connection is kept may close the connection a little early. */
const keepAliveMarginMs = 1_000;
/** How long a receiver whose certificates take too long to check is not called. */
export const costlyReceiverMs = 10 * 60_000;

/**
 * Opens, keeps and reuses the connections of all callouts of a process. Connections are made to judged addresses only,
 * with the host's name in TLS. An idle connection is reused only by a request to the same host with the same judged
 * addresses: a changed DNS answer or policy never meets an older connection.
 */
export class OutboundAgent extends Agent {
  /** Node compares the protocol with the protocol of the request: an empty protocol lets the agent serve both. */
  readonly protocol = '';
  readonly #maxSockets: number;
  readonly #idleMs: number;
  readonly #proxy: OutboundAgentOptions['proxy'];
  /** Connections that the proxy has been asked for. */
  #tunnelling = 0;
  readonly #open = new Set<Socket>();
  /** Kept after the end of a connection: an error is reported only after it has closed. */
  readonly #phases = new WeakMap<Socket, ConnectionPhase>();
  /** How long receivers keep a connection according to them, where that is shorter than our time. */
  readonly #announcedMs = new WeakMap<Socket, number>();
  /**
   * Idle connections, the longest idle first, with the time at which each is closed (milliseconds of
   * `performance.now()`).
   */
  readonly #idleUntil = new Map<Socket, number>();
  /** Receivers whose certificates take too long to check, by `receiverOf`. */
  readonly #costly = new LRUCache<string, true>({ max: 10_000, ttl: costlyReceiverMs });
  readonly #sweep: NodeJS.Timeout;
  #isClosed = false;

  constructor({ maxSockets, idleMs, certificateAuthorities, proxy }: OutboundAgentOptions) {
    super({
      keepAlive: true,
      // Node's own limits are per name: idle connections of other hosts would make a new connection wait.
      maxFreeSockets: maxSockets,
      // One context for all connections: otherwise Node creates one for each, which costs 160 µs and memory outside the
      // heap.
      secureContext: createContext({ authorities: certificateAuthorities?.join('\n') }),
      ALPNProtocols: ['http/1.1'],
      // Explicit: NODE_TLS_REJECT_UNAUTHORIZED cannot switch verification off.
      rejectUnauthorized: true,
    });
    this.#maxSockets = maxSockets;
    this.#idleMs = idleMs;
    this.#proxy = proxy;
    this.#sweep = setInterval(() => this.#lookAtConnections(), Math.max(10, Math.min(250, idleMs / 4))).unref();
  }

  /** The progress of a connection, or the progress at its close; undefined without a connection. */
  phaseOf(socket: Socket | null): ConnectionPhase | undefined {
    return socket ? this.#phases.get(socket) : undefined;
  }

  /** Whether the certificates of a receiver took so long to check that no connection is made. */
  isCostly(route: Route): boolean {
    return route.isSecure && this.#costly.has(receiverOf(route));
  }

  /** Stores the `Keep-Alive: timeout=5` (seconds) of a response on this connection. */
  noteKeepAlive(socket: Socket, header: string): void {
    const seconds = /\btimeout=(\d+)/iu.exec(header)?.[1];
    if (seconds !== undefined) this.#announcedMs.set(socket, Number(seconds) * 1_000);
  }

  /** Node's name for a set of interchangeable connections. */
  override getName(options?: ClientRequestArgs): string {
    return routeOf(options).key;
  }

  override createConnection(
    options: ClientRequestArgs,
    onCreated?: (error: Error | null, socket: Duplex) => void,
  ): Socket | undefined {
    if (this.#isClosed) throw new Error('The outbound agent is closed');
    const route = routeOf(options);
    this.#makeRoom();
    if (this.#proxy) {
      this.#connectThrough(this.#proxy, options, route).then(
        (socket) => onCreated?.(null, socket),
        // Node ignores the socket of a failure.
        (error: Error) => onCreated?.(error, undefined as unknown as Duplex),
      );
      return undefined;
    }
    const { hostname: host, port } = route;
    const pinned = {
      ...options,
      ...(route.secureContext && { secureContext: route.secureContext }),
      host,
      port,
      // Not called when the host is an address, which is then the only judged address.
      lookup: answering(route.addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: addressAttemptMs,
    };
    const socket = route.isSecure ? (super.createConnection(pinned) as Socket) : connect(pinned);
    this.#watch(socket, route, 'connecting');
    socket.once('connect', () => {
      this.#phases.set(socket, route.isSecure ? 'handshaking' : 'ready');
      const problem = unjudgedRemote(socket.remoteAddress, route.addresses);
      if (problem) socket.destroy(problem);
    });
    return socket;
  }

  /** A connection by way of the proxy, which sees nothing of what TLS protects. */
  async #connectThrough(
    proxy: OutboundProxy & { timeoutMs: number },
    options: ClientRequestArgs,
    route: Route,
  ): Promise<Socket> {
    this.#tunnelling += 1;
    const tunnel = await openTunnel(proxy, route).finally(() => (this.#tunnelling -= 1));
    if (this.#isClosed) {
      tunnel.destroy();
      throw new Error('The outbound agent is closed');
    }
    if (!route.isSecure) return this.#watch(tunnel, route, 'ready');
    const { secureContext } = route;
    const inside = { ...options, ...(secureContext && { secureContext }), socket: tunnel, host: route.hostname };
    return this.#watch(super.createConnection(inside) as Socket, route, 'handshaking');
  }

  /** Follows a connection from beginning to end. */
  #watch(socket: Socket, route: Route, phase: ConnectionPhase): Socket {
    this.#open.add(socket);
    this.#phases.set(socket, phase);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#idleUntil.delete(socket);
    });
    // The request listens, too; but once Node has released the connection, an error without a listener would end the
    // process.
    socket.on('error', () => undefined);
    socket.on('data', () => endTooMuch(socket));
    // The receiver has closed the idle connection, so the next request must not get it.
    socket.once('end', () => this.#idleUntil.has(socket) && this.#discard(socket));
    if (route.isSecure) {
      // Before Node looks at the result of OpenSSL, and closes the connection where that is bad.
      socket.prependOnceListener('secure', () => {
        if (hasTooManyCertificates(socket)) this.#costly.set(receiverOf(route), true);
      });
      socket.once('secureConnect', () => {
        if (this.isCostly(route)) socket.destroy(new Error('the certificates take too long to check'));
        else this.#phases.set(socket, 'ready');
      });
      socket.on('session', () => endTooMuch(socket));
    }
    return socket;
  }

  /** Called by Node to decide whether to keep a connection whose response is complete. */
  override keepSocketAlive(socket: Socket): boolean {
    const announcedMs = this.#announcedMs.get(socket) ?? Number.POSITIVE_INFINITY;
    const keptMs = Math.min(this.#idleMs, announcedMs - keepAliveMarginMs);
    if (keptMs <= 0) return false;
    this.#idleUntil.set(socket, performance.now() + keptMs);
    // Unsolicited data would be read as the response to the next request.
    socket.once('data', discard);
    socket.unref();
    return true;
  }

  override reuseSocket(socket: Socket, request: ClientRequest): void {
    this.#idleUntil.delete(socket);
    countAnew(socket);
    socket.off('data', discard);
    super.reuseSocket(socket, request);
  }

  /** Closes every connection, used or not. Resolves when all are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    const closed = [...this.#open].map((socket) => new Promise((resolve) => void socket.once('close', resolve)));
    for (const socket of this.#open) socket.destroy();
    await Promise.all(closed);
  }

  /** Callers limit the requests under way to `maxSockets`: when so many connections are open, one is idle. */
  #makeRoom(): void {
    for (const socket of this.#idleUntil.keys()) {
      if (this.#open.size + this.#tunnelling < this.#maxSockets) return;
      this.#discard(socket);
    }
  }

  #lookAtConnections(): void {
    for (const socket of this.#open) endTooMuch(socket);
    const now = performance.now();
    for (const [socket, until] of this.#idleUntil) {
      if (until <= now) this.#discard(socket);
    }
  }

  #discard(socket: Socket): void {
    this.#idleUntil.delete(socket);
    this.#open.delete(socket);
    discard.call(socket);
  }
}

/** Node removes a connection after its close, which is later: until then the next request would get the connection. */
function discard(this: Socket): void {
  this.destroy();
  this.emit('agentRemove');
}

/** Exported for the test: with pinned addresses the function never finds anything, which is the purpose. */
export function unjudgedRemote(remote: string | undefined, judged: readonly string[]): Error | undefined {
  // The receiver reset the connection at once: the system no longer knows the address.
  if (remote === undefined) return Object.assign(new Error('reset when it was made'), { code: 'ECONNRESET' });
  const address = canonicalAddress(remote);
  if (address !== undefined && judged.includes(address)) return undefined;
  return new UnjudgedAddress(`connected to ${remote} instead of ${judged.join(', ')}`);
}

function routeOf(options: object | undefined): Route {
  const { route } = (options ?? {}) as Partial<RoutedOptions>;
  if (!route) throw new Error('The outbound agent takes only requests whose addresses were judged');
  return route;
}

/**
 * The receiver of the certificates: name in TLS and port, since each port of a host may have another owner. A webhook
 * cannot change the certificates of another webhook: path, headers and client certificate are sent after them.
 */
function receiverOf({ servername, hostname, port }: Route): string {
  return `${servername || hostname} ${port}`;
}

/** A `lookup` with a fixed result. */
function answering(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, answers);
    else callback(null, answers[0]?.address ?? '', answers[0]?.family);
  };
}
