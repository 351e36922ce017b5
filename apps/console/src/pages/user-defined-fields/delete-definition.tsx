import { List } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Definition } from './definitions-query.ts';
import { Dialog } from '../../parts/window/dialog.tsx';

interface DeleteDefinitionProps {
  readonly definition: Definition;
  readonly onClose: () => void;
}

/** Deletes a user-defined field after saying what goes with it. */
export function DeleteDefinition({ definition: { id, name }, onClose }: DeleteDefinitionProps) {
  const remove = useMutation({
    mutationFn: () => api.DELETE('/v1.0/UserDefinedFieldDefinitions/{id}', { params: { path: { id: Number(id) } } }),
    onSuccess: onClose,
    meta: { changes: ['definitions'], done: `The field ${name} is deleted.` },
  });
  return (
    <Dialog
      title={`Delete ${name}?`}
      isOpen
      onClose={onClose}
      action="Delete the field"
      refusal="Keep it"
      isDangerous
      mutation={remove}
    >
      <List size="sm" spacing="xs">
        <List.Item>Callouts no longer include it.</List.Item>
        <List.Item>
          It is removed from every webhook that uses it; a webhook without another field is then not ready.
        </List.Item>
        <List.Item>It cannot be restored: a new field with this name is a different field.</List.Item>
      </List>
    </Dialog>
  );
}
