import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { askServer } from '../../api/session.ts';
import type { Lockout } from '../../api/operator.ts';
import { notify } from '../../parts/notify.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { RecordsTable } from '../../parts/table/records-table.tsx';
import type { pagesOf, rowsOf } from '../../parts/table/rows-of.ts';
import { Time } from '../../parts/show/time.tsx';

interface LockoutsTableProps {
  readonly list: ReturnType<typeof rowsOf<Lockout>> | ReturnType<typeof pagesOf<Lockout>>;
}

/** User names that are refused for a while, with a way to let them in again. */
export function LockoutsTable({ list }: LockoutsTableProps) {
  const queryClient = useQueryClient();
  const lift = useMutation({
    mutationFn: ({ userName, address }: { userName: string; address: string }) =>
      askServer('DELETE', `/operator/v1/lockouts?${new URLSearchParams({ userName, address })}`),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['operator'] });
      notify({ message: 'The lockout is lifted.' });
    },
    onError: (problem) => notify({ color: 'red', message: problemOf(problem) }),
  });
  return (
    <RecordsTable
      label="Lockouts"
      {...list}
      keyOf={({ userName, address, endDateTime }) => `${userName ?? ''} ${address} ${endDateTime}`}
      empty={{
        title: 'No user name is locked out',
        description: 'Ten failed sign-ins from one address within 15 minutes lock a user name out for 15 minutes.',
      }}
      columns={[
        {
          title: 'User name',
          cell: ({ userName }) => userName ?? 'a name that no credential has: it is stored as a digest',
        },
        { title: 'Address', cell: ({ address }) => address },
        { title: 'Ends', cell: ({ endDateTime }) => <Time value={endDateTime} /> },
        {
          title: '',
          isNumber: true,
          cell: ({ userName, address }) =>
            userName !== null && (
              <Button
                size="compact-sm"
                variant="default"
                className="no-print"
                aria-label={`Let ${userName} in again from ${address}`}
                onClick={() => lift.mutate({ userName, address })}
              >
                Lift
              </Button>
            ),
        },
      ]}
    />
  );
}
