import { Button, Group, List, Stack } from '@mantine/core';
import { Modal } from '../../parts/window/modal.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { notify } from '../../parts/notify.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { Definition } from './definitions-query.ts';

interface DeleteDefinitionProps {
  readonly definition: Definition;
  readonly onClose: () => void;
}

/** Deletes a user-defined field after saying what goes with it. */
export function DeleteDefinition({ definition: { id, name }, onClose }: DeleteDefinitionProps) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.DELETE('/v1.0/UserDefinedFieldDefinitions/{id}', { params: { path: { id: Number(id) } } }),
    onSuccess: async () => {
      onClose();
      notify({ message: `The field ${name} is deleted.` });
      await queryClient.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Delete ${name}?`}>
      <Stack>
        <List size="sm" spacing="xs">
          <List.Item>Callouts no longer include it.</List.Item>
          <List.Item>
            It is removed from every webhook that uses it; a webhook without another field is then not ready.
          </List.Item>
          <List.Item>It cannot be restored: a new field with this name is a different field.</List.Item>
        </List>
        {remove.isError && <Problem title="The field was not deleted" error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete the field
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
