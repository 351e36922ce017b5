import { List } from '@mantine/core';
import type { Schemas } from '@callout/client';

interface RulesListProps {
  readonly rules: NonNullable<Schemas['EventOutcome']['rules']>;
}

/** Each rule that decides whether a webhook gets a callout, and its result. */
export function RulesList({ rules }: RulesListProps) {
  return (
    <List size="sm" spacing={4}>
      {rules.map(({ rule, blocks, message }) => (
        <List.Item key={rule} icon={<span aria-hidden>{blocks ? '✕' : '✓'}</span>}>
          {message}
        </List.Item>
      ))}
    </List>
  );
}
