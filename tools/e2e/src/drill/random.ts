/** Random decisions that a seed repeats. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** The same things in another order. */
  shuffle<T>(things: readonly T[]): T[];
  /** A source of its own: for any use by one consumer, the others get the numbers of the seed. */
  branch(name: string): Random;
}

/** Mulberry32, begun with a hash (FNV-1a) of the seed's text. */
export function createRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  function pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('there is nothing to pick from');
    return choices[between(0, choices.length - 1)] as T;
  }
  return {
    next,
    between,
    pick,
    chance: (probability) => next() < probability,
    shuffle(things) {
      const left = [...things];
      return things.map(() => left.splice(between(0, left.length - 1), 1)).flat();
    },
    branch: (name) => createRandom(`${seed}/${name}`),
  };
}
