/** A condition in the form of `Filter`. */
export type Condition = Group | Comparison;

interface Group {
  readonly op: 'and' | 'or';
  readonly items: readonly Condition[];
}

/** One field compared with a value. */
interface Comparison {
  readonly op: string;
  readonly field: string;
  readonly udf: boolean;
  readonly value?: string | readonly string[];
}

/**
 * Two conditions of which both or one must be true; groups of the same kind are merged, so that they are not nested
 * needlessly.
 */
export function joined(op: 'and' | 'or', one: Condition, other: Condition): Condition {
  const itemsOf = (condition: Condition) => (isGroup(condition) && condition.op === op ? condition.items : [condition]);
  return { op, items: [...itemsOf(one), ...itemsOf(other)] };
}

function isGroup(condition: Condition): condition is Group {
  return 'items' in condition;
}
