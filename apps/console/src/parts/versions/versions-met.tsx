import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { RecordsTable } from '../table/records-table.tsx';

/** A value that others have changed. */
export interface MetValue {
  readonly name: string;
  readonly label: ReactNode;
  readonly was: Value;
  readonly theirs: Value;
  /** What is to be saved, where it is another value. */
  readonly mine?: Value;
  /** Drops the edit of the value. */
  readonly takeTheirs?: () => void;
}

type Value = string | number | boolean | null;

interface VersionsMetProps {
  /** Such as `webhook`. */
  readonly what: string;
  readonly rows: readonly MetValue[];
  /** Whether a person has edited it, and not only asked for something to be done. */
  readonly isEdited: boolean;
}

/** What others have changed since a person has read something, beside what is about to be saved. */
export function VersionsMet({ what, rows, isEdited }: VersionsMetProps) {
  const seen = isEdited ? 'while you were editing it' : 'since you opened it';
  return (
    <Alert color="orange" title={`This ${what} was changed ${seen}`} role="alert" tabIndex={-1} data-is-problem>
      <Stack gap="xs">
        <Text>
          {rows.length === 0 && 'It was something that is not shown here, such as its secret. '}
          {adviceFor(isEdited, rows.length > 0)}
        </Text>
        {rows.length > 0 && (
          <RecordsTable
            label="Changes of others"
            rows={rows}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Setting', cell: ({ label }) => label },
              { title: 'Was', cell: ({ was }) => textOf(was) },
              { title: 'Now', cell: ({ theirs }) => textOf(theirs) },
              ...(isEdited ? choices : []),
            ]}
            empty={{ title: '', description: '' }}
          />
        )}
      </Stack>
    </Alert>
  );
}

const choices = [
  {
    title: 'Yours',
    cell: ({ mine }: MetValue) => (mine === undefined ? 'as it is now' : textOf(mine)),
  },
  {
    title: 'Choose',
    cell: ({ mine, takeTheirs }: MetValue) =>
      mine !== undefined && (
        <Button size="xs" variant="default" onClick={takeTheirs}>
          Use theirs
        </Button>
      ),
  },
];

function adviceFor(isEdited: boolean, isShown: boolean): string {
  if (!isEdited) return 'Nothing was done. If you still want it, choose it again.';
  return isShown
    ? 'Your changes are still here. Where both have changed something, saving again replaces theirs, unless you use it.'
    : 'Your changes are still here: save them again.';
}

function textOf(value: Value): string {
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value.toLocaleString();
}
