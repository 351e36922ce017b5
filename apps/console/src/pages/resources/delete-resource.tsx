import { Alert, Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { notify } from '../../parts/notify.tsx';
import { Problem } from '../../parts/problem.tsx';

interface DeleteResourceProps {
  readonly id: number;
  readonly name: string;
  /** The resource that the session is of. */
  readonly isOwn: boolean;
  readonly onDeleted: () => void;
}

/** Deletes a resource once it was said what goes with it. */
export function DeleteResource({ id, name, isOwn, onDeleted }: DeleteResourceProps) {
  const [isAsked, setIsAsked] = useState(false);
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.DELETE('/v1.0/Resources/{id}', { params: { path: { id } } }),
    onSuccess: async () => {
      onDeleted();
      notify({ message: `${name} is deleted.` });
      await queryClient.invalidateQueries({ queryKey: ['resources'] });
    },
  });
  if (!isAsked) {
    return (
      <div>
        <Button variant="subtle" color="red" size="compact-sm" onClick={() => setIsAsked(true)}>
          Delete this resource
        </Button>
      </div>
    );
  }
  return (
    <Alert color="red" title={isOwn ? 'This ends your own access, for good' : `Delete ${name} for good?`}>
      <Stack gap="xs">
        Its credentials are refused from the next request on, and the webhooks that it owns become inactive.
        {remove.isError && <Problem title="The resource was not deleted" error={remove.error} />}
        <Group>
          <Button size="xs" variant="default" onClick={() => setIsAsked(false)}>
            Keep it
          </Button>
          <Button size="xs" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
