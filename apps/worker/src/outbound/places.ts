export interface PlacesLimits {
  perHost: number;
  total: number;
}

/** A place for one request, taken or still waited for. */
export interface Place {
  /** Resolves when the place is free; undefined when it is taken already. */
  readonly entered: Promise<void> | undefined;
  /** Gives the place back, or gives up waiting for it. To be called exactly once. */
  readonly leave: () => void;
}

export interface Places {
  take(host: string): Place;
}

interface Host {
  readonly name: string;
  inUse: number;
  readonly waiting: Set<() => void>;
}

/** Bounds the requests under way, per host and altogether; those of one host take turns in the order they came. */
export function createPlaces(limits: PlacesLimits): Places {
  const hosts = new Map<string, Host>();
  let inUse = 0;

  const hasRoom = (host: Host): boolean => host.inUse < limits.perHost && inUse < limits.total;

  function occupy(host: Host): void {
    host.inUse += 1;
    inUse += 1;
  }

  function release(host: Host): void {
    host.inUse -= 1;
    inUse -= 1;
    // Its own host first; requests to others wait only where the total was the limit.
    if (!admitNext(host)) [...hosts.values()].some(admitNext);
    forgetIfEmpty(host);
  }

  function admitNext(host: Host): boolean {
    const [next] = host.waiting;
    if (!next || !hasRoom(host)) return false;
    host.waiting.delete(next);
    occupy(host);
    next();
    return true;
  }

  function forgetIfEmpty(host: Host): void {
    if (host.inUse === 0 && host.waiting.size === 0) hosts.delete(host.name);
  }

  function waitAt(host: Host): Place {
    let admit: () => void = () => undefined;
    const entered = new Promise<void>((resolve) => {
      admit = resolve;
    });
    host.waiting.add(admit);
    const leave = () => {
      if (host.waiting.delete(admit)) forgetIfEmpty(host);
      else release(host);
    };
    return { entered, leave };
  }

  return {
    take(name) {
      const host = hosts.get(name) ?? { name, inUse: 0, waiting: new Set() };
      hosts.set(name, host);
      if (!hasRoom(host)) return waitAt(host);
      occupy(host);
      return { entered: undefined, leave: () => release(host) };
    },
  };
}
