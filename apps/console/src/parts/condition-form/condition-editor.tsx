import { Button, CloseButton, Group, Paper, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Entity } from '../../api/entities.ts';
import { draftOf, type GroupDraft, isGroup, newExpression, textOf } from './condition-draft.ts';
import { Refusal } from '../form/refusal.tsx';
import { lazyPart } from '../lazy-part.tsx';
import { Reading } from '../loaded.tsx';
import { type FieldChoice, fieldChoicesQuery } from '../webhook-form/field-choices-query.ts';

// Most webhooks have no condition, and the inputs for lists of values are large.
const ExpressionEditor = lazyPart(() => import('./expression-editor.tsx'));

interface ConditionEditorProps {
  readonly entity: Entity;
  /** The text of its JSON; empty: none. */
  readonly condition: string;
  readonly set: (condition: string) => void;
  readonly error: string | undefined;
}

/** What a change must fulfil to make a callout: comparisons and groups of them. */
export default function ConditionEditor({ entity, condition, set, error }: ConditionEditorProps) {
  const { data: choices = [] } = useQuery(fieldChoicesQuery(entity));
  return (
    <>
      <GroupEditor group={draftOf(condition)} choices={choices} level={1} set={(group) => set(textOf(group))} />
      <Refusal error={error} />
    </>
  );
}

/** As the API has it. */
const mostLevels = 8;

interface GroupEditorProps {
  readonly group: GroupDraft;
  readonly choices: readonly FieldChoice[];
  readonly level: number;
  readonly set: (group: GroupDraft) => void;
  readonly remove?: () => void;
}

function GroupEditor({ group, choices, level, set, remove }: GroupEditorProps) {
  const { items } = group;
  const replace = (at: number, item: GroupDraft['items'][number]) => set({ ...group, items: items.with(at, item) });
  const removeAt = (at: number) => set({ ...group, items: items.toSpliced(at, 1) });
  const add = (item: GroupDraft['items'][number]) => set({ ...group, items: [...items, item] });
  return (
    <Paper withBorder p="sm" component="fieldset" aria-label={level === 1 ? 'Condition' : 'Group'}>
      <Stack gap="sm">
        <Group justify="space-between">
          <SegmentedControl
            aria-label="How many must hold"
            data={[
              { value: 'and', label: 'All of these' },
              { value: 'or', label: 'Any of these' },
            ]}
            value={group.op}
            onChange={(op) => set({ ...group, op })}
          />
          {remove && <CloseButton aria-label="Remove this group" onClick={remove} />}
        </Group>
        {[...items.entries()].map(([place, item]) =>
          isGroup(item) ? (
            <GroupEditor
              key={place}
              group={item}
              choices={choices}
              level={level + 1}
              set={(changed) => replace(place, changed)}
              remove={() => removeAt(place)}
            />
          ) : (
            <Suspense key={place} fallback={<Reading label="the comparison" />}>
              <ExpressionEditor
                expression={item}
                choices={choices}
                set={(changed) => replace(place, changed)}
                remove={() => removeAt(place)}
              />
            </Suspense>
          ),
        )}
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={() => add(newExpression)}>
            Add a comparison
          </Button>
          {level < mostLevels - 1 && (
            <Button size="compact-sm" variant="default" onClick={() => add({ op: 'or', items: [newExpression] })}>
              Add a group
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}
