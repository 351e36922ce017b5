import { Badge } from '@mantine/core';

/** Colour, and a sign for people who do not see it. */
const looks = {
  delivered: ['green', '✓'],
  active: ['green', '✓'],
  delivering: ['green', '✓'],
  ready: ['green', '✓'],
  due: ['blue', '…'],
  waiting: ['blue', '…'],
  retrying: ['orange', '↻'],
  pending: ['blue', '…'],
  held: ['yellow', '‖'],
  paused: ['yellow', '‖'],
  notReady: ['yellow', '!'],
  nearThreshold: ['yellow', '!'],
  rotating: ['yellow', '!'],
  keyMissing: ['red', '!'],
  failing: ['red', '!'],
  failed: ['red', '✕'],
  refused: ['red', '✕'],
  cancelled: ['gray', '–'],
  merged: ['gray', '↦'],
  gone: ['gray', '–'],
  inactive: ['gray', '–'],
  matched: ['gray', '✓'],
  unchanged: ['gray', '='],
} as const;

export type State = keyof typeof looks;

const words: Partial<Record<State, string>> = {
  notReady: 'not ready',
  nearThreshold: 'near threshold',
  keyMissing: 'key missing',
};

/** A state as a person reads it. */
export const stateWords = (state: State): string => words[state] ?? state;

interface StateBadgeProps {
  readonly state: State;
  /** How many are in the state; one unless given. */
  readonly count?: number;
}

/** A state in one word. */
export function StateBadge({ state, count }: StateBadgeProps) {
  const [color, sign] = looks[state];
  return (
    <Badge
      color={color}
      variant="light"
      tt="none"
      miw="max-content"
      c="var(--mantine-color-text)"
      leftSection={<span aria-hidden>{sign}</span>}
    >
      {count !== undefined && `${count.toLocaleString()} `}
      {stateWords(state)}
    </Badge>
  );
}

/** The state of a callout: one that is tried again does not look like one that nobody has tried. */
export const stateOfCallout = ({ state, isFailing }: { readonly state: State; readonly isFailing: boolean }): State =>
  isFailing && state === 'due' ? 'retrying' : state;
